#include "decision/classify.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>

#include "wire/ascii.hpp"
#include "wire/duration_text.hpp"
#include "wire/json_scan.hpp"

namespace noun { inline namespace v0 {
namespace {

/// What a status means unless the dialect gives it another meaning.
struct StatusMeaning {
  int status;
  /// Of RFC 9110, of the RFCs that extend it, and of common extensions.
  std::string_view phrase;
  Verdict verdict = Verdict::permanent;
  /// Without one, that of its class.
  std::optional<Errc> code = {};
};
constexpr StatusMeaning meanings[] = {
    {200, "OK", Verdict::success},
    {201, "Created", Verdict::success},
    {202, "Accepted", Verdict::success},
    {204, "No Content", Verdict::success},
    {205, "Reset Content", Verdict::success},
    {206, "Partial Content", Verdict::success},
    {207, "Multi-Status", Verdict::success},
    {300, "Multiple Choices"},
    {301, "Moved Permanently", Verdict::redirect},
    {302, "Found", Verdict::redirect},
    {303, "See Other", Verdict::redirect},
    {304, "Not Modified", Verdict::permanent, Errc::not_modified},
    {307, "Temporary Redirect", Verdict::redirect},
    {308, "Permanent Redirect", Verdict::redirect},
    {400, "Bad Request"},
    {401, "Unauthorized", Verdict::unauthorized, Errc::unauthorized},
    {402, "Payment Required"},
    {403, "Forbidden", Verdict::permanent, Errc::forbidden},
    {404, "Not Found", Verdict::absent, Errc::not_found},
    {405, "Method Not Allowed"},
    {406, "Not Acceptable"},
    {407, "Proxy Authentication Required"},
    {408, "Request Timeout"},
    {409, "Conflict", Verdict::permanent, Errc::conflict},
    {410, "Gone", Verdict::absent},
    {411, "Length Required"},
    {412, "Precondition Failed", Verdict::permanent, Errc::conflict},
    {413, "Content Too Large"},
    {414, "URI Too Long"},
    {415, "Unsupported Media Type"},
    {416, "Range Not Satisfiable", Verdict::unsatisfiable},
    {417, "Expectation Failed"},
    {421, "Misdirected Request", Verdict::misdirected},
    {422, "Unprocessable Content"},
    {423, "Locked"},
    {424, "Failed Dependency"},
    {425, "Too Early", Verdict::unprocessed},
    {426, "Upgrade Required"},
    {428, "Precondition Required"},
    {429, "Too Many Requests", Verdict::permanent, Errc::rate_limited},
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

const StatusMeaning* meaning_of_status(int status) noexcept {
  const auto* const found = std::find_if(std::begin(meanings), std::end(meanings),
                                         [&](const StatusMeaning& one) { return one.status == status; });
  return found == std::end(meanings) ? nullptr : found;
}

/// A server that is overloaded.
constexpr int unavailable_status = 503;

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

/// Whether a retry would not help, as far as the status shows.
bool is_permanent(Verdict verdict) noexcept {
  return verdict == Verdict::permanent || verdict == Verdict::absent || verdict == Verdict::unsatisfiable;
}

Verdict with_sign(Verdict verdict, const BodySign& sign) noexcept {
  if (sign.permanent) return is_permanent(verdict) ? verdict : Verdict::permanent;
  if (sign.limited) return Verdict::limited;
  return verdict == Verdict::limited ? Verdict::unprocessed : verdict;
}

/// Applies the retry verdict that the server reported.
Verdict with_retry_verdict(Verdict verdict, std::string_view reported) noexcept {
  if (is_permanent(verdict)) return wire::same_ignoring_case(reported, "true") ? Verdict::maybe_processed : verdict;
  const bool is_fault = verdict == Verdict::unprocessed || verdict == Verdict::maybe_processed ||
                        verdict == Verdict::still_running;
  return is_fault && wire::same_ignoring_case(reported, "false") ? Verdict::permanent : verdict;
}

}  // namespace

Verdict classify_status(int status, const Dialect& dialect, bool exhausted, bool has_key) noexcept {
  if (contains(dialect.limited_statuses, status) || (exhausted && contains(dialect.limited_if_exhausted, status)))
    return Verdict::limited;
  if (status == 409 && has_key && dialect.retry_conflict_with_key) return Verdict::still_running;
  const auto* const meaning = meaning_of_status(status);
  const auto verdict = is_success(status) ? Verdict::success : meaning ? meaning->verdict : Verdict::permanent;
  if (!is_permanent(verdict) || !contains(dialect.transient_statuses, status)) return verdict;
  return status == unavailable_status && dialect.unavailable_is_unprocessed ? Verdict::unprocessed
                                                                            : Verdict::maybe_processed;
}

bool may_mean_rejection(int status) noexcept { return status == unavailable_status; }

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
  if (const auto* const meaning = meaning_of_status(status); meaning && meaning->code) return *meaning->code;
  if (status >= 300 && status < 400) return Errc::redirected;
  if (status >= 400 && status < 500) return Errc::client_error;
  return is_server_fault(status) ? Errc::server_error : Errc::protocol;
}

std::string_view reason_phrase(int status) noexcept {
  const auto* const meaning = meaning_of_status(status);
  return meaning ? meaning->phrase : std::string_view();
}

std::string status_text(int status) {
  auto text = std::to_string(status);
  if (const auto words = reason_phrase(status); !words.empty()) (text += ' ') += words;
  return status == accepted_status ? text + " (not finished)" : text;
}

}}  // namespace noun
