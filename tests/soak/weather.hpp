#pragma once
// What a soak's service does to its clients, and how a command line says so.

#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <atlas_options.hpp>

namespace soak {

struct Weather {
  double faults = 0.1;  ///< share of requests; a quarter each is reset, closed, answered 503, and answered in part
  std::uint64_t limit = 100;
  std::chrono::milliseconds period{1000};
  unsigned seed = 1;
};

/// The lines of a usage text.
std::string weather_usage(const Weather& usual);
/// Whether the option is one of the weather's, which then has its value.
bool set(Weather& weather, std::string_view name, std::string_view value);
/// A service with this weather, and with the data of that folder.
atlas::Options service_options(const Weather& weather, const std::string& data);

template <class T>
void set_number(T& member, std::string_view text) {
  const auto* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, member);
  if (read.ec != std::errc{} || read.ptr != end) throw std::runtime_error(fmt::format("'{}' is not a number", text));
}

/// Reads `--name value` pairs; `--quick` alone.
/// @param set  called with each name and value.
template <class Set>
void read_options(const std::vector<std::string_view>& words, const std::string& usage, Set set) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool alone = words[i] == "--quick";
    if ((!alone && i + 1 == words.size()) || !set(words[i], alone ? "" : words[i + 1])) throw std::runtime_error(usage);
    i += alone ? 0 : 1;
  }
}

}  // namespace soak
