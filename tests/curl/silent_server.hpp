#pragma once
/// @file
/// A server that responds for one page and one member, and never to any other request.

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>

#include <fmt/format.h>

#include "curl/raw_server.hpp"

namespace noun_test {

/// Responds to /numbers with the first of 200 pages, and to /numbers/1.
class SilentServer {
 public:
  SilentServer() : server_([this](RawServer::Peer& peer) { serve(peer); }) {}

  std::string base_url() const { return server_.url(""); }

  /// Waits until `count` requests without a response have arrived.
  void wait_for_held(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return held_ >= count; });
  }
  /// Waits at most `at_most` until clients have closed the connections of `count` such requests.
  bool wait_for_closed(std::size_t count, std::chrono::milliseconds at_most) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, at_most, [&] { return closed_ >= count; });
  }

 private:
  void serve(RawServer::Peer& peer) {
    while (const auto request = peer.request()) {
      if (request->starts_with("GET /numbers HTTP")) {
        peer.send(
            http_response("[1, 2]", fmt::format("Link: <{0}?page=2>; rel=\"next\", <{0}?page=200>; rel=\"last\"\r\n",
                                                server_.url("/numbers"))));
      } else if (request->starts_with("GET /numbers/1 HTTP")) {
        peer.send(http_response("1"));
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
  RawServer server_;  // last, because its threads use the other members
};

}  // namespace noun_test
