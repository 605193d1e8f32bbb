#pragma once
/// @file
/// What the operating system knows of this process.

#include <cstddef>
#include <cstdint>

#include <noun/version.hpp>

namespace noun { inline namespace v0 {

/// The id of this process.
std::uint64_t process_id() noexcept;

/// How many descriptors this process may have open; the largest value if that is not limited.
std::size_t most_descriptors() noexcept;

/// Calls these functions at each fork(): in the parent before it, then in the parent and in the child. Null calls none.
/// @returns  false if memory ran out.
NOUN_API bool call_at_fork(void (*before)(), void (*in_parent)(), void (*in_child)()) noexcept;

}}  // namespace noun
