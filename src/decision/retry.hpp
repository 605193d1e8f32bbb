#pragma once
/// @file
/// The retry table: which request may be sent again after which verdict, and when; and the state of a retry budget.

#include <mutex>
#include <optional>

#include <noun/event.hpp>
#include <noun/http.hpp>
#include <noun/retry.hpp>

#include "decision/backoff.hpp"
#include "decision/classify.hpp"

namespace noun { inline namespace v0 {

/// Whether a request may be sent again after a verdict, by method and idempotency key alone.
/// @source RFC 9110, section 9.2.2.
bool may_repeat(Verdict verdict, Method method, bool has_key) noexcept;

/// The tokens left in a RetryBudget. Safe to use from many threads.
class BudgetAccount {
 public:
  explicit BudgetAccount(RetryBudget budget) noexcept : budget_(budget), tokens_(budget.capacity) {}

  /// Takes one token for a retry. Returns false if less than one is left.
  bool take() noexcept;
  /// Adds `per_success` tokens after a successful call, up to `capacity`.
  void success() noexcept;
  double tokens() const noexcept {
    const std::lock_guard lock(mutex_);
    return tokens_;
  }

 private:
  const RetryBudget budget_;
  mutable std::mutex mutex_;
  double tokens_;
};

/// What a call repeats at most once: whether it has.
struct RepeatedOnce {
  bool unauthorized = false;  ///< a 401, with other credentials
  bool misdirected = false;   ///< a 421, on a fresh connection
  bool fault = false;         ///< a fault that is Retryable::once
};

/// The part of a call's history that retry decisions need.
struct RetryHistory {
  /// Attempts that failed with a fault, including the last one; rejections because of the quota are not faults.
  int faults = 0;
  /// Attempts that were repeated at once after a 421: they count as attempts, but do not lengthen the backoff.
  int at_once = 0;
  /// When the first fault ended, or the first redirect that must wait.
  std::optional<Instant> first_fault = {};
  /// Time since then that was spent waiting for the quota.
  Duration held_since = Duration::zero();
  /// Whether the last attempt received a part of a body that continues: its retry is free.
  bool progressed = false;
  RepeatedOnce once = {};

  /// Counts faults from the first again.
  void start_over() noexcept { *this = {.once = once}; }
};

/// The rejections of a call.
class RejectionHistory {
 public:
  /// Adds one. The result lacks what does not follow from the history.
  Rejection add(Instant now, std::optional<Duration> retry_after, Duration held) noexcept;
  /// How long the call has waited for the quota. From the first rejection on all time counts, so that neither tiny
  /// waits nor slow rejections go on for ever.
  /// @param held  the waits at the gate.
  Duration waited(Instant now, Duration held) const noexcept { return since_ ? held_before_ + (now - *since_) : held; }
  /// Counts the time from the next one.
  void start_over() noexcept { since_.reset(); }

 private:
  /// Without a first one that had Retry-After; nothing if there was none at all.
  std::optional<int> count_;
  std::optional<Instant> since_;
  Duration held_before_ = {};
};

/// How long the server asks to wait before another attempt.
struct RequestedWait {
  /// Of the response that failed (Retry-After); never shortened, nor lengthened by the backoff.
  std::optional<Duration> retry_after = {};
  /// Before each connection of a stream, whatever the fault is. Without progress the backoff lengthens it.
  std::optional<Duration> reconnection = {};

  /// Retry-After wins, also if it is shorter.
  std::optional<Duration> asked() const noexcept { return retry_after ? retry_after : reconnection; }
};

/// What to do after a fault: send again after a wait, or stop for a reason.
struct RetryDecision {
  std::optional<StopReason> stop = {};
  Duration wait = Duration::zero();
  WaitReason reason = WaitReason::backoff;
};

/// When a call gives up: no wait may end later. Counts from `now` if there was no fault.
Instant give_up_at(const RetryPolicy& policy, const RetryHistory& history, Instant now) noexcept;

/// Decides after a fault whose verdict is unprocessed, misdirected, maybe_processed or still_running. Takes a token
/// from the budget if, and only if, it decides to retry an attempt without progress.
/// @param spread    uniform in [0, 1).
/// @param deadline  the caller's deadline; no wait starts that would leave no time before it.
RetryDecision decide_retry(const RetryPolicy& policy, BudgetAccount& budget, const RetryHistory& history,
                           bool repeatable, const RequestedWait& requested, double spread, Instant now,
                           Instant deadline) noexcept;

}}  // namespace noun
