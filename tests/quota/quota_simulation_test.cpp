// The gate against a simulated API, in virtual time: no rejections, no early requests, little delay, and no unused
// permits.
#include "quota/quota_simulation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <numeric>
#include <string>
#include <tuple>

namespace quota_tests { namespace quota_simulation_test {

using namespace std::chrono_literals;

constexpr int starts = 8;  // spread over a window

/// One reset form, phase, clock and number of workers; run from several starts.
struct Cell {
  Windows windows;
  Reset reset;
  Duration phase;
  Duration offset;
  std::size_t workers;
  Duration jitter;
};

ServiceSetup service_of(const Cell& cell) {
  ServiceSetup service;
  service.windows = cell.windows;
  service.reset = cell.reset;
  service.phase = cell.phase;
  service.clock_offset = cell.offset;
  return service;
}

SimulationReport run(const Cell& cell, int start) {
  ClientSetup client;
  client.workers = cell.workers;
  client.jitter = cell.jitter;
  client.start = 247ms * start + 1ms;
  return simulate(service_of(cell), client, static_cast<std::uint64_t>(start + 1));
}

/// Whether each window between the first and the last two was used up. (The first may be short.)
bool used_up(const SimulationReport& report, std::int64_t limit) {
  if (report.used.size() < 4) return false;
  return std::all_of(report.used.begin() + 1, report.used.end() - 2, [&](auto used) { return used == limit; });
}

std::vector<Cell> cells(std::initializer_list<Windows> windows, std::initializer_list<Reset> resets,
                        std::initializer_list<Duration> phases) {
  std::vector<Cell> cells;
  for (const auto window : windows)
    for (const auto reset : resets)
      for (const auto phase : phases)
        for (const Duration offset : {Duration(0s), Duration(1h + 137ms), Duration(-1h)}) {
          cells.push_back({window, reset, phase, offset, 1, 0ms});
          cells.push_back({window, reset, phase, offset, 16, 0ms});
          cells.push_back({window, reset, phase, offset, 16, 20ms});
        }
  return cells;
}

std::string name_of(const ::testing::TestParamInfo<Cell>& info) {
  static const char* const resets[] = {"seconds_up", "seconds_down",       "milliseconds",  "epoch_up",
                                       "epoch_down", "epoch_milliseconds", "now_plus_rest", "absent"};
  const Cell& cell = info.param;
  const auto milliseconds = [](Duration d) { return std::to_string(d / 1ms); };
  const auto hours = cell.offset < 0s ? "slow" : cell.offset > 0s ? "fast" : "right";
  return std::string(cell.windows == Windows::aligned ? "aligned_" : "from_first_") +
         resets[static_cast<int>(cell.reset)] + "_phase" + milliseconds(cell.phase) + "_" + hours + "_x" +
         std::to_string(cell.workers) + "_jitter" + milliseconds(cell.jitter);
}

// If the headers suffice, the first hold ends within a second of the reset, and later ones within a tenth of a second.

class ReportedWindows : public ::testing::TestWithParam<Cell> {};

TEST_P(ReportedWindows, are_used_without_a_rejection_and_almost_on_time) {
  // The probe's own round trip makes its measurement inexact.
  const Duration blur = GetParam().jitter;
  for (int start = 0; start < starts; ++start) {
    const auto report = run(GetParam(), start);
    EXPECT_EQ(report.served, 400);
    EXPECT_EQ(report.rejected, 0) << "start " << start;
    EXPECT_TRUE(used_up(report, 50)) << "start " << start;
    EXPECT_LE(report.worst_late_from(0), 1s + blur) << "start " << start;
    EXPECT_LE(report.worst_late_from(1), 100ms + blur) << "start " << start;
    for (const auto late : report.late) EXPECT_GE(late, 0ms) << "start " << start;
    EXPECT_EQ(report.last.in_flight, 0U);
    EXPECT_EQ(report.last.held, 0U);
  }
}

INSTANTIATE_TEST_SUITE_P(Aligned, ReportedWindows,
                         ::testing::ValuesIn(cells({Windows::aligned},
                                                 {Reset::seconds_up, Reset::milliseconds, Reset::epoch_up,
                                                  Reset::epoch_milliseconds},
                                                 {0ms})),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Phased, ReportedWindows,
                         ::testing::ValuesIn(cells({Windows::aligned},
                                                 {Reset::seconds_up, Reset::milliseconds, Reset::epoch_milliseconds},
                                                 {300ms})),
                         name_of);
INSTANTIATE_TEST_SUITE_P(FromFirst, ReportedWindows,
                         ::testing::ValuesIn(cells({Windows::from_first_request},
                                                 {Reset::seconds_up, Reset::milliseconds, Reset::epoch_milliseconds},
                                                 {0ms})),
                         name_of);

// An absolute reset that is rounded up hides at which fraction of a second the window ends. Requests are late by the
// rounding, and early once, to test whether the window opened with its first request.

class RoundedWindows : public ::testing::TestWithParam<Cell> {};

TEST_P(RoundedWindows, cost_at_most_one_rejection_and_are_used_late_by_the_rounding) {
  for (int start = 0; start < starts; ++start) {
    const auto report = run(GetParam(), start);
    EXPECT_EQ(report.served, 400);
    EXPECT_LE(report.rejected, 1) << "start " << start;
    EXPECT_LE(report.worst_late_from(0), 2s) << "start " << start;
    EXPECT_LE(report.worst_late_from(2), 1s + 50ms) << "start " << start;
  }
}

INSTANTIATE_TEST_SUITE_P(Phased, RoundedWindows,
                         ::testing::ValuesIn(cells({Windows::aligned}, {Reset::epoch_up}, {300ms})), name_of);

// A window that opens with its first request ends a period after it. Two windows are enough to infer the period.

class LearnedWindows : public ::testing::TestWithParam<Cell> {};

TEST_P(LearnedWindows, are_used_on_time_from_the_third_on) {
  const Duration blur = GetParam().jitter;
  for (int start = 0; start < starts; ++start) {
    const auto report = run(GetParam(), start);
    EXPECT_EQ(report.served, 400);
    EXPECT_EQ(report.rejected, 0) << "start " << start;
    EXPECT_LE(report.worst_late_from(0), 2s) << "start " << start;
    EXPECT_LE(report.worst_late_from(2), 50ms + blur) << "start " << start;
  }
}

INSTANTIATE_TEST_SUITE_P(FromFirst, LearnedWindows,
                         ::testing::ValuesIn(cells({Windows::from_first_request}, {Reset::epoch_up}, {0ms})), name_of);

TEST(QuotaSimulation, windows_of_any_number_of_seconds_are_used_on_time_from_the_third_on) {
  for (const Duration period : {3s, 4s, 6s, 7s, 11s, 13s})
    for (const std::size_t workers : {1U, 16U})
      for (int start = 0; start < 12; ++start) {
        ServiceSetup service{.windows = Windows::from_first_request, .limit = 50, .period = period};
        ClientSetup client{.workers = workers, .requests = 300, .start = start * 1083ms};
        const auto report = simulate(service, client, static_cast<std::uint64_t>(start + 1));
        EXPECT_EQ(report.served, 300);
        EXPECT_EQ(report.rejected, 0) << period / 1s << " s, start " << start;
        EXPECT_LE(report.worst_late_from(2), 50ms) << period / 1s << " s, start " << start;
      }
}

TEST(QuotaSimulation, aligned_windows_of_any_number_of_seconds_cost_no_rejection) {
  for (const Duration period : {2s, 3s, 4s, 5s, 6s, 7s, 9s, 11s, 12s, 16s, 21s})
    for (const std::int64_t limit : {5, 50})
      for (int start = 0; start < 12; ++start) {
        ServiceSetup service{.limit = limit, .period = period};
        ClientSetup client{.requests = 6 * limit, .start = start * 1083ms};
        const auto report = simulate(service, client, static_cast<std::uint64_t>(start + 1));
        EXPECT_EQ(report.served, 6 * limit);
        EXPECT_EQ(report.rejected, 0) << period / 1s << " s, limit " << limit << ", start " << start;
      }
}

// A reset that is rounded down is wrong once, and tried once more to find the length of the window.

class RoundedDownWindows : public ::testing::TestWithParam<Cell> {};

TEST_P(RoundedDownWindows, cost_two_rejections_and_no_more) {
  for (int start = 0; start < starts; ++start) {
    const auto report = run(GetParam(), start);
    EXPECT_EQ(report.served, 400);
    EXPECT_LE(report.rejected, 2) << "start " << start;
    EXPECT_LE(report.worst_late_from(3), 1s + 50ms) << "start " << start;
  }
}

INSTANTIATE_TEST_SUITE_P(All, RoundedDownWindows,
                         ::testing::ValuesIn(cells({Windows::aligned, Windows::from_first_request},
                                                 {Reset::seconds_down, Reset::epoch_down}, {0ms, 300ms})),
                         name_of);

// A sliding log frees each permit a period after it was spent, whatever reset is reported. The bound is that of eight
// windows: seven periods, and the round trips of the last one. `--gtest_filter='*SlidingLog*'` prints the figures.

struct SlidingCell {
  Reset reset;
  std::size_t workers;
  Duration jitter;
  bool reports_demand;
};

class SlidingLog : public ::testing::TestWithParam<SlidingCell> {};

TEST_P(SlidingLog, is_spent_within_a_tenth_of_the_bound_and_without_a_rejection) {
  const auto& cell = GetParam();
  constexpr int many = 24;
  const Duration exchange = 5ms + cell.jitter / 2;
  const Duration bound = 14s + (49 / static_cast<int>(cell.workers) + 1) * exchange;
  std::vector<double> ratios;
  for (int start = 0; start < many; ++start) {
    ClientSetup client{.workers = cell.workers, .jitter = cell.jitter, .start = 1000ms * start / many + 1ms};
    client.reports_demand = cell.reports_demand;
    const auto report =
        simulate({.windows = Windows::sliding, .reset = cell.reset}, client, static_cast<std::uint64_t>(start + 1));
    EXPECT_EQ(report.served, 400);
    EXPECT_EQ(report.rejected, 0) << "start " << start;
    ratios.push_back(static_cast<double>(report.elapsed.count()) / static_cast<double>(bound.count()));
    EXPECT_LE(ratios.back(), 1.1) << "start " << start;
  }
  std::sort(ratios.begin(), ratios.end());
  std::cout << "median " << ratios[many / 2] << ", worst " << ratios.back() << '\n';
}

std::vector<SlidingCell> sliding_cells() {
  std::vector<SlidingCell> cells;
  for (const auto reset : {Reset::epoch_up, Reset::seconds_up})
    for (const std::size_t workers : {1U, 16U})
      for (const Duration jitter : {0ms, 10ms})
        for (const bool demand : {false, true}) cells.push_back({reset, workers, jitter, demand});
  return cells;
}

std::string sliding_name(const ::testing::TestParamInfo<SlidingCell>& info) {
  return std::string(info.param.reset == Reset::epoch_up ? "epoch" : "delta") + "_x" +
         std::to_string(info.param.workers) + (info.param.jitter > 0ms ? "_jitter" : "") +
         (info.param.reports_demand ? "_demand" : "");
}

INSTANTIATE_TEST_SUITE_P(InWholeSeconds, SlidingLog, ::testing::ValuesIn(sliding_cells()), sliding_name);

// The reported reset frees nothing: what a window used up leaves one by one, after the reset. The bound is that of the
// sliding log.

TEST(QuotaSimulation, a_sliding_log_under_fixed_resets_is_spent_within_a_tenth_of_the_bound_without_a_rejection) {
  for (const std::size_t workers : {1U, 4U, 16U})
    for (const Duration jitter : {Duration(0ms), Duration(10ms)})
      for (const std::int64_t requests : {60, 400}) {
        constexpr int many = 24;
        const Duration exchange = 5ms + jitter / 2;
        const auto workers_now = static_cast<std::int64_t>(workers);
        const Duration bound = 3s * ((requests - 1) / 50) + ((requests - 1) % 50 / workers_now + 1) * exchange;
        double worst = 0;
        std::int64_t rejected = 0;
        for (int start = 0; start < many; ++start) {
          ServiceSetup service{.windows = Windows::sliding_under_resets, .period = 3s, .reset = Reset::seconds_up};
          ClientSetup client{
              .workers = workers, .requests = requests, .jitter = jitter, .start = 1000ms * start / many + 1ms};
          const auto report = simulate(service, client, static_cast<std::uint64_t>(start + 1));
          EXPECT_EQ(report.served, requests);
          rejected = std::max(rejected, report.rejected);
          worst = std::max(worst, static_cast<double>(report.elapsed.count()) / static_cast<double>(bound.count()));
        }
        EXPECT_EQ(rejected, 0) << workers << " workers, jitter " << jitter / 1ms;
        EXPECT_LE(worst, 1.1) << workers << " workers, jitter " << jitter / 1ms << ", " << requests;
      }
}

TEST(QuotaSimulation, a_token_bucket_is_spent_with_many_in_flight_without_a_rejection) {
  for (const auto reset : {Reset::absent, Reset::seconds_up, Reset::milliseconds, Reset::epoch_up})
    for (const bool next : {false, true})
      for (const std::size_t workers : {1U, 4U, 16U})
        for (int start = 0; start < 12; ++start) {
          ServiceSetup service{
              .windows = Windows::bucket, .reset = reset, .retry_after = false, .resets_at_next = next};
          ClientSetup client{.workers = workers, .requests = 200, .jitter = 3ms, .start = 83ms * start + 1ms};
          const auto report = simulate(service, client, static_cast<std::uint64_t>(start + 1));
          EXPECT_EQ(report.served, 200);
          // The resets of whole seconds are those of windows, too: a sliding counter is possible.
          const bool ambiguous = reset == Reset::epoch_up && next && workers > 1;
          EXPECT_LE(report.rejected, ambiguous ? 1 : 0)
              << static_cast<int>(reset) << ' ' << next << ' ' << workers << " workers, start " << start;
          EXPECT_LE(report.elapsed, 6s + 500ms);
        }
}

// A leaky bucket that reports nothing. The bound is that of its rate, from the first hundred requests on.

TEST(QuotaSimulation, an_unreported_leaky_bucket_is_spent_at_its_rate) {
  for (const std::int64_t rate : {1, 3, 10, 25, 80, 200})
    for (const std::int64_t burst : {0, 1, 3, 10, 30, 100})
      for (const Duration jitter : {Duration(0ms), Duration(2ms)}) {
        // One at a time is as fast then: no different from a limit of one in flight.
        if (burst == 0 && rate == 200) continue;
        constexpr std::int64_t unmeasured = 100;
        constexpr std::int64_t requests = 900;
        ServiceSetup service{.windows = Windows::bucket, .limit = rate, .period = 1s, .retry_after = false};
        service.burst = burst + 1;
        service.reports = false;
        ClientSetup client{.workers = 16, .requests = requests, .jitter = jitter, .unmeasured = unmeasured};
        const auto report = simulate(service, client);
        EXPECT_EQ(report.served, requests);
        const double bound = static_cast<double>(requests - unmeasured) / static_cast<double>(rate);
        const double ratio = std::chrono::duration<double>(report.settled).count() / bound;
        EXPECT_LE(ratio, 1.15) << rate << " per second, burst " << burst << ", jitter " << jitter / 1ms;
        EXPECT_LE(report.rejected_settled * 20, requests - unmeasured) << rate << " per second, burst " << burst;
      }
}

TEST(QuotaSimulation, unreported_windows_are_not_taken_for_buckets) {
  for (const Duration period : {1s, 2s})
    for (const std::int64_t limit : {5, 25})
      for (const std::size_t workers : {1U, 16U}) {
        ServiceSetup service{.windows = Windows::unreported, .limit = limit, .period = period, .retry_after = false};
        ClientSetup client{.workers = workers, .requests = limit * 30, .start = 130ms};
        const auto report = simulate(service, client);
        EXPECT_EQ(report.served, limit * 30);
        // What was in flight at the first rejection, and four tries.
        EXPECT_LE(report.rejected, static_cast<std::int64_t>(workers) + 4) << period / 1s << " s, " << limit;
        EXPECT_LE(report.elapsed, period * 29 * 21 / 20) << period / 1s << " s, " << limit;
      }
}

// A wrong guess of a round period costs one rejection, however many calls wait for its result.

TEST(QuotaSimulation, aligned_windows_of_no_usual_length_cost_one_rejection_at_most) {
  for (const Duration period : {Duration(3500ms), Duration(6s), Duration(6500ms), Duration(11s)}) {
    for (int start = 0; start < 12; ++start) {
      ServiceSetup service{.limit = 30, .period = period};
      ClientSetup client{.workers = 16, .requests = 150, .jitter = 10ms, .start = period * start / 12 + start * 83ms};
      EXPECT_LE(simulate(service, client, static_cast<std::uint64_t>(start + 1)).rejected, 1)
          << period / 1ms << " ms, start " << start;
    }
  }
}

// One worker.

TEST(QuotaSimulation, a_reset_that_jitters_by_a_second_costs_two_rejections_at_most) {
  for (int start = 0; start < starts; ++start) {
    const auto report = run({Windows::aligned, Reset::now_plus_rest, 300ms, 0s, 1, 0ms}, start);
    EXPECT_EQ(report.served, 400);
    EXPECT_LE(report.rejected, 2);
  }
}

TEST(QuotaSimulation, headers_missing_on_some_responses_cost_no_rejection_and_in_series_no_permit) {
  ClientSetup client;
  client.bare = 0.2;
  client.start = 1ms;
  const auto report = simulate({}, client);
  EXPECT_EQ(report.served, 400);
  EXPECT_EQ(report.rejected, 0);
  EXPECT_TRUE(used_up(report, 50));
}

TEST(QuotaSimulation, headers_missing_on_some_responses_out_of_order_cost_a_fifth_at_most) {
  ClientSetup client;
  client.workers = 16;
  client.jitter = 20ms;
  client.bare = 0.2;
  const auto report = simulate({}, client);
  EXPECT_EQ(report.served, 400);
  EXPECT_EQ(report.rejected, 0);
  for (std::size_t window = 1; window + 2 < report.used.size(); ++window) EXPECT_GE(report.used[window], 40);
}

TEST(QuotaSimulation, dropped_connections_cost_no_rejection) {
  ClientSetup client;
  client.workers = 16;
  client.jitter = 20ms;
  client.dropped = 0.1;
  EXPECT_EQ(simulate({}, client).rejected, 0);
}

TEST(QuotaSimulation, the_end_of_a_long_window_is_measured_to_within_two_round_trips) {
  ServiceSetup service;
  service.period = 60s;
  service.phase = 17s + 300ms;
  service.limit = 600;
  service.reset = Reset::seconds_up;
  ClientSetup client;
  client.requests = 5000;
  const auto report = simulate(service, client);
  EXPECT_EQ(report.rejected, 0);
  EXPECT_LE(report.worst_late_from(1), 50ms);
}

TEST(QuotaSimulation, impatient_callers_cause_no_rejection_either) {
  ClientSetup client;
  client.patient = false;
  const auto report = simulate({}, client);
  EXPECT_EQ(report.served, 400);
  EXPECT_EQ(report.rejected, 0);
  EXPECT_LE(report.worst_late_from(0), 1s);
}

TEST(QuotaSimulation, without_date_an_absolute_reset_is_waited_for_by_the_local_clock) {
  ServiceSetup service;
  service.date = false;
  service.clock_offset = -3h;  // like the clients' clock
  const auto report = simulate(service, {});
  EXPECT_EQ(report.rejected, 0);
  EXPECT_LE(report.worst_late_from(0), 10ms);
}

TEST(QuotaSimulation, a_server_without_headers_is_not_slowed_down) {
  ServiceSetup service;
  service.windows = Windows::unreported;
  service.limit = 1'000'000;
  ClientSetup client;
  client.workers = 16;
  const auto report = simulate(service, client);
  EXPECT_EQ(report.rejected, 0);
  EXPECT_LE(report.elapsed, 5ms + 25 * 5ms);  // one request first, then sixteen at a time
}

TEST(QuotaSimulation, a_server_that_only_rejects_is_obeyed_and_the_work_gets_done) {
  ServiceSetup service;
  service.windows = Windows::unreported;
  ClientSetup client;
  client.workers = 16;
  const auto report = simulate(service, client);
  EXPECT_EQ(report.served, 400);
  EXPECT_LE(report.rejected, 16 * 8);
}

TEST(QuotaSimulation, a_server_that_blocks_after_each_rejection_is_not_kept_blocked) {
  ServiceSetup service;
  service.windows = Windows::unreported;
  service.retry_after = false;
  service.blocks_for = 3s;
  const auto report = simulate(service, {});
  EXPECT_EQ(report.served, 400);
  EXPECT_LE(report.rejected, 3 * 8);  // probes after 1, 2 and 4 s
}

TEST(QuotaSimulation, a_server_that_blocks_for_longer_than_its_windows_is_not_kept_blocked) {
  for (const auto reset : {Reset::epoch_down, Reset::seconds_down, Reset::now_plus_rest, Reset::milliseconds})
    for (const std::size_t workers : {1U, 16U}) {
      ServiceSetup service{.phase = 300ms, .reset = reset, .retry_after = false, .blocks_for = 5s};
      ClientSetup client{.workers = workers, .dropped = 0.02};
      const auto report = simulate(service, client);
      EXPECT_EQ(report.served, 400) << static_cast<int>(reset) << ' ' << workers;
      EXPECT_LE(report.rejected, 5 * 4) << static_cast<int>(reset) << ' ' << workers;
    }
}

TEST(QuotaSimulation, a_limit_of_one_is_spent_in_each_window) {
  ServiceSetup service;
  service.limit = 1;
  ClientSetup client;
  client.requests = 10;
  client.workers = 4;
  const auto report = simulate(service, client);
  EXPECT_EQ(report.served, 10);
  EXPECT_EQ(report.rejected, 0);
  EXPECT_EQ(report.used.size(), 10U);
}

TEST(QuotaSimulation, responses_recorded_late_and_in_any_order_never_admit_more_than_allowed) {
  for (const auto windows : {Windows::aligned, Windows::from_first_request})
    for (const auto reset : {Reset::epoch_up, Reset::seconds_up, Reset::epoch_milliseconds})
      for (const std::size_t workers : {1U, 4U, 16U})
        for (std::uint64_t seed = 1; seed <= 12; ++seed) {
          ServiceSetup service;
          service.windows = windows;
          service.reset = reset;
          service.period = 5s;
          ClientSetup client;
          client.workers = workers;
          client.jitter = 20ms;
          client.start = 137ms * static_cast<int>(seed);
          client.recorded_late = 1s;
          const auto report = simulate(service, client, seed);
          EXPECT_EQ(report.served, 400);
          // In the first second of an aligned window, a window that opened with the first request is possible too.
          const bool ambiguous = windows == Windows::aligned && reset != Reset::seconds_up;
          EXPECT_LE(report.rejected, ambiguous ? 1 : 0)
              << static_cast<int>(windows) << ' ' << static_cast<int>(reset) << ' ' << workers << ' ' << seed;
        }
}

TEST(QuotaSimulation, no_call_of_200_on_16_permits_waits_much_longer_than_in_a_fair_order) {
  ServiceSetup service;
  service.windows = Windows::unreported;
  service.limit = 1'000'000;
  ClientSetup client;
  client.workers = 200;
  client.requests = 4'000;
  const auto report = simulate(service, client);
  EXPECT_EQ(report.rejected, 0);
  // 200 calls on 16 permits of 5 ms each: 12.5 rounds.
  EXPECT_GE(report.longest_wait, 55ms);
  EXPECT_LE(report.longest_wait, 2 * 62500us);
}

}  // namespace quota_simulation_test
}  // namespace quota_tests
