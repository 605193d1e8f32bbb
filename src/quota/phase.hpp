#pragma once
/// @file
/// The phases of a quota policy as a table, and the state machine that runs it. A phase allows requests freely, one at
/// a time, or not before an instant. src/ARCHITECTURE.md shows the table; a test compares them.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <noun/event.hpp>
#include <noun/time.hpp>

#include "quota/observation.hpp"
#include "vocabulary/state_table.hpp"

namespace noun { inline namespace v0 { namespace quota {

enum class Phase : std::uint8_t {
  unknown,  ///< nothing is known: one request at a time, until the first response
  open,     ///< requests are sent while permits remain
  closed,   ///< no requests until an instant
  probing,  ///< one request at a time, until its response
  end_of_values
};

/// Events that change the phase.
enum class PhaseEvent : std::uint8_t {
  served,       ///< a response that is not a rejection
  rejected,     ///< a rejection
  paused,       ///< a success that reports a pause for all calls
  exhausted,    ///< nothing remains, and no reset is known
  unreported,   ///< a probe was served, but its response lacks what earlier ones reported
  hold_ended,   ///< the end of the hold has passed
  window_over,  ///< the reported reset has passed
  end_of_values
};

constexpr StateTable<Phase, PhaseEvent> phase_table = [] {
  using enum Phase;
  return StateTable<Phase, PhaseEvent>{{
      //            served  rejected  paused  exhausted  unreported  hold_ended  window_over
      /* unknown */ {open, closed, closed, closed, closed, unknown, unknown},
      /* open    */ {open, closed, closed, closed, closed, open, probing},
      /* closed  */ {open, closed, closed, closed, closed, probing, closed},
      /* probing */ {open, closed, closed, closed, closed, probing, probing},
  }};
}();

constexpr Phase next_phase(Phase phase, PhaseEvent event) noexcept {
  return phase_table[static_cast<std::size_t>(phase)][static_cast<std::size_t>(event)];
}

/// The state machine of one quota policy.
class PhaseMachine {
 public:
  Phase phase() const noexcept { return phase_; }
  /// The phase at `now`: a closed phase becomes probing when its hold ends.
  Phase phase_at(Instant now) const noexcept {
    return phase_ == Phase::closed && now >= until_ ? next_phase(phase_, PhaseEvent::hold_ended) : phase_;
  }
  /// End and reason of a closed phase.
  Instant until() const noexcept { return until_; }
  WaitReason reason() const noexcept { return reason_; }
  /// Requests that were sent alone and have no response yet, and when the last of them was sent.
  std::uint32_t probes() const noexcept { return probes_; }
  Instant probed_at() const noexcept { return probed_at_; }

  void advance(Instant now) noexcept { phase_ = phase_at(now); }
  /// Ends a closed phase now.
  void end_hold(Instant now) noexcept { until_ = std::min(until_, now); }
  /// Applies an event that does not lead to the closed phase.
  void take(PhaseEvent event, const Moment& now) noexcept {
    if (event == PhaseEvent::window_over) hold_back(now);
    phase_ = next_phase(phase_, event);
  }
  /// Applies an event that leads to the closed phase.
  void close(PhaseEvent event, const Moment& now, Instant until, WaitReason reason) noexcept {
    phase_ = next_phase(phase_, event);
    until_ = until;
    reason_ = reason;
    hold_back(now);
  }
  /// Applies a rejection older than the phase. If it asks for a wait, that begins, or replaces a hold for an exhausted
  /// quota; it can only lengthen another hold.
  void prolong(const Moment& now, Instant until) noexcept {
    if (phase_ != Phase::closed) {
      if (until > now.at) close(PhaseEvent::rejected, now, until, WaitReason::rejected);
      return;
    }
    until_ = reason_ == WaitReason::quota ? until : std::max(until_, until);
    reason_ = WaitReason::rejected;
  }

  void on_probe_sent(Instant now) noexcept {
    ++probes_;
    probed_at_ = now;
  }
  /// A probe got a response, was lost, or was not sent.
  void on_probe_done(Instant sent, std::int64_t number) noexcept {
    if (since_.is_before(sent, number) && probes_ > 0) --probes_;
  }
  /// Forgets the probes: they belong to another process, which records them.
  void forget_probes() noexcept { probes_ = 0; }
  /// When requests were last held back. Only responses to later requests change the phase.
  const Moment& since() const noexcept { return since_; }

  static void fields(auto& self, auto& archive) {
    archive(self.phase_, self.until_, self.reason_, self.since_, self.probes_, self.probed_at_);
  }

 private:
  void hold_back(const Moment& now) noexcept {
    if (now.at >= since_.at) since_ = now;
    probes_ = 0;
  }

  Phase phase_ = Phase::unknown;
  Instant until_ = {};
  WaitReason reason_ = WaitReason::none;
  Moment since_ = {};
  std::uint32_t probes_ = 0;  // in flight, sent after `since_`
  Instant probed_at_ = {};
};

}}}  // namespace noun::quota
