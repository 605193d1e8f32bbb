#pragma once
/// @file
/// The blocking driver: runs one call on the caller's thread.

#include <noun/stop.hpp>

#include "call/call.hpp"
#include "loop/driver.hpp"

namespace noun { inline namespace v0 {

/// Runs the call to its end. A stop request ends it within 50 ms, as cancelled.
Done run_blocking(Call& call, DriverContext& context, const StopToken& stop);

}}  // namespace noun
