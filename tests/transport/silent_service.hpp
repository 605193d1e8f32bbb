#pragma once
/// @file
/// A service that answers one page and one member, and keeps silent on everything else that it is asked for.

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>

#include <fmt/format.h>

#include "transport/raw_server.hpp"

namespace noun_test {

/// Answers /numbers with the first of 200 pages, and /numbers/1.
class SilentService {
 public:
  SilentService() : server_([this](RawServer::Peer& peer) { serve(peer); }) {}

  std::string base_url() const { return server_.url(""); }

  /// Waits until so many requests have come that it will not answer.
  void wait_for_held(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return held_ >= count; });
  }
  /// Waits so long until so many clients have closed the connection of such a request.
  bool wait_for_closed(std::size_t count, std::chrono::milliseconds at_most) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, at_most, [&] { return closed_ >= count; });
  }

 private:
  void serve(RawServer::Peer& peer) {
    while (const auto request = peer.request()) {
      if (request->starts_with("GET /numbers HTTP")) {
        peer.send(answer("[1, 2]", fmt::format("Link: <{0}?page=2>; rel=\"next\", <{0}?page=200>; rel=\"last\"\r\n",
                                               server_.url("/numbers"))));
      } else if (request->starts_with("GET /numbers/1 HTTP")) {
        peer.send(answer("1"));
      } else {
        count(held_);
        peer.until_closed();
        count(closed_);
        return;
      }
    }
  }
  void count(std::size_t& what) {
    const std::lock_guard lock(mutex_);
    ++what;
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t held_ = 0;
  std::size_t closed_ = 0;
  RawServer server_;  // the last one: its threads use the others
};

}  // namespace noun_test
