#pragma once
/// @file
/// The transport interface: sends one attempt to the server and returns the response. The default is libcurl. Implement
/// it to send requests in another way; tests use noun::testing::ScriptedTransport.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <noun/http.hpp>
#include <noun/limits.hpp>
#include <noun/result.hpp>
#include <noun/stop.hpp>
#include <noun/time.hpp>
#include <noun/version.hpp>

namespace noun { inline namespace v0 {

/// TLS settings of a client. By default the certificate and the host name are verified against the system's certificate
/// authorities, with TLS 1.2 or later. With OpenSSL the authorities are read once, and again after the file or the
/// folder changes, or after a day. If they cannot be read again, the last ones stay.
///
/// The environment variable SSLKEYLOGFILE names a file for the keys of TLS sessions. With OpenSSL libcurl creates the
/// file, but no keys are written; with GnuTLS, for example, they are. Unset it before the first client to prevent both.
/// @source https://curl.se/docs/manpage.html, section Environment
struct Tls {
  /// Whether the certificate is verified. False is for experiments only; such a client shares no connection with
  /// others.
  bool verify = true;
  /// A PEM file of certificate authorities to trust instead of the system's; empty for the system's.
  std::string ca_file = {};
  /// A PEM file with the client's certificate (and chain); empty for none. Not supported on Windows, where
  /// Schannel reads no PEM certificates: the requests of a client with one fail with `tls`.
  std::string client_certificate = {};
  /// A PEM file with the private key; empty if it is in the same file.
  std::string client_key = {};
  /// The pass phrase of the private key, or empty.
  std::string client_key_password = {};

  /// Whether all members are equal.
  friend bool operator==(const Tls&, const Tls&) = default;
};

/// Reads a body from its start to its end.
/// @threadsafety  used by one thread at a time.
class NOUN_API BodyReader {
 public:
  virtual ~BodyReader();
  /// Reads the next bytes.
  /// @param into     receives them.
  /// @param at_most  how many fit; at least 1.
  /// @returns        how many were read, and 0 only after the last; or why the attempt cannot go on.
  virtual Result<std::size_t> read(char* into, std::size_t at_most) = 0;
};

/// A body that is read while it is sent, such as a file.
/// @threadsafety  safe.
class NOUN_API BodySource {
 public:
  virtual ~BodySource();
  /// Its size in bytes; the same for every attempt.
  virtual std::uint64_t size() const noexcept = 0;
  /// Opens it for one attempt. An error ends the call before anything is sent.
  virtual Result<std::unique_ptr<BodyReader>> open() const = 0;
};

/// Receives the body of a response as it arrives, instead of Response::body.
/// @threadsafety  used by one thread at a time.
class NOUN_API BodySink {
 public:
  virtual ~BodySink();
  /// The head of the response was received. Called once for each response, not for interim (1xx) ones.
  /// @returns  whether the body goes to write(): de-chunked, still compressed, and of any size. If not, it goes to
  ///           Response::body. An error ends the attempt.
  virtual Result<bool> begin(const Response& head) = 0;
  /// The next bytes of the body. An error ends the attempt.
  virtual Result<void> write(std::string_view bytes) = 0;
};

struct Dialect;

namespace detail {

class KnownSecrets;

}  // namespace detail

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
  /// The body to send instead of `body`, if it is not null; then `has_body` is true.
  const BodySource* source = nullptr;
  /// Receives the body of the response; may be null.
  BodySink* sink = nullptr;
  /// The time limit of this attempt; greater than zero. More than a day is none.
  Duration timeout;
  const Timeouts& timeouts;  ///< `attempt` is already contained in `timeout`
  const Limits& limits;      ///< the maximum sizes to read
  /// Whether a new connection must be used.
  bool fresh_connection;
  /// What the client hides in its output, for transports of noun that write any; null if there is no client.
  const detail::KnownSecrets* secrets = nullptr;
  /// The client's conventions, for transports of noun that show the headers it reads; null if there is no client.
  const Dialect* dialect = nullptr;
};

class Multiplexer;

/// Sends attempts. Used by many threads at once.
class NOUN_API Transport {
 public:
  Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;
  virtual ~Transport();

  /// Makes exactly one attempt, with its source and its sink: sends the request at most once, follows no redirect and
  /// does not retry. A stop request ends it within 50 ms (`cancelled`).
  /// @returns  any complete response with status 200 to 599, its body decompressed. A 2xx body over TLS that only the
  ///           end of the connection ends is complete if the session was closed (close_notify), or if it is one whole
  ///           JSON array or object, or has a content coding that says where it ends; one over HTTP/2 is not if the
  ///           connection was broken off because the server violated its rules. Otherwise an error of code
  ///           invalid_argument (a URL or a field that cannot be used), resolve, connect, tls, send, timeout,
  ///           truncated, protocol, too_large, cancelled or resource. Its sent() must be right: `no` only if no byte of
  ///           the request can have left. An error after the head was received has it as response.
  virtual Result<Response> send(const Attempt& attempt, const StopToken& stop) = 0;
  /// Makes a multiplexer, which runs many attempts on one thread at a time; null (the default) if only send() is
  /// supported: a client then asks for none again.
  /// @throws std::bad_alloc, std::system_error  if it cannot be made now, for lack of memory or descriptors. The call
  ///                                            that needs it fails with `resource`, and the next one asks again.
  virtual std::unique_ptr<Multiplexer> multiplexer();
};

/// The connection settings of a libcurl transport.
struct TransportOptions {
  /// TLS settings.
  Tls tls = Tls();
  /// http://[user:password@]host:port, or empty for none. The environment is not read.
  std::string proxy = {};
  /// The path of a Unix socket to connect to, for any host in the URL; empty for none. At most 107 bytes (103 on macOS
  /// and BSD).
  std::string unix_socket = {};

  /// Whether all members are equal.
  friend bool operator==(const TransportOptions&, const TransportOptions&) = default;
};

/// Makes the libcurl transport. It keeps connections open between attempts and shares them with no other transport.
/// @returns       `tls` if a named file cannot be read; `invalid_argument` for a proxy that is not a URL, a Unix socket
///                path that is too long, or a proxy together with a Unix socket.
/// @threadsafety  the transport is safe to use from many threads; after a fork the child starts without connections.
NOUN_API Result<std::shared_ptr<Transport>> libcurl_transport(TransportOptions options);

/// Attempts in progress, each with the guarantees of Transport::send(). Made by Transport::multiplexer(); independent
/// of the transport afterwards.
/// @threadsafety  used by one thread at a time, except for wake(); by a thread of the program, too, while it waits for a
///                result of Client::run_all(). A child of fork() may only destroy it; this must not
///                affect the parent.
class NOUN_API Multiplexer {
 public:
  /// Identifies an attempt. Chosen by the caller, unique among the attempts in progress.
  using Id = std::uint64_t;
  /// An attempt that ended.
  struct Ended {
    Id id;                    ///< as it was started
    Result<Response> result;  ///< as returned by Transport::send()
  };

  /// Starts without attempts.
  Multiplexer() = default;
  Multiplexer(const Multiplexer&) = delete;
  Multiplexer& operator=(const Multiplexer&) = delete;
  /// Aborts the attempts in progress, without results.
  virtual ~Multiplexer();

  /// Starts an attempt and returns at once. An attempt that cannot start ends with its error.
  /// @param id       not in use by an attempt whose result is outstanding.
  /// @param attempt  its references and views must stay valid until the result is returned.
  /// @throws std::bad_alloc  without having started anything.
  virtual void start(Id id, const Attempt& attempt) = 0;
  /// Ends an attempt as `cancelled`, unless it has ended already; the next wait() returns its result. An id that is not
  /// in progress is ignored.
  virtual void cancel(Id id) = 0;
  /// Processes all attempts until some have ended, wake() is called or the time is over. May return earlier.
  /// @param at_most  zero or less polls once; Duration::max() means no limit.
  /// @returns        the attempts that ended, each once; may be empty.
  virtual std::vector<Ended> wait(Duration at_most) = 0;
  /// Ends the current wait() at once, or else the next one. From any thread.
  virtual void wake() noexcept = 0;
};

}}  // namespace noun
