#pragma once
/// @file
/// Random bytes that nobody can guess.

#include <span>

#include <noun/version.hpp>

namespace noun { inline namespace v0 {

/// Returns false if the system has none.
/// @threadsafety  safe.
NOUN_API bool fill_with_random_bytes(std::span<char> bytes) noexcept;

}}  // namespace noun
