#pragma once
// The calls, their attempts and waits, the holds and the quotas of a run over time. Times are seconds since the earliest
// event. A step is named by its index in the steps in order.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "run_log.hpp"

namespace recorder {

inline std::int64_t microseconds(double seconds) { return std::llround(seconds * 1e6); }

enum class Outcome {
  responded,  ///< none of the following
  rejected,   ///< because of the quota
  failed,     ///< no response, or a 5xx
};

/// One attempt. If the recording ends before the attempt, it ends with the recording.
struct Attempt {
  double sent = 0;
  double ended = 0;
  Outcome outcome = Outcome::responded;
  /// The row in the picture: the lowest that no attempt in flight has.
  std::size_t lane = 0;
  std::size_t call = 0;  ///< an index
  std::size_t sent_step = 0;
  std::optional<std::size_t> ended_step = {};
  /// For example `429, GET http://...`.
  std::string what = {};
};

/// A call, from its first step to the end of its last attempt or wait.
struct Call {
  std::uint64_t id = 0;
  std::size_t first_step = 0;
  double from = 0;
  double until = 0;
  /// The lowest that no call at that time has.
  std::size_t lane = 0;
};

/// What a call waits for, to its next step that is no wait for this reason. If the recording has none, it lasts as long as
/// the step says, and at most to the end of the recording.
struct Wait {
  std::size_t call = 0;  ///< an index
  double from = 0;
  double until = 0;
  std::string reason = {};  ///< the name of a noun::WaitReason, or `polling`
};

/// A time without requests, from the first call that waits to the next request, to a wait for another reason, or to the
/// end of the recording.
struct Hold {
  double from = 0;
  double until = 0;
  std::string reason = {};
};

/// The remaining requests of one quota, as responses reported them.
struct QuotaLine {
  struct Reading {
    double t = 0;
    std::int64_t remaining = 0;
  };

  std::string partition = {};
  std::int64_t limit = 0;  ///< the highest that was reported, of the limit and of the remaining requests
  std::vector<Reading> readings = {};
};

struct Timeline {
  double length = 0;
  std::vector<Attempt> attempts = {};
  std::size_t lanes = 0;
  std::vector<double> ended = {};  ///< when each attempt ended, in order
  std::vector<Call> calls = {};    ///< in the order in which they started
  std::size_t call_lanes = 0;
  std::vector<Wait> waits = {};
  std::vector<Hold> holds = {};
  std::vector<QuotaLine> quotas = {};  ///< in the order in which they were first reported
  std::size_t rejected = 0;
  std::size_t failed = 0;
  std::size_t pages = 0;
  std::size_t items = 0;
  std::string url_prefix = {};  ///< the common prefix of the URLs, without their queries
};

/// Sorts the steps by time, and makes their times relative to the earliest. Returns the time of that one.
double put_in_order(std::vector<Step>& steps);

Timeline timeline_of(std::vector<Step> steps);
/// @param steps  put_in_order() was called with them.
Timeline timeline_of_ordered(const std::vector<Step>& steps);

}  // namespace recorder
