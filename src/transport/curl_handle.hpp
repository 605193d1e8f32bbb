#pragma once
/// @file
/// One libcurl easy handle with a multi handle of its own, and at most one connection, kept for the next call to the
/// same origin. Who gets which handle is decided in curl_pool.

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include <curl/curl.h>

#include <noun/time.hpp>
#include <noun/transport.hpp>

#include "transport/curl_exchange.hpp"
#include "transport/curl_options.hpp"

namespace noun::inline v0::curl {

/// Scheme and authority of an absolute URL, as written.
std::string_view origin_of(std::string_view url) noexcept;

/// Whether that is the origin of the URL; cheaper than taking it apart.
bool leads_to(std::string_view url, std::string_view origin) noexcept;

/// How a transfer came to its end.
enum class Ending {
  done,       ///< libcurl says how: see Handle::code()
  cancelled,  ///< stop was requested
  timed_out,  ///< the attempt's time is over
  stalled,    ///< no byte in either direction for too long
  broken,     ///< libcurl's multi interface failed: out of memory or descriptors
};

/// A handle. Used by one thread at a time. After any ending but a success it must be destroyed.
class Handle {
 public:
  /// A new handle, or null when memory or descriptors ran out.
  static std::unique_ptr<Handle> make(const TransportOptions& options);
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle();

  /// Makes ready for the attempt, which must outlive the transfer.
  /// @returns  what libcurl says to the attempt's options. Throws std::bad_alloc.
  CURLcode prepare(const Attempt& attempt);
  /// Sends the request and receives the answer, until `deadline` at the latest; `stall` without a byte in either
  /// direction is too long.
  Ending run(Instant deadline, Duration stall, const std::stop_token& stop);

  /// What came of it.
  Exchange& exchange() noexcept { return exchange_; }
  CURLcode code() const noexcept { return code_; }
  /// libcurl's own words for what went wrong; may be empty.
  const char* words() const noexcept { return words_; }
  /// The operating system's number for what went wrong, or 0.
  int os_error() const noexcept;
  /// What a proxy answered when it was asked for a tunnel, or 0.
  int proxy_status() const noexcept;

  /// Where its connection leads, if it has one.
  const std::string& origin() const noexcept { return origin_; }
  bool connected() const noexcept { return socket_ != CURL_SOCKET_BAD; }
  /// Whether the server closed the idle connection, or sent on it what nobody asked for.
  bool spoilt() const noexcept;

  /// When it was last given back.
  Instant idle_since() const noexcept { return idle_since_; }
  void rest(Instant now) noexcept { idle_since_ = now; }

 private:
  Handle() = default;
  bool open(const TransportOptions& options);
  Ending loop(Instant deadline, Duration stall, const std::stop_token& stop);
  void remember_connection() noexcept;

  Exchange exchange_;
  Options options_;
  CURL* easy_ = nullptr;
  CURLM* multi_ = nullptr;
  CURLcode code_ = CURLE_OK;
  std::string origin_;
  curl_socket_t socket_ = CURL_SOCKET_BAD;
  bool secure_ = false;
  Instant idle_since_{};
  char words_[CURL_ERROR_SIZE] = "";
};

}  // namespace noun::inline v0::curl
