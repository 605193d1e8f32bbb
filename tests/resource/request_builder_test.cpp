// Tests of the request that options give: headers, deadlines, timeouts, and options out of range.
#include "resource/request_builder.hpp"

#include <memory>
#include <optional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <noun/stop.hpp>

#include "resource/scripted_client.hpp"

namespace resource_test { namespace request_builder_test {

using ::testing::ElementsAre;

TEST(RequestHeaders, of_a_call_replace_those_of_the_client_by_name) {
  Bench bench;
  bench.script->expect(Method::get, "/v1/x").reply(200, "1");
  const auto api =
      bench.client({.headers = {{"accept", "application/vnd.github+json"}, {"X-A", 1}, {"X-A", 2}, {"X-B", 1}}});
  EXPECT_TRUE(api.singleton("x").get({.headers = {{"x-b", 2}, {"X-B", 3}, {"X-C", "d"}}}));
  const auto headers = bench.last().headers;
  EXPECT_THAT(headers.values("Accept"), ElementsAre("application/vnd.github+json"));
  EXPECT_THAT(headers.values("X-A"), ElementsAre("1", "2"));
  EXPECT_THAT(headers.values("X-B"), ElementsAre("2", "3"));
  EXPECT_THAT(headers.values("X-C"), ElementsAre("d"));
  EXPECT_TRUE(headers.contains("User-Agent"));
}

TEST(RequestHeaders, from_dedicated_options_replace_the_same_name_in_headers) {
  Bench bench;
  bench.script->expect(Method::put, "/v1/x").reply(200, "1");
  EXPECT_TRUE(bench.client().singleton("x").replace(
      Json(1),
      {.headers = {{"If-Match", "old"}, {"Idempotency-Key", "old"}}, .if_match = "new", .idempotency_key = "new"}));
  EXPECT_THAT(bench.last().headers.values("If-Match"), ElementsAre("new"));
  EXPECT_THAT(bench.last().headers.values("Idempotency-Key"), ElementsAre("new"));
}

TEST(AttemptTimeout, is_part_of_the_attempt_and_at_most_a_day) {
  struct Case {
    noun::Timeouts timeouts;
    noun::CallOptions call;
    noun::Duration expected;
  };
  const Case cases[] = {
      {{}, {}, 60s},
      {{}, {.attempt_timeout = 5s}, 5s},
      {{}, {.attempt_timeout = noun::Duration::max()}, 24h},
      {{}, {.attempt_timeout = 1ns}, 1ns},
      {{.attempt = 7s}, {}, 7s},
  };
  for (const auto& [timeouts, call, expected] : cases) {
    WholeScript bench;
    bench.script->expect(Method::get, "/v1/x").reply(200, "1");
    EXPECT_TRUE(bench.client({.timeouts = timeouts}).singleton("x").get(call));
    EXPECT_EQ(bench.last().timeout, expected);
  }
}

/// Remembers how long the server may be silent.
struct StallRecorder final : noun::Transport {
  noun::Duration stall = {};
  noun::Result<noun::Response> send(const noun::Attempt& attempt, const noun::StopToken&) override {
    stall = attempt.timeouts.stall;
    return noun::Response{.status = 200, .body = "[]"};
  }
};

TEST(StallTimeout, is_that_of_the_call_or_as_long_as_its_attempt) {
  const struct {
    std::optional<noun::Duration> attempt;
    std::optional<noun::Duration> stall;
    noun::Duration expected;
  } cases[] = {
      {{}, {}, 30s}, {2min, {}, 2min}, {5s, {}, 30s}, {{}, 90s, 90s}, {2min, 10s, 10s},
  };
  for (const auto& [attempt, stall, expected] : cases) {
    const auto transport = std::make_shared<StallRecorder>();
    const noun::Client api{"https://api.example.com", {.transport = transport}};
    EXPECT_TRUE(api.singleton("x").get({.attempt_timeout = attempt, .stall_timeout = stall}));
    EXPECT_EQ(transport->stall, expected);
    auto listing = api.collection("x").list({.attempt_timeout = attempt, .stall_timeout = stall});
    EXPECT_TRUE(listing.begin() == listing.end());
    EXPECT_EQ(transport->stall, expected);
  }
  const auto transport = std::make_shared<StallRecorder>();
  const noun::Client api{"https://api.example.com", {.retry = {.max_attempts = 1}, .transport = transport}};
  (void)api.download({.path = "/x"}, [](std::string_view) {}, {.stall_timeout = 5min});
  EXPECT_EQ(transport->stall, 5min);
}

TEST(StallTimeout, not_greater_than_zero_is_refused) {
  Bench bench;
  expect_refused(bench.client().singleton("x").get({.stall_timeout = 0s}), "stall_timeout must be greater than zero");
  expect_refused(bench.client().download({.path = "/x"}, [](std::string_view) {}, {.stall_timeout = 0s}),
                 "stall_timeout must be greater than zero");
}

TEST(AttemptTimeout, not_greater_than_zero_is_refused) {
  Bench bench;
  const auto api = bench.client();
  for (const noun::Duration timeout : {noun::Duration(0), noun::Duration(-1), noun::Duration::min()}) {
    expect_refused(api.singleton("x").get({.attempt_timeout = timeout}), "attempt_timeout must be greater than zero");
    auto listing = api.collection("x").list({.attempt_timeout = timeout});
    expect_refused(*listing.begin(), "attempt_timeout must be greater than zero");
  }
  EXPECT_EQ(bench.sent(), 0U);
}

TEST(CallRetryPolicy, replaces_that_of_the_client_for_this_call_alone) {
  WholeScript bench;
  bench.script->expect(Method::put, "/v1/x").reply(500).times(3);
  const auto api = bench.client({.retry = {.max_attempts = 2}});
  EXPECT_EQ(api.singleton("x").replace(Json(1), {.retry = noun::RetryPolicy{.max_attempts = 1}}).error().attempts(), 1);
  EXPECT_EQ(api.singleton("x").replace(Json(1)).error().attempts(), 2);
}

TEST(CallRetryPolicy, out_of_range_is_refused) {
  Bench bench;
  const auto api = bench.client();
  const auto message = [&](const noun::RetryPolicy& retry) {
    return api.singleton("x").get({.retry = retry}).error().message();
  };
  EXPECT_EQ(message({.max_attempts = 0}),
            "GET https://api.example.com/v1/x: CallOptions::retry.max_attempts must be at least 1: nothing was sent; "
            "fix CallOptions::retry.max_attempts");
  EXPECT_THAT(message({.initial_backoff = 2min}),
              ::testing::HasSubstr("CallOptions::retry.max_backoff must be at least initial_backoff"));
}

TEST(Deadline, shortens_the_attempt_and_ends_the_call) {
  Bench bench;
  bench.script->expect(Method::get, "/v1/x").reply(200, "1");
  const auto item = bench.client().singleton("x");
  const auto now = bench.clock->now().steady;
  EXPECT_TRUE(item.get({.deadline = now + 10s}));
  EXPECT_EQ(bench.last().timeout, 10s);
  for (const auto deadline : {now, now - 1s, noun::Instant::min()}) {
    const auto got = item.get({.deadline = deadline});
    expect_error(got, Errc::deadline_exceeded, "before anything was sent");
    EXPECT_EQ(got.error().sent(), Sent::no);
  }
  EXPECT_EQ(bench.sent(), 1U);
}

TEST(Deadline, before_the_end_of_a_wait_fails_at_once_with_retry_at) {
  Bench bench;
  bench.script->expect(Method::get, "/v1/x").reply(503, "", {{"Retry-After", 30}});
  const auto now = bench.clock->now();
  const auto got = bench.client().singleton("x").get({.deadline = now.steady + 29s});
  ASSERT_EQ(code_of(got), Errc::server_error);
  EXPECT_EQ(got.error().stopped_because(), noun::StopReason::time);
  EXPECT_EQ(got.error().retry_at(), now.wall + 30s);
  EXPECT_TRUE(bench.clock->waits().empty());
}

TEST(Deadline, as_a_duration_counts_from_the_start_of_the_call) {
  Bench bench;
  bench.script->expect(Method::get, "/v1/x").reply(200, "1").times(3);
  const auto api = bench.client();
  const noun::CallOptions five_seconds{.deadline = 5s};
  const auto operation = noun::op::get(api.singleton("x"), five_seconds);
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(operation.run());
    EXPECT_EQ(bench.last().timeout, 5s);
    bench.clock->advance(1h);
  }
  for (auto& result : api.run_all(std::vector{operation})) EXPECT_TRUE(result);
  EXPECT_EQ(bench.last().timeout, 5s);
  for (const auto span : {0s, -1s})
    expect_error(api.singleton("x").get({.deadline = span}), Errc::deadline_exceeded, "before anything was sent");
}

TEST(StopToken, requested_before_the_call_cancels_it_with_nothing_sent) {
  Bench bench;
  noun::StopSource stop;
  stop.request_stop();
  const auto got = bench.client().singleton("x").get({.stop = stop.get_token()});
  ASSERT_EQ(code_of(got), Errc::cancelled);
  EXPECT_EQ(got.error().stopped_because(), noun::StopReason::cancelled);
  EXPECT_EQ(got.error().sent(), Sent::no);
  EXPECT_EQ(bench.sent(), 0U);
}

TEST(Priority, interactive_calls_may_use_the_reserve) {
  WholeScript bench;
  const noun::Headers quota = {{"X-RateLimit-Limit", 10}, {"X-RateLimit-Remaining", 3}, {"X-RateLimit-Reset", 60}};
  bench.script->expect(Method::get, "/v1/x").reply(200, "1", quota).times(2);
  const auto item = bench.client({.quota = {.when_exhausted = noun::WhenExhausted::fail, .reserve = 5}}).singleton("x");
  EXPECT_TRUE(item.get());
  EXPECT_EQ(code_of(item.get()), Errc::rate_limited);
  EXPECT_EQ(code_of(item.get({.priority = noun::Priority::bulk})), Errc::rate_limited);
  EXPECT_TRUE(item.get({.priority = noun::Priority::interactive}));
}

/// A client that keeps the routes of what it sends.
struct Routes : WholeScript {
  std::vector<std::string> seen;
  noun::Client api =
      client({.dialect = {.polling = noun::polling::azure()}, .observer = [this](const noun::Event& event) {
                if (event.kind == noun::EventKind::sent) seen.push_back(event.route);
              }});
};

TEST(EventRoute, of_a_monitor_is_its_path_below_the_base_or_elsewhere) {
  Routes routes;
  for (const std::string monitor : {"/v1/operations/12", "/v10/operations/12", "/operations/12"}) {
    routes.script->expect(Method::post, "/v1/reports").reply(202, "", {{"Operation-Location", monitor}});
    routes.script->expect(Method::get, monitor).reply(200, R"({"status": "Succeeded"})");
    EXPECT_TRUE(routes.api.finish<void>(routes.api.collection("reports").create<void>(Json{{"pages", 7}})));
  }
  const std::string start = "/v1/reports";
  EXPECT_THAT(routes.seen,
              ElementsAre(start, "/v1/operations/{id}", start, "/{id}/operations/{id}", start, "/operations/{id}"));
}

TEST(EventRoute, of_a_page_with_another_path_than_the_first_is_empty) {
  Routes routes;
  routes.script->expect(Method::get, "/v1/list").reply(200, "[1]", {{"Link", "<?page=2>; rel=\"next\""}});
  routes.script->expect(Method::get, "/v1/list").reply(200, "[2]", {{"Link", "</v1/more/3>; rel=\"next\""}});
  routes.script->expect(Method::get, "/v1/more/3").reply(200, "[3]");
  int items = 0;
  for (const auto& item : routes.api.collection<int>("list").list()) items += item.value();
  EXPECT_EQ(items, 6);
  EXPECT_THAT(routes.seen, ElementsAre("/v1/list", "/v1/list", ""));
}

TEST(AppendQuery, appends_to_an_existing_query) {
  std::string url = "https://api.example.com/x?a=1";
  noun::append_query(url, {{"b", "2"}, {"c", "\u00e4&="}});
  EXPECT_EQ(url, "https://api.example.com/x?a=1&b=2&c=%C3%A4%26%3D");
  std::string bare = "https://api.example.com/x";
  noun::append_query(bare, {});
  EXPECT_EQ(bare, "https://api.example.com/x");
  noun::append_query(bare, {{"b", true}});
  EXPECT_EQ(bare, "https://api.example.com/x?b=true");
}

}  // namespace request_builder_test
}  // namespace resource_test
