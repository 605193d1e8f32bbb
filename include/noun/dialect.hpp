#pragma once
/// @file
/// How one API spells the conventions, as data. `Dialect{}` is the plain convention.

#include <chrono>
#include <string>
#include <vector>

#include <noun/paging.hpp>
#include <noun/time.hpp>

namespace noun { inline namespace v0 {

/// What the reset header counts.
enum class ResetForm {
  automatic,      ///< by its size: below 1e9 delta seconds, below 1e11 epoch seconds, below 1e14 epoch milliseconds,
                  ///< below 1e17 epoch microseconds; text as HTTP-date, RFC 3339 or duration
  epoch_seconds,  ///< since 1970-01-01T00:00:00Z; fractions are read
  epoch_milliseconds,
  delta_seconds,  ///< from receipt; fractions are read
  delta_milliseconds,
  http_date,      ///< RFC 9110, section 5.6.7
  rfc3339,        ///< 2026-03-26T16:00:00Z
  duration_text,  ///< 6m0s, 120ms
};

/// The names of the response headers that report one quota. An empty name is not read.
struct QuotaHeaders {
  /// The name of the quota policy; every request needs a permit of each policy. Unique in Dialect::quotas, at most 64
  /// printable ASCII characters. Entries without a name are spellings of the same quota, the first one: each fills what
  /// the entries before it leave out.
  std::string name = {};
  std::string limit = {};                       ///< how many requests a window allows
  std::string remaining = {};                   ///< how many of them are left
  std::string reset = {};                       ///< when the window ends, as `reset_form` says
  ResetForm reset_form = ResetForm::automatic;  ///< what `reset` counts
  /// How many requests are used, of how many: `32/40`, or `api-usage=135/5000; per-app=17/250`, where each after the
  /// first is a quota of its own.
  std::string used_of_limit = {};
  /// The refill rate of a token bucket, in requests per second; fractions are read.
  std::string refill_per_second = {};
  /// How long to wait, as `retry_after_form` says; read before Dialect::retry_after.
  std::string retry_after = {};
  /// What `retry_after` counts; automatic is delta seconds or a date.
  ResetForm retry_after_form = ResetForm::automatic;
  /// The start of header names. Each header is a quota, named by the rest of the header's name: `11999`, or
  /// `total=100; remaining=99; resets=41`; or several with names in the value: `name;107, other;587`.
  std::string prefix = {};
};

/// A text in a response's JSON body that means a rejection because of the quota, or excludes it, where the status does
/// not.
struct BodySign {
  std::vector<int> statuses = {};  ///< of the responses that are examined; 200 to 599, at least one
  std::string pointer = {};        ///< the place of the text: a JSON pointer (RFC 6901)
  std::string text = {};           ///< what the text there contains; not empty
  /// Whether it means a rejection because of the quota. If not, a limited status has another reason: the request was
  /// not processed, and is repeated as after a 425.
  bool limited = true;
};

/// How one API spells the conventions.
struct Dialect {
  /// Shown in messages and events.
  std::string name = "plain";
  /// The headers that report quotas. If several entries report the same value, the first counts.
  std::vector<QuotaHeaders> quotas = {
      {.limit = "X-RateLimit-Limit", .remaining = "X-RateLimit-Remaining", .reset = "X-RateLimit-Reset"}};
  /// The header that reports how long to wait: delta seconds or an HTTP-date. Read after QuotaHeaders::retry_after;
  /// empty for none.
  std::string retry_after = "Retry-After";
  /// The header that names the partition that counted the request, if the API counts some requests separately; empty
  /// for none. Which requests belong to a partition is learned from their responses.
  std::string partition_header = {};
  /// The header whose presence means that a rejection applies to all of the server's partitions, unless its value is
  /// `0` or `false`; empty for none.
  std::string everywhere_header = {};
  /// @{
  /// The structured fields of the IETF drafts; empty for none. Each limit in them is a quota of its own, from which
  /// every request needs a permit too. A limit without a name is the first quota, and fills what `quotas` leaves out.
  /// @source draft-ietf-httpapi-ratelimit-headers, revisions 04 to 11.
  std::string structured = "RateLimit";
  std::string structured_policy = "RateLimit-Policy";
  /// @}
  /// Whether to read the other common spellings too. Has an effect only while the first entry of `quotas` has no name
  /// and the default `limit`, `remaining` and `reset`, and `retry_after` is the default. The `reset_form` of that entry
  /// applies to every reset. The other spellings:
  /// - `RateLimit-Limit`, `RateLimit-Remaining`, `RateLimit-Reset`, the same with `X-Rate-Limit-`, and then with
  ///   `Rate-Limit-`; `Rate-Limit-Total` is a limit. They describe the first quota and fill what is missing, in this
  ///   order.
  /// - Each of these names and of the default ones with a suffix, `X-RateLimit-Remaining-Minute`. Each suffix is a
  ///   further quota policy, named by the suffix in lower case, if it reports a count of what remains. If it reports no
  ///   reset and no window, `second`, `minute`, `hour` and `day` are the length of the window. A suffix that names
  ///   another unit than requests, such as `tokens`, is not read.
  /// - `Retry-After-` with any suffix, `X-RateLimit-Retry-After` and `X-Rate-Limit-Retry-After`, also with a suffix, if
  ///   there is no `Retry-After`. The longest wait counts. With the suffix `Ms` or `Milliseconds` it is in
  ///   milliseconds, otherwise as Retry-After.
  /// @source express-rate-limit, NestJS throttler, Kong, koa-ratelimit, Spring with Bucket4j;
  ///         draft-ietf-httpapi-ratelimit-headers, revisions 00 to 06.
  bool common_spellings = true;
  /// A reset further ahead than this cannot be right and is ignored; greater than zero.
  Duration farthest_reset = std::chrono::hours(24);
  /// Statuses of a rejection because of the quota: the request was not processed; 400 to 599, as the next ones.
  std::vector<int> limited_statuses = {429};
  /// Statuses that mean it only if the response reports that nothing remains, or carries Retry-After.
  std::vector<int> limited_if_exhausted = {};
  /// Texts in the body that mean it, or exclude it. If several are present, the first counts.
  std::vector<BodySign> body_signs = {};
  /// Where the JSON body of a rejection reports how many seconds to wait: a JSON pointer to a number, which precedes
  /// the headers; empty for none.
  std::string wait_pointer = {};
  /// How long all calls wait after a rejection that reports no wait. Doubles with each further one, up to a minute or
  /// this value, whichever is longer. Zero means a second. Not negative.
  Duration default_wait = Duration::zero();
  /// Whether Retry-After on a success asks for a pause before the next request.
  bool retry_after_on_success = false;
  /// The response header that says `true` or `false`: whether to repeat the request, whatever the status. A POST or
  /// PATCH without an idempotency key is not repeated even if it says `true`.
  std::string retry_verdict_header = {};
  /// How listings are paged.
  Paging paging = {};
  /// @{
  /// Statuses of success by verb; any other 2xx is reported to the observer, and an error under `strict_statuses`. For
  /// a page of paging::ItemRange 206 is one too.
  std::vector<int> get_statuses = {200};
  std::vector<int> create_statuses = {201};
  std::vector<int> replace_statuses = {200, 201, 204};
  std::vector<int> update_statuses = {200, 204};
  std::vector<int> remove_statuses = {204};
  /// @}
  /// The Content-Type of `update`: application/json, or a type that ends in +json, as application/merge-patch+json and
  /// application/json-patch+json do.
  std::string patch_content_type = "application/json";
  /// The request header of an idempotency key.
  std::string idempotency_header = "Idempotency-Key";
  /// Whether a 409 to a request with an idempotency key means that the request is still running, and is repeated.
  bool retry_conflict_with_key = false;
  /// Whether a 503 means that the request was not processed, so that any method may be repeated.
  bool unavailable_is_unprocessed = false;
  /// Response headers that may name the request, in order of preference.
  std::vector<std::string> request_id_headers = {"X-Request-Id", "Request-Id", "X-Correlation-Id"};
};

}}  // namespace noun
