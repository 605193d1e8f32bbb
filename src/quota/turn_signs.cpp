#include "quota/turn_signs.hpp"

#include <algorithm>

#include "quota/round_periods.hpp"

namespace noun { inline namespace v0 {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// Our requests may have been counted in another order than answers came.
constexpr Duration order_blur = milliseconds(50);

std::optional<Duration> round_in(const DurationSpan& span) noexcept { return the_round_one_in(span.over, span.up_to); }

}  // namespace

void TurnSigns::refute() noexcept {
  *this = {};
  refuted_ = true;
}

void TurnSigns::learn(const TurnMark& mark) noexcept {
  if (refuted_) return;
  compare_counts(mark);
  compare_resets(mark);
  // A window that has turned counts no more than we sent since.
  if (mark.used <= mark.since) {
    ++perhaps_since_;
    perhaps_at_ = mark.received;
  } else if (mark.sent >= perhaps_at_) {
    perhaps_since_ = 0;
  }
  before_ = mark;
}

/// Aligned windows of a usual length turn a multiple of it apart. One that we begin turns a period after our request,
/// and where that was late by what a Date leaves open, both roundings make it a whole second more.
void TurnSigns::compare_resets(const TurnMark& mark) noexcept {
  const bool opens = mark.used == 1 && mark.alone;
  const bool comparable = first_ && first_->reset && mark.reset;
  if (opens)
    doubtful_ = comparable && period_ && mark.sent - first_->sent < *period_ + milliseconds(500) &&
                *mark.reset - *first_->reset > *period_;
  if (opens && comparable && under_one_reset_ && used_up_) {
    const auto period = round_in(mark.told);
    const bool late = period && *mark.reset - *first_->reset == *period + seconds(1);
    if (late && period == round_in(first_->told)) period_ = period;
  }
  if (opens) first_ = mark;
  under_one_reset_ = opens || (under_one_reset_ && comparable && mark.reset == first_->reset);
  used_up_ = !opens && (used_up_ || mark.used == mark.limit);
}

/// More is left than before, though more is used than we sent since: no window has turned, the oldest are forgotten.
void TurnSigns::compare_counts(const TurnMark& mark) noexcept {
  if (!before_ || !first_ || !mark.alone || mark.sent < before_->received) return;
  const std::int64_t rose = before_->used + 1 - mark.used;
  if (rose < 2 || mark.used <= perhaps_since_ + 1) return;
  // Of a bucket that was full the reset told, at the least, how long one permit takes to flow back.
  const Duration each = first_->told.over;
  if (each <= Duration::zero() || rose - 1 <= (mark.received - before_->sent) / each) return;
  const DurationSpan span{std::max(first_->told.over, mark.slides.over - order_blur),
                          std::min(first_->told.up_to, mark.slides.up_to + order_blur)};
  const auto period = round_in(span);
  if (!period) return;
  period_ = period;
  slides_ = true;
}

}}  // namespace noun
