#pragma once
/// @file
/// One transfer with its own multi handle and at most one connection, kept for the next call to the same origin.
/// curl_transport assigns the handles.

#include <memory>
#include <string>
#include <string_view>

#include <curl/curl.h>

#include <noun/stop.hpp>
#include <noun/time.hpp>
#include <noun/transport.hpp>

#include "curl/curl_transfer.hpp"

namespace noun { inline namespace v0 { namespace curl {

/// What ends a transfer early. Only for the time of a function call.
struct Stops {
  const StopToken& caller;
  const StopToken& at_exit;
};

/// A handle. Used by one thread at a time. After any ending but a success it must be destroyed.
class Handle {
 public:
  /// Makes a new handle; null if memory or descriptors ran out. `trust` must outlive it.
  static std::unique_ptr<Handle> make(const TransportOptions& options, TrustStore& trust);
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle();

  /// Prepares the attempt, which must outlive the transfer.
  /// @returns  libcurl's result for the attempt's options. Throws std::bad_alloc.
  CURLcode prepare(const Attempt& attempt);
  /// Sends the request and receives the response, until `deadline` at the latest. `stall` is the longest time without
  /// a byte in either direction.
  Ending run(Instant deadline, Duration stall, const Stops& stops);

  /// The transfer and its result.
  Transfer& transfer() noexcept { return transfer_; }

  /// The origin of its connection; empty if it has none.
  const std::string& origin() const noexcept { return origin_; }
  bool connected() const noexcept { return socket_ != CURL_SOCKET_BAD; }
  /// Whether the idle connection must not be reused: the server closed it, is about to, or sent unsolicited bytes.
  bool unusable(Instant now) noexcept;
  /// How many responses came over its connection.
  int served() const noexcept { return served_; }

  /// When the handle was last given back.
  Instant idle_since() const noexcept { return idle_since_; }
  void rest(Instant now) noexcept { idle_since_ = now; }

 private:
  Handle() = default;
  bool open(const TransportOptions& options, TrustStore& trust);
  Ending loop(Instant deadline, Duration stall, const Stops& stops);
  void remember_connection() noexcept;

  Transfer transfer_;
  CURLM* multi_ = nullptr;
  std::string origin_;
  curl_socket_t socket_ = CURL_SOCKET_BAD;
  int served_ = 0;
  bool secure_ = false;
  Instant idle_since_{};
};

}}}  // namespace noun::curl
