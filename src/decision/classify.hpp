#pragma once
/// @file
/// What an answer, or the lack of one, means. One table; nothing here knows how often or how long to try.

#include <optional>

#include <noun/dialect.hpp>
#include <noun/message.hpp>
#include <noun/result.hpp>
#include <noun/time.hpp>

namespace noun { inline namespace v0 {

/// What may be done after an attempt.
enum class Verdict {
  success,          ///< any 2xx
  limited,          ///< rejected for the quota's sake, not processed: wait, then the same request
  unprocessed,      ///< provably not processed: any method may be sent again
  misdirected,      ///< 421: not processed on this connection; once more on a fresh one
  maybe_processed,  ///< may have been processed: only what may be done twice is sent again
  still_running,    ///< 409 to our idempotency key, in a dialect where that means so
  unauthorized,     ///< 401: once more, if the credentials can be asked again
  redirect,         ///< 301, 302, 303, 307, 308
  permanent,        ///< trying again would not help
};

/// What may be done after an attempt that was answered with `status`.
/// @param exhausted  whether the answer says that nothing of the quota remains, or carries Retry-After.
/// @param has_key    whether the request carried our idempotency key.
/// @source RFC 9110, section 15; RFC 6585, section 4 (429); RFC 8470, section 5.2 (425).
Verdict classify_status(int status, const Dialect& dialect, bool exhausted, bool has_key) noexcept;

/// What may be done after an attempt that was answered in full: as its status says, but for what the dialect's signs in
/// the body and the service's own verdict say about it. A body is looked into only where a sign names its status.
/// @param exhausted, has_key  as above.
Verdict classify_answer(const Response& response, const Dialect& dialect, bool exhausted, bool has_key);

/// How long the body of a rejection asks to wait (Dialect::wait_pointer), rounded up to the nanosecond. The body of a
/// success is looked into only where a sign names its status.
/// @returns  nothing where it does not say so, or says less than nothing, or 1e9 seconds or more.
std::optional<Duration> wait_in_body(const Response& response, const Dialect& dialect);

/// What may be done after an attempt that was not answered in full.
Verdict classify_failure(const Error& error) noexcept;

/// The code of an answer that is not a success.
Errc errc_of_status(int status) noexcept;

/// The words of a status, or an empty view where RFC 9110 and its kin have none.
std::string_view reason_phrase(int status) noexcept;

}}  // namespace noun
