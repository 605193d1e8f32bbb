#include "weather.hpp"

namespace soak {

using namespace std::chrono_literals;

std::string weather_usage(const Weather& usual) {
  return fmt::format(
      "  --faults SHARE     of requests, 0 to 1: a quarter each is reset, closed without an answer, answered 503, and\n"
      "                     answered in part ({})\n"
      "  --limit N          requests in a window ({})\n"
      "  --period MS        length of a window; 429s have Retry-After from 1000 on ({})\n"
      "  --seed N           of the faults and the places ({})\n",
      usual.faults, usual.limit, usual.period.count(), usual.seed);
}

bool set(Weather& weather, std::string_view name, std::string_view value) {
  if (name == "--faults") return set_number(weather.faults, value), true;
  if (name == "--limit") return set_number(weather.limit, value), true;
  if (name == "--seed") return set_number(weather.seed, value), true;
  if (name != "--period") return false;
  std::chrono::milliseconds::rep period = 0;
  set_number(period, value);
  weather.period = std::chrono::milliseconds(period);
  return true;
}

atlas::Options service_options(const Weather& weather, const std::string& data) {
  const auto share = weather.faults / 4;
  // Retry-After counts in whole seconds, which are too long for short windows.
  return {.data = data,
          .limit = weather.limit,
          .period = weather.period,
          .reset = atlas::ResetForm::fractional,
          .retry_after = weather.period >= 1s,
          .drop = share,
          .drop_after = share,
          .unavailable = share,
          .truncate = share,
          .seed = weather.seed};
}

}  // namespace soak
