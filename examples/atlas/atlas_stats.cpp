// The totals as a JSON document.
#include "atlas_stats.hpp"

#include <nlohmann/json.hpp>

namespace atlas {

std::string to_json(const Stats& stats) {
  nlohmann::ordered_json document;
  document["requests"] = stats.requests;
  document["rejected"] = stats.rejected;
  document["dropped"] = stats.dropped;
  document["unavailable"] = stats.unavailable;
  document["truncated"] = stats.truncated;
  document["items"] = stats.items;
  document["applied_writes"] = stats.applied_writes;
  document["connections"] = stats.connections;
  return document.dump();
}

}  // namespace atlas
