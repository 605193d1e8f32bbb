#pragma once
/// @file
/// One request and its answer, as libcurl's callbacks see them. The callbacks never throw: what goes wrong in them is
/// kept and told afterwards. What libcurl is told is in curl_setup and curl_options.

#include <cstddef>
#include <optional>

#include <noun/error.hpp>
#include <noun/transport.hpp>

#include "transport/curl_body.hpp"
#include "transport/curl_fault.hpp"
#include "transport/curl_head.hpp"

struct curl_sockaddr;

namespace noun { inline namespace v0 { namespace curl {

/// What one attempt has come to. Its address is libcurl's userdata: it never moves.
class Exchange {
 public:
  Exchange() = default;
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  /// Begins a new attempt; `attempt` must outlive it.
  void restart(const Attempt& attempt);

  // The callbacks. Each answers what libcurl wants to hear in order to go on, or to stop.
  bool take_head_line(std::string_view line) noexcept;
  bool take_body(std::string_view bytes) noexcept;
  /// Whether the request may go out: once.
  bool begin_sending() noexcept;
  /// A socket for a new connection, or -1.
  int open_socket(const curl_sockaddr& address) noexcept;

  /// What noun found wrong, if anything.
  const std::optional<Fault>& fault() const noexcept { return fault_; }
  /// Whether memory or descriptors ran out.
  bool exhausted() const noexcept { return exhausted_; }
  /// May the server have acted?
  Sent sent() const noexcept;
  bool head_begun() const noexcept { return head_.begun(); }
  bool head_complete() const noexcept { return head_.complete(); }
  bool http2() const noexcept { return head_.framing().http2; }
  /// Whether the connection is as good as new once libcurl has reported success.
  bool reusable() const noexcept { return head_.framing().reusable && !body_.excess(); }

  /// To be called when libcurl has reported success: finds what is missing, and finishes the response.
  void finish();
  /// Gives the response away; only its head if it failed.
  Response take_response() { return std::move(response_); }

 private:
  Head head_;
  Body body_;
  Response response_;
  const Limits* limits_ = nullptr;
  std::optional<Fault> fault_;
  int sendings_ = 0;
  bool exhausted_ = false;
};

}}}  // namespace noun::curl
