// Several policies for the same requests: a request needs a permit of each, and each is read separately.
#include "quota/partition.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <random>

#include "quota/quota_bench.hpp"

namespace quota_tests { namespace partition_test {

class Policies : public ::testing::Test {
 protected:
  QuotaBench bench;

  QuotaBench::Acquired acquire() { return bench.acquire(noun::quota::Ask{}); }
  void exchange(const Report& report) { bench.exchange(report); }
  std::vector<std::int64_t> left() const {
    std::vector<std::int64_t> left;
    for (const auto& one : bench.partition.snapshots(bench_begin + bench.now))
      left.push_back(one.remaining.value_or(-1));
    return left;
  }
};

TEST_F(Policies, a_request_needs_a_permit_of_each) {
  auto report = reported(10, 1s);
  report.more = {further("day", 2, 90s)};
  exchange(report);
  exchange(bare());
  exchange(bare());
  const auto held = acquire();
  EXPECT_FALSE(held.admitted);
  EXPECT_EQ(held.until, bench_begin + 90s);
  EXPECT_EQ(held.reason, WaitReason::quota);
}

TEST_F(Policies, a_guess_of_one_is_refuted_by_a_rejection_that_reports_only_others_with_permits_left) {
  for (std::int64_t left = 19; left >= 0; --left, bench.now += 1ms) {
    auto report = reported(80 + left, 1h);
    auto burst = further("burst", left, 1min - bench.now);
    burst.limit = 20;
    burst.window = 10s;
    report.more = {burst};
    exchange(report);
  }
  bench.now = 10100ms;
  const auto guess = bench.go();
  ASSERT_NE(guess.sending.more.at(0).second.guesses, 0);
  bench.respond(guess, rejected(reported(79, 1h)));
  bench.now += 5s;
  EXPECT_EQ(bench.hold(), "rejected 44900") << "it is not tried again before the reset";
}

TEST_F(Policies, the_first_may_bind_too) {
  auto report = reported(0, 5s);
  report.more = {further("day", 200, 90s)};
  exchange(report);
  EXPECT_EQ(acquire().until, bench_begin + 5s);
}

TEST_F(Policies, the_longer_of_two_holds_counts) {
  auto report = reported(0, 5s);
  report.more = {further("day", 0, 90s), further("hour", 0, 1min)};
  exchange(report);
  EXPECT_EQ(acquire().until, bench_begin + 90s);
}

TEST_F(Policies, if_one_denies_a_permit_the_others_take_none) {
  auto report = reported(10, 5s);
  report.more = {further("day", 0, 90s)};
  exchange(report);
  EXPECT_FALSE(acquire().admitted);
  EXPECT_EQ(left(), (std::vector<std::int64_t>{10, 0}));
}

TEST_F(Policies, are_identified_by_name_in_any_order) {
  auto report = reported(10, 5s);
  report.more = {further("hour", 20, 1min), further("day", 30, 90s)};
  exchange(report);
  report.more = {further("day", 29, 90s), further("hour", 19, 1min)};
  report.remaining = 9;
  exchange(report);
  EXPECT_EQ(left(), (std::vector<std::int64_t>{9, 29, 19})) << "the first, then by name";
}

TEST_F(Policies, one_that_is_missing_in_a_response_still_counts) {
  auto report = reported(10, 5s);
  report.more = {further("day", 5, 90s)};
  exchange(report);
  exchange(reported(9, 5s));
  EXPECT_EQ(left(), (std::vector<std::int64_t>{9, 4}));
}

TEST_F(Policies, a_rejection_is_attributed_to_the_one_that_is_used_up) {
  auto report = rejected_for(30s, reported(10, 5s));
  report.more = {further("day", 0, 90s)};
  exchange(bare());
  exchange(report);
  const auto held = acquire();
  EXPECT_EQ(held.until, bench_begin + 30s);
  const auto snapshots = bench.partition.snapshots(bench_begin);
  EXPECT_EQ(snapshots[0].rejected, 0U);
  EXPECT_EQ(snapshots[1].rejected, 1U);
  EXPECT_EQ(snapshots[0].remaining, 10);
}

TEST_F(Policies, a_rejection_is_attributed_to_the_first_if_none_is_used_up) {
  auto report = rejected_for(30s, reported(10, 5s));
  report.more = {further("day", 500, 90s)};
  exchange(bare());
  exchange(report);
  EXPECT_EQ(bench.partition.snapshots(bench_begin)[0].rejected, 1U);
  EXPECT_EQ(acquire().until, bench_begin + 30s);
}

TEST_F(Policies, a_first_one_without_a_report_limits_nothing) {
  Report report;
  report.more = {further("day", 500, 90s)};
  exchange(report);
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(acquire().admitted) << i;
}

TEST_F(Policies, are_as_many_as_a_response_can_report) {
  auto report = reported(10, 5s);
  for (int i = 0; i < 16; ++i) report.more.push_back(further("p" + std::to_string(i), i == 15 ? 0 : 500, 90s));
  exchange(rejected(report));
  EXPECT_EQ(acquire().until, bench_begin + 90s);
  std::vector<AlignedLimit> limits{{"p9", 5, 4s}};
  for (int i = 8; i > 0; --i) limits.insert(limits.begin(), {"p" + std::to_string(i), 900, 60s});
  EXPECT_EQ(run_serially(limits, 55).rejected, 0);
}

TEST_F(Policies, of_the_same_name_are_the_stricter_one) {
  const auto run = run_serially({{"default", 1000, 60s}, {"default", 5, 2s}}, 70);
  EXPECT_EQ(run.rejected, 0);
  EXPECT_LT(run.elapsed, 40s);
}

TEST_F(Policies, a_rejection_is_attributed_to_the_first_if_there_are_too_many) {
  for (int i = 0; i < 100; ++i) {
    auto report = reported(10, 5s);
    report.more = {further("policy-" + std::to_string(i), 500, 90s)};
    exchange(report);
  }
  auto report = rejected_for(30s, reported(10, 5s));
  report.more = {further("another", 0, 90s)};
  exchange(report);
  EXPECT_EQ(acquire().until, bench_begin + 30s);
}

TEST_F(Policies, new_names_in_every_response_do_not_fill_memory) {
  for (int i = 0; i < 100; ++i) {
    Report report;
    report.more = {further("policy-" + std::to_string(i), 500, 90s)};
    exchange(report);
  }
  EXPECT_EQ(left().size(), 17U);
}

TEST_F(Policies, the_one_that_binds_first_is_shown) {
  auto report = reported(10, 5s);
  report.more = {further("day", 3, 90s)};
  exchange(report);
  const auto [reading, name] = bench.partition.reading(bench_begin);
  EXPECT_EQ(name, "day");
  EXPECT_EQ(reading.remaining, 3);
  EXPECT_EQ(reading.resets_in, 90s);
}

TEST_F(Policies, a_forecast_waits_for_the_slowest) {
  auto report = reported(10, 5s);
  report.more = {further("day", 30, 90s)};
  exchange(report);
  EXPECT_EQ(bench.partition.forecast(bench_begin, 10, 0, 0).wait, 0s);
  EXPECT_EQ(bench.partition.forecast(bench_begin, 20, 0, 0).wait, 5s);
  EXPECT_EQ(bench.partition.forecast(bench_begin, 31, 0, 0).wait, 90s);
  EXPECT_EQ(bench.partition.forecast(bench_begin, 10, 1, 0).wait, 5s) << "the reserve is not for it";
}

TEST_F(Policies, a_request_that_another_policy_denies_does_not_prove_a_guess) {
  for (const int denied : {0, 20}) {
    SCOPED_TRACE(denied);
    QuotaBench tried;
    spend_with_denied(tried, denied);
    tried.now = 10100ms;
    const auto guess = tried.go();
    tried.now += 1ms;
    tried.respond(guess, bare());
    tried.now = 11200ms;
    tried.go();
    EXPECT_EQ(tried.hold(), "probe 1000") << "one request at a time tries an unproven guess";
  }
}

TEST_F(Policies, a_guess_is_not_tried_where_others_may_try_it_at_the_same_time) {
  QuotaBench tried;
  spend_with_denied(tried, 0);
  tried.now = 10100ms;
  const auto now = bench_begin + tried.now;
  EXPECT_TRUE(tried.partition.decide(now, tried.policy, {}).admitted);
  EXPECT_FALSE(tried.partition.decide(now, tried.policy, {}, {.may_guess = false}).admitted);
}

TEST_F(Policies, a_guess_is_left_to_the_call_ahead) {
  QuotaBench tried;
  spend_with_denied(tried, 0);
  tried.now = 10500ms;
  const auto now = bench_begin + tried.now;
  EXPECT_TRUE(tried.partition.decide(now, tried.policy, {}).admitted);
  const auto behind = tried.partition.decide(now, tried.policy, {}, {.ahead = {1, 1}});
  EXPECT_FALSE(behind.admitted);
  EXPECT_EQ(behind.reason, WaitReason::probe);
}

TEST_F(Policies, deciding_changes_nothing) {
  auto report = reported(10, 5s);
  report.more = {further("day", 0, 90s)};
  exchange(report);
  const auto bytes = [&] {
    noun::wire::StateWriter writer(bench_begin);
    writer(bench.partition);
    return writer.take();
  };
  const auto before = bytes();
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(bench.partition.decide(bench_begin + 1s, {}, {}).admitted);
  EXPECT_EQ(bytes(), before);
}

/// The size of the state of a partition after many responses, of which each has so many further policies.
std::size_t size_with(int policies, unsigned seed) {
  QuotaBench bench;
  std::mt19937_64 random(seed);
  const auto below = [&](std::uint64_t end) { return static_cast<std::int64_t>(random() % end); };
  bench.policy.in_flight_unknown = 1000;
  std::vector<BenchRequest> requests;
  for (int i = 0; i < 20'000; ++i) {
    bench.now += std::chrono::microseconds(below(30'000'000));
    if (auto acquired = bench.acquire({.route = random() % 300}); acquired.admitted)
      requests.push_back({acquired.sending});
    if (requests.empty() || below(3) == 0) continue;
    const auto which = below(requests.size());
    Report report = dropped();
    if (below(10) != 0) {
      const auto remaining = below(9000);
      report = reported(remaining, std::chrono::milliseconds(below(3'600'000)));
    }
    report.limit = 9000;
    report.date = server_epoch + std::chrono::floor<std::chrono::seconds>(bench.now);
    for (int policy = 0; policy < policies; ++policy) {
      const auto remaining = below(1000);
      report.more.push_back(further(std::string(64, static_cast<char>('a' + policy)), remaining,
                                    std::chrono::milliseconds(below(3'600'000))));
    }
    bench.respond(requests[static_cast<std::size_t>(which)], report);
    requests.erase(requests.begin() + which);
  }
  noun::wire::StateWriter writer(bench_begin + bench.now);
  writer(bench.partition);
  return writer.take().size();
}

TEST_F(Policies, fit_into_8_KiB_whatever_the_server_reports) {
  for (const auto seed : {7U, 8U, 9U}) {
    const auto of_eight = size_with(7, seed);
    EXPECT_LE(of_eight, 8U * 1024) << seed;
    EXPECT_GT(of_eight, 6U * 1024) << seed << ": else this is no worst case";
  }
  EXPECT_LE(size_with(16, 7), 16U * 1024);
}

// 503 without a reason.

class Unavailable : public ::testing::Test {
 protected:
  QuotaBench bench;
  Report unavailable{{}, noun::quota::Outcome::unavailable, false};

  /// Sends so many at a time. Returns whether the last one is treated as a rejection.
  bool reject(int requests) {
    std::vector<BenchRequest> sent;
    for (int i = 0; i < requests; ++i) sent.push_back(bench.go());
    bool taken = false;
    for (const auto& one : sent) {
      taken = bench.partition.takes_as_rejection(one.sending, bench_now(bench.now), unavailable);
      Report report = unavailable;
      if (taken) report.outcome = noun::quota::Outcome::rejected;
      bench.respond(one, report);
    }
    return taken;
  }
  void succeed() {
    const auto sent = bench.go();
    EXPECT_FALSE(bench.partition.takes_as_rejection(sent.sending, bench_now(bench.now), bare()));
    bench.respond(sent, bare());
  }
};

TEST_F(Unavailable, is_a_fault_before_the_first_success) { EXPECT_FALSE(reject(1)); }

TEST_F(Unavailable, is_a_rejection_if_three_arrive_at_a_time_and_others_are_served) {
  succeed();
  EXPECT_FALSE(reject(1));
  bench.now = 1s;
  EXPECT_FALSE(reject(2)) << "two may be faults";
  bench.now = 2s;
  EXPECT_TRUE(reject(4));
  EXPECT_EQ(bench.hold(), "rejected 1000");
}

TEST_F(Unavailable, is_an_outage_after_three_holds_without_a_success) {
  succeed();
  EXPECT_TRUE(reject(4));
  for (const auto hold : {1s, 2s}) {
    bench.now += hold;
    EXPECT_TRUE(reject(1)) << "a limit is known, or is being searched";
  }
  bench.now += 4s;
  EXPECT_FALSE(reject(1));
}

// Retry-After on a success.

Report reported_exactly(std::int64_t remaining, Duration resets_in, Duration retry_after) {
  Report report = reported(remaining, resets_in);
  report.retry_after = retry_after;
  return report;
}

TEST(RetryAfterOnSuccess, a_fractional_retry_after_on_a_success_is_the_exact_reset) {
  QuotaBench bench;
  bench.exchange(reported_exactly(1, 3s, 2s));
  EXPECT_EQ(bench.partition.reading(bench_begin).first.resets_in, 3s) << "whole seconds may be rounded";
  bench.exchange(reported_exactly(0, 3s, 2973ms));
  EXPECT_EQ(bench.partition.reading(bench_begin).first.resets_in, 2973ms);
}

TEST(RetryAfterOnSuccess, is_exact_even_if_the_epoch_was_rounded_up_to_the_next_second) {
  QuotaBench bench;
  const auto exchange = [&](std::int64_t remaining, Duration retry_after) {
    Report report;
    report.limit = 17;
    report.remaining = remaining;
    report.date = server_epoch;
    report.reset = noun::wire::ResetReading{.in = {}, .at = WallTime(server_epoch) + 2s};
    report.retry_after = retry_after;
    bench.exchange(report);
  };
  exchange(16, 1s);
  exchange(15, 994ms);
  EXPECT_EQ(bench.partition.reading(bench_begin).first.resets_in, 994ms);
}

TEST(RetryAfterOnSuccess, a_retry_after_that_contradicts_the_reset_does_not_replace_it) {
  QuotaBench bench;
  bench.exchange(reported_exactly(0, 60s, 2973ms));
  EXPECT_EQ(bench.partition.reading(bench_begin).first.resets_in, 60s);
}

}  // namespace partition_test
}  // namespace quota_tests
