// Outages: a service that answers nothing but 503, and one that drops what it applied.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "journeys/turn_watch.hpp"

namespace journeys { namespace outage_test {

using noun::Errc;
using noun::Error;
using noun::Response;
using noun::Sent;
using Fault = std::optional<std::pair<noun::Result<Response>, kit::SimulatedService::When>>;
using When = kit::SimulatedService::When;

struct Town {
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

TEST(Outage, is_not_multiplied_once_the_budget_is_spent) {
  Town town;
  fill(*town.service, 1);
  bool out = true;
  town.service->on_request([&](const noun::Attempt&, std::size_t) -> Fault {
    if (!out) return std::nullopt;
    return std::pair(Response{.status = 503}, When::instead);
  });
  const auto language = town.client().collection<Language>("languages")[1];
  std::vector<int> attempts;
  for (int call = 0; call < 200; ++call) {
    const auto got = language.get();
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().code(), Errc::server_error);
    attempts.push_back(got.error().attempts());
  }
  EXPECT_EQ(town.service->requests(), 210U) << "ten retries, and one request for each call";
  EXPECT_EQ(attempts.front(), 5);
  EXPECT_EQ(attempts.back(), 1);
  EXPECT_EQ(language.get().error().stopped_because(), noun::StopReason::budget);

  out = false;
  for (int call = 0; call < 10; ++call) EXPECT_TRUE(language.get());
  out = true;
  EXPECT_EQ(language.get().error().attempts(), 2) << "ten successes gave one retry back";
}

TEST(Outage, that_ends_is_survived_by_a_listing) {
  Town town;
  fill(*town.service, 300);
  town.service->on_request([](const noun::Attempt&, std::size_t number) -> Fault {
    if (number < 2 || number > 4) return std::nullopt;
    return std::pair(Response{.status = 503}, When::instead);
  });
  int items = 0;
  for (const auto& language : town.client().collection<Language>("languages").list({.page_size = 100})) {
    ASSERT_TRUE(language) << language.error().message();
    EXPECT_EQ(language->id, ++items);
  }
  EXPECT_EQ(items, 300);
  EXPECT_THAT(town.clock->waits(), ::testing::ElementsAre(1s, 2s, 4s));
}

/// A service that loses the answer to the first `lost` requests that write, after it applied them.
Town losing(std::size_t lost) {
  Town town;
  town.service->add_collection("/orders");
  town.service->on_request([lost, writes = std::size_t{0}](const noun::Attempt& attempt, std::size_t) mutable -> Fault {
    if (noun::is_safe(attempt.method) || ++writes > lost) return std::nullopt;
    return std::pair(Error(Errc::send, "the connection died", Sent::maybe), When::after);
  });
  return town;
}

TEST(LostAnswer, of_a_create_without_a_key_is_not_sent_again_and_says_maybe) {
  const auto town = losing(1);
  const auto made = town.client().collection("orders").create(noun::Json{{"id", 1}});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code(), Errc::send);
  EXPECT_EQ(made.error().sent(), Sent::maybe);
  EXPECT_EQ(made.error().stopped_because(), noun::StopReason::not_repeatable);
  EXPECT_THAT(made.error().message(), ::testing::HasSubstr("CallOptions::idempotency_key"));
  EXPECT_EQ(town.service->requests(), 1U);
  EXPECT_EQ(town.service->size("/orders"), 1U);
}

TEST(LostAnswer, of_a_create_with_a_key_is_sent_again_with_the_same_key) {
  const auto town = losing(1);
  std::vector<std::string> keys;
  town.service->on_request([&](const noun::Attempt& attempt, std::size_t number) -> Fault {
    keys.emplace_back(attempt.headers.get("Idempotency-Key").value_or("none"));
    if (number == 1) return std::pair(Error(Errc::truncated, "the connection died", Sent::maybe), When::after);
    // A service that knows the key answers as it answered then.
    return std::pair(Response{.status = 201, .body = R"({"id":1})"}, When::instead);
  });
  const auto made =
      town.client().collection("orders").create(noun::Json{{"id", 1}}, {.idempotency_key = noun::auto_key});
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_EQ((*made)["id"], 1);
  ASSERT_EQ(keys.size(), 2U);
  EXPECT_EQ(keys[0], keys[1]);
  EXPECT_EQ(keys[0].size(), 36U);
  EXPECT_EQ(town.service->size("/orders"), 1U);
}

TEST(LostAnswer, of_a_replace_and_a_remove_is_made_good) {
  auto town = losing(1);
  EXPECT_TRUE(town.client().collection("orders")[1].replace(noun::Json{{"id", 1}}));
  EXPECT_EQ(town.service->requests(), 2U);
  auto other = losing(1);
  other.service->add_json("/orders", "1", "{}");
  const auto removed = other.client().collection("orders")[1].remove();
  EXPECT_TRUE(removed) << removed.error().message();
  EXPECT_EQ(other.service->requests(), 2U);
  EXPECT_EQ(other.service->size("/orders"), 0U);
}

TEST(LostAnswer, of_a_thousand_creates_leaves_each_exactly_once_and_says_maybe_each_time) {
  const auto town = losing(1000);
  const auto orders = town.client().collection("orders");
  for (int id = 1; id <= 1000; ++id) {
    const auto made = orders.create(noun::Json{{"id", id}});
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().sent(), Sent::maybe);
  }
  EXPECT_EQ(town.service->requests(), 1000U);
  EXPECT_EQ(town.service->size("/orders"), 1000U);
}

}  // namespace outage_test
}  // namespace journeys
