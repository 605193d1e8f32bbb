#pragma once
/// @file
/// The bodies of an attempt as text, for transports without a network.

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <noun/transport.hpp>

namespace noun { inline namespace v0 {

/// The whole body, or the error of a source that cannot be read.
inline Result<std::string> sent_body(const Attempt& attempt) {
  if (attempt.source == nullptr) return std::string(attempt.body);
  auto reader = attempt.source->open();
  if (!reader) return std::move(reader).error();
  std::string text;
  char bytes[4096];
  for (;;) {
    const auto count = (*reader)->read(bytes, sizeof bytes);
    if (!count) return count.error();
    if (*count == 0) return text;
    text.append(bytes, *count);
  }
}

/// The error of a response whose head was received.
inline Error with_head(const Error& error, Response head) {
  auto details = error.details();
  head.body.clear();
  details.status = head.status;
  details.response = std::make_shared<const Response>(std::move(head));
  return Error(std::move(details));
}

/// The response, whose body goes to the attempt's sink if that takes it.
/// @param cut  the body ends after so many bytes, with an error.
inline Result<Response> delivered(const Attempt& attempt, Response response, std::optional<std::size_t> cut = {}) {
  const bool whole = !cut || *cut >= response.body.size();
  auto body = std::string_view(response.body).substr(0, cut.value_or(std::string::npos));
  if (attempt.sink != nullptr) {
    const auto taken = attempt.sink->begin(response);
    if (!taken) return taken.error();
    if (*taken) {
      constexpr std::size_t piece = 4096;
      for (; !body.empty(); body.remove_prefix(std::min(body.size(), piece)))
        if (auto written = attempt.sink->write(body.substr(0, piece)); !written)
          return with_head(written.error(), std::move(response));
      response.body.clear();
    }
  }
  if (whole) return response;
  return with_head(Error(Errc::truncated, "the response is incomplete", Sent::answered), std::move(response));
}

}}  // namespace noun
