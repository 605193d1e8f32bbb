#pragma once
/// @file
/// Whether the end of a body that has no length was meant by the server, or was only the end of its connection.

#include <cstdint>
#include <optional>

#include <curl/curl.h>

#include "curl/curl_head.hpp"

namespace noun { inline namespace v0 { namespace curl {

/// What is seen of the end of an attempt's connection.
class ConnectionEnd {
 public:
  /// Starts a new attempt.
  void restart() noexcept;
  /// The request is sent over HTTP/2. Enables look_at_connection().
  void on_http2(CURL* easy) noexcept;
  /// Sets whether the connection is to be kept for the next request.
  void keep(CURL* easy, bool kept) noexcept;
  bool is_kept() const noexcept { return kept_; }
  /// A connection of the process received a GOAWAY, which announces its end.
  static void count_goaway() noexcept;
  /// Called as long as the body has no end but that of the TLS session.
  void look_at_session(CURL* easy) noexcept;
  /// Called when libcurl has reported a success.
  /// @param is_open  whether the connection is still open.
  void look_at_connection(const Framing& framing, bool is_open) noexcept;

  /// @{
  /// Whether the server closed its session; whether libcurl broke the connection off.
  bool session_closed() const noexcept { return session_closed_; }
  bool broken() const noexcept { return broken_; }
  /// @}

 private:
  bool session_closed_ = false;
  bool kept_ = true;
  bool broken_ = false;
  /// How many GOAWAYs the process had received when the request was sent; nothing if they are not counted.
  std::optional<std::uint64_t> goaways_;
};

}}}  // namespace noun::curl
