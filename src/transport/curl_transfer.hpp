#pragma once
/// @file
/// One libcurl easy handle and what one attempt with it has come to. Which multi handle it runs in is its holder's:
/// curl_handle has one for each, curl_multiplexer one for all.

#include <string_view>

#include <curl/curl.h>

#include <noun/transport.hpp>

#include "transport/curl_exchange.hpp"
#include "transport/curl_options.hpp"

namespace noun { inline namespace v0 { namespace curl {

/// How a transfer came to its end.
enum class Ending {
  done,       ///< libcurl says how: see Transfer::code()
  cancelled,  ///< stop was requested
  timed_out,  ///< the attempt's time is over
  stalled,    ///< no byte in either direction for too long
  broken,     ///< libcurl's multi interface failed: out of memory or descriptors
};

/// A transfer, and again another one. Used by one thread at a time; its address is libcurl's, so it never moves. Its
/// holder takes it out of its multi handle before it goes.
class Transfer {
 public:
  Transfer() = default;
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;
  ~Transfer();

  /// Makes the easy handle. Hold off a fork meanwhile.
  /// @returns  whether there were memory and descriptors for it.
  bool open(const TransportOptions& options);
  /// Makes ready for the attempt, which must outlive the transfer.
  /// @returns  what libcurl says to the attempt's options. Throws std::bad_alloc.
  CURLcode prepare(const Attempt& attempt);
  /// How libcurl says that it ended.
  void ended(CURLcode code) noexcept { code_ = code; }

  CURL* easy() const noexcept { return easy_; }
  Exchange& exchange() noexcept { return exchange_; }
  CURLcode code() const noexcept { return code_; }
  /// libcurl's own words for what went wrong; may be empty.
  const char* words() const noexcept { return words_; }
  /// The operating system's number for what went wrong, or 0.
  int os_error() const noexcept;
  /// What a proxy answered when it was asked for a tunnel, or 0.
  int proxy_status() const noexcept;

 private:
  Exchange exchange_;
  Options options_;
  CURL* easy_ = nullptr;
  CURLcode code_ = CURLE_OK;
  char words_[CURL_ERROR_SIZE] = "";
};

}}}  // namespace noun::curl
