#pragma once
// The numbers along a picture's edges, in steps of 1, 2 or 5 times a power of ten.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace recorder {

struct Tick {
  double at = 0;
  std::string text = {};
};

/// From 0 to `most` or the first step above it, about so many; whole numbers where `whole`.
std::vector<Tick> ticks(double most, std::size_t about, bool whole);

/// The ticks are at seconds; their texts are in the unit, which is fit for the length.
struct TimeAxis {
  std::string_view unit;
  std::vector<Tick> ticks;
};

/// From 0 to not more than `length` seconds.
TimeAxis time_axis(double length, std::size_t about);

/// As in 7,910.
std::string grouped(std::size_t number);

/// As in 5 ms, 9.92 s, 12.5 min, 3.1 h.
std::string span_text(double seconds);

}  // namespace recorder
