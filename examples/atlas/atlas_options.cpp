// The ranges of the options.
#include "atlas_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string_view>

namespace atlas {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

void check_duration(std::string_view name, milliseconds value, milliseconds least, milliseconds most) {
  if (value >= least && value <= most) return;
  throw std::runtime_error(
      fmt::format("{} must be between {} ms and {} ms, not {} ms", name, least.count(), most.count(), value.count()));
}

void check_share(std::string_view name, double value) {
  // NaN fails this comparison, too.
  if (value >= 0.0 && value <= 1.0) return;
  throw std::runtime_error(fmt::format("{} must be between 0 and 1, not {}", name, value));
}

bool is_path_character(char c) {
  constexpr std::string_view others = "-._~/";
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         others.find(c) != std::string_view::npos;
}

}  // namespace

void check(const Options& options) {
  check_duration("period", options.period, milliseconds{1}, hours{24});
  check_duration("window phase", options.window_phase, milliseconds{0}, hours{24});
  check_duration("latency", options.latency, milliseconds{0}, hours{1});
  check_duration("clock offset", options.clock_offset, hours{-1000}, hours{1000});
  check_share("drop", options.drop);
  check_share("drop-after", options.drop_after);
  check_share("unavailable", options.unavailable);
  check_share("truncate", options.truncate);
  check_share("the sum of drop, drop-after, unavailable and truncate",
              options.drop + options.drop_after + options.unavailable + options.truncate);
  if (!std::all_of(options.prefix.begin(), options.prefix.end(), is_path_character)) {
    throw std::runtime_error(
        fmt::format("prefix may contain only letters, digits and - . _ ~ /, not '{}'", options.prefix));
  }
}

}  // namespace atlas
