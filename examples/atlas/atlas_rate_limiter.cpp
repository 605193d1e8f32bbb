// The window of a point in time, and its end.
#include "atlas_rate_limiter.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace atlas {
namespace {

using std::chrono::ceil;
using std::chrono::milliseconds;
using std::chrono::seconds;

std::int64_t floor_division(WallTime::duration value, WallTime::duration by) {
  const auto quotient = value / by;
  return value % by < WallTime::duration{0} ? quotient - 1 : quotient;
}

std::string reset_text(WallTime resets_at, WallTime now, ResetForm form) {
  if (form == ResetForm::epoch) {
    return fmt::format("{}", ceil<seconds>(resets_at.time_since_epoch()).count());
  }
  const auto left = std::max(resets_at - now, WallTime::duration::zero());
  if (form == ResetForm::delta) return fmt::format("{}", ceil<seconds>(left).count());
  const auto thousandths = ceil<milliseconds>(left).count();
  return fmt::format("{}.{:03}", thousandths / 1000, thousandths % 1000);
}

}  // namespace

void RateLimiter::advance_to(std::int64_t index) {
  const bool stale = index == index_ - 1;
  if (index == index_ || stale) return;
  index_ = index;
  used_ = 0;
}

RateLimitResult RateLimiter::admit(WallTime now) {
  advance_to(floor_division(now.time_since_epoch() - phase_, period_));
  const WallTime resets_at{period_ * (index_ + 1) + phase_};
  if (limit_ == 0) return {.admitted = true, .limit = 0, .remaining = 0, .resets_at = resets_at};
  const bool admitted = used_ < limit_;
  if (admitted) ++used_;
  return {.admitted = admitted, .limit = limit_, .remaining = limit_ - used_, .resets_at = resets_at};
}

Fields rate_fields(const RateLimitResult& result, WallTime now, ResetForm form) {
  Fields fields{{"X-RateLimit-Limit", fmt::format("{}", result.limit)},
                {"X-RateLimit-Remaining", fmt::format("{}", result.remaining)}};
  if (form != ResetForm::none) {
    fields.emplace_back("X-RateLimit-Reset", reset_text(result.resets_at, now, form));
  }
  return fields;
}

std::string retry_after_seconds(const RateLimitResult& result, WallTime now) {
  const auto left = ceil<seconds>(result.resets_at - now);
  return fmt::format("{}", std::max(left, seconds{1}).count());
}

}  // namespace atlas
