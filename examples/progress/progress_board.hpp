#pragma once
// Collects the state of a run from its events. Has no thread and no clock: times are arguments.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>

#include <noun/event.hpp>
#include <noun/listing_plan.hpp>
#include <noun/time.hpp>

#include "progress_view.hpp"

namespace progress {

/// What to print at once because of an event, on its own line.
struct ToPrint {
  /// A new notice; empty for none.
  std::string notice = {};
  /// Whether the run starts to wait for at least a second: see hold_line().
  bool hold_started = false;
};

/// Not thread-safe. Times must not decrease.
class RunBoard {
 public:
  explicit RunBoard(noun::Instant begin) : last_line_(begin) {}

  ToPrint observe(const noun::Event& event, noun::Instant now);
  /// As Screen::progress().
  void progress(std::uint64_t items, std::uint64_t pages, std::optional<std::uint64_t> total,
                const noun::ListingPlan& plan, noun::Instant now);
  RunView view(noun::Instant now) const;
  /// Whether the run has started.
  bool has_started() const noexcept { return started_; }
  /// Whether a plain line is due: at most every ten seconds, and only if the number of items changed. The caller must
  /// then print it.
  bool line_due(noun::Instant now);

 private:
  struct Hold {
    noun::WaitReason reason;
    noun::Instant begins;
    noun::Instant ends;
    noun::WallTime until;
    std::string cause;

    /// One with a known end, then the longer one.
    bool shows_more_than(const Hold& other) const;
  };

  std::string news_in(const noun::Event& event);
  bool hold(const noun::Event& event, noun::Instant now);
  /// Delays the expected end by a wait that the plan does not have.
  void delay(std::uint64_t call, const Hold& hold);
  std::optional<noun::Duration> estimate(noun::Instant now) const;
  double rate(noun::Instant now) const;
  void show_quota(RunView& view, noun::Instant now) const;

  bool started_ = false;
  std::optional<noun::Instant> first_event_ = {};  // of a call
  std::uint64_t items_ = 0;
  std::uint64_t items_before_ = 0;  // of previous runs
  std::uint64_t pages_ = 0;
  std::optional<std::uint64_t> total_ = {};
  std::optional<noun::Instant> expected_end_ = {};
  noun::Duration work_left_ = {};  // when the waits that the plan does not have started
  std::deque<noun::Instant> sent_;
  noun::QuotaReading quota_ = {};
  noun::Instant quota_at_ = {};
  std::map<std::uint64_t, Hold> holds_;          // by call
  std::map<std::uint64_t, std::string> faults_;  // of the last attempt, by call
  /// The end of the last reported hold.
  std::optional<noun::Instant> printed_until_ = {};
  std::optional<noun::Instant> last_open_hold_ = {};  // when one without a known end was printed
  std::set<std::string> notices_;
  std::string ledger_notice_;
  noun::Instant last_line_;
  std::uint64_t last_line_items_ = 0;
};

}  // namespace progress
