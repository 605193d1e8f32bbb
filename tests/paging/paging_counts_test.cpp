// Pages and offsets that are counted up, where the service says more than its items.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <noun/paging_conventions.hpp>

#include "paging/paging_bench.hpp"

namespace noun::paging_tests { namespace paging_counts_test {

PagingConvention numbered() { return {.style = PagingStyle::page_number, .items_pointer = "/items"}; }

std::string page(int count, const std::string& more = "", int first = 1) {
  return "{\"items\":" + items(count, first) + (more.empty() ? "" : "," + more) + "}";
}

TEST(PagingCounts, the_header_of_the_next_page_comes_first) {
  auto paging = numbered();
  paging.next_header = "X-Next-Page";
  PagingBench listing(paging, {.url = list + "?page=1"});
  EXPECT_EQ(listing.next(page(0), {{"X-Next-Page", "4"}}), "?page=4");
  EXPECT_EQ(listing.next(page(2)), "?page=5") << "counted up where it is left out";
  EXPECT_EQ(listing.next(page(2, "", 3), {{"X-Next-Page", ""}}), "last");
  EXPECT_EQ(
      PagingBench(paging).next(page(2), {{"X-Next-Page", "abc"}}),
      "protocol: what the answer gives as its next page is no number; check dialect.paging.next_header, next_pointers "
      "and style");
}

TEST(PagingCounts, the_body_may_name_the_next_page) {
  auto paging = numbered();
  paging.next_pointers = {"/next"};
  EXPECT_EQ(PagingBench(paging).next(page(2, R"("next":7)")), "?page=7");
  EXPECT_EQ(PagingBench(paging).next(page(2, R"("next":"7")")), "?page=7");
  EXPECT_EQ(PagingBench(paging).next(page(2, R"("next":null)")), "last");
  EXPECT_EQ(PagingBench(paging).next(page(2)), "?page=2");
}

TEST(PagingCounts, a_number_before_the_first_is_refused) {
  const auto before = [](const char* number) {
    return fmt::format(
        "protocol: what the answer gives as its next page is {}, and pages begin at 1; check "
        "dialect.paging.first_page, next_header and next_pointers",
        number);
  };
  PagingBench server(paging::json_server(), {.url = list + "?_page=1"});
  EXPECT_EQ(server.next(R"({"data":[1],"next":-9223372036854775808})"), before("-9223372036854775808"));
  auto paging = numbered();
  paging.next_pointers = {"/next"};
  paging.cursor_parameter = "offset";
  EXPECT_EQ(PagingBench(paging).next(page(2, R"("next":0)")), before("0"));
  paging.first_page = 0;
  EXPECT_EQ(PagingBench(paging).next(page(2, R"("next":0)")), "?page=0");
  EXPECT_EQ(PagingBench(paging).next(page(2, R"("next":-1)")).substr(0, 8), "protocol");
  paging.first_page = 1;
  paging.style = PagingStyle::offset;
  EXPECT_EQ(PagingBench(paging).next(page(2, R"("next":0)")), "?offset=0");
  EXPECT_EQ(PagingBench(paging).next(page(2, R"("next":-1)")),
            "protocol: what the answer gives as its next offset is -1, and offsets begin at 0; check "
            "dialect.paging.next_header and next_pointers");
}

TEST(PagingCounts, a_negative_number_is_not_counted_up) {
  auto paging = numbered();
  paging.page_count_pointer = "/pages";
  for (const auto* number : {"-1", "-9223372036854775808"})
    for (const auto* counted : {"", R"("pages":5)"})
      EXPECT_EQ(PagingBench(paging, {.url = list + "?page=" + number}).next(page(2, counted)),
                "refused: the page parameter is not a number that can be counted up")
          << number << counted;
}

TEST(PagingCounts, whether_there_is_more_comes_before_empty_pages) {
  for (const auto style : {PagingStyle::page_number, PagingStyle::offset}) {
    auto paging = numbered();
    paging.style = style;
    paging.cursor_parameter = "offset";
    paging.more_pointer = "/more";
    EXPECT_EQ(PagingBench(paging).next(page(2, R"("more":false)")), "last");
  }
  auto paging = numbered();
  paging.more_pointer = "/more";
  EXPECT_EQ(PagingBench(paging).next(page(0, R"("more":true)")), "?page=2");
  paging.next_pointers = {"/next"};
  EXPECT_EQ(PagingBench(paging).next(page(2, R"("more":true,"next":null)")), "?page=2") << "rather one page too many";
}

TEST(PagingCounts, as_many_pages_as_the_service_counts) {
  auto paging = numbered();
  paging.page_count_pointer = "/pages";
  paging.page_count_header = "X-Total-Pages";
  PagingBench listing(paging, {.url = list + "?page=1"});
  EXPECT_EQ(listing.next(page(2, R"("pages":3)")), "?page=2");
  EXPECT_EQ(listing.next(page(0, R"("pages":"3")")), "?page=3") << "an empty page is no end";
  EXPECT_EQ(listing.next(page(2, R"("pages":3)", 9)), "last");
  EXPECT_EQ(PagingBench(paging).next(page(2, R"("pages":3)"), {{"X-Total-Pages", "1"}}), "last");
  EXPECT_EQ(PagingBench(paging).next(page(2, R"("pages":-1)")), "?page=2");
  EXPECT_EQ(PagingBench(paging).next(page(0, R"("pages":0)")), "last");
  paging.first_page = 0;
  EXPECT_EQ(PagingBench(paging, {.url = list + "?page=1"}).next(page(2, R"("pages":3)")), "?page=2");
  EXPECT_EQ(PagingBench(paging, {.url = list + "?page=2"}).next(page(2, R"("pages":3)")), "last");
}

TEST(PagingCounts, a_total_that_is_reached_ends_a_listing_where_the_dialect_says_so) {
  auto paging = numbered();
  paging.total_pointer = "/total";
  paging.total_is_end = true;
  PagingBench listing(paging);
  EXPECT_EQ(listing.next(page(2, R"("total":5)")), "?page=2");
  EXPECT_EQ(listing.next(page(3, R"("total":"5")")), "last");
  EXPECT_EQ(PagingBench(paging).next(page(5, R"("total":4)")), "?page=2") << "more came than it promises";
  EXPECT_EQ(PagingBench(paging).next(page(5, R"("total":0)")), "?page=2");
  EXPECT_EQ(PagingBench(paging, {.url = list + "?page=2"}, {}, {}, PagerStart::elsewhere).next(page(5, R"("total":5)")),
            "?page=3")
      << "it is not known how many came before";
  paging.total_is_end = false;
  EXPECT_EQ(PagingBench(paging).next(page(5, R"("total":5)")), "?page=2");
}

TEST(PagingCounts, a_total_that_is_a_lower_bound_ends_nothing) {
  auto paging = numbered();
  paging.total_is_end = true;
  for (const auto* pointer : {"/total", "/total/value"}) {
    paging.total_pointer = pointer;
    PagingBench bound(paging);
    EXPECT_EQ(bound.next(page(5, R"("total":{"value":5,"relation":"gte"})")), "?page=2") << pointer;
    EXPECT_EQ(bound.pager.promised(), std::nullopt);
    PagingBench exact(paging);
    EXPECT_EQ(exact.next(page(5, R"("total":{"value":5,"relation":"eq"})")), "last") << pointer;
    EXPECT_EQ(exact.pager.promised(), 5U);
  }
}

TEST(PagingCounts, a_short_page_ends_a_listing_where_the_dialect_says_so) {
  auto paging = numbered();
  paging.short_page_is_last = true;
  const PagePlace asked{.url = list + "?per_page=3"};
  EXPECT_EQ(PagingBench(paging, asked).next(page(2)), "last");
  EXPECT_EQ(PagingBench(paging, asked).next(page(3)), "?per_page=3&page=2");
  EXPECT_EQ(PagingBench(paging, asked).next(page(2), {{"X-Total-Count", "9"}}), "?per_page=3&page=2");
  paging.short_page_is_last = false;
  EXPECT_EQ(PagingBench(paging, asked).next(page(2)), "?per_page=3&page=2");
}

PagingConvention by_offset() {
  auto paging = numbered();
  paging.style = PagingStyle::offset;
  paging.cursor_parameter = "offset";
  paging.total_header = "";
  return paging;
}

TEST(PagingOffset, advances_by_as_many_as_came) {
  PagingBench listing(by_offset(), {.url = list + "?per_page=50"});
  EXPECT_EQ(listing.next(page(50)), "?per_page=50&offset=50");
  EXPECT_EQ(listing.next(page(7)), "?per_page=50&offset=57");
  EXPECT_EQ(listing.next(page(0)), "last");
  EXPECT_EQ(PagingBench(by_offset(), {.url = list + "?offset=20"}).next(page(5)), "?offset=25");
}

TEST(PagingOffset, ends_where_the_total_is_reached_also_from_the_middle) {
  auto paging = by_offset();
  paging.total_pointer = "/total";
  paging.total_is_end = true;
  PagingBench listing(paging, {.url = list + "?offset=20"}, {}, {}, PagerStart::elsewhere);
  EXPECT_EQ(listing.next(page(5, R"("total":30)")), "?offset=25");
  EXPECT_EQ(listing.next(page(5, R"("total":30)", 6)), "last");
}

TEST(PagingOffset, may_stand_in_the_body) {
  auto paging = by_offset();
  paging.cursor_pointer = "/from";
  PagingBench listing(paging, {.url = list}, R"({"from":10,"size":5})");
  EXPECT_EQ(listing.next(page(5)), " 15");
  EXPECT_EQ(listing.pager.request_for(listing.pager.place()).body, R"({"from":15,"size":5})");
  EXPECT_EQ(listing.next(page(5, "", 6)), " 20");
  EXPECT_EQ(PagingBench(paging, {.url = list}, R"({"size":5})").next(page(5)), " 5");
}

TEST(PagingOffset, that_cannot_be_counted_up_is_refused) {
  for (const auto* offset : {"abc", "", "9223372036854775807", "1.5", "-5"})
    EXPECT_EQ(PagingBench(by_offset(), {.url = list + "?offset=" + offset}).next(page(5)),
              "refused: the offset is not a number that can be counted up")
        << offset;
  auto paging = by_offset();
  paging.more_pointer = "/more";
  EXPECT_EQ(
      PagingBench(paging).next(page(0, R"("more":true)")),
      "protocol: the answer says that there is more, but has no items to count the offset up by; tell the service's "
      "owner");
}

TEST(PagingOffset, that_is_ignored_by_the_service_is_refused) {
  PagingBench listing(by_offset());
  EXPECT_EQ(listing.next(page(5)), "?offset=5");
  const auto again = listing.decide(page(5));
  EXPECT_FALSE(again.deliver);
  ASSERT_TRUE(std::holds_alternative<Refuse>(again.next));
  EXPECT_EQ(std::get<Refuse>(again.next).what,
            "the service answers the same page again and again: check the dialect's paging "
            "(dialect.paging)");
}

TEST(PagingGuess, is_made_where_the_body_says_that_there_is_more) {
  PagingConvention paging{.items_pointer = "/items"};
  paging.total_pointer = "/total";
  EXPECT_EQ(PagingBench(paging).next(page(5, R"("total":6)")), "?page=2");
  EXPECT_EQ(PagingBench(paging).next(page(5, R"("total":5)")), "last");
}

}  // namespace paging_counts_test
}  // namespace noun::paging_tests
