#pragma once
// A run in the trace event format of Chrome, which ui.perfetto.dev and chrome://tracing show.
// https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU

#include <string>
#include <string_view>

#include "run_log.hpp"

namespace recorder {

/// What each trace starts with.
inline constexpr std::string_view trace_start = R"({"displayTimeUnit":"ms","otherData":{"recorder":"noun")";

/// A JSON object with an event on each line. A lane of calls is a thread: a slice for each call, with those of its
/// attempts and waits in it, and an instant for each page and each response of the cache. Holds are a thread of their
/// own, notices are instants of the process, and each quota is a counter.
std::string trace_of(RunEnd run);

}  // namespace recorder
