#pragma once
/// @file
/// The ranges of SharingOptions, and the grammar of a store's keys.

#include <optional>
#include <string_view>

#include <noun/error.hpp>
#include <noun/shared_quota.hpp>

namespace noun { inline namespace v0 {

/// Returns an error for the first option that is out of its range; nothing if all are in range.
std::optional<Error> fault_of(const SharingOptions& options);
/// Returns an error if the key cannot be the name of a file. Exported for noun::redis.
NOUN_API std::optional<Error> fault_of_key(std::string_view key);

}}  // namespace noun
