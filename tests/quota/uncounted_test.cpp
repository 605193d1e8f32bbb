// Responses to requests that the server does not count, as a 304 of some servers: the permit is given back.
#include <gtest/gtest.h>

#include <vector>

#include "quota/quota_bench.hpp"

namespace quota_tests { namespace uncounted_test {

Report uncounted(Report report) {
  report.counted = false;
  return report;
}

class Uncounted : public ::testing::Test {
 protected:
  QuotaBench bench;

  void admit(int requests) {
    for (int i = 0; i < requests; ++i) bench.go();
  }
};

TEST_F(Uncounted, responses_give_their_permits_back) {
  bench.exchange(reported(3, 60s));
  for (int i = 0; i < 50; ++i) bench.exchange(uncounted(reported(3, 60s)));
  EXPECT_EQ(bench.remaining(), 3);
  EXPECT_EQ(bench.snapshot().foreign, 0U);
  admit(3);
  EXPECT_EQ(bench.hold(), "concurrency 1000");
}

TEST_F(Uncounted, a_request_holds_its_permit_until_its_response) {
  bench.exchange(reported(1, 60s));
  const auto request = bench.go();
  EXPECT_EQ(bench.hold(), "concurrency 1000");
  bench.respond(request, uncounted(bare()));
  EXPECT_EQ(bench.hold(), "admitted");
}

TEST_F(Uncounted, what_remains_is_believed_all_the_same) {
  bench.exchange(reported(10, 60s));
  bench.exchange(uncounted(reported(1, 60s)));
  EXPECT_EQ(bench.remaining(), 1);
  EXPECT_EQ(bench.snapshot().foreign, 9U);
  bench.exchange(uncounted(reported(0, 60s)));
  EXPECT_EQ(bench.hold(), "quota 60000");
}

TEST_F(Uncounted, a_server_that_counts_them_does_not_make_the_route_seem_costly) {
  std::int64_t left = 100;
  bench.exchange(reported(--left, 60s));
  for (int i = 0; i < 10; ++i) {
    bench.exchange(uncounted(reported(--left, 60s)));
    bench.exchange(reported(--left, 60s));
  }
  EXPECT_EQ(bench.partition.cost_of(0), 1);
  EXPECT_EQ(bench.remaining(), left);
}

TEST_F(Uncounted, a_response_opens_the_window_that_it_reports) {
  bench.exchange(reported(0, 5s));
  bench.now = 6s;
  bench.exchange(uncounted(reported(100, 60s)));
  admit(100);
  EXPECT_EQ(bench.hold(), "concurrency 1000");
}

TEST_F(Uncounted, one_in_flight_at_the_reset_does_not_make_the_probe_seem_older) {
  bench.exchange(reported(2, 5s));
  const auto early = bench.go();
  bench.exchange(reported(1, 5s));
  EXPECT_EQ(bench.hold(), "concurrency 1000");
  bench.now = 5s;
  const auto probe = bench.go();
  bench.respond(early, uncounted(bare()));
  bench.respond(probe, reported(99, 60s));
  EXPECT_EQ(bench.hold(), "admitted");
}

TEST_F(Uncounted, a_response_without_a_report_does_not_end_a_hold) {
  bench.exchange(bare());
  bench.exchange(rejected());
  bench.now = 1100ms;
  const auto probe = bench.go();
  EXPECT_EQ(bench.hold().substr(0, 5), "probe");
  bench.respond(probe, uncounted(bare()));
  const auto next = bench.go();
  EXPECT_EQ(bench.hold().substr(0, 5), "probe") << "still one at a time";
  bench.respond(next, bare());
  EXPECT_EQ(bench.hold(), "admitted");
}

TEST_F(Uncounted, permits_of_a_token_bucket_are_given_back) {
  refill_three_each_second(bench);
  const auto left = bench.remaining();
  for (int i = 0; i < 50; ++i) bench.exchange(uncounted(reported(*left, 20s)));
  EXPECT_EQ(bench.remaining(), left);
}

/// A window of a hundred, and four uncounted requests for each counted one, ten in flight at a time.
TEST_F(Uncounted, requests_delay_no_counted_one) {
  std::int64_t left = 100;
  bench.exchange(uncounted(reported(left, 60s)));
  for (int sent = 0; left > 10;) {
    std::vector<BenchRequest> flying;
    for (int i = 0; i < 10; ++i) flying.push_back(bench.go());
    bench.now += 1ms;
    for (const auto& request : flying) {
      const bool counted = sent++ % 5 == 0;
      if (counted) --left;
      const auto report = reported(left, 60s - bench.now);
      bench.respond(request, counted ? report : uncounted(report));
    }
  }
  for (; left > 0; --left) bench.exchange(reported(left - 1, 60s - bench.now));
  EXPECT_EQ(bench.snapshot().rejected, 0U);
  EXPECT_EQ(bench.snapshot().foreign, 0U);
  EXPECT_LT(bench.now, 1s);
  EXPECT_EQ(bench.hold().substr(0, 5), "quota");
}

}  // namespace uncounted_test
}  // namespace quota_tests
