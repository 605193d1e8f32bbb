// Tests of the interval between two GETs of one URL that a response reports.
#include <fmt/format.h>

#include "call/call_fixture.hpp"

namespace call_test { namespace call_poll_test {

const noun::Headers every_minute = {{"X-Poll-Interval", "60"}};

struct PollBench : CallBench {
  PollBench() { context.dialect.poll_interval_header = "X-Poll-Interval"; }
};

TEST(CallPoll, the_next_get_waits_for_the_interval) {
  PollBench bench;
  EXPECT_TRUE(bench.begin().respond(200, every_minute).succeeded());
  EXPECT_EQ(bench.pass(20s).begin().outcome(), "waits 40 s (retry_after)");
  EXPECT_TRUE(bench.wake(10s).waits_now());
  EXPECT_TRUE(bench.wake(30s).sends());
  EXPECT_TRUE(bench.respond(200).succeeded());
  EXPECT_EQ(bench.begin().outcome(), "waits 60 s (retry_after)") << "without one the last stays";
}

TEST(CallPoll, of_two_that_wait_the_second_waits_an_interval_longer) {
  PollBench bench;
  EXPECT_TRUE(bench.begin().respond(200, every_minute).succeeded());
  PollBench second;
  second.context.polls = bench.context.polls;
  bench.begin();
  second.begin();
  EXPECT_TRUE(bench.wake().sends());
  EXPECT_EQ(second.wake().outcome(), "waits 60 s (retry_after)");
}

TEST(CallPoll, another_url_or_method_or_dialect_does_not_wait) {
  PollBench bench;
  EXPECT_TRUE(bench.begin().respond(200, every_minute).succeeded());
  bench.request.url += "?page=2";
  EXPECT_TRUE(bench.begin().sends());
  PollBench head;
  head.request.method = Method::head;
  EXPECT_TRUE(head.begin().respond(200, every_minute).succeeded());
  EXPECT_TRUE(head.begin().sends());
  CallBench plain;
  EXPECT_TRUE(plain.begin().respond(200, every_minute).succeeded());
  EXPECT_TRUE(plain.begin().sends());
}

TEST(CallPoll, the_attempts_of_a_call_do_not_wait) {
  PollBench bench;
  EXPECT_EQ(bench.begin().respond(503, every_minute).outcome(), "waits 1 s (backoff)");
  EXPECT_TRUE(bench.wake().sends());
  EXPECT_TRUE(bench.respond(200).succeeded());
  EXPECT_EQ(bench.begin().outcome(), "waits 59 s (retry_after)");
}

TEST(CallPoll, a_wait_that_may_not_be_is_an_error_at_once) {
  PollBench bench;
  EXPECT_TRUE(bench.begin().respond(200, every_minute).succeeded());
  EXPECT_EQ(bench.deadline_in(30s).begin().outcome(),
            "fails: rate_limited (time), sent no, 0 attempts in 0 s, again in 60 s");
  bench.request.deadline = noun::Instant::max();
  bench.context.quota.when_exhausted = noun::WhenExhausted::fail;
  EXPECT_EQ(bench.begin().outcome(), "fails: rate_limited (time), sent no, 0 attempts in 0 s, again in 60 s");
}

TEST(CallPoll, an_interval_that_cannot_be_right_is_none) {
  for (const auto* text : {"", "0", "-60", "x", "60 s", "1.5", "86401", "99999999999999999999"}) {
    PollBench bench;
    EXPECT_TRUE(bench.begin().respond(200, {{"X-Poll-Interval", text}}).succeeded());
    EXPECT_TRUE(bench.begin().sends()) << text;
  }
}

TEST(CallPoll, remembers_256_urls_and_forgets_those_that_are_not_requested) {
  PollBench bench;
  const auto url = bench.request.url;
  for (int i = 0; i <= 256; ++i) {
    bench.request.url = fmt::format("{}?page={}", url, i);
    EXPECT_TRUE(bench.begin().respond(200, every_minute).succeeded());
  }
  EXPECT_TRUE(bench.begin().sends());
  bench.request.url = url + "?page=255";
  EXPECT_FALSE(bench.begin().sends());
  bench.pass(120s);
  bench.request.url = url;
  EXPECT_TRUE(bench.begin().respond(200, every_minute).succeeded());
  EXPECT_FALSE(bench.begin().sends());
}

}}  // namespace call_test::call_poll_test
