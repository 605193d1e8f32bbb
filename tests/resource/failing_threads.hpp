#pragma once
/// @file
/// Threads that cannot be started.

namespace resource_test {

/// Whether fail_threads() has an effect: not where the platform or a sanitizer has functions of its own for threads.
bool can_fail_threads() noexcept;
/// Whether from now on no thread can be started, as if the process had too many.
void fail_threads(bool fail) noexcept;

}  // namespace resource_test
