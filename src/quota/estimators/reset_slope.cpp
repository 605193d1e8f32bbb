#include "quota/estimators/reset_slope.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <tuple>

namespace noun { inline namespace v0 { namespace quota {
namespace {

constexpr std::size_t most_marks = 8;
/// The end of one window moves the reset only once.
constexpr std::uint32_t enough_moves = 2;
constexpr Duration certainly_moved = std::chrono::milliseconds(200);
constexpr double narrow_ratio = 1.5;

}  // namespace

void ResetSlope::on_response(const Observation& seen) {
  const Mark mark{seen.sent_at, seen.received_at, seen.used(), seen.reset->without_clock_doubt()};
  const bool another_burst = mark.used <= least_used_ || mark.used < most_used_ - seen.perhaps_after.cost;
  if (kept_.empty() || another_burst || *seen.limit != limit_) {
    limit_ = *seen.limit;
    return restart(mark);
  }
  for (const auto& [least, most] : kept_) {
    compare(least, mark);
    compare(most, mark);
  }
  if (low_ >= high_) return restart(mark);
  keep(mark);
  if (mark.reset.earliest >= last_reset_.latest) {
    last_reset_ = mark.reset;
    ++moves_;
  }
  most_used_ = std::max(most_used_, mark.used);
  latest_ = std::max(latest_, mark.received);
}

void ResetSlope::keep(const Mark& mark) {
  const auto same = std::find_if(kept_.begin(), kept_.end(), [&](const Outermost& outermost) {
    return outermost.first.reset.latest == mark.reset.latest;
  });
  if (same == kept_.end()) {
    if (kept_.size() < most_marks) kept_.emplace_back(mark, mark);
    return;
  }
  if (mark.used < same->first.used) same->first = mark;
  if (mark.used > same->second.used) same->second = mark;
}

void ResetSlope::restart(const Mark& mark) {
  kept_.assign(1, {mark, mark});
  least_used_ = most_used_ = mark.used;
  first_reset_ = last_reset_ = mark.reset;
  began_ = mark.sent;
  latest_ = mark.received;
  moves_ = 0;
  low_ = 0;
  high_ = std::numeric_limits<double>::max();
}

/// Remaining is reported in whole permits, so the difference may be off by one.
void ResetSlope::compare(const Mark& one, const Mark& other) noexcept {
  const auto& [less, more] = one.used < other.used ? std::tie(one, other) : std::tie(other, one);
  const auto apart = static_cast<double>(more.used - less.used);
  const auto at_least = (more.reset.earliest - less.reset.latest) - (more.received - less.sent);
  const auto at_most = (more.reset.latest - less.reset.earliest) - (more.sent - less.received);
  low_ = std::max(low_, seconds_of(at_least) / (apart + 1));
  if (apart > 1) high_ = std::min(high_, seconds_of(at_most) / (apart - 1));
}

/// Three ends of windows are two windows apart, so responses that report all three are at least one window apart.
bool ResetSlope::excludes_windows() const noexcept {
  const Duration moved = last_reset_.earliest - first_reset_.latest;
  return moves_ >= enough_moves && moved >= certainly_moved && latest_ - began_ < moved / 2;
}

std::optional<double> ResetSlope::seconds_each() const noexcept {
  const bool many = most_used_ - least_used_ >= std::max<std::int64_t>(4, limit_ / 8);
  if (!many || !excludes_windows() || low_ <= 0 || high_ > narrow_ratio * low_) return std::nullopt;
  return high_;
}

}}}  // namespace noun::quota
