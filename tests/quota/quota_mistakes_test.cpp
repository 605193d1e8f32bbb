// Common mistakes of clients of rate-limited APIs. Each test is named after the mistake that it prevents.
#include <gtest/gtest.h>

#include "quota/gate.hpp"
#include "quota/quota_bench.hpp"
#include "quota/quota_simulation.hpp"

namespace quota_tests { namespace quota_mistakes_test {

using noun::quota::Gate;
using noun::quota::Hold;
using noun::quota::Permit;

TEST(QuotaMistakes, delaying_only_the_rejected_job_while_the_queue_keeps_being_rejected) {
  QuotaBench bench;
  bench.exchange(bare());
  bench.respond(bench.go(), rejected_for(5s));
  EXPECT_EQ(bench.hold(), "rejected 5000");
  EXPECT_EQ(bench.hold(noun::Priority::interactive), "rejected 5000");
}

TEST(QuotaMistakes, sleeping_on_an_implausible_reset) {
  QuotaBench bench;
  Report report = reported(0);
  report.implausible_reset = true;
  EXPECT_EQ(bench.exchange(report), noun::quota::QuotaNote::implausible_reset);
  EXPECT_EQ(bench.hold(), "quota 1000");
}

TEST(QuotaMistakes, the_clients_clock_instead_of_date) {
  QuotaBench bench;  // the client's clock is a day slow
  Report report = reported(0);
  report.reset = noun::wire::ResetReading{.in = {}, .at = WallTime(server_epoch + 60s)};
  report.date = server_epoch;
  EXPECT_EQ(bench.exchange(report), noun::quota::QuotaNote::none);
  EXPECT_EQ(bench.hold(), "quota 60000");
}

TEST(QuotaMistakes, reading_by_the_clients_clock_without_reporting_it) {
  QuotaBench bench;
  Report report = reported(50);
  report.reset = noun::wire::ResetReading{.in = {}, .at = WallTime(server_epoch - 24h + 60s)};
  EXPECT_EQ(bench.exchange(report), noun::quota::QuotaNote::no_date);
  EXPECT_EQ(bench.exchange(report), noun::quota::QuotaNote::none);  // reported only once
  EXPECT_EQ(bench.snapshot(0s).resets_in, 60s);
}

TEST(QuotaMistakes, waking_a_second_early) {
  QuotaBench bench;
  Report report = reported(0);
  report.reset = noun::wire::ResetReading{.in = {}, .at = WallTime(server_epoch + 60s)};
  report.date = server_epoch;
  const auto request = bench.go();
  bench.now = 300ms;  // Date is 0 s; the server's clock may be up to 0.99 s later
  bench.respond(request, report);
  EXPECT_EQ(bench.hold(), "quota 60000");
}

TEST(QuotaMistakes, waking_all_at_once) {
  QuotaBench bench;
  bench.exchange(reported(0, 5s));
  bench.now = 5s;
  bench.go();
  EXPECT_EQ(bench.hold(), "probe 1000");
  EXPECT_EQ(bench.hold(noun::Priority::interactive), "probe 1000");
}

TEST(QuotaMistakes, sleeping_ten_minutes_with_3375_of_5000_left) {
  QuotaBench bench;
  bench.exchange(reported(3375, 600s));
  EXPECT_EQ(bench.hold(), "admitted");
  bench.exchange(rejected(reported(3374, 600s)));  // so another limit rejected it
  EXPECT_EQ(bench.hold(), "rejected 1000");
  bench.now = 1s;
  bench.exchange(rejected());
  EXPECT_EQ(bench.hold(), "rejected 2000");
}

TEST(QuotaMistakes, waking_before_a_reset_that_is_near_since_permits_were_left) {
  QuotaBench bench;
  bench.exchange(rejected(reported(3374, 30s)));
  EXPECT_EQ(bench.hold(), "rejected 30000");
}

TEST(QuotaMistakes, a_late_response_raises_remaining_again) {
  QuotaBench bench;
  bench.exchange(reported(10, 60s));
  const auto late = bench.go();
  bench.exchange(reported(5, 60s));
  bench.respond(late, reported(9, 60s));
  EXPECT_EQ(bench.remaining(), 5);
}

TEST(QuotaMistakes, a_missing_header_erases_what_was_known) {
  QuotaBench bench;
  bench.exchange(reported(10, 60s));
  bench.exchange(bare());
  EXPECT_EQ(bench.remaining(), 9);
  bench.exchange(reported(8, 60s));
  EXPECT_EQ(bench.remaining(), 8);
}

TEST(QuotaMistakes, taking_two_thirds_of_a_second_for_none) {
  QuotaBench bench;
  bench.exchange(reported(0, 650ms));
  EXPECT_EQ(bench.hold(), "quota 650");
}

TEST(QuotaMistakes, a_retry_after_of_484289_hours_shortened) {
  QuotaBench bench;
  bench.exchange(rejected_for(484'289h));
  EXPECT_EQ(bench.acquire().until, bench_begin + 484'289h);
  QuotaBench endless;
  endless.exchange(rejected_for(Duration::max()));
  EXPECT_EQ(endless.acquire().until, Instant::max());
}

TEST(QuotaMistakes, responses_that_cannot_be_recorded_while_others_wait) {
  const auto gate = std::make_shared<Gate>();
  auto first = gate->acquire(bench_now(0s), {});
  const auto held = gate->acquire(bench_now(0s), {});
  const auto& hold = std::get<Hold>(held);
  gate->record(std::get<Permit>(std::move(first)), bench_now(1ms), reported(10, 5s));
  EXPECT_TRUE(hold.place.ticket().overtaken());
}

TEST(QuotaMistakes, one_queue_for_unrelated_quotas) {
  const auto ledger = noun::make_quota_ledger();
  const auto first = ledger->gate("https://a.example", "me");
  const auto second = ledger->gate("https://b.example", "me");
  auto permit = first->acquire(bench_now(0s), {});
  first->record(std::get<Permit>(std::move(permit)), bench_now(0s), rejected_for(60s));
  EXPECT_TRUE(std::holds_alternative<Permit>(second->acquire(bench_now(0s), {})));
}

TEST(QuotaMistakes, errors_headers_dropped_so_that_the_limiter_sticks) {
  QuotaBench bench;
  bench.exchange(bare());
  bench.exchange(rejected(reported(0, 3s)));
  EXPECT_EQ(bench.hold(), "rejected 3000");
  bench.now = 3s;
  bench.exchange(reported(99, 60s));
  EXPECT_EQ(bench.remaining(), 99);
  EXPECT_EQ(bench.hold(), "admitted");
}

TEST(QuotaMistakes, a_silent_wait_that_looks_like_a_hang) {
  QuotaBench bench;
  bench.exchange(reported(0, 5s));
  const auto decision = bench.acquire();
  EXPECT_EQ(decision.reason, WaitReason::quota);
  EXPECT_EQ(decision.until, bench_begin + 5s);
}

TEST(QuotaMistakes, repeating_a_guess_that_was_rejected) {
  ServiceSetup service;
  service.reset = Reset::seconds_down;
  const auto report = simulate(service, {});
  EXPECT_EQ(report.served, 400);
  EXPECT_LE(report.rejected, 1);
}

/// The value of a header's text.
Report read(const noun::Headers& headers, bool is_rejected = false, noun::ResetForm form = {}) {
  noun::Dialect dialect;
  dialect.quotas[0].reset_form = form;
  Report report{noun::wire::read_rate_limit(headers, dialect, WallTime(server_epoch))};
  if (is_rejected) report.outcome = noun::quota::Outcome::rejected;
  return report;
}

TEST(QuotaMistakes, reading_an_epoch_as_a_delta) {
  for (const auto form : {noun::ResetForm::automatic, noun::ResetForm::delta_seconds}) {
    QuotaBench bench;
    bench.exchange(read({{"Date", "Tue, 14 Nov 2023 22:13:20 GMT"},
                         {"X-RateLimit-Limit", 100},
                         {"X-RateLimit-Remaining", 0},
                         {"X-RateLimit-Reset", 1'700'000'060}},
                        false, form));
    const auto held = bench.acquire();
    EXPECT_LE(held.until, bench_begin + 60s) << "and not 55 years";
  }
}

TEST(QuotaMistakes, reading_a_delta_as_an_epoch) {
  QuotaBench bench;
  bench.exchange(read({{"Date", "Tue, 14 Nov 2023 22:13:20 GMT"},
                       {"X-RateLimit-Limit", 100},
                       {"X-RateLimit-Remaining", 0},
                       {"X-RateLimit-Reset", 60}}));
  EXPECT_EQ(bench.hold(), "quota 60000") << "and not at once, since 1970 is long past";
}

TEST(QuotaMistakes, parsing_0_65_seconds_as_0) {
  QuotaBench bench;
  bench.exchange(bare());
  bench.exchange(read({{"Retry-After", "0.65"}}, true));
  EXPECT_EQ(bench.hold(), "rejected 650");
}

TEST(QuotaMistakes, one_queue_for_unrelated_partitions) {
  const auto gate = std::make_shared<Gate>();
  const auto exchange = [&](noun::quota::RouteKey route, std::string partition, Report report) {
    auto acquired = gate->acquire(bench_now(0s), {}, {.route = route});
    report.partition = std::move(partition);
    gate->record(std::get<Permit>(std::move(acquired)), bench_now(0s), report);
  };
  constexpr auto core = noun::quota::route_below(0, "repos");
  constexpr auto search = noun::quota::route_below(0, "search");
  exchange(core, "core", reported(10, 1h));
  exchange(search, "search", reported(0, 1min));
  EXPECT_TRUE(std::holds_alternative<Permit>(gate->acquire(bench_now(0s), {}, {.route = core})));
  EXPECT_TRUE(std::holds_alternative<Hold>(gate->acquire(bench_now(0s), {}, {.route = search})));
}

}  // namespace quota_mistakes_test
}  // namespace quota_tests
