#include "cache/freshness.hpp"

#include <algorithm>
#include <chrono>

#include "wire/http_date.hpp"

namespace noun { inline namespace v0 { namespace cache {
namespace {

using std::chrono::seconds;

constexpr Duration none = Duration::zero();

/// The sum of two durations that are not negative; saturating.
constexpr Duration sum(Duration one, Duration other) noexcept {
  return one > Duration::max() - other ? Duration::max() : one + other;
}

}  // namespace

Duration age_on_arrival(const Headers& headers, const Arrival& arrival) {
  const auto age = wire::read_age(headers.get("Age").value_or(""));
  return std::max(sum(age, std::max(arrival.took, none)), arrival.since_date);
}

Duration age_of(const StoredResponse& stored, WallTime now) {
  return now < stored.received_at ? Duration::max() : sum(stored.age, now - stored.received_at);
}

std::optional<Duration> span_of(std::optional<std::string_view> expires, std::optional<std::string_view> date,
                                WallTime received_at) {
  if (!expires) return std::nullopt;
  const auto until = wire::parse_http_date_exactly(*expires, received_at);
  // An invalid date, such as 0, has passed.
  if (!until) return none;
  const auto from = date ? wire::parse_http_date(*date, received_at) : std::nullopt;
  return std::clamp<seconds>(*until - from.value_or(std::chrono::floor<seconds>(received_at)), seconds(0),
                             wire::longest_delta);
}

Freshness freshness_of(const StoredResponse& stored, const wire::CacheControl& request, WallTime now) {
  const auto control = wire::read_cache_control(stored.headers.values("Cache-Control"));
  if (control.no_cache || request.no_cache) return Freshness::stale;
  const auto lifetime = lifetime_of(stored.headers, control, stored.received_at).value_or(none);
  const auto age = age_of(stored, now);
  if (request.max_age && age > *request.max_age) return Freshness::stale;
  if (request.min_fresh && (age > lifetime || lifetime - age < *request.min_fresh)) return Freshness::stale;
  if (age < lifetime) return Freshness::fresh;
  if (control.must_revalidate) return Freshness::stale;
  const auto late = age - lifetime;
  if (control.stale_while_revalidate && late < *control.stale_while_revalidate)
    return Freshness::stale_while_revalidating;
  return control.stale_if_error && late < *control.stale_if_error ? Freshness::stale_if_error : Freshness::stale;
}

}}}  // namespace noun::cache
