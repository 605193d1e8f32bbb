// Tests of clients of one server: what copies share, what the observer receives, and callbacks that throw.
#include <noun/client.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "joining_thread.hpp"
#include "resource/client_core.hpp"
#include "resource/scripted_client.hpp"

namespace resource_test { namespace client_test {

using noun::Event;
using noun::EventKind;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Client, copies_share_quota_and_retry_budget) {
  Bench bench;
  bench.script->expect(Method::get, "/v1/x").reply(500).times(3);
  const auto api = bench.client({.budget = {.capacity = 1, .per_success = 0}});
  const auto copy = api;
  EXPECT_EQ(api.singleton("x").get().error().stopped_because(), noun::StopReason::budget);
  EXPECT_EQ(bench.sent(), 2U);
  EXPECT_EQ(copy.singleton("x").get().error().stopped_because(), noun::StopReason::budget);
  EXPECT_EQ(bench.sent(), 3U);
  EXPECT_EQ(copy.quota_snapshot().sent, 3U);
  EXPECT_EQ(api.base_url(), copy.base_url());
}

TEST(Client, reports_the_last_reported_quota) {
  Bench bench;
  bench.script->expect(Method::get, "/v1/x")
      .reply(200, "1", {{"X-RateLimit-Limit", 60}, {"X-RateLimit-Remaining", 59}, {"X-RateLimit-Reset", 30}});
  const auto api = bench.client();
  EXPECT_EQ(api.quota_snapshot().limit, std::nullopt);
  EXPECT_TRUE(api.singleton("x").get());
  EXPECT_EQ(api.quota_snapshot().limit, 60);
  EXPECT_EQ(api.quota_snapshot().remaining, 59);
  EXPECT_EQ(api.quota_snapshot().sent, 1U);
  EXPECT_EQ(api.quota_snapshot().in_flight, 0U);
}

TEST(Client, shows_its_clock_for_deadlines) {
  Bench bench;
  EXPECT_EQ(bench.client().now().steady, bench.clock->now().steady);
}

TEST(Client, shares_one_quota_per_identity) {
  WholeScript bench;
  const noun::Headers exhausted = {{"X-RateLimit-Limit", 1}, {"X-RateLimit-Remaining", 0}, {"X-RateLimit-Reset", 30}};
  bench.script->expect(Method::get, "/x").reply(200, "1", exhausted);
  bench.script->expect(Method::get, "/x").reply(200, "1");
  auto options = bench.filled({.quota = {.when_exhausted = noun::WhenExhausted::fail}, .identity = "me"});
  const noun::Client one("https://api.example.com", options);
  const noun::Client same("https://API.example.com:443", options);
  options.identity = "";
  const noun::Client other("https://api.example.com", options);
  EXPECT_TRUE(one.singleton("x").get());
  EXPECT_EQ(code_of(same.singleton("x").get()), Errc::rate_limited);
  EXPECT_TRUE(other.singleton("x").get());
}

TEST(Client, without_an_identity_shares_its_quota_with_no_identity_that_a_caller_gives) {
  struct Ledger final : noun::QuotaLedger {
    std::shared_ptr<noun::quota::Gate> gate(std::string_view origin, std::string_view identity) override {
      asked.emplace_back(identity);
      return all->gate(origin, identity);
    }
    std::shared_ptr<noun::QuotaLedger> all = noun::make_quota_ledger();
    std::vector<std::string> asked;
  };
  Bench bench;
  const auto ledger = std::make_shared<Ledger>();
  const auto gate_of = [&](std::string identity) {
    auto options = bench.filled({.identity = std::move(identity)});
    options.quota_ledger = ledger;
    return noun::detail::ClientCore::create("https://api.example.com", options).value()->call_context.gate;
  };
  std::vector<std::shared_ptr<noun::quota::Gate>> gates{gate_of("")};
  const auto automatic = ledger->asked.front();
  for (const auto& identity : {automatic, "#" + automatic, ledger->asked.front().substr(1), std::string("##")}) {
    gates.push_back(gate_of(identity));
    EXPECT_EQ(gate_of(identity), gates.back());
  }
  EXPECT_EQ(std::set(gates.begin(), gates.end()).size(), gates.size());
}

TEST(Client, that_was_moved_from_is_valid) {
  Bench bench;
  auto first = bench.client();
  const auto second = std::move(first);
  EXPECT_EQ(first.base_url(), second.base_url());
}

TEST(Observer, receives_every_step_in_order) {
  Bench bench;
  bench.script->expect(Method::get, "/v1/x").reply(503);
  bench.script->expect(Method::get, "/v1/x").reply(301, "", {{"Location", "/v1/y"}});
  bench.script->expect(Method::get, "/v1/y").reply(200, "1");
  std::vector<EventKind> kinds;
  std::vector<std::uint64_t> calls;
  const auto api = bench.client({.observer = [&](const Event& event) {
    kinds.push_back(event.kind);
    calls.push_back(event.call);
    EXPECT_EQ(event.method, Method::get);
  }});
  EXPECT_TRUE(api.singleton("x").get());
  EXPECT_THAT(kinds,
              ElementsAre(EventKind::sent, EventKind::attempt_ended, EventKind::retrying, EventKind::sent,
                          EventKind::attempt_ended, EventKind::redirected, EventKind::sent, EventKind::attempt_ended,
                          EventKind::ended));
  EXPECT_THAT(calls, ::testing::Each(calls.front()));
}

TEST(Observer, receives_no_secrets) {
  Bench bench;
  bench.script->expect(Method::get, "/v1/x").reply(200, "1");
  std::string seen;
  const auto api = bench.client({.observer = [&](const Event& event) { seen += event.url + event.note; }});
  EXPECT_TRUE(api.singleton("x").get({.query = {{"token", "s3cret"}, {"page", 2}}}));
  EXPECT_EQ(seen.find("s3cret"), std::string::npos);
  EXPECT_THAT(seen, HasSubstr("/v1/x?token=***&page=2"));
}

TEST(SecretParameters, are_hidden_in_events_errors_and_refusals) {
  Bench bench;
  bench.script->expect(Method::get, "/v1/x").reply(403, "no ticket s3cret").times(2);
  std::string seen;
  const auto api = bench.client({.query = {{"version", "s3cret-7"}},
                                 .secret_parameters = {"ticket", "q"},
                                 .observer = [&](const Event& event) { seen += event.url + event.note; }});
  const auto got = api.singleton("x").get({.query = {{"ticket", "s3cret"}, {"sort", "name"}}});
  expect_error(got, Errc::forbidden,
               "x?ticket=***&sort=name&version=***: the server responded 403 Forbidden, saying \"no ticket ***\"");
  EXPECT_THAT(got.error().request().curl, HasSubstr("/v1/x?ticket=***&sort=name&version=***'"));
  EXPECT_EQ(seen.find("s3cret"), std::string::npos);
  expect_error(api.singleton("x").get({.query = {{"q", "s3cret"}}, .attempt_timeout = 0s}), Errc::invalid_argument,
               "x?q=***");
  auto listing = api.collection("x").list({.query = {{"q", "s3cret"}}});
  expect_error(*listing.begin(), Errc::forbidden, "x?q=***");
}

TEST(Observer, that_throws_is_dropped_and_counted) {
  Bench bench;
  bench.script->expect(Method::get, "/v1/x").reply(200, "1");
  const auto api = bench.client({.observer = [](const Event&) { throw std::runtime_error("not today"); }});
  EXPECT_TRUE(api.singleton("x").get());
  EXPECT_EQ(api.observer_faults(), 3U);
}

TEST(Observer, may_call_through_its_own_client) {
  WholeScript bench;
  bench.script->expect(Method::get, "/v1/x").reply(503);
  bench.script->expect(Method::get, "/v1/log").reply(200, "1").times(2);
  bench.script->expect(Method::get, "/v1/x").reply(200, "1");
  bench.script->expect(Method::get, "/v1/log").reply(200, "1").times(2);
  std::optional<noun::Client> api;
  bool inside = false;
  api = bench.client({.observer = [&](const Event& event) {
    if (event.kind == EventKind::sent || std::exchange(inside, true)) return;
    EXPECT_TRUE(api->singleton("log").get());
    inside = false;
  }});
  EXPECT_TRUE(api->singleton("x").get());
}

TEST(Client, is_used_by_many_threads_at_once) {
  WholeScript bench;
  constexpr int threads = 4;
  constexpr int calls = 50;
  bench.script->expect(Method::get, "/v1/x").reply(200, "1").times(threads * calls);
  std::atomic<int> observed{0};
  const auto api = bench.client({.observer = [&](const Event&) { ++observed; }});
  std::atomic<int> done{0};
  {
    std::vector<noun_test::JoiningThread> workers;
    for (int i = 0; i < threads; ++i)
      workers.emplace_back([&] {
        for (int call = 0; call < calls; ++call)
          if (api.singleton("x").get()) ++done;
      });
  }
  EXPECT_EQ(done, threads * calls);
  EXPECT_GE(observed, 2 * threads * calls);
  EXPECT_EQ(api.quota_snapshot().sent, static_cast<std::uint64_t>(threads * calls));
}

}  // namespace client_test
}  // namespace resource_test
