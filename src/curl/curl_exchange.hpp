#pragma once
/// @file
/// One request and its response, as seen by libcurl's callbacks. The callbacks never throw; faults are stored and
/// reported after the transfer.

#include <cstddef>
#include <memory>
#include <optional>

#include <curl/curl.h>
#include <noun/error.hpp>
#include <noun/transport.hpp>

#include "curl/connection_end.hpp"
#include "curl/curl_body.hpp"
#include "curl/curl_head.hpp"

namespace noun { inline namespace v0 { namespace curl {

/// The state of one attempt. libcurl holds its address as userdata, so it never moves.
class Exchange {
 public:
  Exchange() = default;
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  /// Sets the handle whose callbacks use it.
  void attach(CURL* easy) noexcept { easy_ = easy; }
  /// Whether its connection has agreed on HTTP/2 with TLS; nothing if that cannot be known.
  std::optional<bool> uses_http2() const noexcept;
  /// Starts a new attempt; `attempt` must outlive it.
  /// @returns  false if its body cannot be opened: see own_error(). Throws std::bad_alloc.
  bool restart(const Attempt& attempt);

  // The callbacks. They return whether libcurl is to continue.
  bool take_head_line(std::string_view line) noexcept;
  bool take_body(std::string_view bytes) noexcept;
  /// Reads the next bytes of a streamed body. Returns how many, or nothing if the attempt cannot go on.
  std::optional<std::size_t> give_body(char* into, std::size_t at_most) noexcept;
  /// Ends the streamed body: its source may be gone.
  void close_source() noexcept { reader_.reset(); }
  /// Whether the request may be sent: true once, so that libcurl cannot repeat it.
  /// @param http2  as of uses_http2().
  bool start_sending(std::optional<bool> http2) noexcept;
  /// @{
  /// As of ConnectionEnd.
  void look_at_session() noexcept { connection_.look_at_session(easy_); }
  void look_at_connection(bool is_open) noexcept { connection_.look_at_connection(head_.framing(), is_open); }
  void keep_connection(bool kept) noexcept { connection_.keep(easy_, kept); }
  /// @}
  /// Returns a socket for a new connection, or -1.
  int open_socket(const curl_sockaddr& address) noexcept;

  /// The fault that noun found, if any.
  const std::optional<Fault>& fault() const noexcept { return fault_; }
  /// The error of this side, such as a file that cannot be read.
  const std::optional<Error>& own_error() const noexcept { return own_error_; }
  /// Whether memory or descriptors ran out.
  bool exhausted() const noexcept { return exhausted_; }
  /// Whether the server may have processed the request.
  Sent sent() const noexcept;
  bool head_started() const noexcept { return head_.started(); }
  bool head_complete() const noexcept { return head_.complete(); }
  bool http2() const noexcept { return head_.framing().http2; }
  /// Whether the connection may be reused after libcurl has reported success.
  bool reusable() const noexcept { return head_.framing().reusable && !body_.excess() && !unread_; }
  /// Whether libcurl is to keep the connection, as keep_connection() and the response say.
  bool keeps_connection() const noexcept {
    return connection_.is_kept() && (!head_complete() || http2() || (reusable() && !head_.framing().last));
  }
  /// How long after the response it may be reused.
  Duration reusable_for() const noexcept { return head_.framing().reusable_for; }
  /// Whether the request went out on a connection that was opened for an earlier one.
  bool on_kept_connection() const noexcept { return sendings_ > 0 && !opened_; }

  /// Whether the body ends where the TLS session does, for nothing else says where.
  bool ends_with_session() const noexcept;
  /// Called when the body has ended: checks completeness and completes the response.
  void finish();
  /// Moves the response out; only its head if the attempt failed.
  Response take_response() { return std::move(response_); }

 private:
  void start_body();
  void look_for_unread() noexcept;
  std::optional<Fault> read_trailers();
  bool may_be_cut() const;

  CURL* easy_ = nullptr;
  Head head_;
  Body body_;
  Response response_;
  const Limits* limits_ = nullptr;
  BodySink* sink_ = nullptr;
  std::optional<Fault> fault_;
  std::optional<Error> own_error_;
  std::unique_ptr<BodyReader> reader_;
  int sendings_ = 0;
  bool opened_ = false;
  bool secure_ = false;
  bool exhausted_ = false;
  /// Whether bytes after the end of the body are in the TLS library.
  bool unread_ = false;
  ConnectionEnd connection_;
};

}}}  // namespace noun::curl
