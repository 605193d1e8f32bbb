#pragma once
/// @file
/// Errors: a closed set of codes; what happened, why noun stopped, and whether the server may have acted.
///
///     if (!item) {
///       fmt::print(stderr, "{}\n", item.error().message());
///       if (item.error().code() == noun::Errc::not_found) return create_it();
///     }

#include <concepts>
#include <exception>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <noun/http.hpp>
#include <noun/text.hpp>
#include <noun/time.hpp>
#include <noun/version.hpp>

namespace noun { inline namespace v0 {

struct Response;
template <class T>
class Result;

/// The kinds of failure; the set is closed.
enum class Errc {
  invalid_argument,   ///< a bad name, id, header, option or file, or a use that is not allowed; see sent()
  not_found,          ///< 404: check the path for a typing error first
  rate_limited,       ///< the wait for the quota would be too long: see retry_at()
  unauthorized,       ///< 401
  forbidden,          ///< 403
  conflict,           ///< 409 or 412
  client_error,       ///< any other 4xx
  server_error,       ///< 5xx
  resolve,            ///< the host's name has no address
  connect,            ///< no connection to the host
  tls,                ///< no trusted TLS session with the host
  send,               ///< the connection broke before a response was received
  timeout,            ///< no complete response within ClientOptions::timeouts
  truncated,          ///< the response is incomplete
  protocol,           ///< the response is not valid HTTP, or contradicts itself; or as strict_statuses says
  too_large,          ///< the response is over a limit; the message says which
  decode,             ///< the body is not the JSON that the type needs
  no_content,         ///< success without the body that the type needs
  not_modified,       ///< 304
  redirected,         ///< a 3xx that noun does not follow
  refused,            ///< noun's own decision: another origin, a paging cycle, a blocking call in an observer, …
  incomplete,         ///< the response reports more pages, and the dialect does not say how to fetch them
  expired_cursor,     ///< the server no longer knows the page or the operation: start again
  operation_failed,   ///< the server reports that a long-running operation failed, or was cancelled there
  credentials,        ///< the credentials function or the token endpoint failed
  deadline_exceeded,  ///< the caller's deadline
  cancelled,          ///< by a stop request, by a function of the program, or because the process ends
  resource,           ///< out of memory, descriptors or threads; a file that cannot be written; no store of a quota
};

/// May the server have acted on the request?
enum class Sent {
  no,        ///< no byte of the request left
  maybe,     ///< it may have arrived and may have been acted on
  answered,  ///< the server responded to it
};

/// Why noun did not try (again).
enum class StopReason {
  permanent,       ///< trying again would not help
  attempts,        ///< `RetryPolicy::max_attempts` is used up
  time,            ///< a deadline, `give_up_after`, `max_wait` or `farthest_reset` would pass first
  budget,          ///< the client's retry budget is used up
  not_repeatable,  ///< the server may have acted on the request, and repeating it is not safe
  cancelled,       ///< the caller requested a stop
};

/// Whether another attempt of a request that failed in the transport may succeed. Method and limits of retries apply in
/// any case.
enum class Retryable {
  /// By the code: `resolve`, `connect`, `send`, `timeout`, `truncated` and `protocol` are retried, and `resource` if
  /// nothing was sent; no other code is.
  by_code,
  no,    ///< it would fail in the same way
  once,  ///< one more attempt may help, if the fault was on the way; only of the codes above and `tls`
  yes,   ///< it may succeed; only of the codes above and `tls`
};

/// @{
/// The enumerator's name, as it is written here: `not_found`, ….
/// @threadsafety  safe.
NOUN_API std::string_view to_string(Errc code) noexcept;
NOUN_API std::string_view to_string(Sent sent) noexcept;
NOUN_API std::string_view to_string(StopReason reason) noexcept;
NOUN_API std::string_view to_string(Retryable retryable) noexcept;
/// @}

/// A problem report of the server. Of a member of more than 64 KiB it has the start.
/// @source RFC 9457, section 3.1. A member that is absent or has the wrong type is empty (or 0).
struct Problem {
  std::string type = "about:blank";  ///< a URI that names the kind of problem
  std::string title = {};            ///< the kind of problem in words
  int status = 0;                    ///< the status as the body repeats it
  std::string detail = {};           ///< what is particular to this occurrence
  std::string instance = {};         ///< a URI of this occurrence

  /// Whether all parts are equal.
  friend bool operator==(const Problem&, const Problem&) = default;
};

/// The request that failed, safe to show: `***` replaces the values of headers that are not known to be harmless, of
/// parameters that are in ClientOptions::query or secret_parameters or named like a secret, and these values elsewhere.
struct RequestSummary {
  Method method = Method::get;  ///< as it was sent
  std::string url = {};         ///< absolute
  /// The request as a command line for the curl program. A body that is not a file is left out: put it
  /// into a file named `body`.
  std::string curl = {};

  /// Whether all parts are equal.
  friend bool operator==(const RequestSummary&, const RequestSummary&) = default;
};

/// All parts of an Error, as an aggregate.
struct ErrorDetails {
  Errc code = Errc::invalid_argument;                  ///< what kind of failure
  std::string what = {};                               ///< what happened, as a clause without the request
  std::string advice = {};                             ///< what to do about it, as a clause; may be empty
  int status = 0;                                      ///< of the last response, or 0
  Sent sent = Sent::no;                                ///< the worst over all attempts
  StopReason stopped_because = StopReason::permanent;  ///< why there was no other attempt
  int attempts = 0;                                    ///< how many there were
  Duration elapsed = Duration::zero();                 ///< of the whole call, waits included
  std::optional<WallTime> retry_at = {};               ///< when a retry makes sense, if known
  std::optional<Problem> problem = {};                 ///< the server's report, without secrets
  RequestSummary request = {};                         ///< what was sent, without secrets
  std::string request_id = {};                         ///< the server's id of the request as printable text, or empty
  std::string idempotency_key = {};                    ///< the key that was sent, or empty
  std::shared_ptr<const Response> response = {};       ///< the last response, or null
  std::string poll_token = {};                         ///< of an operation whose result is not read yet, or empty
  /// What the transport knows about another attempt.
  Retryable retryable = Retryable::by_code;
};
/// Whether all parts are equal; responses are compared by value.
NOUN_API bool operator==(const ErrorDetails& left, const ErrorDetails& right) noexcept;

/// A failure, as a value. Immutable; copies share their state; safe to read from many threads. What returns a reference
/// returns a value for an rvalue: `const auto& id = result().error().request_id()` does not dangle.
class [[nodiscard]] NOUN_API Error {
 public:
  /// An error without advice, for a credentials function or a transport.
  /// @param code  what kind of failure.
  /// @param what  what happened, as a clause: `the vault does not respond`.
  /// @param sent  whether the server may have acted on the request.
  explicit Error(Errc code, Text what, Sent sent = Sent::no);
  /// An error with advice.
  /// @param code    what kind of failure.
  /// @param what    what happened, as a clause: `the vault does not respond`.
  /// @param advice  what to do, as a clause: `check its address`.
  /// @param sent    whether the server may have acted on the request.
  explicit Error(Errc code, Text what, Text advice, Sent sent = Sent::no);
  /// An error from all its parts.
  explicit Error(ErrorDetails details);
  /// @{
  /// Copyable. A move is a copy, so that a moved-from error is still valid.
  Error(const Error&) noexcept = default;
  Error& operator=(const Error&) noexcept = default;
  ~Error() = default;
  /// @}

  /// The kind of failure. The set is closed, so that a `switch` can cover it.
  Errc code() const noexcept;
  /// @{
  /// One sentence: `METHOD URL: what; advice`. The request is left out if there was none, the advice if there is none.
  /// Like what() and advice(), it never contains a known secret of six characters or more.
  const std::string& message() const& noexcept { return state_->message; }
  std::string message() && { return state_->message; }
  /// @}
  /// @{
  /// What happened, as a clause: `the id is empty`. Valid as long as the error.
  const std::string& what() const& noexcept { return details().what; }
  std::string what() && { return details().what; }
  /// @}
  /// @{
  /// What to do, as a clause: `fix the address`; may be empty. Valid as long as the error.
  const std::string& advice() const& noexcept { return details().advice; }
  std::string advice() && { return details().advice; }
  /// @}
  /// The HTTP status of the last response, or 0.
  int status() const noexcept;
  /// The worst over all attempts: maybe beats answered, answered beats no.
  Sent sent() const noexcept;
  /// Why noun did not try (again).
  StopReason stopped_because() const noexcept;
  /// The number of attempts. Each redirected one counts, as it does at the server; so does one that ended before a byte
  /// was sent.
  int attempts() const noexcept;
  /// From the start of the call to its end, including waits.
  Duration elapsed() const noexcept;
  /// When a retry makes sense, if known.
  std::optional<WallTime> retry_at() const noexcept;
  /// @{
  /// The server's problem report, if the body is one (RFC 9457). Its texts may have control characters; they have no
  /// known secret. Valid as long as the error.
  const std::optional<Problem>& problem() const& noexcept { return details().problem; }
  std::optional<Problem> problem() && { return details().problem; }
  /// @}
  /// @{
  /// The request that failed, without secrets. Valid as long as the error.
  const RequestSummary& request() const& noexcept { return details().request; }
  RequestSummary request() && { return details().request; }
  /// @}
  /// @{
  /// The server's id of the request, for its support; empty if it sent none. Valid as long as the error.
  const std::string& request_id() const& noexcept { return details().request_id; }
  std::string request_id() && { return details().request_id; }
  /// @}
  /// @{
  /// The idempotency key that was sent, or empty. Valid as long as the error.
  const std::string& idempotency_key() const& noexcept { return details().idempotency_key; }
  std::string idempotency_key() && { return details().idempotency_key; }
  /// @}
  /// @{
  /// Of Client::finish(): the token to continue with, if the operation may still run, or has a result that could not be
  /// read; otherwise empty. Also empty if the monitor repeats a secret, or if it is not below the client's base URL and
  /// there is no ClientOptions::bookmark_key; the advice says so. Valid as long as the error.
  const std::string& poll_token() const& noexcept { return details().poll_token; }
  std::string poll_token() && { return details().poll_token; }
  /// @}
  /// @{
  /// The response, or null if there was none. Valid as long as the error; of an rvalue, shared.
  const Response* response() const& noexcept;
  std::shared_ptr<const Response> response() && noexcept;
  /// @}
  /// The body of the response as JSON of type R, for the server's own error format.
  /// @returns  the value; `decode` if the body is not an R, `too_large` if it is nested deeper than 128 levels,
  ///           `no_content` if there was no response or it has no body. No message has text of the body, which may
  ///           repeat a secret: Codec<R>::decode() returns what is wrong with it.
  template <class R>
  Result<R> body_as() const;

  /// @{
  /// All parts, to build another error from. Valid as long as the error.
  const ErrorDetails& details() const& noexcept { return state_->details; }
  ErrorDetails details() && { return state_->details; }
  /// @}

  /// Whether all parts are equal.
  friend bool operator==(const Error& left, const Error& right) noexcept {
    return left.state_ == right.state_ || left.details() == right.details();
  }

 private:
  struct State {
    ErrorDetails details;
    std::string message;
  };
  std::shared_ptr<const State> state_;
};

/// An Error as an exception, thrown by `Result::value()` and by the constructor of Client.
/// @threadsafety  safe to read from many threads.
class NOUN_API Exception : public std::exception {
 public:
  /// Carries `error`.
  explicit Exception(Error error);
  ~Exception() override;

  /// The error. Valid as long as the exception.
  const Error& error() const noexcept { return error_; }
  /// The error's message.
  const char* what() const noexcept override;

 private:
  Error error_;
};

/// @{
/// Writes an enumerator by its name, an error as `not_found: GET https://… `.
/// @threadsafety  as for the stream.
NOUN_API std::ostream& operator<<(std::ostream& out, Errc code);
NOUN_API std::ostream& operator<<(std::ostream& out, Sent sent);
NOUN_API std::ostream& operator<<(std::ostream& out, StopReason reason);
NOUN_API std::ostream& operator<<(std::ostream& out, Retryable retryable);
NOUN_API std::ostream& operator<<(std::ostream& out, const Error& error);
/// @}

/// How GoogleTest shows an error. The constraint makes it a better match than GoogleTest's own template.
template <std::same_as<Error> E>
void PrintTo(const E& error, std::ostream* out) {
  *out << to_string(error.code()) << ": " << error.message();
}

/// How GoogleTest shows an enumerator: by its name.
template <class E>
  requires(std::same_as<E, Errc> || std::same_as<E, Sent> || std::same_as<E, StopReason>)
void PrintTo(const E& value, std::ostream* out) {
  *out << to_string(value);
}

namespace detail {
/// Throws Exception(error).
[[noreturn]] NOUN_API void throw_exception(Error error);
}  // namespace detail

}}  // namespace noun
