// Numbered pages: if the dialect says so, or if a full first page without a Link header suggests it.
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "paging/pager.hpp"

namespace paging_tests { namespace paging_numbers_test {

using noun::Headers;
using noun::detail::LastPage;
using noun::detail::PagePlace;
using noun::detail::PageDecision;
using noun::detail::Pager;
using noun::detail::PagerStart;
using noun::Paging;
using noun::Refuse;
namespace paging = noun::paging;

const std::string list = "https://api.example.com/things";

/// A listing without requests; every page has its own fingerprint unless the test gives it one.
struct Counting {
  Pager pager;
  std::string at;
  std::size_t pages = 1000;

  explicit Counting(Paging convention, std::string url = list + "?page=1",
                    PagerStart start = {})
      : pager(std::move(convention), {}, {.url = url}, {}, {*noun::wire::origin_of(list)}, start), at(std::move(url)) {}

  PageDecision page(std::size_t items, const Headers& headers = {}, std::size_t fingerprint = 0) {
    const noun::Response response{.status = 200, .headers = headers, .url = at};
    if (fingerprint == 0) fingerprint = ++pages;
    auto decision =
        pager.decide({.response = response, .items = items, .fingerprint = fingerprint});
    if (const auto* link = std::get_if<PagePlace>(&decision.next)) at = link->url;
    return decision;
  }
  /// The URL of the next page without the list's, or `last`, or `refused`.
  std::string next(std::size_t items, const Headers& headers = {}, std::size_t fingerprint = 0) {
    const auto decision = page(items, headers, fingerprint);
    if (std::holds_alternative<LastPage>(decision.next)) return "last";
    return std::holds_alternative<Refuse>(decision.next) ? "refused" : at.substr(list.size());
  }
};

Paging numbered(paging::PageNumber style = {}) { return {.style = std::move(style)}; }

TEST(PagingNumbers, pages_are_counted_until_one_is_empty) {
  Counting listing(numbered());
  EXPECT_EQ(listing.next(5), "?page=2");
  EXPECT_EQ(listing.next(5), "?page=3");
  EXPECT_EQ(listing.next(1), "?page=4");
  EXPECT_EQ(listing.next(0), "last");
}

TEST(PagingNumbers, a_total_that_is_reached_is_not_the_end_as_it_may_be_stale_or_capped) {
  for (const auto* total : {"0", "5", "12", "many", "-1", "99999999999999999999"}) {
    Counting listing(numbered());
    const Headers headers = {{"X-Total-Count", total}};
    EXPECT_EQ(listing.next(5, headers), "?page=2") << total;
    EXPECT_EQ(listing.next(7, headers), "?page=3") << total;
    EXPECT_EQ(listing.next(0, headers), "last") << total;
  }
}

TEST(PagingNumbers, the_first_page_may_be_number_zero) {
  Counting listing(numbered({.first = 0}), list + "?page=0");
  EXPECT_EQ(listing.next(5), "?page=1");
  EXPECT_EQ(listing.next(0), "last");
}

TEST(PagingNumbers, a_url_without_a_number_is_the_first_page) {
  Counting from_one(numbered(), list + "?q=a");
  EXPECT_EQ(from_one.next(5), "?q=a&page=2");
  Counting from_zero(numbered({.first = 0}), list);
  EXPECT_EQ(from_zero.next(5), "?page=1");
}

TEST(PagingNumbers, the_parameter_may_have_another_name) {
  Counting listing(numbered({.parameter = "page[number]"}), list + "?page%5Bnumber%5D=1&q=a");
  EXPECT_EQ(listing.next(5), "?page%5Bnumber%5D=2&q=a");
}

TEST(PagingNumbers, a_number_that_cannot_be_counted_up_is_refused) {
  for (const auto* number : {"abc", "", "9223372036854775807", "99999999999999999999", "1.5"}) {
    Counting listing(numbered(), list + "?page=" + number);
    EXPECT_EQ(listing.next(5), "refused") << number;
  }
}

TEST(PagingNumbers, a_page_that_is_returned_again_is_refused_and_not_delivered) {
  Counting listing(numbered());
  EXPECT_EQ(listing.next(5, {}, 7), "?page=2");
  const auto again = listing.page(5, {}, 7);
  EXPECT_FALSE(again.deliver);
  ASSERT_TRUE(std::holds_alternative<Refuse>(again.next));
  EXPECT_EQ(std::get<Refuse>(again.next).code, noun::Errc::refused);
}

TEST(PagingNumbers, links_are_ignored_if_pages_are_numbered) {
  Counting listing(numbered());
  EXPECT_EQ(listing.next(5, {{"Link", "</other>; rel=\"next\""}}), "?page=2");
}

TEST(PagingGuess, is_made_after_a_full_first_page_without_a_link_header) {
  Counting listing({}, list + "?per_page=5");
  EXPECT_EQ(listing.next(5), "?per_page=5&page=2");
  EXPECT_TRUE(listing.pager.guessing());
  EXPECT_EQ(listing.next(5), "?per_page=5&page=3");
  EXPECT_EQ(listing.next(3), "?per_page=5&page=4");
  EXPECT_EQ(listing.next(0), "last");
}

TEST(PagingGuess, is_an_error_if_the_server_ignores_the_parameter) {
  for (const std::size_t items : {5U, 9U}) {
    Counting listing({}, list + "?per_page=5");
    listing.page(items, {}, 7);
    const auto again = listing.page(items, {}, 7);
    EXPECT_FALSE(again.deliver);
    ASSERT_TRUE(std::holds_alternative<Refuse>(again.next));
    EXPECT_EQ(std::get<Refuse>(again.next).code, noun::Errc::refused);
    EXPECT_NE(std::get<Refuse>(again.next).advice.find("ClientOptions::dialect.paging.style"), std::string::npos);
  }
}

TEST(PagingGuess, ends_without_a_second_delivery_if_the_server_returns_its_last_page_again) {
  Counting listing({}, list + "?per_page=5");
  listing.page(5, {}, 7);
  listing.page(5, {}, 8);
  const auto again = listing.page(5, {}, 8);
  EXPECT_FALSE(again.deliver);
  EXPECT_TRUE(std::holds_alternative<LastPage>(again.next));
}

TEST(PagingGuess, is_not_made_without_reason) {
  EXPECT_EQ(Counting({}, list + "?per_page=5").next(4), "last");
  EXPECT_EQ(Counting({}, list).next(4), "last");
  for (const auto* of_pages : {"first", "last", "prev", "previous", "self first"}) {
    const Headers link = {{"Link", fmt::format("</things>; rel=\"{}\"", of_pages)}};
    EXPECT_EQ(Counting({}, list + "?per_page=5").next(5, link), "last") << of_pages;
  }
  EXPECT_EQ(Counting({.style = paging::LinkHeader{}}, list + "?per_page=5").next(5), "last");
}

TEST(PagingGuess, is_made_beside_links_that_are_not_about_pages) {
  for (const auto* other :
       {"</docs>; rel=\"deprecation\"", "</style.css>; rel=preload; as=style", "</schema>", "</>; rel=self"})
    EXPECT_EQ(Counting({}, list + "?per_page=5").next(5, {{"Link", other}}), "?per_page=5&page=2") << other;
}

TEST(PagingGuess, is_made_after_a_page_with_more_items_than_requested) {
  EXPECT_EQ(Counting({}, list + "?per_page=5").next(9), "?per_page=5&page=2");
}

TEST(PagingGuess, is_not_made_after_a_link) {
  Counting listing({}, list + "?per_page=5");
  EXPECT_EQ(listing.next(5, {{"Link", "<?per_page=5&page=2>; rel=next"}}), "?per_page=5&page=2");
  EXPECT_EQ(listing.next(5), "last");
  EXPECT_FALSE(listing.pager.guessing());
}

TEST(PagingGuess, resumes_where_it_was_left_also_after_a_page_that_is_short_now) {
  for (const std::size_t items : {5U, 1U}) {
    Counting listing({}, list + "?per_page=5&page=3", {.is_first = false, .guessed_first = 1});
    EXPECT_TRUE(listing.pager.guessing());
    EXPECT_EQ(listing.next(items), "?per_page=5&page=4");
    EXPECT_TRUE(listing.pager.guessing());
    EXPECT_EQ(listing.next(0), "last");
  }
}

TEST(PagingGuess, is_given_up_for_a_link) {
  Counting listing({}, list + "?per_page=5", {.is_first = false, .guessed_first = 1});
  EXPECT_EQ(listing.next(5, {{"Link", "<?cursor=x>; rel=next"}}), "?cursor=x");
  EXPECT_FALSE(listing.pager.guessing());
  EXPECT_EQ(listing.next(5), "last");
}

TEST(PagingGuess, is_made_only_at_the_first_page) {
  Counting listing({}, list + "?per_page=5&cursor=x", {.is_first = false});
  EXPECT_EQ(listing.next(5, {{"X-Total-Count", 100}}), "last");
}

TEST(PagingGuess, is_not_resumed_if_the_dialect_has_another_style) {
  Counting links({.style = paging::LinkHeader{}}, list + "?per_page=5&page=3", {.is_first = false, .guessed_first = 1});
  EXPECT_FALSE(links.pager.guessing());
  EXPECT_EQ(links.next(5), "last");
  EXPECT_FALSE(Counting(numbered(), list + "?page=3", {.is_first = false, .guessed_first = 1}).pager.guessing());
}

TEST(PagingGuess, is_made_if_the_total_is_greater_than_the_items_received) {
  Counting listing({}, list);
  EXPECT_EQ(listing.next(5, {{"X-Total-Count", 6}}), "?page=2");
  EXPECT_TRUE(listing.pager.guessing());
  for (const auto* total : {"5", "0", "", "many", "-1"})
    EXPECT_EQ(Counting({}, list).next(5, {{"X-Total-Count", total}}), "last") << total;
  EXPECT_EQ(Counting({}, list).next(0, {{"X-Total-Count", 6}}), "last") << "an empty page has no successor";
}

}  // namespace paging_numbers_test
}  // namespace paging_tests
