// The request field Range: from a response header, or counted up by Content-Range.
#include <gtest/gtest.h>

#include "paging/paging_bench.hpp"

namespace noun::paging_tests { namespace paging_range_test {

Paging by_range(paging::ItemRange style = {}) {
  return {.style = std::move(style), .totals = {.items_header = {}}};
}

TEST(PagingRange, the_header_goes_into_range_as_it_is) {
  const auto paging = by_range({.next_header = "Next-Range"});
  PagingBench listing(paging);
  EXPECT_EQ(listing.next(items(3), {{"Next-Range", "id ]abc..; max=3"}}), " id ]abc..; max=3");
  EXPECT_EQ(listing.pager.request_for(listing.pager.place()).range, "id ]abc..; max=3");
  EXPECT_EQ(listing.next(items(0), {{"Next-Range", "id ]def..; max=3"}}), " id ]def..; max=3");
  EXPECT_EQ(listing.next(items(2)), "last");
  EXPECT_EQ(PagingBench(paging).next(items(2), {{"Next-Range", ""}}), "last");
}

struct RangeCase {
  std::string requested;
  int count;
  std::string content_range;
  std::string next;
};

TEST(PagingRange, is_counted_up_by_content_range) {
  const RangeCase cases[] = {
      {"0-14", 15, "0-14/*", " 15-29"},  {"0-14", 15, "0-14/15", "last"},
      {"0-14", 15, "0-14/16", " 15-29"}, {"items=0-14", 15, "items 0-14/100", " items=15-29"},
      {"0-14", 3, "0-2/*", "last"},      {"0-14", 3, "0-2/40", " 3-17"},
      {"", 3, "0-2/40", " 3-5"},         {"", 3, "0-2/*", " 3-5"},
      {"0-14", 0, "*/0", "last"},        {"0-14", 0, "*/*", "last"},
      {"0-14", 0, "0-14/*", "last"},     {"0-14", 15, "", "last"},
  };
  for (const auto& [requested, count, content_range, next] : cases) {
    auto paging = by_range();
    paging.end.short_page = true;
    PagingBench listing(paging, {.url = list, .range = requested});
    const Headers headers = content_range.empty() ? Headers() : Headers{{"Content-Range", content_range}};
    EXPECT_EQ(listing.next(items(count), headers), next) << requested << " " << content_range;
  }
  EXPECT_EQ(PagingBench(by_range(), {.url = list, .range = "0-14"}).next(items(3), {{"Content-Range", "0-2/*"}}),
            " 3-17")
      << "a short page is the last one only if the dialect says so";
}

TEST(PagingRange, a_content_range_that_cannot_be_read_is_not_the_end) {
  EXPECT_EQ(PagingBench(by_range()).next(items(3), {{"Content-Range", "0-2"}}),
            "protocol: the Content-Range field cannot be parsed, so the next page is unknown; report it to the API's "
            "owner");
}

TEST(PagingRange, the_same_items_again_are_refused) {
  PagingBench listing(by_range());
  EXPECT_EQ(listing.next(items(3), {{"Content-Range", "0-2/*"}}), " 3-5");
  const auto again = listing.decide(items(3), {{"Content-Range", "3-5/*"}});
  EXPECT_FALSE(again.deliver);
  EXPECT_TRUE(std::holds_alternative<Refuse>(again.next));
}

TEST(PagingRange, the_length_is_the_total) {
  PagingBench listing(by_range());
  listing.next(items(3), {{"Content-Range", "0-2/7"}});
  EXPECT_EQ(listing.pager.total(), 7U);
  listing.next(items(3, 4), {{"Content-Range", "3-5/*"}});
  EXPECT_EQ(listing.pager.total(), std::nullopt);
}

TEST(PagingEnds, at_statuses_that_a_counted_page_after_the_first_may_have) {
  const auto ends = [](const paging::Style& style, int status, bool after_first) {
    PagingBench listing({.style = style});
    if (after_first) listing.decide(items(3), {{"Content-Range", "0-2/*"}});
    return listing.on_status(status) == "last";
  };
  EXPECT_TRUE(ends(paging::PageNumber{}, 404, true));
  EXPECT_TRUE(ends(paging::ItemRange{}, 416, true));
  EXPECT_FALSE(ends(paging::PageNumber{}, 404, false));
  EXPECT_FALSE(ends(paging::ItemRange{}, 416, false));
  EXPECT_FALSE(ends(paging::PageNumber{}, 416, true));
  EXPECT_FALSE(ends(paging::ItemRange{}, 404, true));
  const paging::Style others[] = {paging::LinkHeader{}, paging::Offset{}, paging::LastItem{.parameter = "c"}};
  for (const auto& style : others)
    for (const int status : {404, 410, 416}) EXPECT_FALSE(ends(style, status, true)) << status;
}

TEST(FirstRange, counts_from_zero_if_the_style_counts) {
  EXPECT_EQ(first_range(paging::ItemRange{}, 15), "0-14");
  EXPECT_EQ(first_range(paging::ItemRange{}, 1), "0-0");
  EXPECT_EQ(first_range(paging::ItemRange{}, 0), "");
  EXPECT_EQ(first_range(paging::ItemRange{.next_header = "Next-Range"}, 15), "");
  EXPECT_EQ(first_range(paging::Automatic{}, 15), "");
}

/// Why the response to a range is refused; none of its items may be delivered then.
std::string refused(const char* requested, int count, const char* content_range, int status = 200) {
  Pager pager(by_range(), {}, {.url = list, .range = requested}, {}, {*wire::origin_of(origin)});
  const Headers headers = content_range == nullptr ? Headers() : Headers{{"Content-Range", content_range}};
  const Response response{.status = status, .headers = headers, .body = items(count), .url = list};
  const auto decision = pager.decide({.response = response, .items = static_cast<std::size_t>(count)});
  const auto* refuse = std::get_if<Refuse>(&decision.next);
  if (refuse == nullptr) return decision.deliver ? "taken" : "left out";
  if (decision.deliver && count > 0) return "taken, then " + refuse->what;
  return PagingBench::shown(*refuse);
}

TEST(PagingRange, a_response_that_is_another_part_or_not_all_of_it_is_refused) {
  const auto follow = [](int count, const char* content_range) { return refused("0-4", count, content_range); };
  EXPECT_EQ(follow(5, "1-5/23"),
            "protocol: the response starts at item 1, but item 0 was requested; report it to the API's owner");
  EXPECT_EQ(follow(5, "0-99/23"),
            "protocol: the Content-Range says items 0 to 99, but the response has 5; report it to the API's owner");
  EXPECT_EQ(follow(5, "0-22/23").substr(0, 8), "protocol") << "also if it says that it is the last";
  EXPECT_EQ(refused("0-4", 5, nullptr, 206),
            "protocol: the response is partial (206), but has no Content-Range; report it to the API's owner");
  EXPECT_EQ(refused("0-4", 5, "0-4").substr(0, 8), "protocol") << "it cannot be read";
}

TEST(PagingRange, the_whole_list_instead_of_a_part_is_refused) {
  const std::string whole =
      "protocol: items from 3 on were requested, but the response does not say which it has: it may be the whole list; "
      "report it to the API's owner";
  EXPECT_EQ(refused("3-5", 9, nullptr), whole);
  EXPECT_EQ(refused("items=3-5", 9, nullptr), whole);
  EXPECT_EQ(refused("3-5", 9, "*/9"), whole);
  EXPECT_EQ(refused("3-5", 0, nullptr), "taken") << "nothing is delivered twice";
  EXPECT_EQ(refused("0-2", 9, nullptr), "taken") << "it begins where it was requested";
  EXPECT_EQ(refused("", 9, nullptr), "taken");
  PagingBench listing(by_range(), {.url = list, .range = "0-2"});
  EXPECT_EQ(listing.next(items(3), {{"Content-Range", "0-2/*"}}), " 3-5");
  const auto again = listing.decide(items(9));
  EXPECT_FALSE(again.deliver);
  EXPECT_TRUE(std::holds_alternative<Refuse>(again.next));
}

TEST(PagingRange, items_that_the_server_counts_and_does_not_return_are_an_error) {
  EXPECT_EQ(refused("0-2", 0, "0-2/100"),
            "protocol: the Content-Range says items 0 to 2, but the response has 0; report it to the API's owner");
  EXPECT_EQ(refused("0-2", 0, "0-2/*"), "taken") << "a range after the end of a list of unknown length";
  EXPECT_EQ(refused("3-5", 0, "*/100"),
            "protocol: the server reported 100 items, but returned none from item 3 on; report it to the API's owner");
  EXPECT_EQ(refused("3-5", 0, "*/3"), "taken");
  EXPECT_EQ(refused("3-5", 0, "*/*"), "taken");
  EXPECT_EQ(refused("0-2", 3, "*/3"), "taken") << "the whole list, and its length";
  EXPECT_TRUE(
      refused("0-2", 3, "*/4").starts_with("taken, then the server reported 4 items, but returned none from item 3"));
  PagingBench listing(by_range(), {.url = list, .range = "0-2"});
  EXPECT_EQ(listing.next(items(3), {{"Content-Range", "0-2/100"}}), " 3-5");
  EXPECT_EQ(listing.next(items(0), {{"Content-Range", "*/*"}}).substr(0, 8), "protocol") << "the page before counted";
}

TEST(PagingEnds, at_416_only_if_the_list_is_not_known_to_be_longer) {
  const auto ends = [](const char* requested, const char* content_range) {
    PagingBench listing(by_range(), {.url = list, .range = requested});
    listing.next(items(3), {{"Content-Range", content_range}});
    return listing.on_status(416) == "last";
  };
  EXPECT_TRUE(ends("0-2", "0-2/*"));
  EXPECT_FALSE(ends("0-2", "0-2/100"));
  EXPECT_FALSE(ends("items=0-2", "items 0-2/4"));
  PagingBench forgotten(by_range(), {.url = list, .range = "0-2"});
  forgotten.next(items(3), {{"Content-Range", "0-2/100"}});
  forgotten.next(items(3, 4), {{"Content-Range", "3-5/*"}});
  EXPECT_TRUE(forgotten.on_status(416) == "last") << "the last page counts";
  auto counted = by_range();
  counted.totals.items_header = "X-Total-Count";
  PagingBench hint(counted, {.url = list, .range = "0-2"});
  hint.next(items(3), {{"Content-Range", "0-2/*"}, {"X-Total-Count", "100"}});
  EXPECT_TRUE(hint.on_status(416) == "last") << "a total elsewhere may count items that are not listed";
}

}  // namespace paging_range_test
}  // namespace noun::paging_tests
