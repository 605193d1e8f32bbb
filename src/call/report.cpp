#include "call/report.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "decision/classify.hpp"
#include "wire/http_date.hpp"
#include "wire/percent.hpp"
#include "wire/printable.hpp"
#include "wire/problem.hpp"
#include "wire/url.hpp"

namespace noun { inline namespace v0 {
namespace {

std::string_view usual_advice(Errc code) noexcept {
  switch (code) {
    case Errc::not_found: return "check the path for a typing error first";
    case Errc::unauthorized: return "check the client's credentials";
    case Errc::forbidden: return "use credentials that allow it";
    case Errc::conflict: return "read the item's current state, then try again";
    case Errc::client_error: return "fix the request as the response says";
    case Errc::server_error: return "report it to the API's owner if it persists";
    case Errc::resolve: return "check the host name and the network";
    case Errc::connect: return "check that a server listens there";
    case Errc::tls: return "check the server's certificate and ClientOptions::tls.ca_file";
    case Errc::timeout: return "raise ClientOptions::timeouts.attempt, or check why the server is slow";
    case Errc::send:
    case Errc::truncated: return "check the connection to the server";
    case Errc::protocol: return "check that an HTTP server listens there";
    case Errc::not_modified: return "use your cached copy";
    case Errc::redirected: return "use the URL in the Location header";
    case Errc::deadline_exceeded: return "set a later deadline";
    default: return {};
  }
}

/// What to do, without the time of a retry.
std::string_view advice_on(const Failure& failure, const ReportedRequest& request,
                           const CallHistory& history) noexcept {
  constexpr int proxy_authentication_required = 407;
  constexpr int precondition_required = 428;
  const bool harmless = is_idempotent(request.method) || request.changes_nothing;
  const bool once_more_is_twice = history.sent == Sent::maybe && !harmless && request.idempotency_key.empty();
  if (failure.stopped_because == StopReason::not_repeatable || once_more_is_twice)
    return "check whether the server acted on the request before you repeat it, or set CallOptions::idempotency_key if the "
           "API knows such keys";
  if (failure.stopped_because == StopReason::budget)
    return "wait until the server has recovered";
  if (failure.response && failure.response->status == proxy_authentication_required)
    return "check the user and password in ClientOptions::proxy";
  if (failure.response && failure.response->status == precondition_required)
    return request.method == Method::post
               ? "set CallOptions::if_match or if_none_match, as the response says"
               : "read the item, and set CallOptions::if_match to its ETag";
  if (history.sent == Sent::maybe && !request.idempotency_key.empty() && failure.stopped_because != StopReason::permanent)
    return "send it again with the same idempotency key";
  if (failure.advice.empty() && failure.code == Errc::not_found && wire::has_escape_of_escape(wire::split_url(request.url).path))
    return "write ids as they are: noun encodes them, so that %2F in an id becomes %252F";
  if (failure.advice.empty() && failure.code == Errc::conflict && request.method == Method::post)
    return "check whether it exists already, or what the response says";
  if (failure.advice.empty() && failure.code == Errc::conflict && history.maybe_applied)
    return "read the item: an earlier attempt of this call may have made the change";
  return failure.advice.empty() ? usual_advice(failure.code) : std::string_view(failure.advice);
}

/// Writes the parts of one error. Secrets are hidden before a text is cut to length: half of a secret would not be
/// found.
class Writer {
 public:
  Writer(const ReportedRequest& request, const CallHistory& history, const Failure& failure)
      : request_(request), history_(history), failure_(failure), redaction_(request.url, request.secrets) {}

  RequestSummary request() const;
  std::string request_id(const Response& response, const Dialect& dialect) const;
  std::optional<Problem> problem(const Response& response) const;
  std::string what() const;
  std::string advice(const Dialect& dialect) const;

 private:
  std::optional<int> repeated_status(const Dialect& dialect) const;
  std::string status(const Response& response) const;
  std::string scrubbed_start(std::string_view text) const;
  std::string excerpt(std::string_view text) const;
  std::string server_message(const Response& response, std::string_view error) const;

  const ReportedRequest& request_;
  const CallHistory& history_;
  const Failure& failure_;
  const Redaction redaction_;
};

std::string readable(WallTime when) {
  auto text = wire::format_rfc3339(std::chrono::ceil<std::chrono::seconds>(when - std::chrono::milliseconds(1)));
  std::replace(text.begin(), text.end(), 'T', ' ');
  text.pop_back();
  return text += " UTC";
}

std::string_view type_of(const Response& response) noexcept {
  return response.headers.get("Content-Type").value_or(std::string_view{});
}

RequestSummary Writer::request() const {
  auto url = redaction_.url();
  auto curl = redaction_.curl_command(request_.method, url, request_.fields, request_.has_body, request_.body_file);
  return {.method = request_.method, .url = std::move(url), .curl = std::move(curl)};
}

std::string Writer::request_id(const Response& response, const Dialect& dialect) const {
  for (const auto& name : dialect.request_id_headers)
    if (const auto id = response.headers.get(name)) return redaction_.line(std::string(*id));
  return {};
}

/// A 3xx is shown with its Location: the caller may want to go there.
std::string Writer::status(const Response& response) const {
  constexpr std::size_t longest_location = 200;
  const int status = response.status;
  auto text = fmt::format("the server responded {}", status_text(status));
  const auto location = response.headers.get("Location");
  if (location && errc_of_status(status) == Errc::redirected) {
    const auto& own = request_.secrets;
    auto earlier = secrets_in_query(request_.url, own.known);
    earlier.insert(earlier.end(), own.earlier.begin(), own.earlier.end());
    const auto shown = Redaction(*location, {own.headers, own.known, earlier, true}).url();
    text += fmt::format(" with Location \"{}\"", wire::printable_excerpt(redaction_.line(shown), longest_location));
  }
  return text;
}

/// Its members without secrets, after JSON was decoded; of long ones the start.
std::optional<Problem> Writer::problem(const Response& response) const {
  if (response.status < 300) return std::nullopt;
  auto problem = wire::parse_problem(type_of(response), response.body);
  if (!problem) return std::nullopt;
  for (auto* member : {&problem->type, &problem->title, &problem->detail, &problem->instance})
    *member = scrubbed_start(*member);
  return problem;
}

/// The start of a text, of which an excerpt will be shown. A secret that is cut in half would not be found: the end is
/// left out.
std::string Writer::scrubbed_start(std::string_view text) const {
  constexpr std::size_t searched = std::size_t{64} * 1024;
  constexpr std::size_t longest_secret = std::size_t{16} * 1024;
  auto start = redaction_.scrubbed(std::string(text.substr(0, searched)));
  if (text.size() > searched) start.resize(start.size() - std::min(start.size(), longest_secret));
  return start;
}

std::string Writer::excerpt(std::string_view text) const {
  constexpr std::size_t shown = 200;
  return wire::printable_excerpt(redaction_.line(scrubbed_start(text)), shown);
}

/// The server's error message; empty if there is none.
/// @param error  instead of the whole body, unless it is empty.
std::string Writer::server_message(const Response& response, std::string_view error) const {
  if (response.status < 300 && error.empty()) return {};
  return wire::server_message(type_of(response), error.empty() ? response.body : error,
                              [&](std::string_view text) { return scrubbed_start(text); });
}

std::string Writer::what() const {
  const auto* const response = failure_.response.get();
  auto text = redaction_.line(failure_.what);
  if (text.empty() && response != nullptr) text = status(*response);
  if (text.empty() && failure_.code == Errc::resource)
    text = "out of memory during the call, or a function of the client threw an exception";
  if (!failure_.text.empty()) text += fmt::format(", in \"{}\"", excerpt(failure_.text));
  if (response != nullptr)
    if (const auto message = server_message(*response, failure_.server_error); !message.empty())
      text += fmt::format(", saying \"{}\"", message);
  if (const auto attempts = summary(history_); !attempts.empty()) text += ", " + attempts;
  if (!failure_.then.empty()) text += ", and " + redaction_.line(failure_.then);
  return text;
}

/// The status for which the call was repeated as often as it may be, if the dialect says that it is transient.
std::optional<int> Writer::repeated_status(const Dialect& dialect) const {
  if (failure_.stopped_because != StopReason::attempts || !failure_.response) return std::nullopt;
  const auto is_transient = [&](int status) {
    const auto& all = dialect.transient_statuses;
    return std::find(all.begin(), all.end(), status) != all.end();
  };
  const auto faults = std::count_if(history_.failed_attempts.begin(), history_.failed_attempts.end(),
                                    [&](const FailedAttempt& attempt) { return is_transient(attempt.status); });
  const int status = failure_.response->status;
  return faults > 1 && is_transient(status) ? std::optional(status) : std::nullopt;
}

std::string Writer::advice(const Dialect& dialect) const {
  auto text = redaction_.line(std::string(advice_on(failure_, request_, history_)));
  if (const auto status = repeated_status(dialect))
    text += fmt::format("{}if {} is permanent there, leave it out of ClientOptions::dialect.transient_statuses",
                        text.empty() ? "" : ", or, ", *status);
  // No time for a request that must not be sent again before it is checked.
  if (failure_.retry_at && *failure_.retry_at != WallTime::max() &&
      failure_.stopped_because != StopReason::not_repeatable)
    text += fmt::format("{}try again after {}", text.empty() ? "" : ", or ", readable(*failure_.retry_at));
  return text;
}

}  // namespace

void CallHistory::note(Sent attempt_sent) noexcept {
  const auto rank = [](Sent s) { return s == Sent::maybe ? 2 : s == Sent::answered ? 1 : 0; };
  if (rank(attempt_sent) > rank(sent)) sent = attempt_sent;
}

void CallHistory::note(FailedAttempt attempt) {
  constexpr std::size_t most = 16;
  more_failed_attempts = failed_attempts.size() == most;
  if (!more_failed_attempts) failed_attempts.push_back(attempt);
}

std::string readable(Duration span) {
  const double seconds = std::chrono::duration<double>(span).count();
  if (seconds < 0.9995) return fmt::format("{} ms", std::chrono::round<std::chrono::milliseconds>(span).count());
  if (seconds < 120) return fmt::format("{:.3g} s", seconds);
  if (seconds < 7200) return fmt::format("{:.3g} min", seconds / 60);
  if (seconds < 48 * 3600) return fmt::format("{:.3g} h", seconds / 3600);
  if (seconds < 36500.0 * 86400) return fmt::format("{:.0f} days", seconds / 86400);
  return "more than 100 years";
}

std::string summary(const CallHistory& history) {
  const int count = history.attempts;
  const auto& failed = history.failed_attempts;
  if (count <= 1 && history.elapsed() < std::chrono::seconds(1)) return {};
  if (count == 0) return "after waiting " + readable(history.elapsed());
  auto text = "after " + std::to_string(count) + (count == 1 ? " attempt" : " attempts");
  if (history.redirects > 0) text += ", " + std::to_string(history.redirects) + " of them redirected,";
  (text += " in ") += readable(history.elapsed());
  if (failed.size() <= 1) return text;
  const char* separator = " (";
  for (const auto& attempt : failed) {
    text += std::exchange(separator, ", ");
    if (attempt.status != 0)
      text += std::to_string(attempt.status);
    else
      text += to_string(attempt.code);
  }
  if (history.more_failed_attempts) text += ", …";
  return text += ')';
}

Error report(const ReportedRequest& request, const CallHistory& history, const Dialect& dialect,
             const Failure& failure) {
  const Writer writer(request, history, failure);
  ErrorDetails details{
      .code = failure.code,
      .sent = history.sent,
      .stopped_because = failure.stopped_because,
      .attempts = history.attempts,
      .elapsed = history.elapsed(),
      .retry_at = failure.retry_at,
      .request = writer.request(),
      .idempotency_key = std::string(request.idempotency_key),
      .response = failure.response ? failure.response : failure.last_response};
  const auto* const response = details.response.get();
  if (response != nullptr) {
    details.status = response->status;
    details.request_id = writer.request_id(*response, dialect);
    details.problem = writer.problem(*response);
  }
  details.what = writer.what();
  details.advice = writer.advice(dialect);
  return Error(std::move(details));
}

const Error& out_of_memory(Sent sent) {
  const auto make = [](Sent of) {
    return Error(Errc::resource, "out of memory",
                 "run fewer calls at once; a listing goes on from its bookmark, with a smaller ListOptions::page_size",
                 of);
  };
  // Never destroyed: a global client may outlive this file's statics.
  static const auto* const made = new std::array{make(Sent::no), make(Sent::maybe), make(Sent::answered)};
  return (*made)[static_cast<std::size_t>(sent)];
}

Error refusal(Errc code, std::string_view what, std::string_view advice, RequestSummary request) {
  return Error({.code = code,
                .what = fmt::format("{}: nothing was sent", what),
                .advice = std::string(advice),
                .request = std::move(request)});
}

}}  // namespace noun
