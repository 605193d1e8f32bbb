#pragma once
/// @file
/// What the operating system knows of this process.

#include <cstddef>
#include <cstdint>
#include <string>

#include <noun/version.hpp>

namespace noun { inline namespace v0 {

/// The id of this process.
std::uint64_t process_id() noexcept;

/// The value of an environment variable; empty if there is none. Names have case on Windows too: `http_proxy` is not
/// found if the variable was set as `HTTP_PROXY`.
/// @threadsafety  safe unless another thread changes the environment.
std::string environment_variable(const char* name);

/// How many descriptors this process may have open; the largest value if that is not limited.
std::size_t most_descriptors() noexcept;

/// Calls these functions at each fork(): in the parent before it, then in the parent and in the child. Null calls none.
/// @returns  false if memory ran out.
NOUN_API bool call_at_fork(void (*before)(), void (*in_parent)(), void (*in_child)()) noexcept;

}}  // namespace noun
