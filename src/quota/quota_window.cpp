#include "quota/quota_window.hpp"

#include <algorithm>
#include <chrono>

namespace noun { inline namespace v0 {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::int64_t most_kept_for_ticks = 32;
constexpr std::size_t most_unseen = 100'000;

}  // namespace

WindowNews QuotaWindow::learn(const QuotaExchange& exchange, const wire::RateLimitReading& reading,
                              const ServerClock& clock, bool rejected, bool rules, std::uint64_t next) {
  if (reading.limit) limit_ = reading.limit;
  const Duration took = exchange.received.steady - exchange.sent;
  exchange_ = exchange_ == Duration::zero() ? took : std::min(exchange_, took);
  const std::optional<Instant> reset_before = reset();
  if (reset_) refresh(*reset_, clock);
  std::optional<ResetSpan> told;
  if (reading.reset) told = span_of(*reading.reset, clock, exchange.sent, exchange.received);

  const WindowNews news = relate(exchange, reading, told, rejected, next);
  if (news == WindowNews::opened || news == WindowNews::either) {
    const auto left_before = news == WindowNews::either ? remaining_ : std::nullopt;
    open(exchange, reading, told, next);
    if (left_before && remaining_) remaining_ = std::min(*left_before, *remaining_);
    distrusted_ = distrusted_ && !rules;
  }
  if (news == WindowNews::same) merge(exchange, reading, told, rejected, rules, next);
  if (news == WindowNews::stale && !rejected && !certainly_before(exchange, told))
    spend_unseen(next, exchange.ticket.cost);
  if (reset() != reset_before) search_.reconsider();
  return news;
}

WindowNews QuotaWindow::relate(const QuotaExchange& exchange, const wire::RateLimitReading& reading,
                               const std::optional<ResetSpan>& told, bool rejected, std::uint64_t next) const noexcept {
  if (!told) return relate_without_reset(exchange, reading, rejected);
  const bool straddles = exchange.ticket.window != number_;
  if (!reset_) {
    if (straddles) return WindowNews::stale;
    return !rejected && rises(exchange, reading) ? WindowNews::opened : WindowNews::same;
  }
  const Duration gap = certain_gap(*reset_, *told);
  const Duration jitter = jitter_of(*reset_, *told);
  if (gap > jitter) return WindowNews::opened;
  if (gap < -jitter) return WindowNews::stale;
  if (!rejected && told->latest > reset_->latest && rises(exchange, reading)) return WindowNews::opened;
  // It was sent before this window began; without a reset that only this window can have, it may speak of the last.
  if (straddles && told->earliest < opened_after_) return WindowNews::stale;
  if (!rejected && may_have_turned(exchange, reading, *told, next)) return WindowNews::either;
  return WindowNews::same;
}

WindowNews QuotaWindow::relate_without_reset(const QuotaExchange& exchange, const wire::RateLimitReading& reading,
                                             bool rejected) const noexcept {
  if (exchange.ticket.window != number_) return WindowNews::stale;
  if (rejected) return WindowNews::same;
  if (reset_) return exchange.sent >= *reset() ? WindowNews::opened : WindowNews::same;
  return rises(exchange, reading) ? WindowNews::opened : WindowNews::same;
}

// Within a window the count only falls: more than was left is proof of another, unless the answer is a late one.
bool QuotaWindow::rises(const QuotaExchange& exchange, const wire::RateLimitReading& reading) const noexcept {
  if (!reading.remaining || !remaining_) return false;
  if (reset_ && exchange.sent >= *reset() && *reading.remaining >= *remaining_) return true;
  return exchange.ticket.sequence >= since_ && *reading.remaining > *remaining_;
}

// A window that has hardly begun can look like the one before, of which hardly anything was used; only the later of
// their resets is safe to wait for.
bool QuotaWindow::may_have_turned(const QuotaExchange& exchange, const wire::RateLimitReading& reading,
                                  const ResetSpan& told, std::uint64_t next) const noexcept {
  if (!reading.remaining || !limit_ || told.latest <= reset_->latest) return false;
  if (exchange.received.steady < reset_->earliest) return false;
  const auto counted_since = others_ + static_cast<std::int64_t>(next - since_);
  return *reading.remaining >= *limit_ - counted_since;
}

bool QuotaWindow::certainly_before(const QuotaExchange& exchange, const std::optional<ResetSpan>& told) const noexcept {
  if (exchange.ticket.window == number_ || !told || !reset_) return false;
  return certain_gap(*reset_, *told) < -jitter_of(*reset_, *told);
}

void QuotaWindow::open(const QuotaExchange& exchange, const wire::RateLimitReading& reading,
                       const std::optional<ResetSpan>& told, std::uint64_t next) {
  pressed_ = exhausted_ && reset_ && exchange.sent < after(*reset(), seconds(1));
  exhausted_ = false;
  std::optional<InstantSpan> before;
  if (reset_ && !reset_->at) before = search_.guess(*reset_);
  search_.restart(before);
  if (pressed_ && told && told->latest > reset_->latest)
    period_ = std::min(period_.value_or(Duration::max()), told->latest - reset_->latest);
  opened_after_ = reset_ ? std::min(*reset(), exchange.received.steady) : exchange.sent;
  ++number_;
  count_from(exchange, reading.remaining, next);
  set_remaining(exchange, reading.remaining, next);
  forget_unseen();
  reset_ = lies_ahead(told, exchange.received.steady) ? told : std::nullopt;
  exchange_ = exchange.received.steady - exchange.sent;
}

void QuotaWindow::merge(const QuotaExchange& exchange, const wire::RateLimitReading& reading,
                        const std::optional<ResetSpan>& told, bool rejected, bool rules, std::uint64_t next) {
  if (told && reset_) {
    const bool turned_late = told->at && reset_->at == told->at && exchange.sent >= *reset();
    if (!rejected && turned_late) learn_rounded_down();
    // The slack makes up for what the earlier of two words falls short by.
    const bool slack = slack_ > Duration::zero();
    tighten(*reset_, *told, slack ? Contradiction::take_earlier : Contradiction::take_later);
  } else if (lies_ahead(told, exchange.received.steady)) {
    reset_ = told;
  }
  if (rejected) {
    if (reading.remaining == 0) merge_remaining(exchange, 0, next);
  } else if (rules && distrusted_) {
    set_remaining(exchange, reading.remaining, next);
    forget_unseen();
    distrusted_ = false;
  } else if (reading.remaining) {
    merge_remaining(exchange, *reading.remaining, next);
  } else {
    spend_unseen(next, exchange.ticket.cost);
  }
}

/// Begins our own count with a request that was the only one on its way, and is the only one that the window counts.
void QuotaWindow::count_from(const QuotaExchange& exchange, std::optional<std::int64_t> told,
                             std::uint64_t next) noexcept {
  const bool alone = exchange.ticket.in_flight == 0 && next == exchange.ticket.sequence + 1;
  const bool first = limit_ && told == *limit_ - 1;
  ours_from_ = alone && first ? std::optional(exchange.ticket.sequence) : std::nullopt;
}

void QuotaWindow::merge_remaining(const QuotaExchange& exchange, std::int64_t told, std::uint64_t next) {
  if (ours_from_ && limit_ && left_by_count(next) > told) ours_from_.reset();
  for (; !unseen_.empty() && unseen_.front().until <= exchange.ticket.sequence; unseen_.pop_front())
    unseen_cost_ -= unseen_.front().cost;
  if (!remaining_) count_from(exchange, told, next);
  if (remaining_ && *remaining_ <= told) return;
  set_remaining(exchange, told, next);
}

void QuotaWindow::set_remaining(const QuotaExchange& exchange, std::optional<std::int64_t> told,
                                std::uint64_t next) noexcept {
  remaining_ = told;
  since_ = next;
  others_ = exchange.others;
}

void QuotaWindow::spend_unseen(std::uint64_t next, std::int64_t cost) {
  if (!remaining_ || unseen_.size() == most_unseen) return;
  unseen_.push_back({next, cost});
  unseen_cost_ += cost;
}

void QuotaWindow::forget_unseen() noexcept {
  unseen_.clear();
  unseen_cost_ = 0;
}

void QuotaWindow::forget_count() noexcept {
  remaining_.reset();
  forget_unseen();
}

void QuotaWindow::forget_server_time() noexcept {
  if (reset_) reset_->at.reset();
}

void QuotaWindow::learn_rounded_down() noexcept {
  const bool whole_seconds = reset_ && reset_->grain >= seconds(1);
  const Duration doubled = std::max<Duration>(milliseconds(50), 2 * slack_);
  slack_ = whole_seconds ? Duration(seconds(1)) : std::min<Duration>(doubled, seconds(1));
}

bool QuotaWindow::lies_ahead(const std::optional<ResetSpan>& told, Instant now) const noexcept {
  return told && after(told->latest, slack_) > now;
}

std::optional<Instant> QuotaWindow::keep_for_tick(Instant now, std::int64_t room, bool certain) noexcept {
  if (!(pressed_ || certain) || !reset_ || !limit_) return {};
  if (room > std::min(most_kept_for_ticks, *limit_ / 2)) return {};
  ResetSpan reset = *reset_;
  reset.earliest = after(reset.earliest, slack_);
  reset.latest = after(reset.latest, slack_);
  return search_.due(now, reset, exchange_, room, !pressed_);
}

}}  // namespace noun
