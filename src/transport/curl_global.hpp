#pragma once
/// @file
/// What libcurl shares within a process: its initialisation, once, and safety of a fork while a handle is made.

#include <mutex>

#include <noun/version.hpp>

namespace noun { inline namespace v0 { namespace curl {

/// Initialises libcurl for this process at the first call; it is never shut down, for others may use it too.
/// @returns       whether libcurl can be used.
/// @threadsafety  safe.
bool initialise() noexcept;

/// To be held while libcurl makes a handle: libcurl takes a lock of its own there, which a child of fork() would find
/// locked for ever. A fork waits for it.
std::unique_lock<std::mutex> hold_off_fork();

}}}  // namespace noun::curl
