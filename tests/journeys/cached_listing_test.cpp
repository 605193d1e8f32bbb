// A collection that is listed again and again under GitHub's quota, where what has not changed costs nothing.
#include <chrono>
#include <cstddef>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <noun/noun.hpp>
#include <noun/testing.hpp>

namespace noun_test { namespace cached_listing_test {

using namespace std::chrono_literals;

constexpr int issues = 2000;
constexpr int page_size = 100;
constexpr int rounds = 60;

noun::Json issue(int id, int version) { return {{"id", id}, {"version", version}}; }

struct Counts {
  std::size_t requests = 0;       // that count for the quota
  std::size_t changed_pages = 0;  // as they are when they are listed, the first time all
  std::size_t rejected = 0;
};

/// Lists all issues every minute for an hour; in each minute one in a hundred changes.
Counts watch(std::shared_ptr<noun::Cache> cache) {
  const auto clock = std::make_shared<noun::testing::ManualClock>();
  const auto server = std::make_shared<noun::testing::SimulatedService>(
      clock, noun::testing::ServiceOptions{.dialect = noun::dialects::github(), .limit = 5000, .period = 1h});
  for (int id = 0; id < issues; ++id) server->add("/issues", std::to_string(id), issue(id, 0));
  const noun::Client api("https://api.example.com", {.credentials = noun::bearer("token"),
                                                     .dialect = noun::dialects::github(),
                                                     .transport = server,
                                                     .clock = clock,
                                                     .cache = std::move(cache)});
  std::mt19937 random(1);
  std::vector<int> versions(issues);
  std::set<int> changed;
  for (int page = 0; page < issues / page_size; ++page) changed.insert(page);
  Counts counts;
  for (int round = 0; round < rounds; ++round) {
    counts.changed_pages += changed.size();
    changed.clear();
    int at = 0;
    for (const auto& item : api.collection("issues").list({.page_size = page_size})) {
      EXPECT_EQ(item.value(), issue(at, versions[static_cast<std::size_t>(at)]));
      ++at;
    }
    EXPECT_EQ(at, issues);
    for (int change = 0; change < issues / 100; ++change) {
      const int id = std::uniform_int_distribution(0, issues - 1)(random);
      server->replace("/issues", std::to_string(id), issue(id, ++versions[static_cast<std::size_t>(id)]));
      changed.insert(id / page_size);
    }
    clock->advance(1min);
  }
  counts.requests = server->requests() - server->uncounted();
  counts.rejected = server->rejected();
  return counts;
}

TEST(CachedListing, costs_only_the_pages_that_changed) {
  const auto with = watch(noun::memory_cache());
  EXPECT_EQ(with.rejected, 0U);
  EXPECT_GE(with.requests, with.changed_pages);
  EXPECT_LE(with.requests * 100, with.changed_pages * 105) << with.changed_pages;
  const auto without = watch(nullptr);
  EXPECT_EQ(without.requests, 1200U);
}

}}  // namespace noun_test::cached_listing_test
