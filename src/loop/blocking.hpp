#pragma once
/// @file
/// The blocking driver: runs one call on the caller's thread.

#include <stop_token>

#include "call/call.hpp"
#include "loop/driver.hpp"

namespace noun { inline namespace v0 {

/// Runs the call to its end. A stop request ends it within 50 ms, as cancelled.
Done run_blocking(Call& call, DriverContext& context, const std::stop_token& stop);

}}  // namespace noun
