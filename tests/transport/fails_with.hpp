#pragma once
/// @file
/// What a test expects of an attempt or a call that fails.

#include <optional>

#include <gmock/gmock.h>
#include <noun/error.hpp>
#include <noun/result.hpp>

namespace noun_test {

template <class T>
std::optional<noun::Error> failure(const noun::Result<T>& result) {
  return result ? std::nullopt : std::optional(result.error());
}
inline const std::optional<noun::Error>& failure(const std::optional<noun::Error>& error) { return error; }

/// A result or an optional error is an error of this code that says so whether the request was sent.
MATCHER_P2(FailsWith, code, sent, testing::PrintToString(code) + ", sent: " + testing::PrintToString(sent)) {
  const auto error = failure(arg);
  if (error) *result_listener << "sent: " << to_string(error->sent());
  return error && error->code() == code && error->sent() == sent;
}

}  // namespace noun_test
