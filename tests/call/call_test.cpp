// One call from its begin to its end: what is sent, what is a success, and what the observer sees.
#include "call/call_fixture.hpp"

namespace call_test {
namespace call_test {

using noun::EventKind;

std::vector<EventKind> kinds(const CallBench& bench) {
  std::vector<EventKind> found;
  for (const auto& event : bench.events) found.push_back(event.kind);
  return found;
}

TEST(Call, the_first_attempt_carries_the_request_as_it_is) {
  CallBench bench(Method::put);
  bench.request.body = "{}";
  bench.request.has_body = true;
  bench.begin();
  ASSERT_TRUE(bench.sends());
  EXPECT_EQ(bench.send().method, Method::put);
  EXPECT_EQ(bench.send().url, "https://api.example.com/v1/things/7");
  EXPECT_EQ(bench.send().headers, &bench.request.headers);
  EXPECT_EQ(bench.send().body, "{}");
  EXPECT_TRUE(bench.send().has_body);
  EXPECT_FALSE(bench.send().fresh_connection);
  EXPECT_EQ(bench.send().deadline, bench_begin + 60s);
  EXPECT_EQ(bench.in_flight(), 1U);
}

TEST(Call, every_attempt_is_the_same_request) {
  CallBench bench(Method::put);
  bench.request.body = "{\"a\":1}";
  bench.request.has_body = true;
  bench.begin().answer(503).wake().fail(Errc::timeout, Sent::maybe).wake();
  EXPECT_EQ(bench.send().body, "{\"a\":1}");
  EXPECT_TRUE(bench.send().has_body);
  EXPECT_EQ(bench.send().headers, &bench.request.headers);
  EXPECT_EQ(bench.send().url, bench.request.url);
}

TEST(Call, an_endless_attempt_timeout_overflows_nothing) {
  CallBench bench;
  bench.request.attempt_timeout = Duration::max();
  EXPECT_EQ(bench.begin().send().deadline, Instant::max());
}

TEST(Call, a_success_has_the_answer_and_where_it_came_from) {
  CallBench bench;
  bench.begin().answer(200, {{"ETag", "\"v1\""}}, "body", 250ms);
  ASSERT_TRUE(bench.succeeded());
  const auto& response = *bench.done().response;
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, "body");
  EXPECT_EQ(response.headers.get("ETag"), "\"v1\"");
  EXPECT_EQ(response.url, "https://api.example.com/v1/things/7");
  EXPECT_EQ(bench.call().trail().elapsed(), 250ms);
  EXPECT_EQ(bench.in_flight(), 0U);
}

TEST(Call, an_unusual_success_is_told_and_an_error_only_where_that_is_asked_for) {
  const std::vector<int> usual = {201};
  CallBench bench(Method::post);
  bench.request.usual_statuses = &usual;
  bench.begin().answer(202);
  EXPECT_TRUE(bench.succeeded());
  const auto notices = bench.events_of(EventKind::notice);
  ASSERT_EQ(notices.size(), 1U);
  EXPECT_EQ(notices[0].note, "the service answered 202, which the dialect plain does not expect here");

  bench.environment.strict_statuses = true;
  bench.begin().answer(202);
  ASSERT_TRUE(bench.failed());
  EXPECT_EQ(bench.error().code(), Errc::protocol);
  EXPECT_EQ(bench.error().status(), 202);
  EXPECT_EQ(bench.error().sent(), Sent::answered);
  bench.begin().answer(201);
  EXPECT_TRUE(bench.succeeded());
}

TEST(Call, a_usual_success_is_not_worth_a_notice) {
  const std::vector<int> usual = {200, 204};
  CallBench bench;
  bench.request.usual_statuses = &usual;
  bench.begin().answer(204);
  EXPECT_TRUE(bench.events_of(EventKind::notice).empty());
}

TEST(Call, a_body_over_the_limit_is_too_large_whoever_carried_it) {
  CallBench bench;
  bench.environment.limits.body = 10;
  EXPECT_TRUE(bench.begin().answer(200, {}, std::string(10, 'x')).succeeded());
  bench.begin().answer(200, {}, std::string(11, 'x'));
  ASSERT_TRUE(bench.failed());
  EXPECT_EQ(bench.error().code(), Errc::too_large);
  EXPECT_EQ(bench.error().sent(), Sent::answered);
  EXPECT_EQ(bench.message(),
            "GET https://api.example.com/v1/things/7: the body is over limits.body (10 bytes); raise "
            "it, or ask for less");
}

TEST(Call, the_judge_may_overrule_the_table) {
  CallBench bench;
  bench.environment.judge = [](const noun::Response& response, noun::Verdict classified) {
    EXPECT_EQ(classified, noun::Verdict::success);
    return response.body == "busy" ? noun::Verdict::limited : classified;
  };
  bench.begin().answer(200, {}, "busy");
  EXPECT_EQ(bench.wait(), 1s);
  EXPECT_TRUE(bench.wake().answer(200, {}, "done").succeeded());
}

TEST(Call, the_observer_sees_every_step_in_order) {
  CallBench bench;
  exhaust_elsewhere(bench, 10s);
  bench.begin().wake().answer(503, {}, {}, 80ms).wake().fail(Errc::timeout, Sent::maybe).wake().answer(200);
  EXPECT_EQ(kinds(bench),
            (std::vector{EventKind::holding, EventKind::sent, EventKind::answered, EventKind::retrying, EventKind::sent,
                         EventKind::answered, EventKind::retrying, EventKind::sent, EventKind::answered}));
  EXPECT_EQ(bench.events[2].status, 503);
  EXPECT_EQ(bench.events[2].elapsed, 80ms);
  EXPECT_EQ(bench.events[2].attempt, 1);
  EXPECT_FALSE(bench.events[2].error);
  EXPECT_EQ(bench.events[5].status, 0);
  EXPECT_EQ(bench.events[5].error, Errc::timeout);
  EXPECT_EQ(bench.events[5].attempt, 2);
  for (const auto& event : bench.events) {
    EXPECT_EQ(event.call, 1U);
    EXPECT_EQ(event.method, Method::get);
    EXPECT_EQ(event.url, bench.request.url);
  }
  EXPECT_EQ(bench.events.back().at, bench.now.wall);
}

TEST(Call, where_nobody_looks_no_events_are_made) {
  CallBench bench;
  bench.environment.observed = false;
  bench.begin().answer(503).wake().answer(200);
  EXPECT_TRUE(bench.events.empty());
}

TEST(Call, a_finding_made_after_the_end_is_an_error_of_the_same_call) {
  CallBench bench(Method::post);
  bench.begin().answer(429).wake().answer(200, {{"X-Request-Id", "r-9"}}, "<html>", 2s);
  ASSERT_TRUE(bench.succeeded());
  const auto error = bench.call().error_for({.code = Errc::decode,
                                             .what = "the body is not JSON",
                                             .advice = "look at it",
                                             .response = bench.done().response});
  EXPECT_EQ(error.code(), Errc::decode);
  EXPECT_EQ(error.attempts(), 2);
  EXPECT_EQ(error.sent(), Sent::answered);
  EXPECT_EQ(error.status(), 200);
  EXPECT_EQ(error.request_id(), "r-9");
  EXPECT_EQ(error.elapsed(), 3s);
  EXPECT_EQ(error.message(),
            "POST https://api.example.com/v1/things/7: the body is not JSON, after 2 attempts in 3 s; "
            "look at it");
}

TEST(Call, an_answer_that_is_no_http_status_is_a_protocol_error) {
  for (const int status : {0, 99, 101, 600, 999}) {
    CallBench bench;
    bench.begin().answer(status);
    ASSERT_TRUE(bench.failed()) << status;
    EXPECT_EQ(bench.error().code(), Errc::protocol) << status;
  }
}

}  // namespace call_test
}  // namespace call_test
