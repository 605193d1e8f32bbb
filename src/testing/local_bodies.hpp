#pragma once
/// @file
/// The bodies of an attempt as text, for transports without a network.

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <noun/testing/scripted_transport.hpp>
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

/// The request as tests see it.
inline testing::SentRequest sent_request(const Attempt& attempt, std::string body) {
  return {.method = attempt.method,
          .url = std::string(attempt.url),
          .headers = attempt.headers,
          .body = std::move(body),
          .has_body = attempt.has_body,
          .fresh_connection = attempt.fresh_connection,
          .timeout = attempt.timeout};
}

/// The error of an attempt that is stopped.
inline Error stopped_attempt(Sent sent) { return Error(Errc::cancelled, "cancelled by the caller", sent); }

/// The error of a response whose head was received.
inline Error with_head(const Error& error, Response head) {
  auto details = error.details();
  head.body.clear();
  details.status = head.status;
  details.response = std::make_shared<const Response>(std::move(head));
  return Error(std::move(details));
}

/// A response whose body arrives piece by piece: in the attempt's sink if that takes it, or else in the response.
class Delivery {
 public:
  /// @param head  without a body.
  Delivery(const Attempt& attempt, Response head) : sink_(attempt.sink), response_(std::move(head)) {}

  /// Before the first piece.
  Result<void> begin() {
    if (sink_ == nullptr) return {};
    const auto takes = sink_->begin(response_);
    if (!takes) return takes.error();
    if (!*takes) sink_ = nullptr;
    return {};
  }
  Result<void> write(std::string_view bytes) {
    if (sink_ == nullptr) response_.body += bytes;
    constexpr std::size_t piece = 4096;
    for (; sink_ != nullptr && !bytes.empty(); bytes.remove_prefix(std::min(bytes.size(), piece)))
      if (auto written = sink_->write(bytes.substr(0, piece)); !written) return written;
    return {};
  }
  Response whole() && { return std::move(response_); }
  /// The error of a response that ends early.
  Error broken(const Error& error) && { return with_head(error, std::move(response_)); }

 private:
  BodySink* sink_;
  Response response_;
};

/// The response, whose body goes to the attempt's sink if that takes it.
inline Result<Response> delivered(const Attempt& attempt, Response response) {
  const auto body = std::exchange(response.body, {});
  Delivery delivery(attempt, std::move(response));
  if (auto started = delivery.begin(); !started) return std::move(started).error();
  if (const auto written = delivery.write(body); !written) return std::move(delivery).broken(written.error());
  return std::move(delivery).whole();
}

}}  // namespace noun
