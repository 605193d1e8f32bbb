#include "decision/clock_offset.hpp"

#include <chrono>
#include <utility>

#include "wire/http_date.hpp"

namespace noun { inline namespace v0 {

bool ClockOffset::correct(const Headers& response, WallTime now, WallTime signed_at) {
  using std::chrono::seconds;
  constexpr seconds tolerated = std::chrono::minutes(4);
  constexpr seconds longest = std::chrono::hours(24 * 365 * 100);
  const auto date = wire::parse_http_date(response.get("Date").value_or(""), now);
  // The Date of a response from a cache, which has an Age, says when it was made.
  if (!date || response.contains("Age")) return false;
  const auto differs = [&](WallTime from, seconds by) {
    const auto ahead = *date - std::chrono::floor<seconds>(from);
    return ahead < -by || ahead > by;
  };
  if (!differs(signed_at, tolerated) || differs(now, longest)) return false;
  if (differs(corrected(now), tolerated))
    ahead_.store(Duration(*date - std::chrono::floor<seconds>(now)).count(), std::memory_order_relaxed);
  return true;
}

bool SigningTime::is_rejected(ClockOffset& offset, const Headers& response, WallTime now, bool may_repeat) {
  if (const auto earlier = std::exchange(earlier_, std::nullopt)) {
    offset.restore(*earlier, ahead_);
    return false;
  }
  if (!may_repeat || !offset.correct(response, now, at_)) return false;
  earlier_ = ahead_;
  return true;
}

}}  // namespace noun
