#pragma once
/// @file
/// One transfer with a multi handle of its own, and at most one connection, kept for the next call to the same origin.
/// Who gets which handle is decided in curl_pool.

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include <curl/curl.h>

#include <noun/time.hpp>
#include <noun/transport.hpp>

#include "transport/curl_transfer.hpp"

namespace noun { inline namespace v0 { namespace curl {

/// Scheme and authority of an absolute URL, as written.
std::string_view origin_of(std::string_view url) noexcept;

/// Whether that is the origin of the URL; cheaper than taking it apart.
bool leads_to(std::string_view url, std::string_view origin) noexcept;

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
  Transfer& transfer() noexcept { return transfer_; }

  /// Where its connection leads, if it has one.
  const std::string& origin() const noexcept { return origin_; }
  bool connected() const noexcept { return socket_ != CURL_SOCKET_BAD; }
  /// Whether the server closed the idle connection, or sent on it what nobody asked for.
  bool spoilt() noexcept;

  /// When it was last given back.
  Instant idle_since() const noexcept { return idle_since_; }
  void rest(Instant now) noexcept { idle_since_ = now; }

 private:
  Handle() = default;
  bool open(const TransportOptions& options);
  Ending loop(Instant deadline, Duration stall, const std::stop_token& stop);
  void remember_connection() noexcept;

  Transfer transfer_;
  CURLM* multi_ = nullptr;
  std::string origin_;
  curl_socket_t socket_ = CURL_SOCKET_BAD;
  bool secure_ = false;
  Instant idle_since_{};
};

}}}  // namespace noun::curl
