#pragma once
/// @file
/// The object that the benchmarks read.

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>
#ifdef NOUN_BENCHMARK_DESCRIBED
#include <noun/describe.hpp>
#endif

namespace noun_benchmark {

/// An object with members of each kind.
struct Record {
  std::string alpha_3;
  std::string name;
  std::string description;
  std::int64_t speakers = 0;
  double latitude = 0;
  bool living = false;
  std::vector<std::string> countries;
  std::vector<int> years;
};
#ifdef NOUN_BENCHMARK_DESCRIBED
NOUN_DESCRIBE(Record, alpha_3, name, description, speakers, latitude, living, countries, years)
#else
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Record, alpha_3, name, description, speakers, latitude, living, countries, years)
#endif

/// A record of 1 KB as JSON, or of more or less with another description.
inline Record one_kilobyte(std::size_t description = 700) {
  return {.alpha_3 = "qkb",
          .name = "A language of one kilobyte",
          .description = std::string(description, 'x'),
          .speakers = 1234567,
          .latitude = 64.1355,
          .living = true,
          .countries = {"Iceland", "Norway", "Denmark", "Sweden", "Finland", "Greenland"},
          .years = {1262, 1380, 1550, 1845, 1918, 1944, 1980, 2008, 2020, 2026}};
}

}  // namespace noun_benchmark
