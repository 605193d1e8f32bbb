#include "call/report.hpp"

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
  if (location && errc_of_status(status) == Errc::redirected)
    text += fmt::format(" with Location \"{}\"",
                        wire::printable_excerpt(scrubbed(request, shown_url(*location, request.secrets)),
                                                longest_location));
  return text;
}

std::string readable(WallTime when) {
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(when - std::chrono::milliseconds(1));
  return fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", fmt::gmtime(std::chrono::system_clock::to_time_t(seconds)));
}

/// The part of a failed response's body that messages are read from, without the request's secrets.
std::string scrubbed_body(const ReportedRequest& request, const Response* response) {
  constexpr std::size_t more_than_is_read = (std::size_t{1} << 20U) + 1;
  if (response == nullptr || response->status < 300) return {};
  return scrubbed(request, std::string_view(response->body).substr(0, more_than_is_read));
}

std::string_view type_of(const Response& response) noexcept {
  return response.headers.get("Content-Type").value_or(std::string_view{});
}

std::string excerpt(const ReportedRequest& request, std::string_view text) {
  constexpr std::size_t shown = 200;
  constexpr std::size_t searched = std::size_t{64} * 1024;
  return wire::printable_excerpt(scrubbed(request, text.substr(0, searched)), shown);
}

std::string what_happened(const ReportedRequest& request, const CallHistory& history, const Failure& failure,
                          std::string_view body) {
  auto text = failure.what.empty() && failure.response ? what_the_status_says(request, *failure.response)
                                                       : scrubbed(request, failure.what);
  if (!failure.text.empty()) text += fmt::format(", in \"{}\"", excerpt(request, failure.text));
  if (failure.response && !body.empty())
    if (const auto message = wire::server_message(type_of(*failure.response), body); !message.empty())
      text += fmt::format(", saying \"{}\"", scrubbed(request, message));
  if (const auto attempts = summary(history); !attempts.empty()) text += ", " + attempts;
  if (!failure.then.empty()) text += ", and " + scrubbed(request, failure.then);
  return text;
}

std::string what_to_do(const ReportedRequest& request, const CallHistory& history, const Failure& failure) {
  auto text = scrubbed(request, advice_on(failure, request, history.sent));
  // No time for a request that must not be sent again before it is checked.
  if (failure.retry_at && *failure.retry_at != WallTime::max() && failure.stopped_because != StopReason::not_repeatable)
    text += fmt::format("{}try again after {}", text.empty() ? "" : ", or ", readable(*failure.retry_at));
  return text;
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
  const auto body = scrubbed_body(request, response);
  if (response != nullptr) {
    details.status = response->status;
    details.request_id = scrubbed(request, request_id_of(response->headers, dialect));
    if (response->status >= 300) details.problem = wire::parse_problem(type_of(*response), body);
  }
  details.what = what_happened(request, history, failure, body);
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
