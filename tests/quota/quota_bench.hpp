// A quota under the control of a test: the test sets the time and the responses.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "quota/gate.hpp"
#include "quota/partition.hpp"
#include "wire/rate_limit.hpp"

namespace quota_tests {

using namespace std::chrono_literals;
using noun::Duration;
using noun::Instant;
using noun::WaitReason;
using noun::WallTime;
using noun::quota::Report;

/// The server's clock when the bench starts; the client's clock is a day off.
constexpr std::chrono::sys_seconds server_epoch{1'700'000'000s};
constexpr Instant bench_begin{1000s};

inline noun::Now bench_now(Duration at) { return {bench_begin + at, WallTime(server_epoch) + at - 24h}; }

/// A report of remaining, and of a reset after `resets_in`.
inline Report reported(std::optional<std::int64_t> remaining, std::optional<Duration> resets_in = {}) {
  Report report;
  report.limit = 100;
  report.remaining = remaining;
  if (resets_in) report.reset = noun::wire::ResetReading{.in = *resets_in, .at = {}};
  return report;
}
inline Report bare() { return {}; }
inline Report dropped() { return {{}, noun::quota::Outcome::lost}; }
inline Report rejected(Report report = {}) {
  report.outcome = noun::quota::Outcome::rejected;
  return report;
}
inline Report rejected_for(Duration retry_after, Report report = {}) {
  report.outcome = noun::quota::Outcome::rejected;
  report.retry_after = retry_after;
  return report;
}

/// A request of the bench.
struct BenchRequest {
  noun::quota::PartitionSending sending;
};

/// One partition, and a clock that only the test moves.
class QuotaBench {
 public:
  noun::quota::Partition partition;
  noun::QuotaPolicy policy = {};
  Duration now = 0s;
  Instant patient_until = Instant::min();

  struct Acquired {
    bool admitted;
    Instant until;
    WaitReason reason;
    noun::quota::PartitionSending sending;
  };
  Acquired acquire(const noun::quota::Ask& ask) {
    noun::quota::PartitionSending sending;
    const auto verdict = partition.acquire(bench_begin + now, policy, ask, sending);
    return {verdict.admitted, verdict.until, verdict.reason, sending};
  }
  Acquired acquire(noun::Priority priority = noun::Priority::normal) {
    return acquire({.priority = priority, .patient_until = patient_until});
  }
  /// Admits a request, or fails the test.
  BenchRequest go(noun::Priority priority = noun::Priority::normal) {
    const auto acquired = acquire(priority);
    EXPECT_TRUE(acquired.admitted) << "held at " << now.count() << " ns: " << to_string(acquired.reason);
    return {acquired.sending};
  }
  noun::quota::QuotaNote respond(const BenchRequest& request, const Report& report) {
    return partition.record(request.sending, bench_now(now), report);
  }
  /// One request whose response arrives at once.
  noun::quota::QuotaNote exchange(const Report& report) { return respond(go(), report); }
  /// Why and for how many milliseconds it holds now; `admitted` if it does not.
  std::string hold(noun::Priority priority = noun::Priority::normal) {
    const auto acquired = acquire(priority);
    if (acquired.admitted) {
      partition.release(acquired.sending);
      return "admitted";
    }
    EXPECT_GT(acquired.until, bench_begin + now);
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(acquired.until - bench_begin - now);
    return std::string(name_of(acquired.reason)) + " " + std::to_string(ms.count());
  }
  noun::QuotaSnapshot snapshot() const { return snapshot(now); }
  noun::QuotaSnapshot snapshot(Duration at) const { return partition.snapshots(bench_begin + at).front(); }
  std::optional<std::int64_t> remaining() const { return snapshot().remaining; }
  noun::quota::Forecast forecast(std::int64_t calls, Duration at = 0s) const {
    return partition.forecast(bench_begin + at, calls, 0, 0);
  }
};

/// A gate whose responses are header fields. The test sets the time.
class HeaderBench {
 public:
  Duration now = 0s;

  /// The permit of a request; nothing if it is held until `held_until`.
  std::optional<noun::quota::Permit> acquire(noun::quota::RouteKey route = 0) {
    auto result = gate_->acquire(bench_now(now), {}, {.route = route});
    if (auto* const permit = std::get_if<noun::quota::Permit>(&result)) return std::move(*permit);
    held_until = std::get<noun::quota::Hold>(result).earliest.at - bench_begin;
    return std::nullopt;
  }
  void respond(std::optional<noun::quota::Permit> permit, const noun::Headers& headers, bool rejects = false) {
    ASSERT_TRUE(permit) << "held at " << now.count() << " ns";
    Report report{noun::wire::read_rate_limit(headers, {}, bench_now(now).wall)};
    if (rejects) report.outcome = noun::quota::Outcome::rejected;
    gate_->record(*std::move(permit), bench_now(now), std::move(report));
  }
  void exchange(const noun::Headers& headers, bool rejects = false) { respond(acquire(), headers, rejects); }

  Duration held_until = 0s;

 private:
  std::shared_ptr<noun::quota::Gate> gate_ = std::make_shared<noun::quota::Gate>();
};

/// A limit in windows that are aligned to the clock, of which each response has a line of RateLimit and its policy.
struct AlignedLimit {
  std::string name;
  std::int64_t limit;
  std::chrono::seconds period;
};
struct SerialRun {
  int rejected = 0;
  Duration elapsed = 0s;
};
/// So many requests, one after the other, to a server that rejects each that exceeds one of the limits.
inline SerialRun run_serially(const std::vector<AlignedLimit>& limits, int requests) {
  HeaderBench bench;
  SerialRun run;
  std::vector<std::pair<Duration::rep, std::int64_t>> used(limits.size());  // the window, and what it counted
  while (requests > 0) {
    auto permit = bench.acquire();
    if (!permit) {
      bench.now = bench.held_until;
      continue;
    }
    bool rejects = false;
    for (std::size_t i = 0; i < limits.size(); ++i) {
      const auto window = bench.now / limits[i].period;
      if (used[i].first != window) used[i] = {window, 0};
      rejects = rejects || used[i].second == limits[i].limit;
    }
    noun::Headers headers;
    for (std::size_t i = 0; i < limits.size(); ++i) {
      const auto& [name, limit, period] = limits[i];
      if (!rejects) ++used[i].second;
      const auto resets_in = std::chrono::ceil<std::chrono::seconds>(period - bench.now % period);
      headers.add("RateLimit", '"' + name + "\";r=" + std::to_string(limit - used[i].second) +
                                   ";t=" + std::to_string(resets_in.count()));
      headers.add("RateLimit-Policy",
                  '"' + name + "\";q=" + std::to_string(limit) + ";w=" + std::to_string(period.count()));
    }
    bench.now += 20ms;
    bench.respond(std::move(permit), headers, rejects);
    rejects ? ++run.rejected : --requests;
  }
  run.elapsed = bench.now;
  return run;
}

inline noun::wire::ReportedQuota further(std::string name, std::int64_t remaining, Duration resets_in) {
  return {.name = std::move(name),
          .limit = 1000,
          .remaining = remaining,
          .reset = noun::wire::ResetReading{.in = resets_in, .at = {}}};
}

/// The report of a request against a limit of 20 per minute, of which ten are reserved, and a limit per day.
inline Report of_minute(std::int64_t left, std::int64_t left_of_day, Duration now) {
  auto report = reported(left, 60s - now);
  report.limit = 20;
  report.window = 10s;  // so that a request seems to be free again after 10 s
  report.more = {further("day", left_of_day, 1s - now)};
  return report;
}

/// Ten requests, and in the middle of them `denied` that the day's policy denies. At 10.1 s the next one is a guess.
inline void spend_with_denied(QuotaBench& bench, int denied) {
  bench.policy.reserve = 10;
  for (std::int64_t left = 19; left >= 16; --left, bench.now += 1ms) bench.exchange(of_minute(left, 500, bench.now));
  bench.exchange(of_minute(15, 10, bench.now));
  for (int i = 0; i < denied; ++i) EXPECT_EQ(bench.hold(), "quota 996");
  bench.now = 1100ms;
  for (std::int64_t left = 14; left >= 10; --left, bench.now += 1ms)
    bench.exchange(of_minute(left, 500, bench.now - 1s));
}

/// Requests to a token bucket, until it is known: three permits are refilled each second.
inline void refill_three_each_second(QuotaBench& bench) {
  for (int i = 0; i < 8; ++i, bench.now += 1s) bench.exchange(reported(50 + 2 * i, 20s));
}

}  // namespace quota_tests
