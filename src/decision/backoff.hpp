#pragma once
/// @file
/// How long to wait before a request is sent again: exponential backoff, and the wait after a rejection.

#include <optional>

#include <noun/retry.hpp>

namespace noun { inline namespace v0 {

/// The shortest wait before a request that a server makes noun send again and again: a poll, the reconnection of a
/// stream, the continuation of a download.
constexpr Duration shortest_wait = std::chrono::milliseconds(250);

/// The wait before retry number `attempt`.
/// @param attempt  1 for the first retry; at least 1.
/// @param spread   uniform in [0, 1), a random number from the caller.
/// @returns        between the doubled delay and that delay lengthened by `jitter`; never negative.
/// @source RFC 9110, section 10.2.3 does not define a wait without Retry-After; doubling is a convention.
Duration backoff(const RetryPolicy& policy, int attempt, double spread) noexcept;

/// A rejection because of the quota, of a call or of a quota policy, with what the server said.
struct Rejection {
  std::optional<Duration> retry_after = {};  ///< as reported
  std::optional<Duration> freed_in = {};     ///< when permits are free again: the reset, or an estimate
  Duration default_wait = Duration::zero();  ///< the dialect's, instead of the first backoff; zero if it has none
  int count = 1;           ///< rejections so far, but not a first one with Retry-After; at least 1
  bool again = false;      ///< what the server said was obeyed in vain before
  double spread = 0;       ///< jitter, uniform in [0, 1)
  RetryPolicy retry = {};  ///< of the call that was rejected
};

/// The wait after a rejection, and whether it is the server's Retry-After.
struct RejectionWait {
  Duration wait;
  bool reported;
};

/// The wait after a rejection: Retry-After; or else until permits are free; or else the backoff, which starts with
/// `default_wait`, or a second if `initial_backoff` is shorter. What was obeyed in vain is too short: then the backoff,
/// if it is longer. `max_backoff` bounds the backoff, unless `default_wait` is longer, and nothing that the server
/// said.
RejectionWait wait_after_rejection(const Rejection& rejection) noexcept;

}}  // namespace noun
