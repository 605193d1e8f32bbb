#pragma once
// What a run's events come to: the attempts, the holds, and each quota over time. Times are seconds since the earliest.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "run_log.hpp"

namespace recorder {

enum class Outcome {
  answered,
  rejected,  ///< for the quota's sake
  failed,    ///< not answered, or with a 5xx
};

/// From an attempt's going out to its answer, or to the end of the run.
struct Attempt {
  double sent = 0;
  double answered = 0;
  Outcome outcome = Outcome::answered;
  /// Where it is drawn: no two that overlap share a lane, and the lowest that is free is taken.
  std::size_t lane = 0;
  /// As in `429, GET http://...`.
  std::string what = {};
};

/// From the first caller's hold until somebody sends again or holds for another reason, or to the end of the run.
struct Hold {
  double from = 0;
  double until = 0;
  std::string reason = {};
};

/// What was left of one quota, as the answers said.
struct QuotaLine {
  struct Point {
    double t = 0;
    std::int64_t remaining = 0;
  };

  std::string partition = {};
  std::int64_t most = 0;  ///< its limit, or the most that was left
  std::vector<Point> points = {};
};

struct Story {
  double length = 0;
  std::vector<Attempt> attempts = {};
  std::size_t lanes = 0;
  std::vector<double> answers = {};  ///< when each answer or failure came, in order
  std::vector<Hold> holds = {};
  std::vector<QuotaLine> quotas = {};  ///< in the order of their first answers
  std::size_t rejected = 0;
  std::size_t failed = 0;
  std::size_t pages = 0;
  std::size_t items = 0;
  std::string place = {};  ///< what the URLs have in common, without their queries
};

Story tell_story(std::vector<Step> steps);

}  // namespace recorder
