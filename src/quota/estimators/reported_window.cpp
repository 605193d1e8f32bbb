#include "quota/estimators/reported_window.hpp"

#include <algorithm>
#include <chrono>

namespace noun { inline namespace v0 { namespace quota {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::int64_t most_kept_for_probes = 32;
/// So many responses in a row show that windows have become shorter.
constexpr std::uint32_t enough_earlier = 3;
/// How exactly a window's end must be known to decide that the next one started at once, and what "at once" is.
constexpr Duration narrow_end = milliseconds(100);
constexpr Duration at_once = milliseconds(50);

}  // namespace

WindowNews ReportedWindow::on_response(const Observation& seen, const Account& account, const ServerClock& clock,
                                       bool current) {
  const bool other_limit = count_.take_limit(seen);
  const Duration took = seen.received_at - seen.sent_at;
  exchange_ = exchange_ == Duration::zero() ? took : std::min(exchange_, took);
  const std::optional<Instant> reset_before = reset();
  if (reset_) refresh(*reset_, clock);

  WindowNews news = relate(seen, account);
  if (news != WindowNews::stale) {
    if (seen.reset) earlier_.reset();
  } else if (note_earlier(seen, account, clock, other_limit)) {
    news = WindowNews::opened;
    earlier_.reset();
    reset_.reset();  // it ends nothing
  }
  if (news == WindowNews::opened || news == WindowNews::either) {
    open(seen, account);
    count_.restart(seen, account, news == WindowNews::either, current);
    if (news == WindowNews::opened && seen.outcome == Outcome::served) note_opening(seen);
  }
  if (news == WindowNews::same) merge(seen, account, current);
  if (news == WindowNews::stale && seen.outcome != Outcome::rejected && !is_of_another(seen)) spend_unseen(seen);
  if (reset() != reset_before) probe_.reconsider();
  return news;
}

WindowNews ReportedWindow::relate(const Observation& seen, const Account& account) const noexcept {
  if (!seen.reset) return relate_without_reset(seen);
  const bool rejected = seen.outcome == Outcome::rejected;
  if (!reset_) {
    if (straddles(seen)) return WindowNews::stale;
    return !rejected && rises(seen) ? WindowNews::opened : WindowNews::same;
  }
  const Duration gap = certain_gap(*reset_, *seen.reset);
  const Duration jitter = jitter_of(*reset_, *seen.reset);
  if (gap > jitter) return WindowNews::opened;
  if (gap < -jitter) return WindowNews::stale;
  if (!rejected && seen.reset->latest > reset_->latest && rises(seen)) return WindowNews::opened;
  // It was sent before this window started. Unless only this window can have its reset, it may be about the previous
  // one.
  if (straddles(seen) && seen.reset->earliest < opened_after_) return WindowNews::stale;
  if (!rejected && may_be_next(seen, account)) return WindowNews::either;
  return WindowNews::same;
}

/// Notes a response about a window that ends before the known one, although its request was sent in the known one.
/// Several in a row replace the known window, unless they may be those of another node, with windows of its own: its
/// limit is the same, and its windows, which are as long, do not end twice before the known one.
/// @returns  whether they do.
bool ReportedWindow::note_earlier(const Observation& seen, const Account& account, const ServerClock& clock,
                                  bool other_limit) noexcept {
  const bool is_noted = seen.outcome == Outcome::served && seen.remaining && lies_ahead(seen) && !straddles(seen);
  if (!is_noted || (earlier_ && !seen.is_after(earlier_->noted))) return false;
  if (earlier_) refresh(earlier_->reset, clock);
  const Duration gap = earlier_ ? certain_gap(earlier_->reset, *seen.reset) : Duration::zero();
  const Duration jitter = earlier_ ? jitter_of(earlier_->reset, *seen.reset) : Duration::zero();
  const bool is_next = gap > jitter && seen.sent_at >= earlier_->reset.latest;
  if (!earlier_ || gap < -jitter || (gap > jitter && !is_next)) earlier_ = Earlier{.is_shorter = other_limit};
  earlier_->reset = *seen.reset;
  earlier_->noted = {seen.received_at, account.sent().requests};
  earlier_->is_shorter |= is_next;
  earlier_->responses = std::min(earlier_->responses + 1, enough_earlier);
  return earlier_->responses == enough_earlier && earlier_->is_shorter;
}

WindowNews ReportedWindow::relate_without_reset(const Observation& seen) const noexcept {
  if (straddles(seen)) return WindowNews::stale;
  if (seen.outcome == Outcome::rejected) return WindowNews::same;
  if (reset_) return seen.sent_at >= *reset() ? WindowNews::opened : WindowNews::same;
  return rises(seen) ? WindowNews::opened : WindowNews::same;
}

// Within a window the remaining count only falls. A higher value shows another window, unless the response is late.
bool ReportedWindow::rises(const Observation& seen) const noexcept {
  return count_.rises(seen, reset_ && seen.sent_at >= *reset());
}

// A window that has just started can look like the previous one if that was hardly used. Only the later of their resets
// is safe to wait for.
bool ReportedWindow::may_be_next(const Observation& seen, const Account& account) const noexcept {
  return seen.reset->latest > reset_->latest && seen.received_at >= reset_->earliest &&
         count_.could_be_new(seen, account);
}

void ReportedWindow::open(const Observation& seen, const Account& account) {
  pressed_ = exhausted_ && reset_ && seen.sent_at < after(*reset(), seconds(1));
  exhausted_ = false;
  std::optional<InstantSpan> before;
  if (reset_ && !reset_->at) before = probe_.guess(*reset_);
  probe_.restart(before);
  if (pressed_ && seen.reset && seen.reset->latest > reset_->latest)
    period_ = std::min(period_.value_or(Duration::max()), seen.reset->latest - reset_->latest);
  opened_after_ = reset_ ? std::min(*reset(), seen.received_at) : seen.sent_at;
  opened_ = {seen.received_at, account.sent().requests};
  reset_ = lies_ahead(seen) ? seen.reset : std::nullopt;
  exchange_ = seen.received_at - seen.sent_at;
}

void ReportedWindow::note_opening(const Observation& seen) noexcept {
  began_at_once_ = seen.counted && seen.probe && passed_ && pressed_ && passed_->width() <= narrow_end &&
                   seen.sent_at <= after(passed_->latest, at_once);
  passed_.reset();
}

void ReportedWindow::merge(const Observation& seen, const Account& account, bool current) {
  const bool rejected = seen.outcome == Outcome::rejected;
  if (seen.reset && reset_) {
    const bool ended_late = seen.reset->at && reset_->at == seen.reset->at && seen.sent_at >= *reset();
    if (!rejected && seen.counted && ended_late) learn_rounded_down();
    // The slack covers the difference if the earlier of two values is used.
    const bool slack = slack_ > Duration::zero();
    tighten(*reset_, *seen.reset, slack ? Contradiction::take_earlier : Contradiction::take_later);
  } else if (lies_ahead(seen)) {
    reset_ = seen.reset;
  }
  count_.merge(seen, account, current);
}

void ReportedWindow::learn_rounded_down() noexcept {
  const bool whole_seconds = reset_ && reset_->grain >= seconds(1);
  const Duration doubled = std::max<Duration>(milliseconds(50), 2 * slack_);
  slack_ = whole_seconds ? Duration(seconds(1)) : std::min<Duration>(doubled, seconds(1));
}

std::optional<ResetProbe::Measurement> ReportedWindow::keep_for_probe(Instant now, std::int64_t room,
                                                                      bool certain) const noexcept {
  if (!(pressed_ || certain) || !reset_ || !limit()) return {};
  if (room > std::min(most_kept_for_probes, *limit() / 2)) return {};
  ResetInterval reset = *reset_;
  reset.earliest = after(reset.earliest, slack_);
  reset.latest = after(reset.latest, slack_);
  return probe_.due(now, reset, exchange_, room, !pressed_);
}

}}}  // namespace noun::quota
