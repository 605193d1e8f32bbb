#pragma once
/// @file
/// One window of a quota as the server reports it: how much is left, when it ends, and which responses are still about
/// it. Whether a request may go is decided in admission.

#include <cstdint>
#include <optional>
#include <vector>

#include <noun/time.hpp>

#include "quota/account.hpp"
#include "quota/estimators/reset_probe.hpp"
#include "quota/observation.hpp"
#include "quota/time/reset_interval.hpp"
#include "quota/time/server_clock.hpp"

namespace noun { inline namespace v0 { namespace quota {

/// The window that the last responses were about.
class ReportedWindow {
 public:
  /// Takes in what a response reported.
  /// @param current  whether the request was sent after the last rejection, so that it replaces what was distrusted.
  WindowNews on_response(const Observation& seen, const Account& account, const ServerClock& clock, bool current);
  /// A request may have been counted, and no response says so: it counts as spent until a later response.
  void spend_unseen(const Observation& seen);
  /// Its reset has passed, and it was noticed.
  void end() noexcept;
  /// The server no longer reports what is left.
  void forget_count() noexcept;
  /// The server's clock moved: what it was said to show no longer counts, the instant on ours does.
  void forget_server_time() noexcept;
  /// The server rejected a request, whatever it said was left.
  void distrust() noexcept {
    distrusted_ = true;
    ours_from_.reset();
  }
  /// A request was rejected at the very reset that the server had reported: from now on resets are read as rounded down.
  void learn_rounded_down() noexcept;
  /// More was asked for than was left.
  void mark_exhausted() noexcept { exhausted_ = true; }

  /// Permits left, requests in flight not taken off; nothing if the server does not report it.
  std::optional<std::int64_t> left() const noexcept {
    if (!remaining_) return {};
    return *remaining_ - unseen_cost_;
  }
  /// Permits left for sure, requests in flight taken off. Only if left() is known. Requests without a report may have
  /// been counted before the last that had one; in a window that we began ourselves our own count is exact.
  std::int64_t room(const Account& account) const noexcept;
  /// The first instant that is certainly not before the reset.
  std::optional<Instant> reset() const noexcept {
    if (!reset_) return {};
    return after(reset_->latest, slack_);
  }
  /// Whether the reset has passed, so that left() says nothing any more.
  bool over(Instant now) const noexcept { return remaining_ && reset_ && now >= *reset(); }
  std::optional<std::int64_t> limit() const noexcept { return limit_; }
  /// How far the resets of two windows in a row were apart, at the least: how long windows are, if none was idle.
  std::optional<Duration> period() const noexcept { return period_; }
  /// Whether what it reports of limit, remaining and reset can be believed.
  bool is_trusted() const noexcept { return remaining_ && limit_ && !distrusted_; }
  bool distrusted() const noexcept { return distrusted_; }
  /// Whether it was begun by one of our requests as soon as the one before had ended.
  bool began_at_once() const noexcept { return began_at_once_; }

  /// Whether the window before was used up, and somebody waited for this one.
  bool is_pressed() const noexcept { return pressed_; }
  /// Until when one of the last `room` permits is better kept, to find out when the window ends; nothing if that is
  /// worth nothing.
  /// @param certain  the window will be used up, whatever became of the one before.
  std::optional<ResetProbe::Question> keep_for_probe(Instant now, std::int64_t room, bool certain) const noexcept;
  ResetProbe& probe() noexcept { return probe_; }

  template <class Self, class Archive>
  static void fields(Self& self, Archive& archive) {
    archive(self.limit_, self.remaining_, self.known_since_, self.others_, self.unseen_, self.unseen_cost_, self.reset_,
            self.period_, self.ours_from_, self.opened_, self.opened_after_, self.passed_, self.slack_, self.exchange_,
            self.distrusted_, self.exhausted_, self.pressed_, self.began_at_once_, self.probe_);
  }

 private:
  // Spent, perhaps, and not in `remaining_`: until a request that was sent later has a response.
  struct Unseen {
    Moment noted = {};
    std::int64_t cost = 0;

    template <class Self, class Archive>
    static void fields(Self& self, Archive& archive) {
      archive(self.noted, self.cost);
    }
  };

  WindowNews relate(const Observation& seen, const Account& account) const noexcept;
  WindowNews relate_without_reset(const Observation& seen) const noexcept;
  bool rises(const Observation& seen) const noexcept;
  bool may_be_next(const Observation& seen, const Account& account) const noexcept;
  bool certainly_before(const Observation& seen) const noexcept;
  bool straddles(const Observation& seen) const noexcept { return !seen.is_after(opened_); }
  void open(const Observation& seen, const Account& account);
  void merge(const Observation& seen, const Account& account, bool current);
  void note_opening(const Observation& seen) noexcept;
  void count_from(const Observation& seen, const Account& account) noexcept;
  void merge_remaining(const Observation& seen, std::int64_t reported, const Account& account);
  void set_remaining(const Observation& seen, std::optional<std::int64_t> reported, const Account& account) noexcept;
  void forget_unseen() noexcept;
  std::int64_t left_by_count(const Account& account) const noexcept {
    return *limit_ - account.sent().cost + *ours_from_;
  }
  bool lies_ahead(const Observation& seen) const noexcept;

  std::optional<std::int64_t> limit_ = {};
  std::optional<std::int64_t> remaining_ = {};  // the least that was reported
  Moment known_since_ = {};                     // requests that are sent later are counted after it
  std::int64_t others_ = 0;                     // the cost of what was in flight then
  std::vector<Unseen> unseen_ = {};
  std::int64_t unseen_cost_ = 0;
  std::optional<ResetInterval> reset_ = {};
  std::optional<Duration> period_ = {};
  std::optional<std::int64_t> ours_from_ = {};  // the cost of what was sent before it, if all that it counts is ours
  Moment opened_ = {};                          // when its first response was recorded
  Instant opened_after_ = Instant::min();       // when the window before had certainly ended
  std::optional<InstantSpan> passed_ = {};      // when it ended, as far as known, once it has
  Duration slack_ = {};                         // added to reported resets, since they were rounded down
  Duration exchange_ = {};                      // the shortest exchange in this window
  bool distrusted_ = false;
  bool exhausted_ = false;
  bool pressed_ = false;  // the window before was used up, and somebody waited for this one
  bool began_at_once_ = false;
  ResetProbe probe_;
};

}}}  // namespace noun::quota
