#pragma once
/// @file
/// Matchers for attempts and calls that fail.

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

/// Matches a result or an optional error with this code and this sent().
MATCHER_P2(FailsWith, code, sent, ::testing::PrintToString(code) + ", sent: " + ::testing::PrintToString(sent)) {
  const auto error = failure(arg);
  if (error) *result_listener << "sent: " << to_string(error->sent());
  return error && error->code() == code && error->sent() == sent;
}

}  // namespace noun_test
