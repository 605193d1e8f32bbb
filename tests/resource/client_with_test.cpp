// Copies of a client with other options.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "resource/scripted_client.hpp"

namespace resource_test { namespace client_with_test {

using ::testing::ElementsAre;

TEST(ClientWith, changes_the_options_of_the_copy_alone) {
  Bench bench;
  bench.script->expect(Method::get, "/v1/x").reply(200, "1").times(2);
  int mine = 0;
  int others = 0;
  const auto api = bench.client({.credentials = noun::bearer("t"),
                                 .headers = {{"X-A", 1}},
                                 .observer = [&](const noun::Event&) { ++mine; }});
  const auto copy = api.with({.timeouts = noun::Timeouts{.attempt = 5s},
                              .headers = noun::Headers{{"X-A", 2}},
                              .query = noun::Query{{"v", 3}},
                              .observer = [&](const noun::Event&) { ++others; }});
  EXPECT_TRUE(copy.singleton("x").get());
  EXPECT_EQ(bench.last().url, "https://api.example.com/v1/x?v=3");
  EXPECT_EQ(bench.last().timeout, 5s);
  EXPECT_THAT(bench.last().headers.values("X-A"), ElementsAre("2"));
  EXPECT_EQ(bench.last().headers.get("Authorization"), "Bearer t");
  EXPECT_EQ(mine, 0);
  EXPECT_EQ(others, 3);
  EXPECT_TRUE(api.singleton("x").get());
  EXPECT_EQ(bench.last().url, "https://api.example.com/v1/x");
  EXPECT_EQ(bench.last().timeout, 60s);
  EXPECT_THAT(bench.last().headers.values("X-A"), ElementsAre("1"));
  EXPECT_EQ(mine, 3);
}

TEST(ClientWith, shares_quota_and_budget) {
  WholeScript bench;
  const noun::Headers exhausted = {{"X-RateLimit-Limit", 1}, {"X-RateLimit-Remaining", 0}, {"X-RateLimit-Reset", 30}};
  bench.script->expect(Method::get, "/v1/x").reply(200, "1", exhausted);
  bench.script->expect(Method::get, "/v1/x").reply(200, "1");
  bench.script->expect(Method::get, "/v1/y").reply(500).times(3);
  const auto api = bench.client({.retry = {.max_attempts = 2}, .budget = {.capacity = 1, .per_success = 0}});
  EXPECT_TRUE(api.singleton("x").get());
  const auto impatient = api.with({.quota = noun::QuotaPolicy{.when_exhausted = noun::WhenExhausted::fail}});
  EXPECT_EQ(code_of(impatient.singleton("x").get()), Errc::rate_limited);
  EXPECT_TRUE(impatient.with({.quota = noun::QuotaPolicy{}}).singleton("x").get()) << "a copy of a copy";
  EXPECT_EQ(impatient.quota_snapshot().sent, 2U);
  EXPECT_EQ(code_of(api.singleton("y").get()), Errc::server_error);
  const auto spent = impatient.singleton("y").get();
  ASSERT_EQ(code_of(spent), Errc::server_error);
  EXPECT_EQ(spent.error().stopped_because(), noun::StopReason::budget);
}

TEST(ClientWith, shares_the_transport_and_outlives_its_client) {
  Bench bench;
  bench.script->expect(Method::get, "/v1/x").reply(200, "1").times(4);
  const auto copy = [&] { return bench.client().with({}); }();
  EXPECT_TRUE(copy.singleton("x").get());
  const std::vector operations(3, noun::op::get(copy.singleton("x")));
  for (auto& result : copy.run_all(operations)) EXPECT_TRUE(result);
  EXPECT_EQ(copy.base_url(), "https://api.example.com/v1");
}

TEST(ClientWith, refuses_a_value_out_of_its_range) {
  Bench bench;
  const auto expect_refusal = [&](const noun::ClientChanges& changes, const std::string& because) {
    const auto copy = bench.client({}, "http://api.example.com").with(changes);
    expect_refused(copy.singleton("x").get(), because);
    expect_refused(copy.send({.path = "x"}), because);
    auto listing = copy.collection("x").list();
    expect_refused(*listing.begin(), because);
    expect_refused(copy.with({}).singleton("x").get(), because);
  };
  expect_refusal({.retry = noun::RetryPolicy{.max_attempts = 0}}, "ClientOptions::retry.max_attempts");
  expect_refusal({.headers = noun::Headers{{"a b", 1}}}, "the header name");
  expect_refusal({.headers = noun::Headers{{"Authorization", "s3cret"}}}, "over plain http: nothing was sent; ");
  expect_refusal({.query = noun::Query{{"token", "s3cret"}}}, "over plain http: nothing was sent; ");
  EXPECT_EQ(bench.sent(), 0U);
}

}  // namespace client_with_test
}  // namespace resource_test
