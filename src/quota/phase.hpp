#pragma once
/// @file
/// The phases of a quota policy as a table, and the machine that runs it: whether requests may go at all, one at a time,
/// or not before an instant. src/ARCHITECTURE.md shows the table as describe_phases() prints it.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <noun/event.hpp>
#include <noun/time.hpp>

#include "quota/observation.hpp"

namespace noun { inline namespace v0 { namespace quota {

enum class Phase : std::uint8_t {
  unknown,  ///< nothing is known: one request at a time, until the first response
  open,     ///< what is left may be spent
  closed,   ///< no request, until an instant
  probing,  ///< one request at a time, until its response
  end_of_values
};

/// What changes the phase.
enum class PhaseEvent : std::uint8_t {
  served,       ///< a response that is not a rejection
  rejected,     ///< a rejection
  paused,       ///< a success that asks everybody to wait
  exhausted,    ///< nothing is left, and no reset is known
  unreported,   ///< a probe was served, but its response does not report what earlier ones did
  hold_ended,   ///< the instant has come
  window_over,  ///< the reported reset has passed
  end_of_values
};

constexpr std::size_t phase_count = static_cast<std::size_t>(Phase::end_of_values);
constexpr std::size_t phase_event_count = static_cast<std::size_t>(PhaseEvent::end_of_values);

/// What follows in each phase (a row) from each event (a column).
constexpr std::array<std::array<Phase, phase_event_count>, phase_count> phase_table = [] {
  using enum Phase;
  return std::array<std::array<Phase, phase_event_count>, phase_count>{{
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

std::string_view to_string(Phase phase) noexcept;
std::string_view to_string(PhaseEvent event) noexcept;
/// The table in Markdown.
std::string describe_phases();

/// The phase of one quota policy.
class PhaseMachine {
 public:
  Phase phase() const noexcept { return phase_; }
  /// Closed, the phase becomes probing when its instant comes.
  Phase phase_at(Instant now) const noexcept {
    return phase_ == Phase::closed && now >= until_ ? next_phase(phase_, PhaseEvent::hold_ended) : phase_;
  }
  /// Of a closed phase: until when, and why.
  Instant until() const noexcept { return until_; }
  WaitReason reason() const noexcept { return reason_; }
  /// Requests that were sent alone and have no response; and when the last of them was sent.
  std::uint32_t probes() const noexcept { return probes_; }
  Instant probed_at() const noexcept { return probed_at_; }

  void advance(Instant now) noexcept { phase_ = phase_at(now); }
  /// A closed phase ends now.
  void end_hold(Instant now) noexcept { until_ = std::min(until_, now); }
  /// An event that ends in another phase than closed.
  void take(PhaseEvent event, const Moment& now) noexcept;
  /// An event that ends in the phase closed.
  void close(PhaseEvent event, const Moment& now, Instant until, WaitReason reason) noexcept;
  /// A rejection that is older than the phase. It replaces a hold for want of permits; it can only lengthen another.
  void prolong(const Moment& now, Instant until) noexcept;

  void on_probe_sent(Instant now) noexcept {
    ++probes_;
    probed_at_ = now;
  }
  /// Its response was received, it was lost, or it was not sent.
  void on_probe_done(Instant sent, std::int64_t number) noexcept {
    if (since_.is_before(sent, number) && probes_ > 0) --probes_;
  }
  /// Probes are another process's: nobody reports their end here.
  void forget_probes() noexcept { probes_ = 0; }
  /// Since requests were held back last: only the responses to later ones change the phase.
  const Moment& since() const noexcept { return since_; }

  template <class Self, class Archive>
  static void fields(Self& self, Archive& archive) {
    archive(self.phase_, self.until_, self.reason_, self.since_, self.probes_, self.probed_at_);
  }

 private:
  void hold_back(const Moment& now) noexcept;

  Phase phase_ = Phase::unknown;
  Instant until_ = {};
  WaitReason reason_ = WaitReason::none;
  Moment since_ = {};
  std::uint32_t probes_ = 0;  // sent since
  Instant probed_at_ = {};
};

}}}  // namespace noun::quota
