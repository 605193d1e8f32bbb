// Tests of outages: a server that responds only 503, and one that loses responses to applied requests.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "journeys/window_monitor.hpp"

namespace journeys { namespace outage_test {

using noun::Errc;
using noun::Error;
using noun::Response;
using noun::Sent;
using Fault = std::optional<std::pair<noun::Result<Response>, kit::SimulatedService::When>>;
using When = kit::SimulatedService::When;

struct OutageBench {
  std::shared_ptr<kit::ManualClock> clock = std::make_shared<kit::ManualClock>();
  std::shared_ptr<kit::SimulatedService> service = std::make_shared<kit::SimulatedService>(clock);

  noun::Client client(noun::RetryBudget budget = {}) const {
    return noun::Client{"https://api.example.com",
                        {.retry = {.jitter = 0},
                         .budget = budget,
                         .transport = service,
                         .clock = clock,
                         .quota_ledger = noun::make_quota_ledger()}};
  }
};

TEST(Outage, is_not_amplified_after_the_budget_is_used_up) {
  OutageBench bench;
  fill(*bench.service, 1);
  bool out = true;
  bench.service->on_request([&](const noun::Attempt&, std::size_t) -> Fault {
    if (!out) return std::nullopt;
    return std::pair(Response{.status = 503}, When::instead);
  });
  const auto language = bench.client().collection<Language>("languages")[1];
  std::vector<int> attempts;
  for (int call = 0; call < 200; ++call) {
    const auto got = language.get();
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().code(), Errc::server_error);
    attempts.push_back(got.error().attempts());
  }
  EXPECT_EQ(bench.service->requests(), 300U) << "one request for each call, and a hundred retries";
  EXPECT_EQ(attempts.front(), 5);
  EXPECT_EQ(attempts.back(), 1);
  EXPECT_EQ(language.get().error().stopped_because(), noun::StopReason::budget);

  out = false;
  for (int call = 0; call < 5; ++call) EXPECT_TRUE(language.get());
  out = true;
  EXPECT_EQ(language.get().error().attempts(), 2) << "five successes returned one retry";
}

TEST(Outage, of_200_gets_none_fails_if_one_request_in_ten_does) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    OutageBench bench;
    fill(*bench.service, 1);
    bench.service->on_request([random = std::mt19937(seed)](const noun::Attempt&, std::size_t) mutable -> Fault {
      if (random() % 10 != 0) return std::nullopt;
      return std::pair(Response{.status = 503}, When::instead);
    });
    const auto language = bench.client().collection<Language>("languages")[1];
    int failed = 0;
    for (int call = 0; call < 200; ++call) failed += language.get() ? 0 : 1;
    EXPECT_EQ(failed, 0) << "seed " << seed;
    EXPECT_GT(bench.service->requests(), 205U) << "seed " << seed;
  }
}

TEST(Outage, a_listing_survives_a_short_outage) {
  OutageBench bench;
  fill(*bench.service, 300);
  bench.service->on_request([](const noun::Attempt&, std::size_t number) -> Fault {
    if (number < 2 || number > 4) return std::nullopt;
    return std::pair(Response{.status = 503}, When::instead);
  });
  int items = 0;
  for (const auto& language : bench.client().collection<Language>("languages").list({.page_size = 100})) {
    ASSERT_TRUE(language) << language.error().message();
    EXPECT_EQ(language->id, ++items);
  }
  EXPECT_EQ(items, 300);
  EXPECT_THAT(bench.clock->waits(), ::testing::ElementsAre(1s, 2s, 4s));
}

/// A server that loses the responses to the first `lost` write requests after it applied them.
OutageBench losing(std::size_t lost) {
  OutageBench bench;
  bench.service->add_collection("/orders");
  bench.service->on_request(
      [lost, writes = std::size_t{0}](const noun::Attempt& attempt, std::size_t) mutable -> Fault {
        if (noun::is_safe(attempt.method) || ++writes > lost) return std::nullopt;
        return std::pair(Error(Errc::send, "the connection died", Sent::maybe), When::after);
      });
  return bench;
}

TEST(LostResponse, a_create_without_a_key_is_not_repeated_and_sent_is_maybe) {
  const auto bench = losing(1);
  const auto made = bench.client().collection("orders").create(noun::Json{{"id", 1}});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code(), Errc::send);
  EXPECT_EQ(made.error().sent(), Sent::maybe);
  EXPECT_EQ(made.error().stopped_because(), noun::StopReason::not_repeatable);
  EXPECT_THAT(made.error().message(), ::testing::HasSubstr("CallOptions::idempotency_key"));
  EXPECT_EQ(bench.service->requests(), 1U);
  EXPECT_EQ(bench.service->size("/orders"), 1U);
}

TEST(LostResponse, a_create_with_a_key_is_repeated_with_the_same_key) {
  const auto bench = losing(1);
  std::vector<std::string> keys;
  bench.service->on_request([&](const noun::Attempt& attempt, std::size_t number) -> Fault {
    keys.emplace_back(attempt.headers.get("Idempotency-Key").value_or("none"));
    if (number == 1) return std::pair(Error(Errc::truncated, "the connection died", Sent::maybe), When::after);
    // A server that knows the key repeats its first response.
    return std::pair(Response{.status = 201, .body = R"({"id":1})"}, When::instead);
  });
  const auto made =
      bench.client().collection("orders").create(noun::Json{{"id", 1}}, {.idempotency_key = noun::auto_key});
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_EQ((*made)["id"], 1);
  ASSERT_EQ(keys.size(), 2U);
  EXPECT_EQ(keys[0], keys[1]);
  EXPECT_EQ(keys[0].size(), 36U);
  EXPECT_EQ(bench.service->size("/orders"), 1U);
}

TEST(LostResponse, a_replace_and_a_remove_are_repeated) {
  auto bench = losing(1);
  EXPECT_TRUE(bench.client().collection("orders")[1].replace(noun::Json{{"id", 1}}));
  EXPECT_EQ(bench.service->requests(), 2U);
  auto other = losing(1);
  other.service->add_json("/orders", "1", "{}");
  const auto removed = other.client().collection("orders")[1].remove();
  EXPECT_TRUE(removed) << removed.error().message();
  EXPECT_EQ(other.service->requests(), 2U);
  EXPECT_EQ(other.service->size("/orders"), 0U);
}

TEST(LostResponse, a_thousand_creates_are_applied_exactly_once_and_sent_is_maybe) {
  const auto bench = losing(1000);
  const auto orders = bench.client().collection("orders");
  for (int id = 1; id <= 1000; ++id) {
    const auto made = orders.create(noun::Json{{"id", id}});
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().sent(), Sent::maybe);
  }
  EXPECT_EQ(bench.service->requests(), 1000U);
  EXPECT_EQ(bench.service->size("/orders"), 1000U);
}

}  // namespace outage_test
}  // namespace journeys
