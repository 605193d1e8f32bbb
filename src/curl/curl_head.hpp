#pragma once
/// @file
/// The heads of one response, checked and parsed line by line as libcurl delivers them. Their statements about the body
/// are passed on as Framing.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <noun/error.hpp>
#include <noun/http.hpp>
#include <noun/limits.hpp>
#include <noun/time.hpp>

#include "curl/content_decoder.hpp"

namespace noun { inline namespace v0 { namespace curl {

/// A fault that noun finds in a response while libcurl delivers it: its code, and the part of the message after "host
/// responded with ".
struct Fault {
  Errc code;
  std::string what;
  Retryable retryable = Retryable::by_code;
};

/// What the final head says about the body and the connection.
struct Framing {
  bool bodyless = false;
  bool chunked = false;
  bool http2 = false;
  /// False if the head contradicts itself in an allowed way, which makes reuse of the connection unsafe.
  bool reusable = true;
  /// Whether the response is the last one of its connection of HTTP/1, as its version and fields say.
  bool last = false;
  Coding coding = Coding::identity;
  std::optional<std::uint64_t> length = std::nullopt;
  /// How long after the response the connection may be used again; Duration::max() if the server sets no limit.
  Duration reusable_for = Duration::max();
};

/// Reads the heads of one response: any number of interim (1xx) ones, then the final one.
class Head {
 public:
  /// Starts a new response. Writes status and fields of the final head to `response`; both references must outlive it.
  void restart(Method method, const Limits& limits, Response& response);

  /// Sets whether the connection may be one of HTTP/2, which libcurl writes as status lines. A server of HTTP/1 that
  /// writes one is at fault.
  void expect_http2(bool expected) noexcept { http2_expected_ = expected; }

  /// Takes one line with its line end, also of the trailer section that HTTP/2 has after the head.
  /// @returns  a fault, if any. Throws std::bad_alloc.
  std::optional<Fault> line(std::string_view raw);
  /// Takes one line of the trailer section, without its line end. One that is no field is left out: no part of the
  /// message depends on it.
  std::optional<Fault> trailer(std::string_view text);

  /// Whether a line of any head has arrived.
  bool started() const noexcept { return bytes_ > 0; }
  /// Whether the empty line after the final head has arrived.
  bool complete() const noexcept { return complete_; }
  /// Valid after complete() is true.
  const Framing& framing() const noexcept { return framing_; }

 private:
  std::optional<Fault> status_line(std::string_view text);
  std::optional<Fault> field(std::string_view text);
  std::optional<Fault> folded(std::string_view text);
  std::optional<Fault> end_of_head();
  std::optional<Fault> read_framing();
  void read_keep_alive(std::string_view value);
  void read_connection(std::string_view value);
  std::optional<Fault> read_coding();
  std::optional<Fault> content_length(std::string_view value);
  std::optional<Fault> content_coding(std::string_view value);
  std::optional<Fault> count_field();
  bool interim() const noexcept { return status_ < 200; }

  const Limits* limits_ = nullptr;
  Response* response_ = nullptr;
  Method method_ = Method::get;
  bool http2_expected_ = true;
  int status_ = 0;
  /// Whether it is a response of HTTP/1.0.
  bool old_ = false;
  /// The options of its Connection field.
  bool close_ = false;
  bool keep_alive_ = false;
  bool in_head_ = false;
  bool complete_ = false;
  bool has_field_ = false;
  std::size_t bytes_ = 0;
  std::size_t fields_ = 0;
  Framing framing_;
};

}}}  // namespace noun::curl
