#pragma once
/// @file
/// The thread that runs completions for which the program has no executor.

#include <functional>

#include <noun/version.hpp>

namespace noun { inline namespace v0 {

/// Starts the thread of this process unless it runs. It is never joined. Throws std::system_error.
void start_completion_thread();
/// Runs the function on that thread, after those posted before. Exceptions of the function are dropped. Throws
/// std::bad_alloc, or std::system_error if the thread cannot be started; then the function does not run.
void post_completion(std::function<void()> completion);

}}  // namespace noun
