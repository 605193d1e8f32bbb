#include "quota/reset_slope.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <tuple>

namespace noun { inline namespace v0 {
namespace {

constexpr std::size_t most_kept = 32;
/// A window that turns moves the reset once.
constexpr unsigned enough_moves = 2;
constexpr Duration certainly_moved = std::chrono::milliseconds(200);
constexpr double narrow_ratio = 1.5;

double span_seconds(Duration span) noexcept { return std::chrono::duration<double>(span).count(); }

}  // namespace

void ResetSlope::learn(const ResetMark& mark, std::int64_t limit) {
  const bool another_burst = mark.used <= least_used_ || mark.used < most_used_ - mark.perhaps_after;
  if (begun_ == Instant{} || another_burst || limit != limit_) {
    limit_ = limit;
    return restart(mark);
  }
  for (const Told& told : kept_) {
    compare(told.least_used, mark);
    compare(told.most_used, mark);
  }
  if (low_ >= high_) return restart(mark);
  keep(mark);
  if (mark.told.earliest >= last_told_.latest) {
    last_told_ = mark.told;
    ++moves_;
  }
  most_used_ = std::max(most_used_, mark.used);
  latest_ = std::max(latest_, mark.received);
}

/// Of answers that told the same, the two outermost say the most.
void ResetSlope::keep(const ResetMark& mark) {
  const auto same = std::find_if(kept_.begin(), kept_.end(),
                                 [&](const Told& told) { return told.least_used.told.latest == mark.told.latest; });
  if (same == kept_.end()) {
    if (kept_.size() < most_kept) kept_.push_back({mark, mark});
    return;
  }
  if (mark.used < same->least_used.used) same->least_used = mark;
  if (mark.used > same->most_used.used) same->most_used = mark;
}

void ResetSlope::restart(const ResetMark& mark) {
  kept_.assign(1, {mark, mark});
  least_used_ = most_used_ = mark.used;
  first_told_ = last_told_ = mark.told;
  begun_ = mark.sent;
  latest_ = mark.received;
  moves_ = 0;
  low_ = 0;
  high_ = std::numeric_limits<double>::max();
}

/// What is left is told in whole permits, so the two may be one more or one less apart.
void ResetSlope::compare(const ResetMark& one, const ResetMark& other) noexcept {
  const auto& [less, more] = one.used < other.used ? std::tie(one, other) : std::tie(other, one);
  const auto apart = static_cast<double>(more.used - less.used);
  const auto at_least = (more.told.earliest - less.told.latest) - (more.received - less.sent);
  const auto at_most = (more.told.latest - less.told.earliest) - (more.sent - less.received);
  low_ = std::max(low_, span_seconds(at_least) / (apart + 1));
  if (apart > 1) high_ = std::min(high_, span_seconds(at_most) / (apart - 1));
}

/// Between three windows' ends lie two windows, and answers that tell of all three are one window apart.
bool ResetSlope::excludes_windows() const noexcept {
  const Duration moved = last_told_.earliest - first_told_.latest;
  return moves_ >= enough_moves && moved >= certainly_moved && latest_ - begun_ < moved / 2;
}

std::optional<double> ResetSlope::seconds_each() const noexcept {
  const bool many = most_used_ - least_used_ >= std::max<std::int64_t>(4, limit_ / 8);
  if (!many || !excludes_windows() || low_ <= 0 || high_ > narrow_ratio * low_) return std::nullopt;
  return high_;
}

}}  // namespace noun
