#include "laboratory/limit_fields.hpp"

#include <algorithm>
#include <random>
#include <string>

#include <fmt/format.h>

#include "wire/http_date.hpp"

namespace laboratory {
namespace {

using std::chrono::ceil;
using std::chrono::floor;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

Duration reported_reset(Duration resets_in, WallTime at, const LimitFieldOptions& options) {
  switch (options.lie) {
    case ResetLie::none: break;
    case ResetLie::hour_late: return resets_in + hours(1);
    case ResetLie::now: return Duration::zero();
    case ResetLie::chance: {
      std::mt19937_64 random(options.seed + static_cast<std::uint64_t>(at.time_since_epoch().count()));
      return Duration(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(Duration(hours(1)).count())));
    }
  }
  return resets_in;
}

std::string fraction(Duration in) {
  const auto thousandths = ceil<milliseconds>(in).count();
  return fmt::format("{}.{:03}", thousandths / 1000, thousandths % 1000);
}

std::string written(WrittenReset form, Duration in, WallTime at) {
  const auto when = std::chrono::duration_cast<Duration>(at.time_since_epoch()) + in;
  const auto second = std::chrono::sys_seconds(ceil<seconds>(when));
  switch (form) {
    case WrittenReset::epoch: return std::to_string(ceil<seconds>(when).count());
    case WrittenReset::epoch_down: return std::to_string(floor<seconds>(when).count());
    case WrittenReset::delta: return std::to_string(ceil<seconds>(in).count());
    case WrittenReset::delta_down: return std::to_string(floor<seconds>(in).count());
    case WrittenReset::delta_fraction: return fraction(in);
    case WrittenReset::epoch_milliseconds: return std::to_string(ceil<milliseconds>(when).count());
    case WrittenReset::rfc3339: return noun::wire::format_rfc3339(second);
    case WrittenReset::http_date: return noun::wire::format_http_date(second);
    case WrittenReset::absent: break;
  }
  return {};
}

}  // namespace

Headers limit_fields(const LimitVerdict& verdict, WallTime at, const LimitFieldOptions& options) {
  Headers fields;
  if (options.date) fields.add("Date", noun::wire::format_http_date(floor<seconds>(at)));
  if (options.counts) {
    fields.add("X-RateLimit-Limit", verdict.limit);
    fields.add("X-RateLimit-Remaining", verdict.remaining);
    if (options.reset != WrittenReset::absent)
      fields.add("X-RateLimit-Reset", written(options.reset, reported_reset(verdict.resets_in, at, options), at));
  }
  if (verdict.admitted && options.waits) fields.add("Retry-After", fraction(verdict.resets_in));
  if (!verdict.admitted && options.retry_after)
    fields.add("Retry-After", std::max<std::int64_t>(ceil<seconds>(verdict.retry_in).count(), 1));
  return fields;
}

}  // namespace laboratory
