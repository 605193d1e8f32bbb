#pragma once
/// @file
/// One window of a quota as the server reports it: when it ends, which responses belong to it, and what remains
/// (WindowCount). Admission decides whether a request may be sent.

#include <cstdint>
#include <optional>

#include <noun/time.hpp>

#include "quota/account.hpp"
#include "quota/estimators/reset_probe.hpp"
#include "quota/estimators/window_count.hpp"
#include "quota/observation.hpp"
#include "quota/time/reset_interval.hpp"
#include "quota/time/server_clock.hpp"

namespace noun { inline namespace v0 { namespace quota {

/// The window that the last responses reported.
class ReportedWindow {
 public:
  /// Handles a response.
  /// @param current  whether the request was sent after the last rejection, so that its values replace distrusted ones.
  WindowNews on_response(const Observation& seen, const Account& account, const ServerClock& clock, bool current);
  /// Ends the window after its reset has passed.
  void end() noexcept { passed_ = InstantSpan{reset_->earliest, *reset()}; }
  /// The server's clock moved: the reset on the server's clock is invalid, the instant on the local clock stays.
  void forget_server_time() noexcept {
    if (reset_) reset_->at.reset();
    earlier_.reset();
  }
  /// @{
  /// As of WindowCount.
  void spend_unseen(const Observation& seen) { count_.spend_unseen(seen); }
  void forget_count() noexcept { count_.forget(); }
  void distrust() noexcept { count_.distrust(); }
  std::optional<std::int64_t> limit() const noexcept { return count_.limit(); }
  std::optional<std::int64_t> left() const noexcept { return count_.left(); }
  std::int64_t room(const Account& account) const noexcept { return count_.room(account); }
  bool distrusted() const noexcept { return count_.distrusted(); }
  /// @}
  /// A request was rejected at the reported reset itself: from now on resets are read as rounded down.
  void learn_rounded_down() noexcept;
  /// Records that a request needed more than remained.
  void mark_exhausted() noexcept { exhausted_ = true; }

  /// The first instant that is certainly not before the reset.
  std::optional<Instant> reset() const noexcept {
    if (!reset_) return {};
    return after(reset_->latest, slack_);
  }
  /// Whether the reset has passed, so that left() is out of date.
  bool over(Instant now) const noexcept { return left() && reset_ && now >= *reset(); }
  /// The least distance between the resets of consecutive windows: the length of a window, if none was idle.
  std::optional<Duration> period() const noexcept { return period_; }
  /// Whether the reported limit, remaining and reset can be trusted.
  bool is_trusted() const noexcept { return left() && limit() && !distrusted(); }
  /// Whether one of our requests started it as soon as the previous one had ended.
  bool began_at_once() const noexcept { return began_at_once_; }

  /// Whether the previous window was used up, and a call waited for this one.
  bool is_pressed() const noexcept { return pressed_; }
  /// Until when to hold back one of the last `room` permits, to measure when the window ends; nothing if that has no
  /// use.
  /// @param certain  the window will be used up, whatever happened to the previous one.
  std::optional<ResetProbe::Measurement> keep_for_probe(Instant now, std::int64_t room, bool certain) const noexcept;
  /// The measurement for which permits are held back, if it is planned and not too late.
  std::optional<ResetProbe::Measurement> planned(Instant now) const noexcept { return probe_.planned(now); }
  ResetProbe& probe() noexcept { return probe_; }

  bool is_whole() const noexcept { return count_.is_whole(); }

  static void fields(auto& self, auto& archive) {
    archive(self.count_, self.reset_, self.period_, self.opened_, self.opened_after_, self.passed_, self.slack_,
            self.exchange_, self.exhausted_, self.pressed_, self.began_at_once_, self.probe_, self.earlier_);
  }

 private:
  // Responses in a row about a window that ends before the known one.
  struct Earlier {
    ResetInterval reset = {};
    Moment noted = {};
    std::uint32_t responses = 0;
    bool is_shorter = false;  // not a window of another node

    static void fields(auto& self, auto& archive) { archive(self.reset, self.noted, self.responses, self.is_shorter); }
  };

  WindowNews relate(const Observation& seen, const Account& account) const noexcept;
  WindowNews relate_without_reset(const Observation& seen) const noexcept;
  bool rises(const Observation& seen) const noexcept;
  bool may_be_next(const Observation& seen, const Account& account) const noexcept;
  /// Whether a stale response is certainly about another window, which counted it. Within the known window the
  /// remaining count does not rise.
  bool is_of_another(const Observation& seen) const noexcept {
    if (!straddles(seen)) return rises(seen);
    return seen.reset && reset_ && certain_gap(*reset_, *seen.reset) < -jitter_of(*reset_, *seen.reset);
  }
  bool note_earlier(const Observation& seen, const Account& account, const ServerClock& clock,
                    bool other_limit) noexcept;
  bool straddles(const Observation& seen) const noexcept { return !seen.is_after(opened_); }
  void open(const Observation& seen, const Account& account);
  void merge(const Observation& seen, const Account& account, bool current);
  void note_opening(const Observation& seen) noexcept;
  bool lies_ahead(const Observation& seen) const noexcept {
    return seen.reset && after(seen.reset->latest, slack_) > seen.received_at;
  }

  WindowCount count_;
  std::optional<ResetInterval> reset_ = {};
  std::optional<Duration> period_ = {};
  Moment opened_ = {};                      // when its first response was recorded
  Instant opened_after_ = Instant::min();   // when the previous window had certainly ended
  std::optional<InstantSpan> passed_ = {};  // when it ended, as far as known, after its end
  Duration slack_ = {};                     // added to reported resets, which are rounded down
  Duration exchange_ = {};                  // the shortest round trip in this window
  bool exhausted_ = false;
  bool pressed_ = false;  // the previous window was used up, and a call waited for this one
  bool began_at_once_ = false;
  ResetProbe probe_;
  std::optional<Earlier> earlier_ = {};
};

}}}  // namespace noun::quota
