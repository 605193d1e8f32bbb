#pragma once
/// @file
/// Writes the errors that people read: what happened, then what to do, in one sentence.

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <noun/dialect.hpp>
#include <noun/error.hpp>
#include <noun/http.hpp>

#include "call/call_history.hpp"
#include "call/redaction.hpp"

namespace noun { inline namespace v0 {

/// The request in an error. The views must be valid during report().
struct ReportedRequest {
  Method method;
  std::string_view url;
  /// With all fields that were sent. report() hides the secrets.
  RequestSecrets secrets;
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
