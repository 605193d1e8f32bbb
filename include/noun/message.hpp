#pragma once
/// @file
/// Requests and responses: what goes over the wire, as values.

#include <string>

#include <noun/headers.hpp>
#include <noun/method.hpp>

namespace noun { inline namespace v0 {

/// A request for `Client::send()`.
struct Request {
  Method method = Method::get;  ///< any; the caller answers for what it means
  /// Relative to the client's base URL, which it cannot leave; percent-encoded by the caller; a `?query` may follow.
  std::string path = {};
  /// Appended to the query of `path`; percent-encoded by noun.
  Query query = {};
  Headers headers = {};  ///< beside the client's
  /// Sent as it is. A GET or HEAD with a body is refused.
  std::string body = {};
};

/// An answer. The body is complete and decompressed.
struct Response {
  /// 200 to 599; an answer 1xx is never the last one.
  int status = 0;
  /// As received, without the fields of interim (1xx) answers.
  Headers headers = {};
  std::string body = {};  ///< bytes, empty if there was none
  /// Where the answer came from, after redirects.
  std::string url = {};

  /// Whether all parts are equal.
  friend bool operator==(const Response&, const Response&) = default;
};

}}  // namespace noun
