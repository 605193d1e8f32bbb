#pragma once
/// @file
/// What carries one attempt to the server and brings back its answer. libcurl by default; implement it to carry
/// requests another way, or take noun::testing::ScriptedTransport in tests.

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include <noun/limits.hpp>
#include <noun/message.hpp>
#include <noun/result.hpp>
#include <noun/tls.hpp>
#include <noun/version.hpp>

namespace noun { inline namespace v0 {

/// One attempt, as a transport is asked to make it. Everything in it is borrowed until send() returns.
struct Attempt {
  Method method;  ///< any
  /// Absolute, percent-encoded, http or https; its origin has been checked.
  std::string_view url;
  /// All fields to be sent, free of CR, LF and NUL, without Host and Content-Length.
  const Headers& headers;
  /// What to send, if `has_body`.
  std::string_view body;
  /// An empty body is not the same as none.
  bool has_body;
  /// The time that this attempt may take; greater than zero.
  Duration timeout;
  const Timeouts& timeouts;  ///< of which `attempt` is in `timeout` already
  const Limits& limits;      ///< what may be read at the most
  /// Whether no kept connection may be used.
  bool fresh_connection;
};

class Multiplexer;

/// Carries attempts. Used by many threads at once.
class NOUN_API Transport {
 public:
  Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;
  virtual ~Transport();

  /// Makes one attempt and no more: it sends the request at most once, follows no redirect and waits for nothing else.
  /// Ends within 50 ms of a stop request (`cancelled`).
  /// @returns  any complete answer with status 200 to 599, body decompressed; otherwise an error of code
  ///           invalid_argument (a URL or a field that cannot be used), resolve, connect, tls, send, timeout,
  ///           truncated, protocol, too_large, cancelled or resource whose sent() is right: `no` only if no byte of the
  ///           request can have left. An error after the head came carries it as response.
  virtual Result<Response> send(const Attempt& attempt, const std::stop_token& stop) = 0;
  /// What carries many attempts at once on one thread; null (the default) if this transport only knows send().
  virtual std::unique_ptr<Multiplexer> multiplexer();
};

/// What the connections of a libcurl transport are made with.
struct TransportOptions {
  /// How the other side of an https connection is known.
  Tls tls = {};
  /// http://[user:password@]host:port, or empty for none; the environment is not read.
  std::string proxy = {};
  /// The path of a Unix socket to connect to, whatever host the URL names; empty for none. At most 107 bytes.
  std::string unix_socket = {};

  /// Whether all are the same.
  friend bool operator==(const TransportOptions&, const TransportOptions&) = default;
};

/// The transport over libcurl. Keeps connections open between attempts, separately from every other transport.
/// @returns       `tls` when a named file cannot be read, `invalid_argument` for a proxy that is not a URL, a Unix
///                socket whose path is too long, or both of them.
/// @threadsafety  the transport is safe to use from many threads; after a fork the child starts with no connection.
NOUN_API Result<std::shared_ptr<Transport>> libcurl_transport(TransportOptions options);

}}  // namespace noun
