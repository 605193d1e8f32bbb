#include <ostream>
#include <tuple>

#include <noun/error.hpp>
#include <noun/http.hpp>

#include "vocabulary/error_text.hpp"

namespace noun { inline namespace v0 {
namespace {

std::string what_of(const ErrorDetails& details) {
  const auto& [method, url, curl] = details.request;
  if (url.empty()) return details.what;
  // An id may be megabytes long.
  constexpr std::size_t longest_url = 2000;
  const auto shown = std::string_view(url).substr(0, longest_url);
  constexpr std::size_t method_and_separators = 20;
  std::string what;
  what.reserve(shown.size() + details.what.size() + details.advice.size() + method_and_separators);
  what.append(to_string(method)).append(" ").append(shown).append(shown.size() < url.size() ? "…" : "");
  return what.append(": ").append(details.what);
}

std::string message_of(const ErrorDetails& details) {
  auto message = what_of(details);
  if (details.advice.empty()) return message;
  if (!message.empty()) message += "; ";
  return message += details.advice;
}

}  // namespace

std::string_view to_string(Errc code) noexcept {
  switch (code) {
    case Errc::invalid_argument: return "invalid_argument";
    case Errc::not_found: return "not_found";
    case Errc::rate_limited: return "rate_limited";
    case Errc::unauthorized: return "unauthorized";
    case Errc::forbidden: return "forbidden";
    case Errc::conflict: return "conflict";
    case Errc::client_error: return "client_error";
    case Errc::server_error: return "server_error";
    case Errc::resolve: return "resolve";
    case Errc::connect: return "connect";
    case Errc::tls: return "tls";
    case Errc::send: return "send";
    case Errc::timeout: return "timeout";
    case Errc::truncated: return "truncated";
    case Errc::protocol: return "protocol";
    case Errc::too_large: return "too_large";
    case Errc::decode: return "decode";
    case Errc::no_content: return "no_content";
    case Errc::not_modified: return "not_modified";
    case Errc::redirected: return "redirected";
    case Errc::refused: return "refused";
    case Errc::incomplete: return "incomplete";
    case Errc::expired_cursor: return "expired_cursor";
    case Errc::operation_failed: return "operation_failed";
    case Errc::credentials: return "credentials";
    case Errc::deadline_exceeded: return "deadline_exceeded";
    case Errc::cancelled: return "cancelled";
    case Errc::resource: return "resource";
  }
  return "?";
}

std::string_view to_string(Sent sent) noexcept {
  switch (sent) {
    case Sent::no: return "no";
    case Sent::maybe: return "maybe";
    case Sent::answered: return "answered";
  }
  return "?";
}

std::string_view to_string(StopReason reason) noexcept {
  switch (reason) {
    case StopReason::permanent: return "permanent";
    case StopReason::attempts: return "attempts";
    case StopReason::time: return "time";
    case StopReason::budget: return "budget";
    case StopReason::not_repeatable: return "not_repeatable";
    case StopReason::cancelled: return "cancelled";
  }
  return "?";
}

std::string_view to_string(Retryable retryable) noexcept {
  switch (retryable) {
    case Retryable::by_code: return "by_code";
    case Retryable::no: return "no";
    case Retryable::once: return "once";
    case Retryable::yes: return "yes";
  }
  return "?";
}

std::string what_of(const Error& error) { return what_of(error.details()); }

bool operator==(const ErrorDetails& left, const ErrorDetails& right) noexcept {
  const auto plain_parts = [](const ErrorDetails& of) {
    return std::tie(of.code, of.what, of.advice, of.status, of.sent, of.stopped_because, of.attempts, of.elapsed,
                    of.retry_at, of.problem, of.request, of.request_id, of.idempotency_key, of.poll_token, of.retryable);
  };
  if (plain_parts(left) != plain_parts(right)) return false;
  if (left.response == right.response) return true;
  return left.response && right.response && *left.response == *right.response;
}

Error::Error(Errc code, Text what, Sent sent) : Error(code, what, Text(), sent) {}

Error::Error(Errc code, Text what, Text advice, Sent sent)
    : Error(ErrorDetails{.code = code, .what = what.str(), .advice = advice.str(), .sent = sent}) {}

Error::Error(ErrorDetails details) {
  auto message = message_of(details);
  state_ = std::make_shared<const State>(State{std::move(details), std::move(message)});
}

Errc Error::code() const noexcept { return details().code; }
int Error::status() const noexcept { return details().status; }
Sent Error::sent() const noexcept { return details().sent; }
StopReason Error::stopped_because() const noexcept { return details().stopped_because; }
int Error::attempts() const noexcept { return details().attempts; }
Duration Error::elapsed() const noexcept { return details().elapsed; }
std::optional<WallTime> Error::retry_at() const noexcept { return details().retry_at; }
const Response* Error::response() const& noexcept { return details().response.get(); }
std::shared_ptr<const Response> Error::response() && noexcept { return details().response; }

std::ostream& operator<<(std::ostream& out, Errc code) { return out << to_string(code); }
std::ostream& operator<<(std::ostream& out, Sent sent) { return out << to_string(sent); }
std::ostream& operator<<(std::ostream& out, StopReason reason) { return out << to_string(reason); }
std::ostream& operator<<(std::ostream& out, Retryable retryable) { return out << to_string(retryable); }
std::ostream& operator<<(std::ostream& out, const Error& error) {
  return out << error.code() << ": " << error.message();
}

Exception::Exception(Error error) : error_(std::move(error)) {}
Exception::~Exception() = default;
const char* Exception::what() const noexcept { return error_.message().c_str(); }

void detail::throw_exception(Error error) { throw Exception(std::move(error)); }

}}  // namespace noun
