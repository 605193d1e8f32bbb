#pragma once
/// @file
/// When noun sends a request again, how long it waits before, and how many retries a client may make.

#include <chrono>

#include <noun/time.hpp>

namespace noun { inline namespace v0 {

/// Limits and backoff of retries. Whether a request may be sent again at all is not an option here: it follows from the
/// method, the fault (for a status: Dialect::transient_statuses) and the idempotency key. Rejections because of the
/// quota (429) do not count for `max_attempts` and `give_up_after`; nor does the one repetition with other
/// credentials, after a 401, or after a 400 or 403 because of the time in them.
///
/// After a rejection, all calls on that quota wait for Retry-After or the reset, which no option shortens. If the
/// response reports neither, they wait for the backoff, and if a request is rejected again after a wait, at least for
/// the backoff: 1 s, 2 s, 4 s and so on, up to `max_backoff`. It starts with Dialect::default_wait, if that is set, or
/// with `initial_backoff`, if that is longer than a second.
struct RetryPolicy {
  /// Attempts of one call, including the first; at least 1.
  int max_attempts = 5;
  /// The wait before the first retry, doubled before each further one; greater than zero.
  Duration initial_backoff = std::chrono::seconds(1);
  /// The longest backoff; at least `initial_backoff`. Bounds no wait that the server gave, and not
  /// Dialect::default_wait.
  Duration max_backoff = std::chrono::seconds(60);
  /// The maximum random extension of a backoff, as a fraction of it: 0 to 1. Does not apply to Retry-After.
  double jitter = 0.1;
  /// No attempt starts later than this after the first fault or delayed redirect of a call. Waits for the quota do not
  /// count. Not negative.
  Duration give_up_after = std::chrono::minutes(15);
};

/// A token bucket shared by all calls of a client. A retry takes 1 token, a success returns `per_success`. First
/// attempts and rejections because of the quota take none and are never held back.
struct RetryBudget {
  /// Tokens at the start, and the maximum; 0 to 1e9. 0 allows no retry.
  double capacity = 100;
  /// Tokens that a success returns; 0 to 1e9.
  double per_success = 0.2;
};

}}  // namespace noun
