#pragma once
/// @file
/// Writes the errors that people read: one sentence, what happened, then what to do.

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <noun/dialect.hpp>
#include <noun/error.hpp>
#include <noun/message.hpp>

#include "call/call_history.hpp"

namespace noun { inline namespace v0 {

/// The request as a report sees it. Views; they must outlive the report.
struct ReportedRequest {
  Method method;
  std::string_view url;
  /// All that was sent, secrets included: the report hides them.
  const Headers& headers;
  bool has_body;
  std::string_view idempotency_key;
  /// Whatever the method says.
  bool changes_nothing = false;
};

/// What went wrong, before it is put into words.
struct Failure {
  Errc code;
  StopReason stopped_because = StopReason::permanent;
  /// A clause of its own: what happened. Empty for the words of the status.
  std::string what = {};
  /// What an excerpt is shown of, behind `what`: lives as long as the answer.
  std::string_view text = {};
  /// A clause behind "and": why that was the end, where it is not plain.
  std::string then = {};
  /// What to do about it. Empty for the usual advice.
  std::string advice = {};
  std::optional<WallTime> retry_at = {};
  /// The answer that the finding is about.
  std::shared_ptr<const Response> response = {};
  /// The last answer of the call, for a finding that is about none.
  std::shared_ptr<const Response> last_response = {};
};

/// The error of a call.
Error report(const ReportedRequest& request, const CallHistory& history, const Dialect& dialect,
             const Failure& failure);

/// The error of a call that was refused before anything was sent.
/// @param what     what is wrong, as a clause.
/// @param advice   what to do, as a clause.
/// @param request  what would have been sent, if that is known.
Error refusal(Errc code, std::string_view what, std::string_view advice, RequestSummary request = {});

}}  // namespace noun
