#include <noun/testing/manual_clock.hpp>

#include <numeric>

namespace noun { inline namespace v0 { namespace testing {
namespace {

constexpr auto start_of_tests =
    WallTime(std::chrono::sys_days(std::chrono::year(2026) / 1 / 20)) + std::chrono::hours(12);

}  // namespace

ManualClock::ManualClock() : ManualClock(start_of_tests) {}

// The steady clock starts far from zero, to expose code that uses zero for "never".
ManualClock::ManualClock(WallTime wall) : now_{Instant(std::chrono::hours(1000)), wall} {}

ManualClock::~ManualClock() = default;

Now ManualClock::now() noexcept {
  const std::lock_guard lock(mutex_);
  return now_;
}

void ManualClock::wait(Instant until, const WakeTicket& ticket, const StopToken& stop) {
  if (stop.stop_requested() || ticket.overtaken()) return;
  const std::lock_guard lock(mutex_);
  const auto span = until > now_.steady ? until - now_.steady : Duration::zero();
  waits_.push_back(span);
  now_ = {after(now_.steady, span), wall_time_of(after(now_.steady, span), now_)};
}

void ManualClock::wake(const WakeCounter&) noexcept {}

void ManualClock::advance(Duration span) noexcept {
  const std::lock_guard lock(mutex_);
  if (span > Duration::zero()) now_ = {after(now_.steady, span), wall_time_of(after(now_.steady, span), now_)};
}

void ManualClock::step_wall_clock(Duration span) noexcept {
  const std::lock_guard lock(mutex_);
  now_.wall += std::chrono::duration_cast<WallTime::duration>(span);
}

std::vector<Duration> ManualClock::waits() const {
  const std::lock_guard lock(mutex_);
  return waits_;
}

Duration ManualClock::waited() const {
  const std::lock_guard lock(mutex_);
  return std::accumulate(waits_.begin(), waits_.end(), Duration::zero());
}

}}}  // namespace noun::testing
