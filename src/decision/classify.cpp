#include "decision/classify.hpp"

#include <algorithm>
#include <chrono>

#include "wire/ascii.hpp"
#include "wire/duration_text.hpp"
#include "wire/json_scan.hpp"

namespace noun { inline namespace v0 {
namespace {

struct Phrase {
  int status;
  std::string_view words;
};
/// The reason phrases of RFC 9110, of the RFCs that extend it, and of common extensions.
constexpr Phrase phrases[] = {
    {200, "OK"},
    {201, "Created"},
    {202, "Accepted"},
    {204, "No Content"},
    {205, "Reset Content"},
    {206, "Partial Content"},
    {207, "Multi-Status"},
    {300, "Multiple Choices"},
    {301, "Moved Permanently"},
    {302, "Found"},
    {303, "See Other"},
    {304, "Not Modified"},
    {307, "Temporary Redirect"},
    {308, "Permanent Redirect"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {402, "Payment Required"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {406, "Not Acceptable"},
    {407, "Proxy Authentication Required"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {410, "Gone"},
    {411, "Length Required"},
    {412, "Precondition Failed"},
    {413, "Content Too Large"},
    {414, "URI Too Long"},
    {415, "Unsupported Media Type"},
    {416, "Range Not Satisfiable"},
    {417, "Expectation Failed"},
    {421, "Misdirected Request"},
    {422, "Unprocessable Content"},
    {423, "Locked"},
    {424, "Failed Dependency"},
    {425, "Too Early"},
    {426, "Upgrade Required"},
    {428, "Precondition Required"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {451, "Unavailable For Legal Reasons"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {502, "Bad Gateway"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
    {505, "HTTP Version Not Supported"},
    {507, "Insufficient Storage"},
    {529, "Overloaded"},
};

bool contains(const std::vector<int>& statuses, int status) noexcept {
  return std::find(statuses.begin(), statuses.end(), status) != statuses.end();
}

/// The first of the dialect's signs that is in the body, or null.
const BodySign* sign_in_body(const Response& response, const Dialect& dialect) {
  for (const auto& sign : dialect.body_signs) {
    if (!contains(sign.statuses, response.status)) continue;
    const auto text = wire::json_text_at(response.body, sign.pointer);
    if (text && text->find(sign.text) != std::string::npos) return &sign;
  }
  return nullptr;
}

Verdict with_sign(Verdict verdict, const BodySign& sign) noexcept {
  if (sign.permanent) return Verdict::permanent;
  if (sign.limited) return Verdict::limited;
  return verdict == Verdict::limited ? Verdict::unprocessed : verdict;
}

/// Applies the retry verdict that the server reported.
Verdict with_retry_verdict(Verdict verdict, std::string_view reported) noexcept {
  switch (verdict) {
    case Verdict::permanent: return wire::same_ignoring_case(reported, "true") ? Verdict::maybe_processed : verdict;
    case Verdict::unprocessed:
    case Verdict::maybe_processed:
    case Verdict::still_running: return wire::same_ignoring_case(reported, "false") ? Verdict::permanent : verdict;
    case Verdict::success:
    case Verdict::limited:
    case Verdict::misdirected:
    case Verdict::unauthorized:
    case Verdict::redirect: break;
  }
  return verdict;
}

}  // namespace

Verdict classify_status(int status, const Dialect& dialect, bool exhausted, bool has_key) noexcept {
  if (contains(dialect.limited_statuses, status) || (exhausted && contains(dialect.limited_if_exhausted, status)))
    return Verdict::limited;
  if (status >= 200 && status < 300) return Verdict::success;
  switch (status) {
    case 301:
    case 302:
    case 303:
    case 307:
    case 308: return Verdict::redirect;
    case 401: return Verdict::unauthorized;
    case 421: return Verdict::misdirected;
    case 425: return Verdict::unprocessed;
    default: break;
  }
  if (status == 409 && has_key && dialect.retry_conflict_with_key) return Verdict::still_running;
  if (!contains(dialect.transient_statuses, status)) return Verdict::permanent;
  return status == 503 && dialect.unavailable_is_unprocessed ? Verdict::unprocessed : Verdict::maybe_processed;
}

Verdict classify_response(const Response& response, const Dialect& dialect, bool exhausted, bool has_key) {
  auto verdict = classify_status(response.status, dialect, exhausted, has_key);
  if (const auto* const sign = sign_in_body(response, dialect)) verdict = with_sign(verdict, *sign);
  if (dialect.retry_verdict_header.empty()) return verdict;
  const auto reported = response.headers.get(dialect.retry_verdict_header);
  return reported ? with_retry_verdict(verdict, wire::trimmed(*reported)) : verdict;
}

std::optional<Duration> wait_in_body(const Response& response, const Dialect& dialect) {
  const auto names_status = [&](const BodySign& sign) { return contains(sign.statuses, response.status); };
  const bool may_be_rejection =
      response.status >= 400 || std::any_of(dialect.body_signs.begin(), dialect.body_signs.end(), names_status);
  if (dialect.wait_pointer.empty() || !may_be_rejection) return std::nullopt;
  const auto value = wire::json_at(response.body, dialect.wait_pointer);
  if (!value) return std::nullopt;
  const auto text = wire::json_text_at(*value, "");
  const auto wait = wire::parse_decimal_duration(text ? std::string_view(*text) : *value, std::chrono::seconds(1));
  return wait && *wait < std::chrono::seconds(1'000'000'000) ? wait : std::nullopt;
}

Verdict classify_failure(const Error& error, bool retried) noexcept {
  const bool unsent = error.sent() == Sent::no;
  const auto retryable = error.details().retryable;
  if (retryable == Retryable::no || (retryable == Retryable::once && retried)) return Verdict::permanent;
  switch (error.code()) {
    case Errc::tls:
      if (retryable == Retryable::by_code) return Verdict::permanent;
      [[fallthrough]];
    case Errc::resolve:
    case Errc::connect:
    case Errc::send:
    case Errc::timeout:
    case Errc::truncated:
    case Errc::protocol: return unsent ? Verdict::unprocessed : Verdict::maybe_processed;
    case Errc::resource: return unsent ? Verdict::unprocessed : Verdict::permanent;
    default: return Verdict::permanent;
  }
}

Errc errc_of_status(int status) noexcept {
  switch (status) {
    case 429: return Errc::rate_limited;
    case 304: return Errc::not_modified;
    case 401: return Errc::unauthorized;
    case 403: return Errc::forbidden;
    case 404: return Errc::not_found;
    case 409:
    case 412: return Errc::conflict;
    default: break;
  }
  if (status >= 300 && status < 400) return Errc::redirected;
  if (status >= 400 && status < 500) return Errc::client_error;
  return status >= 500 && status < 600 ? Errc::server_error : Errc::protocol;
}

std::string_view reason_phrase(int status) noexcept {
  for (const auto& phrase : phrases)
    if (phrase.status == status) return phrase.words;
  return {};
}

std::string status_text(int status) {
  auto text = std::to_string(status);
  if (const auto words = reason_phrase(status); !words.empty()) (text += ' ') += words;
  return status == accepted_status ? text + " (not finished)" : text;
}

}}  // namespace noun
