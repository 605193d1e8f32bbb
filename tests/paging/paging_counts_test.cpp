// Page numbers and offsets that are counted up, if the response reports more than its items.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <noun/paging.hpp>

#include "paging/paging_bench.hpp"

namespace noun::paging_tests { namespace paging_counts_test {

Paging numbered(paging::PageNumber style = {}) { return {.style = std::move(style), .items = "/items"}; }

std::string page(int count, const std::string& more = "", int first = 1) {
  return "{\"items\":" + items(count, first) + (more.empty() ? "" : "," + more) + "}";
}

TEST(PagingCounts, the_header_of_the_next_page_comes_first) {
  const auto paging = numbered({.next_header = "X-Next-Page"});
  PagingBench listing(paging, {.url = list + "?page=1"});
  EXPECT_EQ(listing.next(page(0), {{"X-Next-Page", "4"}}), "?page=4");
  EXPECT_EQ(listing.next(page(2)), "?page=5") << "counted up if it is absent";
  EXPECT_EQ(listing.next(page(2, "", 3), {{"X-Next-Page", ""}}), "last");
  EXPECT_EQ(PagingBench(paging).next(page(2), {{"X-Next-Page", "abc"}}),
            "protocol: the next page in the response is not a number; check next_header and next in "
            "ClientOptions::dialect.paging.style");
}

TEST(PagingCounts, the_body_may_name_the_next_page) {
  const auto paging = numbered({.next = "/next"});
  EXPECT_EQ(PagingBench(paging).next(page(2, R"("next":7)")), "?page=7");
  EXPECT_EQ(PagingBench(paging).next(page(2, R"("next":"7")")), "?page=7");
  EXPECT_EQ(PagingBench(paging).next(page(2, R"("next":null)")), "last");
  EXPECT_EQ(PagingBench(paging).next(page(2)), "?page=2");
}

TEST(PagingCounts, a_number_before_the_first_is_refused) {
  const auto before = [](const char* number) {
    return fmt::format(
        "protocol: the response names page {} as the next one, but the first page is 1; check first, next_header and "
        "next in ClientOptions::dialect.paging.style",
        number);
  };
  PagingBench server(paging::json_server(), {.url = list + "?_page=1"});
  EXPECT_EQ(server.next(R"({"data":[1],"next":-9223372036854775808})"), before("-9223372036854775808"));
  EXPECT_EQ(PagingBench(numbered({.next = "/next"})).next(page(2, R"("next":0)")), before("0"));
  const auto paging = numbered({.first = 0, .next = "/next"});
  EXPECT_EQ(PagingBench(paging).next(page(2, R"("next":0)")), "?page=0");
  EXPECT_EQ(PagingBench(paging).next(page(2, R"("next":-1)")).substr(0, 8), "protocol");
}

TEST(PagingCounts, a_negative_number_is_not_counted_up) {
  auto paging = numbered();
  paging.totals.pages_pointer = "/pages";
  for (const auto* number : {"-1", "-9223372036854775808"})
    for (const auto* counted : {"", R"("pages":5)"})
      EXPECT_EQ(PagingBench(paging, {.url = list + "?page=" + number}).next(page(2, counted)),
                "refused: the page parameter is not a number that can be increased; check ListOptions::query and "
                "ClientOptions::dialect.paging.style")
          << number << counted;
}

TEST(PagingCounts, what_reports_more_pages_comes_before_empty_ones) {
  for (const paging::Style& style : {paging::Style(paging::PageNumber{}), paging::Style(paging::Offset{})}) {
    auto paging = numbered();
    paging.style = style;
    paging.end.more_pointer = "/more";
    EXPECT_EQ(PagingBench(paging).next(page(2, R"("more":false)")), "last");
  }
  auto paging = numbered();
  paging.end.more_pointer = "/more";
  EXPECT_EQ(PagingBench(paging).next(page(0, R"("more":true)")), "?page=2");
  paging.style = paging::PageNumber{.next = "/next"};
  EXPECT_EQ(PagingBench(paging).next(page(2, R"("more":true,"next":null)")), "?page=2") << "a page too many is safe";
}

TEST(PagingCounts, pages_end_at_the_number_that_the_server_counts) {
  auto paging = numbered();
  paging.totals.pages_pointer = "/pages";
  paging.totals.pages_header = "X-Total-Pages";
  PagingBench listing(paging, {.url = list + "?page=1"});
  EXPECT_EQ(listing.next(page(2, R"("pages":3)")), "?page=2");
  EXPECT_EQ(listing.next(page(0, R"("pages":"3")")), "?page=3") << "an empty page is not the end";
  EXPECT_EQ(listing.next(page(2, R"("pages":3)", 9)), "last");
  EXPECT_EQ(PagingBench(paging).next(page(2, R"("pages":3)"), {{"X-Total-Pages", "1"}}), "last");
  EXPECT_EQ(PagingBench(paging).next(page(2, R"("pages":-1)")), "?page=2");
  EXPECT_EQ(PagingBench(paging).next(page(0, R"("pages":0)")), "last");
  paging.style = paging::PageNumber{.first = 0};
  EXPECT_EQ(PagingBench(paging, {.url = list + "?page=1"}).next(page(2, R"("pages":3)")), "?page=2");
  EXPECT_EQ(PagingBench(paging, {.url = list + "?page=2"}).next(page(2, R"("pages":3)")), "last");
}

TEST(PagingCounts, a_total_that_is_reached_ends_a_listing_if_the_dialect_says_so) {
  auto paging = numbered();
  paging.totals.items_pointer = "/total";
  paging.end.total = true;
  PagingBench listing(paging);
  EXPECT_EQ(listing.next(page(2, R"("total":5)")), "?page=2");
  EXPECT_EQ(listing.next(page(3, R"("total":"5")")), "last");
  EXPECT_EQ(PagingBench(paging).next(page(5, R"("total":4)")), "?page=2") << "more items were received than it counts";
  EXPECT_EQ(PagingBench(paging).next(page(5, R"("total":0)")), "?page=2");
  EXPECT_EQ(PagingBench(paging, {.url = list + "?page=2"}, {}, {}, {.is_first = false}).next(page(5, R"("total":5)")),
            "?page=3")
      << "it is not known how many items were received before";
  paging.end.total = false;
  EXPECT_EQ(PagingBench(paging).next(page(5, R"("total":5)")), "?page=2");
}

TEST(PagingCounts, a_total_that_is_a_lower_bound_is_not_the_end) {
  auto paging = numbered();
  paging.end.total = true;
  for (const auto* pointer : {"/total", "/total/value"}) {
    paging.totals.items_pointer = pointer;
    PagingBench bound(paging);
    EXPECT_EQ(bound.next(page(5, R"("total":{"value":5,"relation":"gte"})")), "?page=2") << pointer;
    EXPECT_EQ(bound.pager.total(), std::nullopt);
    PagingBench exact(paging);
    EXPECT_EQ(exact.next(page(5, R"("total":{"value":5,"relation":"eq"})")), "last") << pointer;
    EXPECT_EQ(exact.pager.total(), 5U);
  }
}

TEST(PagingCounts, a_short_page_ends_a_listing_if_the_dialect_says_so) {
  auto paging = numbered();
  paging.end.short_page = true;
  const PagePlace sized{.url = list + "?per_page=3"};
  EXPECT_EQ(PagingBench(paging, sized).next(page(2)), "last");
  EXPECT_EQ(PagingBench(paging, sized).next(page(3)), "?per_page=3&page=2");
  EXPECT_EQ(PagingBench(paging, sized).next(page(2), {{"X-Total-Count", "9"}}), "?per_page=3&page=2");
  paging.end.short_page = false;
  EXPECT_EQ(PagingBench(paging, sized).next(page(2)), "?per_page=3&page=2");
}

Paging by_offset(paging::Offset style = {}) {
  return {.style = std::move(style), .items = "/items", .totals = {.items_header = {}}};
}

TEST(PagingOffset, advances_by_the_number_of_items_received) {
  PagingBench listing(by_offset(), {.url = list + "?per_page=50"});
  EXPECT_EQ(listing.next(page(50)), "?per_page=50&offset=50");
  EXPECT_EQ(listing.next(page(7)), "?per_page=50&offset=57");
  EXPECT_EQ(listing.next(page(0)), "last");
  EXPECT_EQ(PagingBench(by_offset(), {.url = list + "?offset=20"}).next(page(5)), "?offset=25");
}

TEST(PagingOffset, ends_at_the_total_also_from_the_middle) {
  auto paging = by_offset();
  paging.totals.items_pointer = "/total";
  paging.end.total = true;
  PagingBench listing(paging, {.url = list + "?offset=20"}, {}, {}, {.is_first = false});
  EXPECT_EQ(listing.next(page(5, R"("total":30)")), "?offset=25");
  EXPECT_EQ(listing.next(page(5, R"("total":30)", 6)), "last");
}

TEST(PagingOffset, may_be_in_the_body) {
  const auto paging = by_offset({.into_body = "/from"});
  PagingBench listing(paging, {.url = list}, R"({"from":10,"size":5})");
  EXPECT_EQ(listing.next(page(5)), " 15");
  EXPECT_EQ(listing.pager.request_for(listing.pager.place()).body, R"({"from":15,"size":5})");
  EXPECT_EQ(listing.next(page(5, "", 6)), " 20");
  EXPECT_EQ(PagingBench(paging, {.url = list}, R"({"size":5})").next(page(5)), " 5");
}

TEST(PagingOffset, that_cannot_be_counted_up_is_refused) {
  for (const auto* offset : {"abc", "", "9223372036854775807", "1.5", "-5"})
    EXPECT_EQ(PagingBench(by_offset(), {.url = list + "?offset=" + offset}).next(page(5)),
              "refused: the offset is not a number that can be increased; check ListOptions::query and "
              "ClientOptions::dialect.paging.style")
        << offset;
  auto paging = by_offset();
  paging.end.more_pointer = "/more";
  EXPECT_EQ(PagingBench(paging).next(page(0, R"("more":true)")),
            "protocol: the response reports more pages, but has no items to advance the offset by; report it to the "
            "API's owner");
}

TEST(PagingOffset, that_the_server_ignores_is_refused) {
  PagingBench listing(by_offset());
  EXPECT_EQ(listing.next(page(5)), "?offset=5");
  const auto again = listing.decide(page(5));
  EXPECT_FALSE(again.deliver);
  ASSERT_TRUE(std::holds_alternative<Refuse>(again.next));
  EXPECT_EQ(PagingBench::shown(std::get<Refuse>(again.next)),
            "refused: the server returned the same items twice, for this page and the one before it; check the names "
            "in ClientOptions::dialect.paging.style, or report it to the API's owner");
}

TEST(PagingGuess, is_made_if_the_total_in_the_body_is_greater) {
  const Paging paging{.items = "/items", .totals = {.items_pointer = "/total"}};
  EXPECT_EQ(PagingBench(paging).next(page(5, R"("total":6)")), "?page=2");
  EXPECT_EQ(PagingBench(paging).next(page(5, R"("total":5)")), "last");
}

/// A page of Spring Data: two items, and the number that the page has there.
std::string spring_page(const std::string& number, int first = 1) {
  return page(2, "\"last\":false," + number + R"(,"totalPages":3,"totalElements":6)", first);
}

TEST(PagingGuess, counts_from_zero_if_the_first_page_reports_that_it_is_page_zero) {
  const Paging automatic{.items = "/items"};
  const PagePlace sized{.url = list + "?per_page=2"};
  PagingBench listing(automatic, sized);
  EXPECT_EQ(listing.next(spring_page(R"("number":0)")), "?per_page=2&page=1");
  EXPECT_EQ(listing.next(spring_page(R"("number":1)", 3)), "?per_page=2&page=2");
  EXPECT_EQ(listing.next(spring_page(R"("number":2)", 5)), "?per_page=2&page=3");
  EXPECT_EQ(listing.next(page(0)), "last");
  EXPECT_EQ(PagingBench(automatic, sized).next(page(2, R"("page":{"size":2,"number":0})")), "?per_page=2&page=1");
  EXPECT_EQ(PagingBench(automatic, sized).next(page(2, R"("page":{"size":2,"number":1})")), "?per_page=2&page=2");
  EXPECT_EQ(PagingBench(automatic, sized).next(page(2)), "?per_page=2&page=2");
  EXPECT_EQ(PagingBench(automatic, {.url = list + "?page=0&per_page=2"}).next(spring_page(R"("number":0)")),
            "?page=1&per_page=2");
  EXPECT_EQ(PagingBench(automatic, {.url = list + "?page=1&per_page=2"}).next(spring_page(R"("number":0)")),
            "?page=2&per_page=2")
      << "a server that counts from one in the query and from zero in the response";
  EXPECT_EQ(PagingBench(automatic, sized, {}, {}, {.guessed_first = 1}).next(spring_page(R"("number":0)")),
            "?per_page=2&page=1")
      << "resumed at the first page";
}

TEST(PagingGuess, from_zero_ends_at_the_page_that_the_server_reports_last) {
  const Paging automatic{.items = "/items", .totals = {.pages_pointer = "/totalPages"}};
  PagingBench listing(automatic, {.url = list + "?per_page=2"});
  EXPECT_EQ(listing.next(spring_page(R"("number":0)")), "?per_page=2&page=1");
  EXPECT_EQ(listing.next(spring_page(R"("number":1)", 3)), "?per_page=2&page=2");
  EXPECT_EQ(listing.on_status(404), "error") << "page 2 of 0 to 2";
  EXPECT_EQ(listing.next(spring_page(R"("number":2)", 5)), "last");
}

TEST(PagingGuess, from_zero_is_wrong_if_the_server_returns_its_first_page_again) {
  PagingBench listing({.items = "/items"}, {.url = list + "?per_page=2"});
  EXPECT_EQ(listing.next(page(2, R"("number":0)")), "?per_page=2&page=1");
  const auto again = listing.decide(page(2, R"("number":0)"));
  EXPECT_FALSE(again.deliver);
  ASSERT_TRUE(std::holds_alternative<Refuse>(again.next));
  EXPECT_EQ(std::get<Refuse>(again.next).what,
            "the server returned the same page again for page=1: it is unknown whether there are more items");
}

/// What an automatic listing ends with after so many items.
std::string automatic_end(int received, int total) {
  return fmt::format(
      "incomplete: the listing ended after {} items, but the response reports {}; set "
      "ClientOptions::dialect.paging.style to the API's paging, or totals.estimated if its total counts more than the "
      "list has",
      received, total);
}

TEST(PagingTotals, a_guessed_listing_that_ends_before_its_total_is_incomplete) {
  const PagePlace sized{.url = list + "?per_page=2"};
  const Headers of_10 = {{"X-Total-Count", "10"}};
  PagingBench repeating({}, sized);
  EXPECT_EQ(repeating.next(items(2, 1), of_10), "?per_page=2&page=2");
  EXPECT_EQ(repeating.next(items(2, 3), of_10), "?per_page=2&page=3");
  const auto again = repeating.decide(items(2, 3), of_10);
  EXPECT_FALSE(again.deliver);
  ASSERT_TRUE(std::holds_alternative<Refuse>(again.next));
  EXPECT_EQ(PagingBench::shown(std::get<Refuse>(again.next)), automatic_end(4, 10));
  PagingBench emptied({}, sized);
  EXPECT_EQ(emptied.next(items(2, 1), of_10), "?per_page=2&page=2");
  EXPECT_EQ(emptied.next(items(2, 3), of_10), "?per_page=2&page=3");
  EXPECT_EQ(emptied.next("[]", of_10), automatic_end(4, 10));
  PagingBench not_found({}, sized);
  EXPECT_EQ(not_found.next(items(2, 1), of_10), "?per_page=2&page=2");
  EXPECT_EQ(not_found.next(items(2, 3), of_10), "?per_page=2&page=3");
  EXPECT_EQ(not_found.on_status(404), "error") << "a page of which the server reported items";
  PagingBench from_zero({}, sized);
  EXPECT_EQ(from_zero.next("[0,1]", {{"X-Total-Count", "5"}}), "?per_page=2&page=2");
  EXPECT_EQ(from_zero.next("[4]", {{"X-Total-Count", "5"}}), "?per_page=2&page=3") << "2 and 3 are on page 1";
  EXPECT_EQ(from_zero.next("[]", {{"X-Total-Count", "5"}}), automatic_end(3, 5));
}

TEST(PagingTotals, an_automatic_listing_whose_links_end_before_its_total_is_incomplete) {
  const auto follow = [](const Paging& paging, const std::string& query, const char* second_total, int second = 2) {
    PagingBench listing(paging, {.url = list + query});
    listing.next(items(2, 1), {{"X-Total-Count", "10"}, {"Link", "<?p=2>; rel=next"}});
    return listing.next(items(second, 3), {{"X-Total-Count", second_total}});
  };
  EXPECT_EQ(follow({}, "", "10"), automatic_end(4, 10));
  EXPECT_EQ(follow({}, "", "4"), "last");
  EXPECT_EQ(follow({}, "", "11"), "last") << "the list changed";
  EXPECT_EQ(follow({}, "", "10", 1), "last") << "a short page: the total may count what the list leaves out";
  EXPECT_EQ(follow({}, "?offset=6", "10"), "last") << "the caller began later";
  EXPECT_EQ(follow({.totals = {.estimated = true}}, "", "10"), "last");
}

TEST(PagingTotals, an_estimated_total_is_no_sign_of_more_items) {
  const Paging estimated{.totals = {.estimated = true}};
  const Headers of_3 = {{"X-Total-Count", "3"}};
  PagingBench listing(estimated);
  EXPECT_EQ(listing.next(items(2), of_3), "?page=2");
  EXPECT_EQ(listing.next("[]", of_3), "last");
  PagingBench linked(estimated);
  EXPECT_EQ(linked.next(items(2), {{"X-Total-Count", "3"}, {"Link", "<?page=1>; rel=last"}}), "last");
}

TEST(PagingTotals, a_single_page_is_all_whatever_its_total_unless_it_says_more) {
  const Paging single{.style = paging::SinglePage{}, .items = "/rows", .end = {.more_pointer = "/more"},
                      .totals = {.items_pointer = "/total"}};
  EXPECT_EQ(PagingBench(single).next(R"({"rows":[{"id":1}],"total":9})"), "last");
  EXPECT_EQ(PagingBench(single).next(R"({"rows":[{"id":1}],"total":1,"more":false})"), "last");
  EXPECT_TRUE(PagingBench(single).next(R"({"rows":[{"id":1}],"more":true})")
                  .starts_with("incomplete: the response reports more pages at /more"));
}

TEST(PagingTotals, a_listing_that_ends_before_its_total_is_incomplete) {
  const auto missing = [](int received, int total) {
    return "incomplete: the listing ended after " + std::to_string(received) + " items, but the response reports " +
           std::to_string(total) +
           "; set ClientOptions::dialect.paging.style to the API's paging, or totals.estimated if its total counts more "
           "than the list has";
  };
  const auto page = [](const std::string& members, int count = 2, int first = 1) {
    return "{\"items\":" + items(count, first) + "," + members + "}";
  };
  Paging by_url = {.style = paging::NextUrl{.from = "/next"}, .items = "/items", .totals = {.items_pointer = "/total"}};
  PagingBench listing(by_url);
  EXPECT_EQ(listing.next(page(R"("next":"?page=2","total":5)")), "?page=2");
  EXPECT_EQ(listing.next(page(R"("next":null,"total":5)", 2, 3)), missing(4, 5));
  EXPECT_EQ(PagingBench(by_url).next(page(R"("next":null,"total":2)")), "last");
  EXPECT_EQ(PagingBench(by_url).next(page(R"("next":null,"total":1)")), "last") << "the total may be stale";
  EXPECT_EQ(PagingBench(by_url).next(page(R"("next":null)")), "last");
  EXPECT_EQ(PagingBench(by_url, {.url = list + "?page=2"}).next(page(R"("next":null,"total":9)")), "last")
      << "the caller began with page 2";
  EXPECT_EQ(PagingBench(by_url, {.url = list + "?state=open&page=1"}).next(page(R"("next":null,"total":9)")),
            missing(2, 9));
  EXPECT_EQ(PagingBench(by_url, {.url = list}, {}, {}, {.is_first = false}).next(page(R"("next":null,"total":9)")),
            "last");
  PagingBench search(paging::elasticsearch(), {.url = list}, R"({"sort":["id"]})");
  EXPECT_EQ(search.next(R"({"hits":{"total":{"value":3,"relation":"eq"},"hits":[{"sort":[1]},{"sort":[2]}]}})"),
            " [2]");
  EXPECT_EQ(search.next(R"({"hits":{"total":{"value":3,"relation":"eq"},"hits":[]}})"), missing(2, 3));
  by_url.totals.estimated = true;
  EXPECT_EQ(PagingBench(by_url).next(page(R"("next":null,"total":9)")), "last");
}

TEST(PagingOffset, counts_from_one_if_the_server_does) {
  const auto page = [](int count, int first) {
    return "{\"totalResults\":5,\"Resources\":" + items(count, first) + "}";
  };
  PagingBench users(paging::scim());
  EXPECT_EQ(users.next(page(2, 1)), "?startIndex=3");
  EXPECT_EQ(users.next(page(2, 3)), "?startIndex=5");
  EXPECT_EQ(users.next(page(1, 5)), "last");
  PagingBench body({.style = paging::Offset{.into_body = "/from", .first = 1}}, {.url = list}, "{}");
  EXPECT_EQ(body.next(items(2, 1)), " 3");
}

TEST(PagingOffset, pages_that_overlap_by_one_item_are_noticed) {
  const Paging by_offset = {.style = paging::Offset{}};
  const Headers of_5 = {{"X-Total-Count", "5"}};
  PagingBench listing(by_offset);
  EXPECT_EQ(listing.next(items(2, 1), of_5), "?offset=2");
  EXPECT_EQ(listing.next(items(2, 2), of_5), "?offset=4") << "an item may have been added";
  EXPECT_EQ(listing.next(items(2, 4), of_5), "?offset=6");
  EXPECT_EQ(listing.next("[]", of_5),
            "refused: the second page starts with the last item of the first page: the server counts offsets from another "
            "number; set first of noun::paging::Offset in ClientOptions::dialect.paging.style to 1");
  PagingBench changed(by_offset);
  EXPECT_EQ(changed.next(items(2, 1), of_5), "?offset=2");
  EXPECT_EQ(changed.next(items(2, 2), {{"X-Total-Count", "6"}}), "?offset=4") << "one was added";
  EXPECT_EQ(changed.next("[]", {{"X-Total-Count", "6"}}), "last");
}

}  // namespace paging_counts_test
}  // namespace noun::paging_tests
