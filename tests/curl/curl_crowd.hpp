#pragma once
/// @file
/// Makes many attempts with the libcurl multiplexer, with defaults for everything that a test does not set. Runs one
/// test on both send() and the multiplexer.

#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <noun/stop.hpp>
#include <noun/transport.hpp>

#include "curl/caller.hpp"

namespace noun_test {

/// Attempts and their results.
struct Crowd {
  using Id = noun::Multiplexer::Id;

  explicit Crowd(const noun::TransportOptions& options = {})
      : multiplexer(noun::libcurl_transport(options).value()->multiplexer()) {}

  void start(Id id, noun::Method method, const std::string& url, std::optional<std::string_view> body = std::nullopt) {
    auto& kept = urls[id] = url;
    multiplexer->start(id, {.method = method,
                            .url = kept,
                            .headers = headers,
                            .body = body.value_or(""),
                            .has_body = body.has_value(),
                            .timeout = timeout,
                            .timeouts = timeouts,
                            .limits = limits,
                            .fresh_connection = fresh_connection});
  }
  void start(Id id, const std::string& url) { start(id, noun::Method::get, url); }
  /// Waits until `count` attempts have ended in all.
  void await(std::size_t count) {
    while (results.size() < count) take(multiplexer->wait(noun::Duration::max()));
  }
  void take(std::vector<noun::Multiplexer::Ended> ended) {
    for (auto& one : ended) EXPECT_TRUE(results.emplace(one.id, std::move(one.result)).second) << one.id;
  }
  const noun::Result<noun::Response>& result(Id id) {
    while (!results.contains(id)) take(multiplexer->wait(noun::Duration::max()));
    return results.at(id);
  }
  /// Makes one attempt and returns its result.
  const noun::Result<noun::Response>& get(const std::string& url) {
    start(++last, url);
    return result(last);
  }

  std::unique_ptr<noun::Multiplexer> multiplexer;
  noun::Headers headers = {};
  noun::Timeouts timeouts = {};
  noun::Limits limits = {};
  noun::Duration timeout = 10s;
  bool fresh_connection = false;
  std::map<Id, std::string> urls;
  std::map<Id, noun::Result<noun::Response>> results;
  Id last = 1000;
};

/// Makes each attempt in a multiplexer, one at a time.
class MultiplexedSend final : public noun::Transport {
 public:
  explicit MultiplexedSend(const noun::TransportOptions& options)
      : multiplexer_(noun::libcurl_transport(options).value()->multiplexer()) {}

  noun::Result<noun::Response> send(const noun::Attempt& attempt, const noun::StopToken&) override {
    multiplexer_->start(++last_, attempt);
    for (;;)
      for (auto& ended : multiplexer_->wait(noun::Duration::max())) return std::move(ended.result);
  }

 private:
  std::unique_ptr<noun::Multiplexer> multiplexer_;
  noun::Multiplexer::Id last_ = 0;
};

enum class Way { send, multiplexer };
inline void PrintTo(Way way, std::ostream* out) { *out << (way == Way::send ? "send" : "multiplexer"); }

inline Caller caller(Way way, const noun::TransportOptions& options = {}) {
  if (way == Way::send) return {.transport = noun::libcurl_transport(options).value()};
  return {.transport = std::make_shared<MultiplexedSend>(options)};
}

}  // namespace noun_test
