// Tests of a listing that is interrupted and resumed repeatedly by separate clients, with faults.
#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "journeys/window_monitor.hpp"

namespace journeys { namespace resumed_listing_test {

using Fault = std::optional<std::pair<noun::Result<noun::Response>, kit::SimulatedService::When>>;
using When = kit::SimulatedService::When;

constexpr int count = 2000;

/// One request in four fails: 503, truncated response, refused connection, or 403.
kit::SimulatedService::Fault random_faults(std::uint32_t seed) {
  return [chance = std::minstd_rand(seed)](const noun::Attempt&, std::size_t) mutable -> Fault {
    switch (chance() % 16) {
      case 0: return std::pair(noun::Response{.status = 503}, When::instead);
      case 1: return std::pair(noun::Error(noun::Errc::truncated, "cut", noun::Sent::maybe), When::after);
      case 2: return std::pair(noun::Error(noun::Errc::connect, "refused", noun::Sent::no), When::instead);
      case 3: return std::pair(noun::Response{.status = 403}, When::instead);
      default: return std::nullopt;
    }
  };
}

struct ResumingReader {
  std::shared_ptr<kit::ManualClock> clock = std::make_shared<kit::ManualClock>();
  std::shared_ptr<kit::SimulatedService> service =
      std::make_shared<kit::SimulatedService>(clock, kit::ServiceOptions{.parameters = {"sort"}, .limit = 600});
  std::vector<int> taken;
  std::string bookmark;

  explicit ResumingReader(std::uint32_t seed) {
    fill(*service, count);
    service->on_request(random_faults(seed));
  }
  noun::Listing<Language> listing() const {
    const noun::Client api{"https://api.example.com",
                           {.transport = service, .clock = clock, .quota_ledger = noun::make_quota_ledger()}};
    return api.collection<Language>("languages").list({.query = {{"sort", "id"}}, .page_size = 30, .resume = bookmark});
  }
  /// Reads up to `most` items one by one.
  void read_items(int most) {
    auto list = listing();
    for (const auto& language : list) {
      if (!language) break;
      taken.push_back(language->id);
      if (--most == 0) break;
    }
    bookmark = list.bookmark();
  }
  /// Reads one item, then one page.
  void read_item_and_page() {
    auto list = listing();
    if (auto first = list.begin(); first != list.end() && *first) taken.push_back((*first)->id);
    for (const auto& page : list.pages()) {
      if (page)
        for (const auto& language : page->items) taken.push_back(language.id);
      break;
    }
    bookmark = list.bookmark();
  }
};

TEST(ListingThatIsResumed, fifty_times_with_faults_delivers_every_item_exactly_once) {
  for (const std::uint32_t seed : {1U, 2U, 3U}) {
    ResumingReader reader(seed);
    for (int round = 1; round <= 50; ++round)
      round % 3 == 0 ? reader.read_item_and_page() : reader.read_items(7 * round % 45 + 1);
    EXPECT_GT(reader.taken.size(), 500U);
    for (int round = 0; round < 500 && reader.taken.size() < count; ++round) reader.read_items(count);
    std::vector<int> all(count);
    std::iota(all.begin(), all.end(), 1);
    EXPECT_EQ(reader.taken, all);
    EXPECT_EQ(reader.service->rejected(), 0U);
  }
}

TEST(ListingThatFails, continues_in_the_same_listing_to_the_end) {
  ResumingReader reader(4);
  auto list = reader.listing();
  std::vector<int> taken;
  int errors = 0;
  for (int round = 0; round < 500 && taken.size() < count; ++round)
    for (const auto& language : list) {
      if (language)
        taken.push_back(language->id);
      else
        ++errors;
    }
  std::vector<int> all(count);
  std::iota(all.begin(), all.end(), 1);
  EXPECT_EQ(taken, all);
  EXPECT_GT(errors, 0);
}

}  // namespace resumed_listing_test
}  // namespace journeys
