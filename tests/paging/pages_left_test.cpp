// How many pages come after one.
#include "paging/counts.hpp"

#include <gtest/gtest.h>

#include <string>

#include "wire/page_url.hpp"

namespace paging_tests { namespace pages_left_test {

namespace paging = noun::paging;

/// @param response  of a page; the next one has the number `next` in the parameter `name`.
std::optional<std::size_t> left(const noun::Response& response, std::size_t items, const noun::Paging& paging,
                                std::string_view name = "page", int next = 4) {
  const noun::detail::PagePlace place{.url = response.url};
  const noun::detail::PagePlace following{
      .url = noun::wire::with_parameter(response.url, name, std::to_string(next))};
  const auto outlook = noun::detail::outlook_of(
      paging.style,
      {.paging = paging,
       .body = {},
       .place = place,
       .page = {.response = response, .items = items},
       .total = noun::detail::total_of(response, paging)},
      following, {.largest = items, .smallest = items});
  return outlook ? std::optional(outlook->pages()) : std::nullopt;
}

std::optional<std::size_t> left(const noun::Headers& headers, std::string_view url, std::size_t items = 100,
                                const noun::Paging& paging = {}) {
  return left({.status = 200, .headers = headers, .url = std::string(url)}, items, paging);
}

const std::string page_3 = "https://api.example.com/things?per_page=100&page=3";

TEST(PagesLeft, follow_from_the_link_to_the_last_page) {
  const noun::Headers headers = {{"Link", R"(<https://api.example.com/things?page=9>; rel="last")"}};
  EXPECT_EQ(left(headers, page_3), 6U);
}

TEST(PagesLeft, are_none_if_the_last_page_is_before_this_one) {
  const noun::Headers headers = {{"Link", R"(<https://api.example.com/things?page=2>; rel="last")"}};
  EXPECT_EQ(left(headers, page_3), 0U);
}

TEST(PagesLeft, follow_from_the_total) {
  EXPECT_EQ(left({{"X-Total-Count", "950"}}, page_3), 7U);
  EXPECT_EQ(left({{"X-Total-Count", "900"}}, page_3), 6U);
  EXPECT_EQ(left({{"X-Total-Count", "299"}}, page_3), 0U);
}

TEST(PagesLeft, are_more_if_the_server_returns_fewer_items_than_requested) {
  EXPECT_EQ(left({{"X-Total-Count", "300"}}, page_3, 50), 3U);
}

TEST(PagesLeft, count_from_the_first_number_of_the_style) {
  EXPECT_EQ(left({{"X-Total-Count", "950"}}, page_3, 100, {.style = paging::PageNumber{.first = 0}}), 6U);
}

TEST(PagesLeft, are_unknown_if_the_counts_cannot_be_read) {
  EXPECT_FALSE(left({}, page_3));
  EXPECT_FALSE(left({{"X-Total-Count", "many"}}, page_3));
  EXPECT_FALSE(left({{"X-Total-Count", "-5"}}, page_3));
  EXPECT_FALSE(left({{"X-Total-Count", "950"}}, page_3, 0));
  EXPECT_FALSE(left({{"Link", R"(<https://api.example.com/things?cursor=b>; rel="last")"}}, page_3));
}

std::optional<std::size_t> left_by_body(std::string body, std::string_view url, const noun::Paging& paging,
                                        const noun::Headers& headers = {}) {
  return left({.status = 200, .headers = headers, .body = std::move(body), .url = std::string(url)}, 10, paging);
}

TEST(PagesLeft, follow_from_the_count_of_pages) {
  noun::Paging counted{.style = paging::PageNumber{},
                       .totals = {.pages_header = "X-Total-Pages", .pages_pointer = "/pages"}};
  EXPECT_EQ(left_by_body(R"({"pages":9})", page_3, counted), 6U);
  EXPECT_EQ(left_by_body(R"({"pages":"9"})", page_3, counted), 6U);
  EXPECT_EQ(left_by_body(R"({"pages":2})", page_3, counted), 0U);
  EXPECT_EQ(left_by_body(R"({"pages":9})", page_3, counted, {{"X-Total-Pages", "5"}}), 2U) << "the header comes first";
  EXPECT_EQ(left_by_body(R"({"pages":18446744073709551615})", page_3, counted), std::nullopt);
  counted.style = paging::PageNumber{.first = 0};
  EXPECT_EQ(left_by_body(R"({"pages":9})", page_3, counted), 5U);
}

TEST(PagesLeft, follow_from_the_total_in_the_body) {
  const noun::Paging counted{.style = paging::PageNumber{}, .totals = {.items_pointer = "/total"}};
  EXPECT_EQ(left_by_body(R"({"total":"41"})", "https://h/x?page=3", counted), 2U);
}

TEST(PagesLeft, after_an_offset_follow_from_the_rest_of_the_total) {
  const noun::Paging offset{.style = paging::Offset{.parameter = "start"}, .totals = {.items_header = "X-Total"}};
  const auto left_from = [&](int next, const noun::Headers& headers) {
    return left({.status = 200, .headers = headers, .url = "https://h/x"}, 10, offset, "start", next);
  };
  EXPECT_EQ(left_from(10, {{"X-Total", "41"}}), 4U);
  EXPECT_EQ(left_from(30, {{"X-Total", "41"}}), 2U);
  EXPECT_EQ(left_from(50, {{"X-Total", "41"}}), 0U);
  EXPECT_EQ(left_from(-1, {{"X-Total", "41"}}), std::nullopt);
  EXPECT_EQ(left_from(30, {{"X-Total", "18446744073709551615"}}), std::nullopt);
  EXPECT_EQ(left_from(30, {}), std::nullopt);
}

TEST(PagesLeft, after_a_range_follow_from_the_rest_of_content_range) {
  const noun::Paging range{.style = paging::ItemRange{}};
  EXPECT_EQ(left_by_body("", "https://h/x", range, {{"Content-Range", "10-19/41"}}), 3U);
  EXPECT_EQ(left_by_body("", "https://h/x", range, {{"Content-Range", "10-19/*"}}), std::nullopt);
}

TEST(PagesLeft, do_not_follow_from_a_total_if_pages_have_no_numbers) {
  noun::Paging paging{.style = paging::Cursor{.parameter = "cursor"}, .totals = {.items_header = "X-Total"}};
  EXPECT_EQ(left_by_body("", "https://h/x?cursor=abc", paging, {{"X-Total", "41"}}), std::nullopt);
  paging.style = paging::NextUrl{.from = "/next"};
  EXPECT_EQ(left({.status = 200, .headers = {{"X-Total", "41"}}, .url = "https://h/x"}, 10, paging, "cursor"),
            std::nullopt);
  EXPECT_EQ(left_by_body("", "https://h/x?page=3", paging, {{"X-Total", "41"}}), 2U) << "unless their URLs have";
}

}  // namespace pages_left_test
}  // namespace paging_tests
