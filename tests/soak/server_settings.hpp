#pragma once
// The faults and the quota of the sample server in soak tests, and their command line options.

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

struct ServerSettings {
  double faults = 0.1;  ///< share of requests; a quarter each is reset, closed without a response, 503, truncated
  std::uint64_t limit = 100;
  std::chrono::milliseconds period{1000};
  unsigned seed = 1;
};

/// The options as lines of a usage text.
std::string server_usage(const ServerSettings& usual);
/// Sets the option if it is one of the server's, and returns whether it is.
bool set(ServerSettings& server, std::string_view name, std::string_view value);
/// The options of a sample server with these settings and the data of a folder.
atlas::Options server_options(const ServerSettings& server, const std::string& data);

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
