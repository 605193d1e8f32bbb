#pragma once
// The numbers along the axes of a picture, in steps of 1, 2 or 5 times a power of ten.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace recorder {

struct Tick {
  double at = 0;
  std::string text = {};
};

/// About `count` ticks, from 0 to the first step that is at least `highest`; integers if `whole`.
std::vector<Tick> ticks(double highest, std::size_t count, bool whole);

/// `Tick::at` is in seconds, `Tick::text` in `unit`, which is chosen by the length.
struct TimeAxis {
  std::string_view unit;
  std::vector<Tick> ticks;
};

/// About `count` ticks, from 0 to at most `length` seconds.
TimeAxis time_axis(double length, std::size_t count);

/// With thousands separators: 7,910.
std::string grouped(std::size_t number);

/// A duration: 5 ms, 9.92 s, 12.5 min, 3.1 h.
std::string span_text(double seconds);

}  // namespace recorder
