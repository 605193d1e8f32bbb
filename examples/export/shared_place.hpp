#pragma once
// Where programs share quotas: a directory, or a Redis server.

#include <memory>
#include <string>
#include <string_view>

#include <noun/shared_quota.hpp>

namespace noun_export {

/// Whether a place is a URL, not a directory.
bool is_url(std::string_view place);

/// The store of the quotas that are shared at a place.
/// @returns  `invalid_argument` if the place is invalid, or a URL where the program was built without noun::redis.
noun::Result<std::unique_ptr<noun::QuotaStore>> store_at(const std::string& place, const noun::SharingOptions& options);

}  // namespace noun_export
