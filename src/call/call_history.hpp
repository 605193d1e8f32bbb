#pragma once
/// @file
/// What one call went through: the log that errors are written from.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <noun/error.hpp>
#include <noun/event.hpp>
#include <noun/time.hpp>

namespace noun { inline namespace v0 {

/// How one attempt ended that was not the call's success.
struct FailedAttempt {
  int status = 0;  ///< 0 when it was not answered, or when the status was not what was wrong
  Errc code = Errc::server_error;
};

/// The attempts and waits of one call.
struct CallHistory {
  std::uint64_t call = 0;
  Instant began = {};
  Instant ended = {};
  /// Requests that went out, redirected ones included.
  int attempts = 0;
  /// How many of them were redirected.
  int redirects = 0;
  /// The worst over all attempts.
  Sent sent = Sent::no;
  /// Whether an attempt before the last may have been acted on.
  bool maybe_applied = false;
  /// In order; only as many as a message can show are kept.
  std::vector<FailedAttempt> failed_attempts = {};
  bool more_failed_attempts = false;
  /// Time held for the quota, and time waited after faults.
  Duration held = Duration::zero();
  Duration backed_off = Duration::zero();

  /// Notes how an attempt ended.
  void note(Sent attempt_sent) noexcept;
  void note(FailedAttempt attempt);
  Duration elapsed() const noexcept { return ended - began; }
};

/// The history in a message, as a clause: `after 3 attempts in 7.1 s (503, 503, connect)`, `after 2
/// attempts, 1 of them redirected, in 30 ms`, or `after waiting 40 s`; empty for a single attempt, or none, within a
/// second.
std::string summary(const CallHistory& history);

/// A span of time as people read it: `250 ms`, `7.1 s`, `12 min`, `3.5 h`, `3 days`, `more than 100 years`.
std::string readable(Duration span);

}}  // namespace noun
