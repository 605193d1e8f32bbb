#pragma once
/// @file
/// The history of one call, and the errors that people read: what happened, then what to do, in one sentence.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <noun/dialect.hpp>
#include <noun/error.hpp>
#include <noun/event.hpp>
#include <noun/http.hpp>
#include <noun/time.hpp>

#include "call/redaction.hpp"

namespace noun { inline namespace v0 {

/// The end of an attempt that was not the success of the call.
struct FailedAttempt {
  int status = 0;  ///< 0 without a response, or if the status was not the reason
  Errc code = Errc::server_error;
};

/// The attempts and waits of one call.
struct CallHistory {
  std::uint64_t call = 0;
  /// Empty until the call begins.
  std::optional<Instant> began = {};
  Instant ended = {};
  /// Requests that were sent, including redirected ones.
  int attempts = 0;
  /// How many of them were redirected.
  int redirects = 0;
  /// The worst over all attempts.
  Sent sent = Sent::no;
  /// Whether the server may have acted on an attempt before the last.
  bool maybe_applied = false;
  /// In order; at most 16, which is what a message shows.
  std::vector<FailedAttempt> failed_attempts = {};
  bool more_failed_attempts = false;
  /// Time waited for the quota, and time waited after faults.
  Duration held = Duration::zero();
  Duration backed_off = Duration::zero();

  /// Adds the end of an attempt.
  void note(Sent attempt_sent) noexcept;
  void note(FailedAttempt attempt);
  Duration elapsed() const noexcept { return began ? ended - *began : Duration::zero(); }
};

/// Returns the history as a clause of a message: `after 3 attempts in 7.1 s (503, 503, connect)`, `after 2 attempts, 1
/// of them redirected, in 30 ms`, or `after waiting 40 s`. Empty for at most one attempt in less than a second.
std::string summary(const CallHistory& history);

/// Returns a span of time as people read it: `250 ms`, `7.1 s`, `12 min`, `3.5 h`, `3 days`, `more than 100 years`.
std::string readable(Duration span);

/// The request in an error. The views must be valid during report().
struct ReportedRequest {
  Method method;
  std::string_view url;
  RequestSecrets secrets;
  /// The header fields that were sent. report() hides the secrets.
  const Headers& fields;
  bool has_body;
  /// The path of the file that is the body; empty if it is something else.
  std::string_view body_file = {};
  std::string_view idempotency_key;
  /// It may be repeated, whatever its method.
  bool changes_nothing = false;
};

/// What ended a call, before it is written as an Error.
struct Failure {
  Errc code;
  StopReason stopped_because = StopReason::permanent;
  /// What happened, as a clause. Empty to describe the status, or with `resource` that memory ran out.
  std::string what = {};
  /// Text of which an excerpt is shown after `what`. A view into the response.
  std::string_view text = {};
  /// The server's error, if it is not the body of a 4xx or 5xx: JSON, of which the message is shown. A view into the
  /// response.
  std::string_view server_error = {};
  /// Why that ended the call, as a clause after "and"; may be empty.
  std::string then = {};
  /// What to do, as a clause. Empty for the usual advice.
  std::string advice = {};
  std::optional<WallTime> retry_at = {};
  /// The response that failed, or null.
  std::shared_ptr<const Response> response = {};
  /// The last response of the call, for a failure that has none of its own.
  std::shared_ptr<const Response> last_response = {};
};

/// The error of a call.
Error report(const ReportedRequest& request, const CallHistory& history, const Dialect& dialect,
             const Failure& failure);

/// The error for when memory runs out. Made in advance: after the first call of it for a process, it does not fail.
const Error& out_of_memory(Sent sent);

/// The error of a call that was refused before anything was sent.
/// @param what     what is wrong, as a clause.
/// @param advice   what to do, as a clause.
/// @param request  what would have been sent, if known.
Error refusal(Errc code, std::string_view what, std::string_view advice, RequestSummary request = {});

}}  // namespace noun
