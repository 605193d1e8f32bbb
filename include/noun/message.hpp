#pragma once
/// @file
/// Requests and responses as values.

#include <string>

#include <noun/headers.hpp>
#include <noun/method.hpp>

namespace noun { inline namespace v0 {

/// A request for `Client::send()`.
struct Request {
  Method method = Method::get;  ///< any; the caller is responsible for its meaning
  /// Relative to the client's base URL, which it cannot leave; percent-encoded by the caller; may contain a `?query`.
  std::string path = {};
  /// Appended to the query of `path`; percent-encoded by noun.
  Query query = {};
  Headers headers = {};  ///< in addition to the client's
  /// Sent unchanged. A GET or HEAD with a body is refused.
  std::string body = {};
};

/// A response. The body is complete and decompressed.
struct Response {
  /// 200 to 599; never 1xx.
  int status = 0;
  /// As received, without the fields of interim (1xx) responses.
  Headers headers = {};
  std::string body = {};  ///< bytes; empty if there was none
  /// The URL of the response, after redirects.
  std::string url = {};

  /// Whether all parts are equal.
  friend bool operator==(const Response&, const Response&) = default;
};

}}  // namespace noun
