// Workers that spend one gate against a simulated API, in virtual time. The API is modeled on real servers, and shares
// no code with the gate.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
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
  sliding,  ///< each request is counted for a period; the reset is that of the oldest
  sliding_under_resets,  ///< as sliding, but the reset is that of a window from the first request, which frees none
  bucket,  ///< a token bucket of `limit`, refilled by as many in a period; the reset is when it is full
  unreported
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
  Duration phase = {};  // start of the windows within the period
  Reset reset = Reset::epoch_up;
  bool date = true;
  Duration clock_offset = {};  // the server's clock, relative to the true time
  bool retry_after = true;
  Duration blocks_for = {};     // how long everything is rejected after each rejection
  bool resets_at_next = false;  // a bucket's reset is when the next token is added
  std::optional<std::int64_t> burst = {};  // of a bucket: its size; its limit is refilled in a period
  bool reports = true;                     // limit, remaining and reset
};

struct ClientSetup {
  std::size_t workers = 1;
  std::int64_t requests = 400;
  Duration latency = std::chrono::milliseconds(5);
  Duration jitter = {};  // added to each latency, uniformly: responses out of order
  Duration start = {};   // within a second of the true time
  double stalled = 0;    // share of the one-way trips that take up to `stall` longer: a busy machine
  Duration stall = {};
  double dropped = 0;           // share of the requests whose connection fails after they were counted
  double bare = 0;              // share of the responses without rate headers
  Duration recorded_late = {};  // responses are recorded up to this much later, in any order
  bool patient = true;
  std::int64_t unmeasured = 0;  // requests at first that `settled` leaves out
  bool reports_demand = false;  // each request reports how many follow, as a listing with a total does
  noun::QuotaPolicy policy = {};
};

struct SimulationReport {
  std::int64_t served = 0;
  std::int64_t rejected = 0;
  std::vector<std::int64_t> used;  // per window, in order, without gaps
  std::vector<Duration> late;      // first admission after the end of each used-up window
  Duration elapsed = {};
  Duration settled = {};                // of the requests after the unmeasured ones
  std::int64_t rejected_settled = 0;    // of those
  Duration longest_wait = {};  // of one request for its permit
  noun::QuotaSnapshot last = {};

  Duration worst_late_from(std::size_t first) const;
};

/// A rate limiter with its own clock.
class SimulatedLimiter {
 public:
  explicit SimulatedLimiter(const ServiceSetup& setup) : setup_(setup), tokens_(static_cast<double>(size())) {}

  /// Counts a request that arrives at the true time `now`.
  noun::quota::Report serve(Duration now);
  const std::vector<std::int64_t>& used() const { return used_; }
  /// The ends of the windows that were used up.
  const std::vector<Duration>& ends() const { return ends_; }

 private:
  void refill(Duration now);
  std::int64_t size() const { return setup_.burst.value_or(setup_.limit); }
  bool slides() const {
    return setup_.windows == Windows::sliding || setup_.windows == Windows::sliding_under_resets;
  }
  void reset_window(Duration now);
  bool count(Duration now);
  std::optional<noun::wire::ResetReading> reset_of(Duration now) const;

  ServiceSetup setup_;
  Duration end_ = Duration::min();
  Duration refilled_at_ = {};
  double tokens_ = 0;
  Duration blocked_until_ = Duration::min();
  std::vector<std::int64_t> used_;
  std::vector<Duration> ends_;
  std::deque<Duration> log_;
};

/// Runs until every request is served, or an hour has passed.
SimulationReport simulate(const ServiceSetup& service, const ClientSetup& client, std::uint64_t seed = 1);

}  // namespace quota_tests
