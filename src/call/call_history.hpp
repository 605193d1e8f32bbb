#pragma once
/// @file
/// The history of one call, from which its error is written.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <noun/error.hpp>
#include <noun/event.hpp>
#include <noun/time.hpp>

namespace noun { inline namespace v0 {

/// The end of an attempt that was not the success of the call.
struct FailedAttempt {
  int status = 0;  ///< 0 without a response, or if the status was not the reason
  Errc code = Errc::server_error;
};

/// The attempts and waits of one call.
struct CallHistory {
  std::uint64_t call = 0;
  Instant began = {};
  Instant ended = {};
  /// Requests that were sent, including redirected ones.
  int attempts = 0;
  /// How many of them were redirected.
  int redirects = 0;
  /// The worst over all attempts.
  Sent sent = Sent::no;
  /// Whether the server may have acted on an attempt before the last.
  bool maybe_applied = false;
  /// In order; at most 16, which is what a message shows.
  std::vector<FailedAttempt> failed_attempts = {};
  bool more_failed_attempts = false;
  /// Time waited for the quota, and time waited after faults.
  Duration held = Duration::zero();
  Duration backed_off = Duration::zero();

  /// Adds the end of an attempt.
  void note(Sent attempt_sent) noexcept;
  void note(FailedAttempt attempt);
  Duration elapsed() const noexcept { return ended - began; }
};

/// Returns the history as a clause of a message: `after 3 attempts in 7.1 s (503, 503, connect)`, `after 2 attempts, 1
/// of them redirected, in 30 ms`, or `after waiting 40 s`. Empty for at most one attempt in less than a second.
std::string summary(const CallHistory& history);

/// Returns a span of time as people read it: `250 ms`, `7.1 s`, `12 min`, `3.5 h`, `3 days`, `more than 100 years`.
std::string readable(Duration span);

}}  // namespace noun
