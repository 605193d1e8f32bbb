// What a service has counted since it was started.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace atlas {

/// Totals at one moment. Requests for /_stats are in none of them but `connections`.
struct Stats {
  std::uint64_t requests = 0;                  ///< that arrived whole and were HTTP, whatever became of them
  std::uint64_t rejected = 0;                  ///< answered 429
  std::uint64_t dropped = 0;                   ///< left without an answer, before or after they took effect
  std::uint64_t unavailable = 0;               ///< answered 503
  std::uint64_t truncated = 0;                 ///< took effect, and their answers were cut
  std::uint64_t applied_writes = 0;            ///< creations, replacements, patches and removals that took effect
  std::uint64_t connections = 0;               ///< accepted
  std::map<std::string, std::uint64_t> items;  ///< members held now, by collection name
};

/// The document that /_stats answers, on one line.
std::string to_json(const Stats& stats);

}  // namespace atlas
