// How many pages come behind one.
#include "policy/page_count.hpp"

#include <gtest/gtest.h>

#include <string>

namespace policy_test {
namespace {

std::optional<std::size_t> behind(const noun::Headers& headers, std::string_view url, std::size_t items = 100,
                                  const noun::PagingConvention& convention = {}) {
  return noun::pages_behind({.headers = headers, .url = url, .items = items}, url, convention, 0);
}

const std::string page_3 = "https://api.example.com/things?per_page=100&page=3";

TEST(PageCount, the_last_link_tells) {
  const noun::Headers headers = {{"Link", R"(<https://api.example.com/things?page=9>; rel="last")"}};
  EXPECT_EQ(behind(headers, page_3), 6U);
  EXPECT_EQ(behind(headers, "https://api.example.com/things"), 8U) << "a first page need not be numbered";
}

TEST(PageCount, a_last_page_behind_this_one_is_none) {
  const noun::Headers headers = {{"Link", R"(<https://api.example.com/things?page=2>; rel="last")"}};
  EXPECT_EQ(behind(headers, page_3), 0U);
}

TEST(PageCount, the_count_of_all_items_tells) {
  EXPECT_EQ(behind({{"X-Total-Count", "950"}}, page_3), 7U);
  EXPECT_EQ(behind({{"X-Total-Count", "900"}}, page_3), 6U);
  EXPECT_EQ(behind({{"X-Total-Count", "299"}}, page_3), 0U);
}

TEST(PageCount, a_service_that_gives_less_than_was_asked_for_has_more_pages) {
  EXPECT_EQ(behind({{"X-Total-Count", "300"}}, page_3, 50), 3U);
}

TEST(PageCount, numbers_begin_where_the_convention_says) {
  noun::PagingConvention from_zero;
  from_zero.first_page = 0;
  EXPECT_EQ(behind({{"X-Total-Count", "950"}}, page_3, 100, from_zero), 6U);
}

TEST(PageCount, what_cannot_be_read_tells_nothing) {
  EXPECT_FALSE(behind({}, page_3));
  EXPECT_FALSE(behind({{"X-Total-Count", "many"}}, page_3));
  EXPECT_FALSE(behind({{"X-Total-Count", "-5"}}, page_3));
  EXPECT_FALSE(behind({{"X-Total-Count", "950"}}, page_3, 0));
  EXPECT_FALSE(behind({{"X-Total-Count", "950"}}, "https://api.example.com/things?page=x"));
  EXPECT_FALSE(behind({{"Link", R"(<https://api.example.com/things?cursor=b>; rel="last")"}}, page_3));
}

}  // namespace
}  // namespace policy_test
