// What one quota shows of itself: to holders, to plans, and to people.
#include <algorithm>

#include "quota/quota_state.hpp"

namespace noun { inline namespace v0 {
namespace {

constexpr std::int64_t most_reckoned = 1'000'000'000'000;

}  // namespace

QuotaOutlook QuotaState::outlook() const noexcept {
  const std::int64_t left = window_.left().value_or(0);
  const Instant until = phase_ == QuotaPhase::closed ? closed_until_ : window_.reset().value_or(Instant::max());
  return {phase_, trials_, left - in_flight_cost_, until, bound_.allows(in_flight_)};
}

QuotaForecast QuotaState::forecast(Instant now, std::int64_t calls, std::int64_t reserve, std::uint32_t route) const {
  const auto left = window_.left();
  if (!left) return {};
  const std::int64_t requests = std::min(calls, most_reckoned) * costs_.of(route);
  if (refill_.flows()) {
    const std::int64_t there = refill_.level(now) - reserve;
    if (there >= requests) return forecast_windows(requests, there, {}, {}, {});
    auto forecast = forecast_windows(requests, there, window_.limit(), Duration::zero(), Duration::zero());
    forecast.wait = std::max(refill_.when(requests + reserve), now) - now;
    return forecast;
  }
  const auto reset = window_.reset();
  const bool over = window_.over(now);
  const auto resets_in = reset ? std::optional(std::max(*reset - now, Duration::zero())) : std::nullopt;
  const auto limit = window_.limit() ? std::optional(*window_.limit() - reserve) : std::nullopt;
  auto forecast = forecast_windows(requests, over ? 0 : *left - reserve - in_flight_cost_, limit, resets_in,
                                   told_window_ ? told_window_ : window_.period());
  const bool closed = phase_ == QuotaPhase::closed && closed_until_ > now;
  if (closed && forecast.wait) forecast.wait = std::max(*forecast.wait, closed_until_ - now);
  return forecast;
}

QuotaReading QuotaState::reading(Instant now) const {
  QuotaReading reading{.limit = window_.limit(), .remaining = {}, .resets_in = {}};
  const std::optional<Instant> reset = window_.reset();
  if (reset && *reset > now) reading.resets_in = *reset - now;
  if (window_.left() && !window_.over(now) && !window_.distrusted())
    reading.remaining = std::max<std::int64_t>(*window_.left() - in_flight_cost_, 0);
  return reading;
}

QuotaSnapshot QuotaState::snapshot(Instant now) const {
  const QuotaReading said = reading(now);
  QuotaSnapshot snapshot{
      .limit = said.limit, .remaining = said.remaining, .resets_in = said.resets_in, .in_flight = in_flight_};
  tally_.fill(snapshot);
  return snapshot;
}

}}  // namespace noun
