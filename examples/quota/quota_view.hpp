#pragma once
// Shared quotas as text.

#include <string>
#include <vector>

#include <noun/shared_quota.hpp>

namespace noun_quota {

/// For people: of each quota a line, a table of its partitions, and a table of the processes that share it.
std::string table_of(const std::vector<noun::SharedQuota>& quotas);
/// An array of JSON. Times are in seconds; a member is missing if it is not known.
std::string json_of(const std::vector<noun::SharedQuota>& quotas);

}  // namespace noun_quota
