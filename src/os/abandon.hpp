#pragma once
/// @file
/// Objects that are never destroyed: another process owns what they have, or this process ends.

#include <memory>

#include <noun/version.hpp>

namespace noun { inline namespace v0 {

/// Leak checkers find this object reachable from now on.
/// @threadsafety  safe.
NOUN_API void keep_reachable(const void* object) noexcept;

/// Leaves an object as it is.
/// @threadsafety  safe.
template <class T>
void abandon(std::unique_ptr<T> object) noexcept {
  if (object) keep_reachable(object.release());
}

}}  // namespace noun
