#pragma once
/// @file
/// Threads that the program does not see.

#include <functional>
#include <thread>

#include <noun/version.hpp>

namespace noun { inline namespace v0 {

/// Starts a thread to which no signals of the program are delivered but those for its own faults (SIGSEGV, …), which a
/// crash handler expects. Throws std::system_error.
std::thread thread_without_signals(std::function<void()> work);

}}  // namespace noun
