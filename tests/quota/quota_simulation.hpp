// Workers who spend one gate against a simulated service, in virtual time. The service is written from what
// services do, and shares no code with the gate.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <queue>
#include <random>
#include <vector>

#include "quota/gate.hpp"

namespace quota_tests {

using noun::Duration;
using noun::Instant;
using noun::WallTime;

enum class Windows {
  aligned,
  from_first_request,
  sliding,  ///< each request counts for a period; the reset is that of the oldest
  untold
};
enum class Reset {
  seconds_up,
  seconds_down,
  milliseconds,
  epoch_up,
  epoch_down,
  epoch_milliseconds,
  now_plus_rest,
  absent
};

struct ServiceSetup {
  Windows windows = Windows::aligned;
  std::int64_t limit = 50;
  Duration period = std::chrono::seconds(2);
  Duration phase = {};  // where in the period windows turn
  Reset reset = Reset::epoch_up;
  bool date = true;
  Duration clock_offset = {};  // the service's clock, seen from the true time
  bool retry_after = true;
  Duration blocks_for = {};  // after each rejection everything is rejected so long
};

struct ClientSetup {
  std::size_t workers = 1;
  std::int64_t requests = 400;
  Duration latency = std::chrono::milliseconds(5);
  Duration jitter = {};  // added to each latency, uniformly: answers out of order
  Duration start = {};   // when in the true second it begins
  double stalled = 0;    // part of the ways, there or back, that take up to `stall` longer: a machine with other work
  Duration stall = {};
  double dropped = 0;           // part of the requests whose connection dies after they were counted
  double bare = 0;              // part of the answers without rate headers
  Duration recorded_late = {};  // responses are recorded up to so much later, in any order
  bool patient = true;
  bool tells_demand = false;  // each request says how many are to come, as those of a listing with a total do
  noun::QuotaPolicy policy = {};
};

struct SimulationReport {
  std::int64_t served = 0;
  std::int64_t rejected = 0;
  std::vector<std::int64_t> used;  // per window, in order, gaps left out
  std::vector<Duration> late;      // first admission after the end of each window that was used up
  Duration elapsed = {};
  Duration longest_wait = {};  // of one request for its permit
  noun::QuotaSnapshot last = {};

  Duration worst_late_from(std::size_t first) const;
};

/// A rate limiter and the clock that it answers with.
class SimulatedLimiter {
 public:
  explicit SimulatedLimiter(const ServiceSetup& setup) : setup_(setup) {}

  /// Counts a request that arrives at the true time `now`.
  noun::quota::Report serve(Duration now);
  const std::vector<std::int64_t>& used() const { return used_; }
  /// When windows that were used up ended.
  const std::vector<Duration>& ends() const { return ends_; }

 private:
  void turn(Duration now);
  bool count(Duration now);
  std::optional<noun::wire::ResetReading> reset_of(Duration now) const;

  ServiceSetup setup_;
  Duration end_ = Duration::min();
  Duration blocked_until_ = Duration::min();
  std::vector<std::int64_t> used_;
  std::vector<Duration> ends_;
  std::deque<Duration> log_;
};

/// Runs until every request is served, or an hour has passed.
SimulationReport simulate(const ServiceSetup& service, const ClientSetup& client, std::uint64_t seed = 1);

}  // namespace quota_tests
