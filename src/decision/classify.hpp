#pragma once
/// @file
/// Classifies the result of an attempt, independent of retry counts and time.

#include <optional>
#include <string>
#include <string_view>

#include <noun/dialect.hpp>
#include <noun/http.hpp>
#include <noun/result.hpp>
#include <noun/time.hpp>

namespace noun { inline namespace v0 {

/// The status of a request that is accepted and not finished.
/// @source RFC 9110, section 15.3.3.
constexpr int accepted_status = 202;

/// The status that answers a condition: the stored response is still that of the resource.
/// @source RFC 9110, section 15.4.5.
constexpr int not_modified_status = 304;

/// 2xx.
constexpr bool is_success(int status) noexcept { return status >= 200 && status <= 299; }
/// 5xx: the response does not show that the server did, or refused, what was requested.
constexpr bool is_server_fault(int status) noexcept { return status >= 500 && status <= 599; }

/// What may follow an attempt.
enum class Verdict {
  success,          ///< any 2xx
  limited,          ///< rejected because of the quota, not processed: wait, then send the same request
  unprocessed,      ///< certainly not processed: any method may be sent again
  misdirected,      ///< 421: not processed on this connection; send once more on a fresh one
  maybe_processed,  ///< may have been processed: send again only what may be applied twice
  still_running,    ///< 409 for our idempotency key, where the dialect reads it as "the first is still running"
  unauthorized,     ///< 401: send once more if the credentials may change
  redirect,         ///< 301, 302, 303, 307, 308
  absent,           ///< 404, 410: a DELETE is done if an attempt before may have been applied; otherwise permanent
  unsatisfiable,    ///< 416: a download may have all, or start again; otherwise permanent
  permanent,        ///< a retry would not help
};

/// Classifies a response by its status.
/// @param exhausted  whether the response reports that nothing of the quota remains, or has Retry-After.
/// @param has_key    whether the request had our idempotency key.
/// @source RFC 9110, section 15; RFC 6585, section 4 (429); RFC 8470, section 5.2 (425).
Verdict classify_status(int status, const Dialect& dialect, bool exhausted, bool has_key) noexcept;

/// Whether many servers reject requests because of the quota by this status: 503. If it came without a reason, the
/// quota gate decides.
bool may_mean_rejection(int status) noexcept;

/// Classifies a complete response by its status, the dialect's signs in the body, and the retry verdict that the server
/// reports. A body is searched only if a sign names its status.
/// @param exhausted, has_key  as in classify_status().
Verdict classify_response(const Response& response, const Dialect& dialect, bool exhausted, bool has_key);

/// The wait that the body of a rejection asks for (Dialect::wait_pointer), rounded up to the nanosecond. The body of a
/// success is searched only if a sign names its status.
/// @returns  nothing for a body without a wait, for a negative wait, and for 1e9 seconds or more.
std::optional<Duration> wait_in_body(const Response& response, const Dialect& dialect);

/// Classifies an attempt without a complete response.
/// @param retried  whether the call has been repeated after a fault that is Retryable::once.
Verdict classify_failure(const Error& error, bool retried) noexcept;

/// The error code for a response that is not a success.
Errc errc_of_status(int status) noexcept;

/// The reason phrase of a status; empty if it has none.
std::string_view reason_phrase(int status) noexcept;

/// A status as messages name it: `404 Not Found`, `202 Accepted (not finished)`, or `418` without a reason phrase.
std::string status_text(int status);

}}  // namespace noun
