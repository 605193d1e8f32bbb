#pragma once
/// @file
/// What may stand in a dialect about the limits of a service: names of headers, pointers, statuses and times.

#include <optional>
#include <string>

#include <noun/dialect.hpp>

namespace noun::inline v0 {

/// What is wrong with the first member that is not as Dialect says, as a clause that names it; nothing if all are well.
std::optional<std::string> fault_of_limits(const Dialect& dialect);

}  // namespace noun::inline v0
