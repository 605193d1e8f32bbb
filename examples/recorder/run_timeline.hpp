#pragma once
// The attempts, the holds and the quotas of a run over time. Times are seconds since the earliest event.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "run_log.hpp"

namespace recorder {

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
  /// For example `429, GET http://...`.
  std::string what = {};
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
  std::vector<Hold> holds = {};
  std::vector<QuotaLine> quotas = {};  ///< in the order in which they were first reported
  std::size_t rejected = 0;
  std::size_t failed = 0;
  std::size_t pages = 0;
  std::size_t items = 0;
  std::string url_prefix = {};  ///< the common prefix of the URLs, without their queries
};

Timeline timeline_of(std::vector<Step> steps);

}  // namespace recorder
