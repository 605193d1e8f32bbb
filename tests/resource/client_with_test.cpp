// Copies of a client with other options.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "resource/scripted_client.hpp"

namespace resource_test { namespace client_with_test {

using ::testing::ElementsAre;
using noun::ClientOptions;
using noun::EventKind;

TEST(ClientWith, changes_the_options_of_the_copy_alone) {
  Bench bench;
  bench.script->expect(Method::get, "/v1/x").reply(200, "1").times(2);
  int mine = 0;
  int others = 0;
  const auto api = bench.client({.credentials = noun::bearer("t"),
                                 .headers = {{"X-A", 1}},
                                 .observer = [&](const noun::Event&) { ++mine; }});
  const auto copy = api.with([&](ClientOptions& o) {
    o.timeouts.attempt = 5s;
    o.headers.set("X-A", 2);
    o.query = {{"v", 3}};
    o.observer = [&](const noun::Event&) { ++others; };
  });
  EXPECT_TRUE(copy.singleton("x").get());
  EXPECT_EQ(bench.last().url, "https://api.example.com/v1/x?v=3");
  EXPECT_EQ(bench.last().timeout, 5s);
  EXPECT_THAT(bench.last().headers.values("X-A"), ElementsAre("2"));
  EXPECT_EQ(bench.last().headers.get("Authorization"), "Bearer t");
  EXPECT_EQ(mine, 0);
  EXPECT_EQ(others, 2);
  EXPECT_TRUE(api.singleton("x").get());
  EXPECT_EQ(bench.last().url, "https://api.example.com/v1/x");
  EXPECT_EQ(bench.last().timeout, 60s);
  EXPECT_THAT(bench.last().headers.values("X-A"), ElementsAre("1"));
  EXPECT_EQ(mine, 2);
}

TEST(ClientWith, shares_quota_and_budget) {
  WholeScript bench;
  const noun::Headers exhausted = {{"X-RateLimit-Limit", 1}, {"X-RateLimit-Remaining", 0}, {"X-RateLimit-Reset", 30}};
  bench.script->expect(Method::get, "/v1/x").reply(200, "1", exhausted);
  bench.script->expect(Method::get, "/v1/x").reply(200, "1");
  bench.script->expect(Method::get, "/v1/y").reply(500).times(3);
  const auto api = bench.client({.retry = {.max_attempts = 2}, .budget = {.capacity = 1, .per_success = 0}});
  EXPECT_TRUE(api.singleton("x").get());
  const auto impatient = api.with([](ClientOptions& o) { o.quota.when_exhausted = noun::WhenExhausted::fail; });
  EXPECT_EQ(code_of(impatient.singleton("x").get()), Errc::rate_limited);
  EXPECT_TRUE(impatient.with([](ClientOptions& o) { o.quota = {}; }).singleton("x").get()) << "a copy of a copy";
  EXPECT_EQ(impatient.quota().sent, 2U);
  EXPECT_EQ(code_of(api.singleton("y").get()), Errc::server_error);
  const auto spent = impatient.singleton("y").get();
  ASSERT_EQ(code_of(spent), Errc::server_error);
  EXPECT_EQ(spent.error().stopped_because(), noun::StopReason::budget);
}

TEST(ClientWith, shares_the_transport_and_outlives_its_client) {
  Bench bench;
  bench.script->expect(Method::get, "/v1/x").reply(200, "1").times(4);
  const auto copy = [&] { return bench.client().with([](ClientOptions&) {}); }();
  EXPECT_TRUE(copy.singleton("x").get());
  const std::vector operations(3, noun::op::get(copy.singleton("x")));
  for (auto& result : copy.run_all(operations)) EXPECT_TRUE(result);
  EXPECT_EQ(copy.base_url(), "https://api.example.com/v1");
}

TEST(ClientWith, refuses_what_must_not_change) {
  Bench bench;
  noun::Dialect one_page;
  one_page.paging.style = noun::paging::SinglePage{};
  noun::Dialect strategic;
  strategic.paging.style = [](const noun::paging::PageRequest&, const noun::paging::PageResponse&)
      -> noun::Result<std::optional<noun::paging::PageRequest>> { return std::nullopt; };
  const std::pair<const char*, std::function<void(ClientOptions&)>> cases[] = {
      {"credentials", [](ClientOptions& o) { o.credentials = noun::bearer("u"); }},
      {"credentials", [](ClientOptions& o) { o.credentials = {}; }},
      {"dialect", [](ClientOptions& o) { o.dialect.name = "other"; }},
      {"dialect", [](ClientOptions& o) { o.dialect.quotas.front().prefix = "q"; }},
      {"dialect", [&](ClientOptions& o) { o.dialect = one_page; }},
      {"dialect", [&](ClientOptions& o) { o.dialect = strategic; }},
      {"budget", [](ClientOptions& o) { o.budget.capacity = 1; }},
      {"tls", [](ClientOptions& o) { o.tls.verify = false; }},
      {"proxy", [](ClientOptions& o) { o.proxy = "http://a:1"; }},
      {"identity", [](ClientOptions& o) { o.identity = "me"; }},
      {"trusted_origins", [](ClientOptions& o) { o.trusted_origins = {"https://a"}; }},
      {"strict_statuses", [](ClientOptions& o) { o.strict_statuses = true; }},
      {"transport", [](ClientOptions& o) { o.transport = std::make_shared<kit::ScriptedTransport>(); }},
      {"clock", [](ClientOptions& o) { o.clock = nullptr; }},
      {"quota_ledger", [](ClientOptions& o) { o.quota_ledger = nullptr; }},
      {"credentials_over_http", [](ClientOptions& o) { o.credentials_over_http = true; }},
      {"secret_parameters", [](ClientOptions& o) { o.secret_parameters = "q"; }},
      {"unix_socket", [](ClientOptions& o) { o.unix_socket = "/a"; }},
      {"bookmark_key", [](ClientOptions& o) { o.bookmark_key = "a"; }},
  };
  const auto api = bench.client({.credentials = noun::bearer("t")});
  for (const auto& [option, edit] : cases) {
    const auto copy = api.with(edit);
    const auto because = "Client::with() must not change ClientOptions::" + std::string(option);
    expect_refused(copy.singleton("x").get(), because);
    expect_refused(copy.send({.path = "x"}), because);
    auto listing = copy.collection("x").list();
    expect_refused(*listing.begin(), because);
    expect_refused(copy.with([](ClientOptions&) {}).singleton("x").get(), because);
  }
  const auto anonymous = bench.client().with([](ClientOptions& o) { o.credentials = noun::bearer("t"); });
  expect_refused(anonymous.singleton("x").get(), "ClientOptions::credentials");
  EXPECT_EQ(bench.sent(), 0U);
}

TEST(ClientWith, refuses_a_value_out_of_its_range) {
  Bench bench;
  const auto with = [&](const std::function<void(ClientOptions&)>& edit) {
    return bench.client({}, "http://api.example.com").with(edit).singleton("x").get();
  };
  expect_refused(with([](ClientOptions& o) { o.retry.max_attempts = 0; }), "ClientOptions::retry.max_attempts");
  expect_refused(with([](ClientOptions& o) { o.headers.add("a b", 1); }), "the header name");
  expect_refused(with([](ClientOptions& o) { o.headers.add("Authorization", "s3cret"); }),
                 "over plain http: nothing was sent; ");
  expect_refused(with([](ClientOptions& o) { o.query.add("token", "s3cret"); }), "over plain http: nothing was sent; ");
  EXPECT_EQ(bench.sent(), 0U);
}

TEST(ClientWith, passes_an_exception_of_the_edit_on) {
  Bench bench;
  EXPECT_THROW((void)bench.client().with([](ClientOptions&) { throw 7; }), int);
}

}  // namespace client_with_test
}  // namespace resource_test
