#pragma once
/// @file
/// One window of a quota as the service tells it: how much is left, when it ends, and which answers still speak of it.
/// Who may go, and when, is not decided here.

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>

#include <noun/time.hpp>

#include "quota/reset_span.hpp"
#include "quota/server_clock.hpp"
#include "quota/tick_search.hpp"
#include "wire/rate_limit.hpp"

namespace noun { inline namespace v0 {

/// What the state remembers of an admitted request.
struct PermitTicket {
  std::uint64_t sequence = 0;     ///< in the order of admission
  std::uint32_t window = 0;       ///< the number of the window that it was admitted to
  std::uint32_t generation = 0;   ///< how often the gate had closed
  bool trial = false;             ///< went first, alone
  std::uint32_t route = 0;        ///< what kind of request it is; 0 for none in particular
  std::int64_t cost = 1;          ///< what it is thought to take
  std::uint64_t served = 0;       ///< how many had been served when it was admitted
  std::uint64_t served_cost = 0;  ///< and what they took
  std::int64_t in_flight = 0;     ///< the cost of what was in flight then
  /// What it was admitted by, where no permit was known to be left.
  enum class Guess : std::uint8_t { none, log, refill } guess = Guess::none;
  bool proves = false;  ///< if it is served, no window of this many can have been meant
};

/// An admitted request and the time that it took.
struct QuotaExchange {
  PermitTicket ticket;
  Instant sent;
  Now received;
  std::int64_t others = 0;  ///< the cost of what was admitted and unanswered when this one was answered
};

/// What an answer was to the window.
enum class WindowNews {
  stale,   ///< it speaks of a window that is gone: nothing was taken over
  same,    ///< it speaks of this one
  either,  ///< it may speak of this one or of the next: taken for the next, with no more left than in this one
  opened,  ///< it speaks of a later one, which is now the window
};

/// The window that the last answers spoke of.
class QuotaWindow {
 public:
  /// Takes in what an answer said.
  /// @param next   the sequence of the next permit: what is admitted from now on knows this answer.
  /// @param rules  whether the answer is newer than the last rejection, so that its word replaces what was distrusted.
  WindowNews learn(const QuotaExchange& exchange, const wire::RateLimitReading& reading, const ServerClock& clock,
                   bool rejected, bool rules, std::uint64_t next);
  /// A request may have been counted without saying so; it is taken for spent until a later answer tells.
  void spend_unseen(std::uint64_t next, std::int64_t cost);
  /// The service has ceased to tell what is left.
  void forget_count() noexcept;
  /// The server's clock moved: what it was said to show no longer counts, the instant on ours does.
  void forget_server_time() noexcept;
  /// The service rejected a request, whatever it said was left.
  void distrust() noexcept {
    distrusted_ = true;
    ours_from_.reset();
  }
  /// The service rejected a request at the reset that it had told itself: from now on its word is read as rounded down.
  void learn_rounded_down() noexcept;
  /// Somebody wanted more than was left.
  void mark_exhausted() noexcept { exhausted_ = true; }

  /// Permits left, in-flight requests not taken off; nothing if the service does not say.
  std::optional<std::int64_t> left() const noexcept {
    if (!remaining_) return {};
    return *remaining_ - unseen_cost_;
  }
  /// Permits left for sure, `in_flight` taken off. Answers that did not tell may have been counted before the last that
  /// did; in a window that we began ourselves our own count knows.
  /// @param next  the sequence of the next permit.
  std::int64_t room(std::int64_t in_flight, std::uint64_t next) const noexcept {
    const std::int64_t told = *left() - in_flight;
    if (!ours_from_ || !limit_) return told;
    return std::max(told, std::min(left_by_count(next), *remaining_ - in_flight));
  }
  /// The first instant that is certainly not before the reset.
  std::optional<Instant> reset() const noexcept {
    if (!reset_) return {};
    return after(reset_->latest, slack_);
  }
  /// Whether the reset has passed, so that `left` says nothing any more.
  bool over(Instant now) const noexcept { return remaining_ && reset_ && now >= *reset(); }
  std::optional<std::int64_t> limit() const noexcept { return limit_; }
  std::uint32_t number() const noexcept { return number_; }
  /// How far the resets of two windows in a row were apart, at the least: how long windows are, if none was idle.
  std::optional<Duration> period() const noexcept { return period_; }
  /// The first instant that may be the reset.
  std::optional<Instant> earliest_reset() const noexcept {
    if (!reset_) return {};
    return reset_->earliest;
  }
  /// Whether a reset was told too early once.
  bool rounds_down() const noexcept { return slack_ > Duration::zero(); }
  /// Whether the window before was used up, and somebody waited for this one.
  bool pressed() const noexcept { return pressed_; }
  bool distrusted() const noexcept { return distrusted_; }

  /// Until when one of the last `room` permits is better kept, to be spent at a tick; nothing if that is worth nothing.
  /// @param certain  the window will be used up, whatever became of the one before.
  std::optional<Instant> keep_for_tick(Instant now, std::int64_t room, bool certain) noexcept;
  /// The permit that was kept goes out.
  void spend_at_tick() noexcept { search_.spend(); }

 private:
  WindowNews relate(const QuotaExchange& exchange, const wire::RateLimitReading& reading,
                    const std::optional<ResetSpan>& told, bool rejected, std::uint64_t next) const noexcept;
  WindowNews relate_without_reset(const QuotaExchange& exchange, const wire::RateLimitReading& reading,
                                  bool rejected) const noexcept;
  bool rises(const QuotaExchange& exchange, const wire::RateLimitReading& reading) const noexcept;
  bool may_have_turned(const QuotaExchange& exchange, const wire::RateLimitReading& reading, const ResetSpan& told,
                       std::uint64_t next) const noexcept;
  bool certainly_before(const QuotaExchange& exchange, const std::optional<ResetSpan>& told) const noexcept;
  void open(const QuotaExchange& exchange, const wire::RateLimitReading& reading, const std::optional<ResetSpan>& told,
            std::uint64_t next);
  void merge(const QuotaExchange& exchange, const wire::RateLimitReading& reading, const std::optional<ResetSpan>& told,
             bool rejected, bool rules, std::uint64_t next);
  std::int64_t left_by_count(std::uint64_t next) const noexcept {
    return *limit_ - static_cast<std::int64_t>(next - *ours_from_);
  }
  void forget_unseen() noexcept;
  void count_from(const QuotaExchange& exchange, std::optional<std::int64_t> told, std::uint64_t next) noexcept;
  void merge_remaining(const QuotaExchange& exchange, std::int64_t told, std::uint64_t next);
  void set_remaining(const QuotaExchange& exchange, std::optional<std::int64_t> told, std::uint64_t next) noexcept;
  bool lies_ahead(const std::optional<ResetSpan>& told, Instant now) const noexcept;

  std::uint32_t number_ = 0;
  std::optional<std::int64_t> limit_ = {};
  std::optional<std::int64_t> remaining_ = {};  // the least that was told
  std::uint64_t since_ = 0;                     // tickets from here on were admitted knowing it
  std::int64_t others_ = 0;                     // admitted before, and unanswered when it was told
  // Spent, perhaps, and not in `remaining_`.
  struct Unseen {
    std::uint64_t until;  // the first ticket that was admitted after it
    std::int64_t cost;
  };
  std::deque<Unseen> unseen_ = {};
  std::int64_t unseen_cost_ = 0;
  std::optional<ResetSpan> reset_ = {};
  std::optional<Duration> period_ = {};
  std::optional<std::uint64_t> ours_from_ = {};  // the first ticket of the window, if all that is counted is ours
  Instant opened_after_ = Instant::min();        // when the window before had certainly ended
  Duration slack_ = {};                          // added to the told reset, since it was rounded down
  Duration exchange_ = {};                       // the shortest exchange in this window
  bool distrusted_ = false;
  bool exhausted_ = false;
  bool pressed_ = false;  // the window before was used up, and somebody waited for this one
  TickSearch search_;
};

}}  // namespace noun
