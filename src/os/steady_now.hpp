#pragma once
/// @file
/// The clock of what waits for the network and for files. Calls wait by the Clock of their client.

#include <chrono>

#include <noun/time.hpp>

namespace noun { inline namespace v0 {

inline Instant steady_now() noexcept { return std::chrono::steady_clock::now(); }

}}  // namespace noun
