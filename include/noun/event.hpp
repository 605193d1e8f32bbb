#pragma once
/// @file
/// What a client tells its observer: one event for each step of each call.
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
#include <noun/method.hpp>
#include <noun/time.hpp>
#include <noun/version.hpp>

namespace noun { inline namespace v0 {

/// Why a call waits.
enum class WaitReason {
  none,
  quota,         ///< nothing is left of the service's quota: until it resets
  learning,      ///< a quota that will be used up anyway keeps one of its last permits for less than a second, to learn
                 ///< from its answer when in the second the quota resets
  first_answer,  ///< nothing is known of the quota yet: until the first answer tells, or for a second
  probe,         ///< the quota has just reset: until the answer of the one request that went first
  concurrency,   ///< as many requests are in flight as may be
  rejected,      ///< the service rejected a request on this quota: everything on it holds
  retry_after,   ///< the service said how long (Retry-After)
  backoff,       ///< before trying again after a fault
};

/// The steps of a call that are told.
enum class EventKind {
  sent,            ///< an attempt goes out
  answered,        ///< an attempt ended: `status`, or `error`
  holding,         ///< the call waits before it sends, for the quota's sake: `reason`, `wait`, `until`
  retrying,        ///< the call will send again after a fault or a rejection: `reason`, `wait`, `until`
  redirected,      ///< the attempt goes on at `url`
  page_delivered,  ///< a listing has a page: `page`, `items`
  notice,          ///< something that a person should know, in `note`: an implausible reset, an unusual success status
};

/// What the service said last about its quota.
struct QuotaReading {
  std::optional<std::int64_t> limit;      ///< requests in the window
  std::optional<std::int64_t> remaining;  ///< requests left in it
  /// Until the reset, seen from the event.
  std::optional<Duration> resets_in;
};

/// One step of one call. Secrets are left out; everything in it is a copy, fit to be kept.
struct Event {
  EventKind kind = EventKind::sent;  ///< which step it is
  /// The same for all events of one logical call; unique in the process.
  std::uint64_t call = 0;
  /// The number of the attempt, from 1; 0 before the first.
  int attempt = 0;
  Method method = Method::get;  ///< of the request
  /// With secrets replaced by `***`.
  std::string url = {};
  WallTime at = {};  ///< when the step was taken
  /// Of the answer, where the step is one (`answered`, `page_delivered`); else 0.
  int status = 0;
  /// How the attempt failed, if it was not answered.
  std::optional<Errc> error = {};
  /// How long the attempt took.
  Duration elapsed = Duration::zero();
  WaitReason reason = WaitReason::none;  ///< why the call waits, if it does
  /// How long the call will wait, if nothing wakes it earlier.
  Duration wait = Duration::zero();
  WallTime until = {};      ///< when the wait ends, if nothing wakes it earlier
  QuotaReading quota = {};  ///< what the answer said of the quota, seen from this step
  /// Which quota that is, where the service has several: its partition, its quota policy, or `partition/policy`.
  std::string partition = {};
  /// The number of the page in its listing, from 1.
  std::size_t page = 0;
  /// How many items it has.
  std::size_t items = 0;
  std::string note = {};  ///< of a notice: one sentence
};

/// @{
/// The names of kinds and reasons, in words that fit into a sentence.
/// @threadsafety  safe.
NOUN_API std::string_view to_string(EventKind kind) noexcept;
NOUN_API std::string_view to_string(WaitReason reason) noexcept;
/// @}

/// How GoogleTest shows an enumerator: by its name.
template <class E>
  requires(std::same_as<E, EventKind> || std::same_as<E, WaitReason>)
void PrintTo(const E& value, std::ostream* out) {
  *out << to_string(value);
}

}}  // namespace noun
