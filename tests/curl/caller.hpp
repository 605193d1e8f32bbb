#pragma once
/// @file
/// Makes attempts for the tests of transports, with defaults for everything that a test does not set.

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <noun/stop.hpp>
#include <noun/transport.hpp>

#include "joining_thread.hpp"

namespace noun_test {

using namespace std::chrono_literals;

/// Within this time what is stopped has ended. How fast it ends is measured, not tested: machines may be busy.
inline constexpr auto patience = 1000ms;

/// A transport and the defaults of its attempts.
struct Caller {
  std::shared_ptr<noun::Transport> transport = noun::libcurl_transport({}).value();
  noun::Headers headers = {};
  noun::Timeouts timeouts = {};
  noun::Limits limits = {};
  noun::Duration timeout = 10s;
  bool fresh_connection = false;
  noun::StopToken stop = {};

  noun::Result<noun::Response> operator()(noun::Method method, const std::string& url,
                                          std::optional<std::string_view> body = std::nullopt) const {
    return transport->send({.method = method,
                            .url = url,
                            .headers = headers,
                            .body = body.value_or(""),
                            .has_body = body.has_value(),
                            .timeout = timeout,
                            .timeouts = timeouts,
                            .limits = limits,
                            .fresh_connection = fresh_connection},
                           stop);
  }
  noun::Result<noun::Response> get(const std::string& url) const { return (*this)(noun::Method::get, url); }
};

/// The result of an attempt that is stopped when `ready` returns. Checks that it ends at once.
inline noun::Result<noun::Response> stopped(Caller call, noun::Method method, const std::string& url,
                                            std::optional<std::string_view> body, const std::function<void()>& ready) {
  noun::StopSource source;
  call.stop = source.get_token();
  std::chrono::steady_clock::time_point requested;
  JoiningThread stopper([&] {
    ready();
    requested = std::chrono::steady_clock::now();
    source.request_stop();
  });
  auto result = call(method, url, body);
  const auto ended = std::chrono::steady_clock::now();
  stopper.join();
  EXPECT_LT(ended - requested, patience);
  return result;
}

inline constexpr noun::Method every_method[] = {noun::Method::get,    noun::Method::head, noun::Method::options,
                                                noun::Method::post,   noun::Method::put,  noun::Method::patch,
                                                noun::Method::delete_, noun::Method::query};

/// A body for the methods that usually have one.
inline std::optional<std::string_view> usual_body(noun::Method method) {
  using noun::Method;
  if (method == Method::post || method == Method::put || method == Method::patch || method == Method::query)
    return "{\"a\":1}";
  return std::nullopt;
}

}  // namespace noun_test
