#pragma once
/// @file
/// What libcurl shares with the process: its initialization, and the protection of handle creation from fork().

#include <mutex>

#include <noun/version.hpp>

namespace noun { inline namespace v0 { namespace curl {

/// Initializes libcurl on the first call. It is never shut down, because other code in the process may use it.
/// @returns       whether libcurl can be used.
/// @threadsafety  safe.
bool initialize() noexcept;

/// Locks out fork() for the lifetime of the lock. Hold it while libcurl creates a handle: libcurl takes a lock of its
/// own there, which would stay locked in a child of fork().
std::unique_lock<std::mutex> hold_off_fork();

}}}  // namespace noun::curl
