// Pages ahead of the next one: they can be requested if their numbers are known, and only then.
#include <gtest/gtest.h>

#include "paging/paging_bench.hpp"

namespace noun::paging_tests { namespace paging_ahead_test {

Paging numbered() { return {.style = paging::PageNumber{}}; }

Headers links(const std::string& next, const std::string& last) {
  return {{"Link", "<" + next + ">; rel=next, <" + last + ">; rel=last"}};
}

TEST(PagingAhead, a_last_link_that_differs_only_in_the_number_reports_the_numbers) {
  PagingBench listing({.style = paging::LinkHeader{}});
  EXPECT_EQ(listing.ahead(0), "unknown") << "no page was seen";
  EXPECT_EQ(listing.next(items(3), links("?q=a&page=2&n=3", "?q=a&page=5&n=3#x")), "?q=a&page=2&n=3");
  EXPECT_EQ(listing.ahead(0), "?q=a&page=2&n=3");
  EXPECT_EQ(listing.ahead(1), "?q=a&page=3&n=3");
  EXPECT_EQ(listing.ahead(3), "?q=a&page=5&n=3");
  EXPECT_EQ(listing.ahead(4), "unknown");
  EXPECT_EQ(listing.next(items(3, 4)), "last");
  EXPECT_EQ(listing.ahead(0), "unknown");
}

TEST(PagingAhead, links_that_differ_in_more_or_have_no_number_report_nothing) {
  for (const auto& [next, last] : {std::pair("?q=a&page=2", "?q=b&page=5"),
                                   {"?cursor=b", "?cursor=z"},
                                   {"?cursor=b&page=2", "?cursor=z&page=5"},
                                   {"?page=x", "?page=y"},
                                   {"?page=2", "/other?page=5"},
                                   {"?page=2", "?page=99999999999999999999"}}) {
    PagingBench listing({.style = paging::LinkHeader{}});
    listing.next(items(3), links(next, last));
    EXPECT_EQ(listing.ahead(1), "unknown") << next << " " << last;
  }
}

TEST(PagingAhead, a_count_of_pages_reports_the_numbers) {
  for (const paging::Style& style : {paging::Style(paging::PageNumber{}), paging::Style(paging::LinkHeader{})}) {
    Paging paging{.style = style};
    paging.totals.pages_header = "X-Total-Pages";
    PagingBench listing(paging);
    listing.next(items(3), {{"X-Total-Pages", "4"}, {"Link", "<?page=2>; rel=next"}});
    EXPECT_EQ(listing.ahead(2), "?page=4");
    EXPECT_EQ(listing.ahead(3), "unknown");
  }
  auto from_zero = numbered();
  from_zero.totals.pages_header = "X-Total-Pages";
  from_zero.style = paging::PageNumber{.first = 0};
  PagingBench listing(from_zero);
  listing.next(items(3), {{"X-Total-Pages", "4"}});
  EXPECT_EQ(listing.ahead(2), "?page=3");
  EXPECT_EQ(listing.ahead(3), "unknown");
}

TEST(PagingAhead, a_total_reports_the_numbers_by_the_largest_page_received) {
  PagingBench listing(numbered(), {.url = list + "?per_page=100"});
  listing.next(items(3), {{"X-Total-Count", "10"}});
  EXPECT_EQ(listing.ahead(2), "?per_page=100&page=4") << "the server returns 3, whatever was requested";
  EXPECT_EQ(listing.ahead(3), "unknown");
  PagingBench uneven(numbered());
  uneven.next(items(3), {{"X-Total-Count", "10"}});
  uneven.next(items(2, 4), {{"X-Total-Count", "10"}});
  EXPECT_EQ(uneven.ahead(1), "?page=4");
  EXPECT_EQ(uneven.ahead(2), "unknown") << "a page that was shorter than others does not add pages";
  EXPECT_EQ(PagingBench(numbered()).ahead(1), "unknown");
  PagingBench silent(numbered());
  silent.next(items(3));
  EXPECT_EQ(silent.ahead(0), "unknown");
  PagingBench huge(numbered());
  huge.next(items(1), {{"X-Total-Count", "18446744073709551615"}});
  EXPECT_EQ(huge.ahead(1), "unknown");
}

TEST(PagingAhead, a_page_that_may_be_short_does_not_add_pages) {
  const Headers seven = {{"X-Total-Count", "7"}};
  PagingBench at_the_end(numbered(), {.url = list + "?page=3"}, {}, {}, {.is_first = false});
  EXPECT_EQ(at_the_end.next(items(1), seven), "?page=4");
  EXPECT_EQ(at_the_end.ahead(0), "unknown");
  PagingBench sized(numbered(), {.url = list + "?per_page=3&page=3"}, {}, {}, {.is_first = false});
  EXPECT_EQ(sized.next(items(1), seven), "?per_page=3&page=4");
  EXPECT_EQ(sized.ahead(0), "unknown");
  PagingBench amidst(numbered(), {.url = list + "?page=1"}, {}, {}, {.is_first = false});
  amidst.next(items(3), seven);
  EXPECT_EQ(amidst.ahead(0), "unknown");
  amidst.next(items(3, 4), seven);
  EXPECT_EQ(amidst.ahead(0), "?page=3");
  EXPECT_EQ(amidst.ahead(1), "unknown");
  PagingBench hidden(numbered(), {.url = list + "?per_page=3"});
  hidden.next(items(2), {{"X-Total-Count", "9"}});
  hidden.next(items(1, 4), {{"X-Total-Count", "9"}});
  EXPECT_EQ(hidden.ahead(0), "?per_page=3&page=3");
  EXPECT_EQ(hidden.ahead(1), "unknown") << "the total counts items that are not listed";
}

TEST(PagingAhead, nothing_is_known_while_it_is_a_guess_that_pages_are_numbered) {
  PagingBench listing({});
  EXPECT_EQ(listing.next(items(3), {{"X-Total-Count", "10"}}), "?page=2");
  EXPECT_EQ(listing.ahead(1), "unknown");
  EXPECT_EQ(listing.next(items(3, 4), {{"X-Total-Count", "10"}}), "?page=3");
  EXPECT_EQ(listing.ahead(1), "?page=4") << "two pages were different";
}

TEST(PagingAhead, offsets_are_counted_up_to_the_total) {
  PagingBench listing({.style = paging::Offset{}});
  EXPECT_EQ(listing.next(items(5), {{"X-Total-Count", "16"}}), "?offset=5");
  EXPECT_EQ(listing.ahead(1), "?offset=10");
  EXPECT_EQ(listing.ahead(2), "?offset=15");
  EXPECT_EQ(listing.ahead(3), "unknown");
  EXPECT_EQ(listing.ahead(static_cast<std::size_t>(-1)), "unknown");
  EXPECT_EQ(listing.next(items(5, 6), {{"X-Total-Count", "many"}}), "?offset=10");
  EXPECT_EQ(listing.ahead(0), "unknown");
  PagingBench in_body({.style = paging::Offset{.into_body = "/from"}}, {.url = list}, "{}");
  EXPECT_EQ(in_body.next(items(5), {{"X-Total-Count", "16"}}), " 5");
  EXPECT_EQ(in_body.ahead(1), " 10");
}

TEST(PagingAhead, nothing_is_known_of_cursors_urls_and_ranges) {
  const paging::Style styles[] = {paging::Cursor{.parameter = "page", .from = "/next"},
                                  paging::NextUrl{.from = "/next"}};
  for (const auto& style : styles) {
    PagingBench listing({.style = style, .items = "/items", .totals = {.pages_pointer = "/pages"}});
    listing.next(R"({"items":[1],"next":"?page=2","pages":16})", {{"X-Total-Count", "16"}});
    EXPECT_EQ(listing.ahead(0), "unknown");
  }
  PagingBench range({.style = paging::ItemRange{}});
  EXPECT_EQ(range.next(items(5), {{"Content-Range", "0-4/20"}}), " 5-9");
  EXPECT_EQ(range.ahead(0), "unknown");
}

TEST(PagingTotal, is_the_exact_count_of_the_last_response) {
  auto paging = numbered();
  paging.totals.items_pointer = "/total";
  paging.items = "/items";
  PagingBench listing(paging);
  EXPECT_EQ(listing.pager.total(), std::nullopt);
  const std::pair<const char*, std::optional<std::uint64_t>> totals[] = {{"41", 41},
                                                                         {R"("41")", 41},
                                                                         {"0", 0},
                                                                         {"-1", std::nullopt},
                                                                         {"null", std::nullopt},
                                                                         {"4.5", std::nullopt},
                                                                         {R"("10000+")", std::nullopt},
                                                                         {"true", std::nullopt}};
  int first = 1;
  for (const auto& [text, total] : totals) {
    listing.next("{\"items\":" + items(1, first++) + ",\"total\":" + text + "}");
    EXPECT_EQ(listing.pager.total(), total) << text;
  }
  listing.next("{\"items\":" + items(1, first) + "}", {{"X-Total-Count", "12"}});
  EXPECT_EQ(listing.pager.total(), 12U);
  listing.next("{\"items\":" + items(1, first + 1) + "}");
  EXPECT_EQ(listing.pager.total(), std::nullopt);
}

}  // namespace paging_ahead_test
}  // namespace noun::paging_tests
