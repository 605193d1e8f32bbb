#pragma once
/// @file
/// The rules for the paging of a dialect: each style has its members, and names and pointers are valid.

#include <optional>
#include <string>

#include <noun/dialect.hpp>

namespace noun { inline namespace v0 {

/// Returns what is wrong with the first invalid member, as a clause that names it; nothing if all are valid.
/// @param path  the option that is the paging.
std::optional<std::string> fault_of_paging(const std::string& path, const Paging& paging);

}}  // namespace noun
