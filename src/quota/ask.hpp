#pragma once
/// @file
/// What a call asks of the gate, what it is allowed, and what is decided about it.

#include <cstdint>
#include <limits>
#include <optional>
#include <variant>

#include <noun/event.hpp>
#include <noun/quota.hpp>

#include "quota/account.hpp"
#include "quota/estimators/reset_probe.hpp"
#include "quota/observation.hpp"

namespace noun { inline namespace v0 { namespace quota {

/// What a call asks of the gate.
struct Ask {
  Priority priority = Priority::normal;
  /// Until when the caller can wait without failing: the earlier of its deadline and the end of `max_wait`. If the
  /// window will be used up anyway, one of its last permits may be held back to measure when the window ends, mostly
  /// for less than a second, and never beyond this instant. By default none is held back.
  Instant patient_until = Instant::min();
  /// Requests that the caller still has to send, including this one, if known.
  std::optional<std::int64_t> demand = {};
  RouteKey route = 0;
  /// The most permits at the same time, in all partitions: each needs a connection.
  std::int64_t connections = std::numeric_limits<std::int64_t>::max();
};

/// What the gate, or the sharing of its quota, allows a request.
struct Allowance {
  /// Calls ahead in the queue; permits are left for them.
  Sums ahead = {};
  /// Streams that are open. They count as in flight where the server limits how many are, but alone they hold nothing.
  std::int64_t open = 0;
  /// Leased permits that the request may spend.
  std::int64_t leased = 0;
  /// How many of the last permits may be held back to measure a reset.
  std::int64_t most_kept = std::numeric_limits<std::int64_t>::max();
  /// Whether they are also held back for a measurement that is not planned yet.
  bool plans = true;
  /// Whether an unproven length of a window may be tried: not if other processes may do so at the same time.
  bool may_guess = true;
  /// Whether a request that only one process at a time may send is held.
  bool plain_only = false;
};

/// The request may be sent.
struct Go {
  Sending sending = {};                              ///< without its order among the others
  bool exhausted = false;                            ///< it needs more than remains
  std::optional<ResetProbe::Measurement> kept = {};  ///< a permit is held back for this measurement
  bool spends_kept = false;                          ///< the request uses the permit that was held back

  /// Whether only one process at a time may act on it.
  bool is_special() const noexcept { return sending.probe || sending.guessed || spends_kept; }
};
/// The request is held.
struct Held {
  Instant until = {};  ///< when to acquire again; later than now
  WaitReason reason = WaitReason::none;
  bool exhausted = false;
  std::optional<ResetProbe::Measurement> kept = {};
  bool may_reset = false;  ///< at the concurrency limit: a reset is known, which may come before a response
};
/// All requests are held until then: nothing is left, and no reset is known.
struct Close {
  Instant until = {};
};
/// What to apply. Has no effect by itself.
using Decision = std::variant<Go, Held, Close>;

}}}  // namespace noun::quota
