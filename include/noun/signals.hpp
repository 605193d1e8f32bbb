#pragma once
/// @file
/// Ctrl-C as a stop token.
///
///     const auto stop = noun::stop_on_signals();
///     auto listing = issues.list({.stop = stop});   // ends with `cancelled` within 50 ms of Ctrl-C


#include <noun/stop.hpp>
#include <noun/version.hpp>

namespace noun { inline namespace v0 {

/// Handles SIGINT and SIGTERM from now on: the first of them requests a stop, the second ends the process as it would
/// without noun. A signal that is ignored stays ignored, as of a job in the background. At least one thread of the
/// program must not block them: noun's threads do. A child of fork() has the default action. On Windows it handles
/// Ctrl-C and Ctrl-Break.
/// @returns       the same token each time; one without a state (`stop_possible()` is false) if there is no memory,
///                pipe or thread for it: the signals then keep their action.
/// @threadsafety  safe. Callbacks of the token run on a thread of noun, not in the signal handler; on Windows on one of the
///                system.
NOUN_API StopToken stop_on_signals() noexcept;

}}  // namespace noun
