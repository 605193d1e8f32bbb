#pragma once
/// @file
/// The ranges of a client's options.

#include <optional>
#include <string>

#include <noun/options.hpp>

namespace noun::inline v0 {

/// What is wrong with the first option that is out of its range, as a clause; nothing if all are in theirs. Headers,
/// credentials, addresses and files are looked at elsewhere.
std::optional<std::string> fault_of_options(const ClientOptions& options);

}  // namespace noun::inline v0
