#pragma once
/// @file
/// What may stand in a dialect about paging: that each style has what it needs, and that names and pointers are some.

#include <optional>
#include <string>

#include <noun/dialect.hpp>

namespace noun { inline namespace v0 {

/// What is wrong with the first member that is not as Paging says, as a clause that names it; nothing if all
/// are well.
std::optional<std::string> fault_of_paging(const Paging& paging);

}}  // namespace noun
