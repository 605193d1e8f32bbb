#include "run_axis.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace recorder {
namespace {

double nice_step(double rough) {
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (rough <= factor * power) return factor * power;
  return 10 * power;
}

std::string tick_text(double at, double step) {
  if (step >= 1) return grouped(static_cast<std::size_t>(std::llround(at)));
  return fmt::format("{:.{}f}", at, static_cast<int>(std::ceil(-std::log10(step) - 1e-9)));
}

struct Unit {
  std::string_view name;
  double seconds;
  double from;  ///< the shortest length in seconds that uses this unit
};

constexpr std::array units{Unit{"hours", 3600, 2 * 3600}, Unit{"minutes", 60, 180}, Unit{"seconds", 1, 1},
                           Unit{"milliseconds", 1e-3, 0}};

}  // namespace

std::vector<Tick> ticks(double highest, std::size_t count, bool whole) {
  if (!(highest > 0)) highest = 1;
  const double rough = nice_step(highest / static_cast<double>(count));
  const double step = whole ? std::max(rough, 1.0) : rough;
  std::vector<Tick> found;
  for (std::size_t i = 0; found.empty() || found.back().at < highest * (1 - 1e-9); ++i) {
    const double at = static_cast<double>(i) * step;
    found.push_back({at, tick_text(at, step)});
  }
  return found;
}

TimeAxis time_axis(double length, std::size_t count) {
  const auto* unit = std::find_if(units.begin(), units.end(), [&](const Unit& u) { return length >= u.from; });
  TimeAxis axis{unit->name, ticks(length / unit->seconds, count, false)};
  for (auto& tick : axis.ticks) tick.at *= unit->seconds;
  while (axis.ticks.back().at > length * (1 + 1e-9)) axis.ticks.pop_back();
  return axis;
}

std::string grouped(std::size_t number) {
  auto text = fmt::to_string(number);
  constexpr std::size_t each = 3;
  for (std::size_t at = text.size(); at > each; at -= each) text.insert(at - each, 1, ',');
  return text;
}

std::string span_text(double seconds) {
  if (seconds < 0.9995) return fmt::format("{:.0f} ms", seconds * 1e3);
  if (seconds < 9.995) return fmt::format("{:.2f} s", seconds);
  if (seconds < 120) return fmt::format("{:.1f} s", seconds);
  if (seconds < 2 * 3600) return fmt::format("{:.1f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

}  // namespace recorder
