#pragma once
/// @file
/// The transport interface: sends one attempt to the server and returns the response. The default is libcurl. Implement
/// it to send requests in another way; tests use noun::testing::ScriptedTransport.

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

/// One attempt, the argument of Transport::send(). All references and views in it are valid until send() returns.
struct Attempt {
  Method method;  ///< any
  /// Absolute, percent-encoded, http or https; the origin has been checked.
  std::string_view url;
  /// All fields to send, without CR, LF and NUL, and without Host and Content-Length.
  const Headers& headers;
  /// The body to send, if `has_body`.
  std::string_view body;
  /// Whether there is a body; an empty body is not the same as none.
  bool has_body;
  /// The time limit of this attempt; greater than zero.
  Duration timeout;
  const Timeouts& timeouts;  ///< `attempt` is already contained in `timeout`
  const Limits& limits;      ///< the maximum sizes to read
  /// Whether a new connection must be used.
  bool fresh_connection;
};

class Multiplexer;

/// Sends attempts. Used by many threads at once.
class NOUN_API Transport {
 public:
  Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;
  virtual ~Transport();

  /// Makes exactly one attempt: sends the request at most once, follows no redirect and does not retry. A stop request
  /// ends it within 50 ms (`cancelled`).
  /// @returns  any complete response with status 200 to 599, its body decompressed. Otherwise an error of code
  ///           invalid_argument (a URL or a field that cannot be used), resolve, connect, tls, send, timeout,
  ///           truncated, protocol, too_large, cancelled or resource. Its sent() must be right: `no` only if no byte of
  ///           the request can have left. An error after the head was received has it as response.
  virtual Result<Response> send(const Attempt& attempt, const std::stop_token& stop) = 0;
  /// Makes a multiplexer, which runs many attempts on one thread; null (the default) if only send() is supported.
  virtual std::unique_ptr<Multiplexer> multiplexer();
};

/// The connection settings of a libcurl transport.
struct TransportOptions {
  /// TLS settings.
  Tls tls = {};
  /// http://[user:password@]host:port, or empty for none. The environment is not read.
  std::string proxy = {};
  /// The path of a Unix socket to connect to, for any host in the URL; empty for none. At most 107 bytes.
  std::string unix_socket = {};

  /// Whether all members are equal.
  friend bool operator==(const TransportOptions&, const TransportOptions&) = default;
};

/// Makes the libcurl transport. It keeps connections open between attempts and shares them with no other transport.
/// @returns       `tls` if a named file cannot be read; `invalid_argument` for a proxy that is not a URL, a Unix socket
///                path that is too long, or a proxy together with a Unix socket.
/// @threadsafety  the transport is safe to use from many threads; after a fork the child starts without connections.
NOUN_API Result<std::shared_ptr<Transport>> libcurl_transport(TransportOptions options);

}}  // namespace noun
