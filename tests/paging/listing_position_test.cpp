// Where the consumer of a listing stands, and its bookmark.
#include "paging/listing_position.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace listing_position_test {

using namespace noun;
using namespace noun::detail;

struct ListingPositionTest : ::testing::Test {
  ListingSettings settings{.first = {.url = "https://api.example.com/things"}};

  ListingPosition::Given move(ListingPosition& position, const std::string& url,
                              std::vector<std::string_view> items) const {
    const FetchedPage page{.response = std::make_shared<const Response>(),
                           .items = std::move(items),
                           .sent = {{"X-Page", url}}};
    auto given = position.move_to({.url = url}, page, settings.paging);
    position.passed(false, page.sent);
    return given;
  }
};

TEST_F(ListingPositionTest, a_bookmark_is_the_page_and_the_items_taken_of_it) {
  ListingPosition position(settings);
  EXPECT_FALSE(position.has_started());
  EXPECT_EQ(position.bookmark(settings, 0, {}).place, settings.first);
  move(position, "one", {"1", "2"});
  move(position, "two", {"3", "4"});
  const auto bookmark = position.bookmark(settings, 1, 9);
  EXPECT_EQ(bookmark.place.url, "two");
  EXPECT_EQ(bookmark.taken, 1U);
  EXPECT_EQ(bookmark.before, 2U);
  EXPECT_EQ(bookmark.promised, 9U);
  EXPECT_EQ(position.items(), 4U);
}

TEST_F(ListingPositionTest, the_first_page_after_a_bookmark_skips_what_was_taken) {
  settings.resume = Bookmark{.place = {.url = "two"}, .taken = 1, .before = 2};
  ListingPosition position(settings);
  EXPECT_EQ(move(position, "two", {"3", "4"}).skip, 1U);
  EXPECT_EQ(position.items(), 4U);
  EXPECT_EQ(move(position, "three", {"5"}).skip, 0U);
}

TEST_F(ListingPositionTest, a_page_with_nothing_new_leaves_the_position_after_all_of_the_page_before) {
  ListingPosition position(settings);
  move(position, "one", {"1", "2"});
  position.stay();
  EXPECT_EQ(position.bookmark(settings, 0, {}).place.url, "one");
  EXPECT_EQ(position.bookmark(settings, 0, {}).taken, 2U);
}

TEST_F(ListingPositionTest, known_items_are_not_given_and_indices_are_those_of_the_page) {
  settings.key = "/id";
  ListingPosition position(settings);
  move(position, "one", {R"({"id":1})", R"({"id":2})"});
  const auto given = move(position, "two", {R"({"id":2})", R"({"id":3})"});
  EXPECT_EQ(given.items, std::vector<std::string_view>{R"({"id":3})"});
  EXPECT_EQ(given.duplicates, 1U);
  EXPECT_EQ(position.index_on_page(0), 1U);
}

TEST_F(ListingPositionTest, the_fields_are_those_of_the_page_and_of_the_one_that_led_there) {
  ListingPosition position(settings);
  move(position, "one", {"1"});
  move(position, "two", {"2"});
  EXPECT_EQ(position.headers(), (Headers{{"X-Page", "one"}, {"X-Page", "two"}}));
}

}  // namespace listing_position_test
