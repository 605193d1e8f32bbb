#pragma once
/// @file
/// One libcurl easy handle and the state of one attempt. Its owner provides the multi handle: curl_handle one for each,
/// curl_multiplexer a few for all.

#include <string>
#include <string_view>

#include <curl/curl.h>

#include <noun/transport.hpp>

#include "curl/curl_exchange.hpp"
#include "curl/curl_options.hpp"
#include "curl/trust_store.hpp"

namespace noun { inline namespace v0 { namespace curl {

/// How a transfer ended.
enum class Ending {
  done,       ///< as Transfer::code() says
  cancelled,  ///< stop was requested
  timed_out,  ///< the attempt's time limit passed
  stalled,    ///< no byte in either direction for too long
  broken,     ///< libcurl's multi interface failed: out of memory or descriptors
};

/// A reusable transfer. Used by one thread at a time. libcurl holds its address, so it never moves. The owner must
/// remove it from the multi handle before destroying it.
class Transfer {
 public:
  Transfer() = default;
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;
  ~Transfer();

  /// Makes the easy handle. Hold hold_off_fork() meanwhile. `trust` must outlive it.
  /// @returns  false if memory or descriptors ran out. Throws std::bad_alloc.
  bool open(const TransportOptions& options, TrustStore& trust);
  /// Prepares the attempt, which must outlive the transfer.
  /// @returns  libcurl's result for the attempt's options. Throws std::bad_alloc.
  CURLcode prepare(const Attempt& attempt);
  /// Records the result that libcurl reported.
  void ended(CURLcode code) noexcept { code_ = code; }

  CURL* easy() const noexcept { return easy_; }
  Exchange& exchange() noexcept { return exchange_; }
  CURLcode code() const noexcept { return code_; }
  /// libcurl's description of the fault; may be empty.
  const char* words() const noexcept { return words_; }
  /// The operating system's error number, or 0.
  int os_error() const noexcept { return number_of(CURLINFO_OS_ERRNO); }
  /// `host:port` of the proxy, without userinfo; empty if there is none.
  const std::string& proxy() const noexcept { return proxy_; }
  /// The path of the Unix socket; empty if there is none.
  const std::string& unix_socket() const noexcept { return unix_socket_; }
  /// The status of a proxy's response to CONNECT, or 0.
  int proxy_status() const noexcept { return number_of(CURLINFO_HTTP_CONNECTCODE); }

 private:
  int number_of(CURLINFO info) const noexcept;

  Exchange exchange_;
  Options options_;
  std::string proxy_;
  std::string unix_socket_;
  TrustStore* trust_ = nullptr;
  bool shares_trust_ = false;
  CURL* easy_ = nullptr;
  CURLcode code_ = CURLE_OK;
  char words_[CURL_ERROR_SIZE] = "";
};

}}}  // namespace noun::curl
