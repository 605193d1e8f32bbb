#pragma once
// Where programs share quotas: a directory, or a Redis server.

#include <memory>
#include <string>
#include <string_view>

#include <noun/shared_quota.hpp>

namespace noun_export {

/// Whether a place is a path, which begins with `/` or `.`. What is neither a path nor a URL is likely to be a mistyped
/// URL, and may have a password.
bool is_path(std::string_view place);
/// Whether a place is a path or a URL.
bool is_place(std::string_view place);
constexpr const char* how_to_name_a_place = "name a directory with / or ./ at its start, or a URL as redis://HOST:PORT";

/// The store of the quotas that are shared at a place.
/// @returns  `invalid_argument` if the place is neither a path nor a valid URL, or a URL where the program was built
///           without noun::redis.
noun::Result<std::unique_ptr<noun::QuotaStore>> store_at(const std::string& place, const noun::SharingOptions& options);

}  // namespace noun_export
