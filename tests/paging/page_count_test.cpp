// How many pages come behind one.
#include "paging/page_count.hpp"

#include <gtest/gtest.h>

#include <string>

namespace paging_tests { namespace page_count_test {

std::optional<std::size_t> behind(const noun::Headers& headers, std::string_view url, std::size_t items = 100,
                                  const noun::PagingConvention& convention = {}) {
  const noun::Response response{.status = 200, .headers = headers, .url = std::string(url)};
  return noun::pages_behind({.response = response, .items = items}, url, convention, 0);
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

std::optional<std::size_t> behind_body(std::string body, std::string_view url, const noun::PagingConvention& convention,
                                       const noun::Headers& headers = {}) {
  const noun::Response response{.status = 200, .headers = headers, .body = std::move(body), .url = std::string(url)};
  return noun::pages_behind({.response = response, .items = 10}, url, convention, 0);
}

TEST(PageCount, the_count_of_pages_tells) {
  noun::PagingConvention counted{.style = noun::PagingStyle::page_number};
  counted.page_count_pointer = "/pages";
  counted.page_count_header = "X-Total-Pages";
  EXPECT_EQ(behind_body(R"({"pages":9})", page_3, counted), 6U);
  EXPECT_EQ(behind_body(R"({"pages":"9"})", page_3, counted), 6U);
  EXPECT_EQ(behind_body(R"({"pages":2})", page_3, counted), 0U);
  EXPECT_EQ(behind_body(R"({"pages":9})", page_3, counted, {{"X-Total-Pages", "5"}}), 2U) << "the header comes first";
  EXPECT_EQ(behind_body(R"({"pages":18446744073709551615})", page_3, counted), std::nullopt);
  counted.first_page = 0;
  EXPECT_EQ(behind_body(R"({"pages":9})", page_3, counted), 5U);
}

TEST(PageCount, the_body_counts_items_too) {
  noun::PagingConvention counted{.style = noun::PagingStyle::page_number};
  counted.total_pointer = "/total";
  EXPECT_EQ(behind_body(R"({"total":"41"})", "https://h/x?page=2", counted), 3U);
}

TEST(PageCount, behind_an_offset_there_is_what_the_total_leaves) {
  noun::PagingConvention offset{.style = noun::PagingStyle::offset, .total_header = "X-Total"};
  offset.cursor_parameter = "start";
  EXPECT_EQ(behind_body("", "https://h/x", offset, {{"X-Total", "41"}}), 4U);
  EXPECT_EQ(behind_body("", "https://h/x?start=20", offset, {{"X-Total", "41"}}), 2U);
  EXPECT_EQ(behind_body("", "https://h/x?start=40", offset, {{"X-Total", "41"}}), 0U);
  EXPECT_EQ(behind_body("", "https://h/x?start=9223372036854775807", offset, {{"X-Total", "0"}}), 0U);
  EXPECT_EQ(behind_body("", "https://h/x?start=x", offset, {{"X-Total", "41"}}), std::nullopt);
  EXPECT_EQ(behind_body("", "https://h/x?start=20", offset), std::nullopt);
}

TEST(PageCount, behind_a_range_there_is_what_content_range_leaves) {
  const noun::PagingConvention range{.style = noun::PagingStyle::range};
  EXPECT_EQ(behind_body("", "https://h/x", range, {{"Content-Range", "10-19/41"}}), 3U);
  EXPECT_EQ(behind_body("", "https://h/x", range, {{"Content-Range", "10-19/*"}}), std::nullopt);
}

TEST(PageCount, a_total_tells_nothing_where_pages_have_no_numbers) {
  noun::PagingConvention cursor{.style = noun::PagingStyle::cursor, .total_header = "X-Total"};
  EXPECT_EQ(behind_body("", "https://h/x?cursor=abc", cursor, {{"X-Total", "41"}}), std::nullopt);
  cursor.style = noun::PagingStyle::next_url;
  EXPECT_EQ(behind_body("", "https://h/x?page=2", cursor, {{"X-Total", "41"}}), 3U) << "unless their URLs have";
}

}  // namespace page_count_test
}  // namespace paging_tests
