// The totals of a server since its start.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace atlas {

/// Requests for /_stats count only in `connections`.
struct Stats {
  std::uint64_t requests = 0;                  ///< complete HTTP requests received, including failed ones
  std::uint64_t rejected = 0;                  ///< requests with status 429
  std::uint64_t dropped = 0;                   ///< requests without a response, applied or not
  std::uint64_t unavailable = 0;               ///< requests with an injected 503
  std::uint64_t truncated = 0;                 ///< requests applied, with a cut response
  std::uint64_t applied_writes = 0;            ///< creations, replacements, patches and removals
  std::uint64_t connections = 0;               ///< connections accepted
  std::map<std::string, std::uint64_t> items;  ///< current number of members, by collection name
};

/// The document at /_stats, on one line.
std::string to_json(const Stats& stats);

}  // namespace atlas
