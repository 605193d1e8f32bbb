#pragma once
/// @file
/// The events that a client reports to its observer: one for each step of each call.
///
///     noun::Client api{base_url, {.observer = [](const noun::Event& event) {
///       if (event.kind == noun::EventKind::holding)
///         fmt::print(stderr, "waiting {} s: {}\n", event.wait.count() / 1e9, to_string(event.reason));
///     }}};

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

#include <noun/error.hpp>
#include <noun/http.hpp>
#include <noun/time.hpp>
#include <noun/version.hpp>

namespace noun { inline namespace v0 {

/// Why a call waits.
enum class WaitReason {
  none,
  quota,           ///< nothing remains of the quota: waits for its reset
  reset_probe,     ///< held back, mostly for less than a second: its response shows the reset more exactly
  first_response,  ///< nothing is known of the quota yet: waits for the first response, at most a second
  probe,           ///< the quota has just reset: waits for the response to the one request that was sent first
  concurrency,     ///< the concurrency limit is reached
  rejected,        ///< the server rejected a request on this quota: all requests on it wait
  retry_after,     ///< the server said how long to wait (Retry-After)
  backoff,         ///< waits before a retry after a fault
  share,           ///< other processes use the quota too: waits for a share of its permits
  same_request,    ///< an identical GET is in flight: waits for its response (CacheMode::rfc9111)
};

/// The steps of a call that are reported.
enum class EventKind {
  sent,            ///< an attempt is sent
  attempt_ended,   ///< an attempt ended: `status`, or `error`
  holding,         ///< the call waits for the quota before it sends: `reason`, `wait`, `until`
  retrying,        ///< the call will send again after a fault or a rejection: `reason`, `wait`, `until`
  cached,          ///< a stored response is used, or was confirmed by the server: `status`, `cache`
  redirected,      ///< the attempt continues at `url`
  page_delivered,  ///< a listing received a page: `page`, `items`
  polling,         ///< a long-running operation is not finished: `status`, `wait`, `until`, `percent`
  progress,        ///< a download received bytes: `bytes`, `total_bytes`; or a streamed body is sent: `sent_bytes`,
                   ///< `body_size`; at most ten a second, and the last one
  ended,           ///< the call ended: `status`, and `error` unless it succeeded; after it come only what a listing and
                   ///< an operation make of its response (`page_delivered`, `polling`, `notice`); a call that was
                   ///< stopped before it began has no event
  notice,          ///< something unusual, described in `note`: an implausible reset, an unusual success status,
                   ///< the first response of an endpoint that is deprecated (RFC 9745) or will end (Sunset, RFC 8594)
};

/// The quota as the server last reported it.
struct QuotaReading {
  std::optional<std::int64_t> limit;      ///< requests in the window
  std::optional<std::int64_t> remaining;  ///< requests left in it
  /// The time until the reset, counted from the event.
  std::optional<Duration> resets_in;
};

/// One step of one call. Contains no known secret of six characters or more; a plain copy, safe to keep.
struct Event {
  EventKind kind = EventKind::sent;  ///< which step it is
  /// The same for all events of one logical call; unique in the process. For `page_delivered` and a listing's notices,
  /// the call that fetched the page; for `polling`, the one before the wait. 0: of no call (a notice of
  /// SharingOptions::observer, an operation that an earlier call started).
  std::uint64_t call = 0;
  /// The number of the attempt, from 1; 0 before the first.
  int attempt = 0;
  Method method = Method::get;  ///< of the request
  /// With secrets replaced by `***`.
  std::string url = {};
  /// The path of `url` with `{id}` for each id, such as `/v1/repos/{id}/issues`: the same for many calls. In a path that
  /// is not made of names and ids, a segment with a digit is taken for an id. Empty after a redirect, and of an event
  /// after the end of its call.
  std::string route = {};
  WallTime at = {};  ///< when the step was taken
  /// Of the response (`attempt_ended`, `ended`, `cached`, `page_delivered`, `polling`); otherwise 0.
  int status = 0;
  /// Which part the cache had in the response (`cached`, `page_delivered`).
  CacheStatus cache = CacheStatus::none;
  /// Why the attempt failed, if it got no whole response; or why the call failed (`ended`), before its body is decoded.
  std::optional<Errc> error = {};
  /// How long the attempt took (`attempt_ended`), or the call (`ended`). Of other events: how long ago the call started,
  /// 0 after its end.
  Duration elapsed = Duration::zero();
  WaitReason reason = WaitReason::none;  ///< why the call waits, if it does
  /// How long the call will wait, unless it is woken earlier. With `first_response`, `probe`, `concurrency` and `share`
  /// it is only when the call checks again: mostly it is woken within milliseconds.
  Duration wait = Duration::zero();
  WallTime until = {};      ///< when the wait ends, unless the call is woken earlier
  QuotaReading quota = {};  ///< the quota as the response reported it
  /// Which quota that is, if the server has several: its partition, its quota policy, or `partition/policy`.
  std::string partition = {};
  /// The number of the page in its listing, from 1.
  std::size_t page = 0;
  /// The number of items on the page.
  std::size_t items = 0;
  /// How much of an operation is done (`polling`), if the server said it.
  std::optional<double> percent = {};
  /// Bytes of a download or a stream that were received.
  std::uint64_t bytes = 0;
  /// The size of the whole download, if the server said it.
  std::optional<std::uint64_t> total_bytes = {};
  /// Bytes of a streamed body (body::file(), or a form with files) that were read to be sent. Each attempt starts at 0.
  std::uint64_t sent_bytes = 0;
  /// The size of that body. Only a `progress` of a body that is sent has it.
  std::optional<std::uint64_t> body_size = {};
  std::string note = {};  ///< the text of a notice: one sentence
};

/// The trace context that is sent with an attempt: the values of the header fields of the same names.
/// @source https://www.w3.org/TR/trace-context/, level 1.
struct TraceContext {
  /// Such as `00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01`; empty for none.
  std::string traceparent = {};
  /// At most 512 characters; empty for none.
  std::string tracestate = {};

  /// Whether all members are equal.
  friend bool operator==(const TraceContext&, const TraceContext&) = default;
};

/// @{
/// The name of a kind (`page_delivered`), and the text of a reason in words that fit into a sentence.
/// @threadsafety  safe.
NOUN_API std::string_view to_string(EventKind kind) noexcept;
NOUN_API std::string_view to_string(WaitReason reason) noexcept;
NOUN_API std::ostream& operator<<(std::ostream& out, EventKind kind);
NOUN_API std::ostream& operator<<(std::ostream& out, WaitReason reason);
/// @}
/// The enumerator's name, for logs and metrics: `retry_after`.
/// @threadsafety  safe.
NOUN_API std::string_view name_of(WaitReason reason) noexcept;

/// How GoogleTest shows an enumerator: as to_string().
template <class E>
  requires(std::same_as<E, EventKind> || std::same_as<E, WaitReason>)
void PrintTo(const E& value, std::ostream* out) {
  *out << to_string(value);
}

}}  // namespace noun
