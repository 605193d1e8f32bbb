// The fetches of one listing, and the budget of bytes that pages fetched ahead share.
#include "paging/page_fetches.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>

namespace page_fetches_test {

using namespace noun;
using namespace noun::detail;
using namespace std::chrono_literals;

FetchedPage page_of(std::size_t bytes, Duration took = 1s) {
  return {.response = std::make_shared<const Response>(Response{.body = std::string(bytes, 'x')}), .took = took};
}

struct PageFetchesTest : ::testing::Test {
  PageFetches fetches{1'000, 4};

  std::uint64_t add(bool ahead = true) { return fetches.add({.url = "page"}, ahead).id; }
};

TEST_F(PageFetchesTest, results_are_taken_in_the_order_of_the_pages) {
  const auto first = add();
  const auto second = add();
  fetches.on_result(second, page_of(20), false);
  EXPECT_FALSE(fetches.take_first());
  fetches.on_result(first, page_of(10), false);
  EXPECT_EQ(fetches.take_first()->id, first);
  EXPECT_EQ(fetches.take_first()->id, second);
  EXPECT_EQ(fetches.size(), 0U);
}

TEST_F(PageFetchesTest, a_share_is_the_budget_by_the_number_of_pages_or_twice_the_largest_page) {
  const auto first = add();
  EXPECT_EQ(fetches.add({}, true).reserved, 250U);
  fetches.on_result(first, page_of(200), false);
  fetches.take_first();
  EXPECT_EQ(fetches.add({}, true).reserved, 400U);
}

TEST_F(PageFetchesTest, no_more_are_fetched_than_the_budget_and_the_prefetch_allow) {
  for (int i = 0; i < 3; ++i) add();
  EXPECT_TRUE(fetches.has_room_ahead(0, 0));
  EXPECT_FALSE(fetches.has_room_ahead(0, 1));
  EXPECT_FALSE(fetches.has_room_ahead(1, 0));
}

TEST_F(PageFetchesTest, a_page_that_is_larger_than_its_share_is_fetched_again_when_it_is_needed) {
  const auto first = add();
  const auto second = add();
  fetches.on_result(second, Error(Errc::too_large, "the body is too long"), true);
  fetches.on_result(first, page_of(251), false);
  EXPECT_EQ(fetches.requested(), 0U);
  EXPECT_FALSE(fetches.is_wanted(first));
  const auto* again = fetches.resume_first();
  ASSERT_NE(again, nullptr);
  EXPECT_FALSE(again->ahead);
  EXPECT_EQ(fetches.resume_first(), nullptr);
  EXPECT_EQ(fetches.requested(), 1U);
  fetches.on_result(again->id, page_of(900), false);
  EXPECT_TRUE(fetches.take_first());
}

TEST_F(PageFetchesTest, the_next_page_to_be_delivered_is_kept_whatever_its_size) {
  fetches.on_result(add(), page_of(900), true);
  EXPECT_TRUE(fetches.take_first());
}

TEST_F(PageFetchesTest, the_pace_is_the_time_of_the_fastest_fetch) {
  EXPECT_FALSE(fetches.pace());
  fetches.on_result(add(), page_of(1, 3s), false);
  fetches.on_result(add(), page_of(1, 2s), false);
  fetches.on_result(add(), page_of(1, 4s), false);
  EXPECT_EQ(fetches.pace(), Duration(2s));
}

}  // namespace page_fetches_test
