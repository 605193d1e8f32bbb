#include "call/report.hpp"

#include <algorithm>
#include <chrono>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "decision/classify.hpp"
#include "wire/printable.hpp"
#include "wire/problem.hpp"

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
std::string_view advice_on(const Failure& failure, const ReportedRequest& request, Sent sent) noexcept {
  constexpr int proxy_authentication_required = 407;
  const bool harmless = is_idempotent(request.method) || request.changes_nothing;
  const bool once_more_is_twice = sent == Sent::maybe && !harmless && request.idempotency_key.empty();
  if (failure.stopped_because == StopReason::not_repeatable || once_more_is_twice)
    return "check whether the server acted on the request before you repeat it, or set CallOptions::idempotency_key";
  if (failure.stopped_because == StopReason::budget)
    return "wait until the server has recovered";
  if (failure.response && failure.response->status == proxy_authentication_required)
    return "check the user and password in ClientOptions::proxy";
  if (sent == Sent::maybe && !request.idempotency_key.empty() && failure.stopped_because != StopReason::permanent)
    return "send it again with the same idempotency key";
  return failure.advice.empty() ? usual_advice(failure.code) : std::string_view(failure.advice);
}

std::string request_id_of(const Headers& headers, const Dialect& dialect) {
  for (const auto& name : dialect.request_id_headers)
    if (const auto id = headers.get(name)) return std::string(*id);
  return {};
}

/// Secrets are hidden before the text is cut to length: half of a secret would not be found.
std::string scrubbed(const ReportedRequest& request, std::string_view text) {
  return scrubbed(std::string(text), request.url, request.secrets);
}

/// A 3xx is shown with its Location: the caller may want to go there.
std::string what_the_status_says(const ReportedRequest& request, const Response& response) {
  constexpr std::size_t longest_location = 200;
  const int status = response.status;
  auto text = fmt::format("the server responded {}", status);
  if (const auto words = reason_phrase(status); !words.empty()) text += fmt::format(" {}", words);
  const auto location = response.headers.get("Location");
  if (location && errc_of_status(status) == Errc::redirected) {
    auto earlier = secrets_in_query(request.url, request.secrets.known);
    earlier.insert(earlier.end(), request.secrets.earlier.begin(), request.secrets.earlier.end());
    const auto shown = shown_url(*location, {request.secrets.headers, request.secrets.known, earlier, true});
    text += fmt::format(" with Location \"{}\"",
                        wire::printable_excerpt(scrubbed(request, shown), longest_location));
  }
  return text;
}

std::string readable(WallTime when) {
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(when - std::chrono::milliseconds(1));
  return fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", fmt::gmtime(std::chrono::system_clock::to_time_t(seconds)));
}

std::string_view type_of(const Response& response) noexcept {
  return response.headers.get("Content-Type").value_or(std::string_view{});
}

/// Its members without secrets, after JSON was decoded.
std::optional<Problem> problem_of(const ReportedRequest& request, const Response& response) {
  if (response.status < 300) return std::nullopt;
  auto problem = wire::parse_problem(type_of(response), response.body);
  if (!problem) return std::nullopt;
  for (auto* member : {&problem->type, &problem->title, &problem->detail, &problem->instance})
    *member = scrubbed(request, *member);
  return problem;
}

/// The start of a text, of which an excerpt will be shown. A secret that is cut in half would not be found: the end is
/// left out.
std::string scrubbed_start(const ReportedRequest& request, std::string_view text) {
  constexpr std::size_t searched = std::size_t{64} * 1024;
  constexpr std::size_t longest_secret = std::size_t{16} * 1024;
  auto start = scrubbed(request, text.substr(0, searched));
  if (text.size() > searched) start.resize(start.size() - std::min(start.size(), longest_secret));
  return start;
}

std::string excerpt(const ReportedRequest& request, std::string_view text) {
  constexpr std::size_t shown = 200;
  return wire::printable_excerpt(scrubbed_start(request, text), shown);
}

/// The server's error message; empty if there is none.
std::string server_message(const ReportedRequest& request, const Response& response) {
  if (response.status < 300) return {};
  return wire::server_message(type_of(response), response.body,
                              [&](std::string_view text) { return scrubbed_start(request, text); });
}

std::string what_happened(const ReportedRequest& request, const CallHistory& history, const Failure& failure) {
  auto text = failure.what.empty() && failure.response ? what_the_status_says(request, *failure.response)
                                                       : scrubbed(request, failure.what);
  if (!failure.text.empty()) text += fmt::format(", in \"{}\"", excerpt(request, failure.text));
  if (failure.response)
    if (const auto message = server_message(request, *failure.response); !message.empty())
      text += fmt::format(", saying \"{}\"", message);
  if (const auto attempts = summary(history); !attempts.empty()) text += ", " + attempts;
  if (!failure.then.empty()) text += ", and " + scrubbed(request, failure.then);
  return wire::printable(text);
}

std::string what_to_do(const ReportedRequest& request, const CallHistory& history, const Failure& failure) {
  auto text = scrubbed(request, advice_on(failure, request, history.sent));
  // No time for a request that must not be sent again before it is checked.
  if (failure.retry_at && *failure.retry_at != WallTime::max() && failure.stopped_because != StopReason::not_repeatable)
    text += fmt::format("{}try again after {}", text.empty() ? "" : ", or ", readable(*failure.retry_at));
  return wire::printable(text);
}

}  // namespace

Error report(const ReportedRequest& request, const CallHistory& history, const Dialect& dialect,
             const Failure& failure) {
  ErrorDetails details{
      .code = failure.code,
      .sent = history.sent,
      .stopped_because = failure.stopped_because,
      .attempts = history.attempts,
      .elapsed = history.elapsed(),
      .retry_at = failure.retry_at,
      .request = {.method = request.method,
                  .url = shown_url(request.url, request.secrets),
                  .curl = curl_command(request.method, request.url, request.secrets, request.has_body,
                                       request.body_file)},
      .idempotency_key = std::string(request.idempotency_key),
      .response = failure.response ? failure.response : failure.last_response};
  const auto* const response = details.response.get();
  if (response != nullptr) {
    details.status = response->status;
    details.request_id = wire::printable(scrubbed(request, request_id_of(response->headers, dialect)));
    details.problem = problem_of(request, *response);
  }
  details.what = what_happened(request, history, failure);
  details.advice = what_to_do(request, history, failure);
  return Error(std::move(details));
}

Error refusal(Errc code, std::string_view what, std::string_view advice, RequestSummary request) {
  return Error({.code = code,
                .what = fmt::format("{}: nothing was sent", what),
                .advice = std::string(advice),
                .request = std::move(request)});
}

}}  // namespace noun
