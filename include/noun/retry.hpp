#pragma once
/// @file
/// When noun sends a request again, and how long it waits before it does.

#include <chrono>

#include <noun/time.hpp>

namespace noun { inline namespace v0 {

/// What a call does after a fault. Whether a request may be sent again at all is not an option: it follows from the
/// method, the fault and the idempotency key. A rejection for the quota's sake (429) counts for none of this.
struct RetryPolicy {
  /// Attempts of one call, the first one included; at least 1.
  int max_attempts = 5;
  /// The wait before the first retry, doubled before each further one; greater than zero.
  Duration initial_backoff = std::chrono::seconds(1);
  /// The longest such wait; at least `initial_backoff`.
  Duration max_backoff = std::chrono::seconds(60);
  /// By how much chance may lengthen such a wait, as a part of it: 0 to 1. A wait that the service gave is kept.
  double jitter = 0.1;
  /// How long after its first fault a call may begin another attempt, waits for the quota left out; not negative.
  Duration give_up_after = std::chrono::minutes(15);
};

}}  // namespace noun
