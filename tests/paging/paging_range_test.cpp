// The request field Range: as the service gives it, or counted up behind Content-Range.
#include <gtest/gtest.h>

#include "paging/paging_bench.hpp"

namespace noun::paging_tests { namespace paging_range_test {

PagingConvention by_range() { return {.style = PagingStyle::range, .total_header = ""}; }

TEST(PagingRange, the_header_goes_into_range_as_it_is) {
  auto paging = by_range();
  paging.next_header = "Next-Range";
  PagingBench listing(paging);
  EXPECT_EQ(listing.next(items(3), {{"Next-Range", "id ]abc..; max=3"}}), " id ]abc..; max=3");
  EXPECT_EQ(listing.pager.request_for(listing.pager.place()).range, "id ]abc..; max=3");
  EXPECT_EQ(listing.next(items(0), {{"Next-Range", "id ]def..; max=3"}}), " id ]def..; max=3");
  EXPECT_EQ(listing.next(items(2)), "last");
  EXPECT_EQ(PagingBench(paging).next(items(2), {{"Next-Range", ""}}), "last");
}

struct RangeCase {
  std::string asked;
  int count;
  std::string content_range;
  std::string next;
};

TEST(PagingRange, is_counted_up_behind_content_range) {
  const RangeCase cases[] = {
      {"0-14", 15, "0-14/*", " 15-29"},  {"0-14", 15, "0-14/15", "last"},
      {"0-14", 15, "0-14/16", " 15-29"}, {"items=0-14", 15, "items 0-14/100", " items=15-29"},
      {"0-14", 3, "0-2/*", "last"},      {"0-14", 3, "0-2/40", " 3-17"},
      {"", 3, "0-2/40", " 3-5"},         {"", 3, "0-2/*", " 3-5"},
      {"0-14", 0, "*/0", "last"},        {"0-14", 0, "*/*", "last"},
      {"0-14", 0, "0-14/*", "last"},     {"0-14", 15, "", "last"},
  };
  for (const auto& [asked, count, content_range, next] : cases) {
    auto paging = by_range();
    paging.short_page_is_last = true;
    PagingBench listing(paging, {.url = list, .range = asked});
    const Headers headers = content_range.empty() ? Headers() : Headers{{"Content-Range", content_range}};
    EXPECT_EQ(listing.next(items(count), headers), next) << asked << " " << content_range;
  }
  EXPECT_EQ(PagingBench(by_range(), {.url = list, .range = "0-14"}).next(items(3), {{"Content-Range", "0-2/*"}}),
            " 3-17")
      << "a short page is the last one only where the dialect says so";
}

TEST(PagingRange, a_content_range_that_cannot_be_read_is_no_end) {
  EXPECT_EQ(
      PagingBench(by_range()).next(items(3), {{"Content-Range", "0-2"}}),
      "protocol: the Content-Range field cannot be read, so that it is not known whether there is another page; tell "
      "the service's owner");
}

TEST(PagingRange, the_same_items_again_are_refused) {
  PagingBench listing(by_range());
  EXPECT_EQ(listing.next(items(3), {{"Content-Range", "0-2/*"}}), " 3-5");
  const auto again = listing.decide(items(3), {{"Content-Range", "3-5/*"}});
  EXPECT_FALSE(again.deliver);
  EXPECT_TRUE(std::holds_alternative<Refuse>(again.next));
}

TEST(PagingRange, the_total_is_promised) {
  PagingBench listing(by_range());
  listing.next(items(3), {{"Content-Range", "0-2/7"}});
  EXPECT_EQ(listing.pager.promised(), 7U);
  listing.next(items(3, 4), {{"Content-Range", "3-5/*"}});
  EXPECT_EQ(listing.pager.promised(), std::nullopt);
}

TEST(PagingEnds, at_statuses_that_a_counted_page_behind_the_first_may_have) {
  const auto ends = [](PagingStyle style, int status, bool behind_first) {
    PagingConvention paging{.style = style};
    paging.cursor_parameter = "c";
    PagingBench listing(paging);
    if (behind_first) listing.decide(items(3), {{"Content-Range", "0-2/*"}});
    return listing.pager.ends_at(status);
  };
  EXPECT_TRUE(ends(PagingStyle::page_number, 404, true));
  EXPECT_TRUE(ends(PagingStyle::range, 416, true));
  EXPECT_FALSE(ends(PagingStyle::page_number, 404, false));
  EXPECT_FALSE(ends(PagingStyle::range, 416, false));
  EXPECT_FALSE(ends(PagingStyle::page_number, 416, true));
  EXPECT_FALSE(ends(PagingStyle::range, 404, true));
  for (const auto style : {PagingStyle::link_header, PagingStyle::offset, PagingStyle::last_item})
    for (const int status : {404, 410, 416}) EXPECT_FALSE(ends(style, status, true)) << status;
}

TEST(FirstRange, counts_from_zero_where_the_convention_counts) {
  auto paging = by_range();
  EXPECT_EQ(first_range(paging, 15), "0-14");
  EXPECT_EQ(first_range(paging, 1), "0-0");
  EXPECT_EQ(first_range(paging, 0), "");
  paging.next_header = "Next-Range";
  EXPECT_EQ(first_range(paging, 15), "");
  EXPECT_EQ(first_range({}, 15), "");
}

/// What the answer to a range is refused with; none of its items may be delivered then.
std::string refused(const char* asked, int count, const char* content_range, int status = 200) {
  Pager pager(by_range(), {}, {.url = list, .range = asked}, {}, {*wire::origin_of(origin)});
  const Headers headers = content_range == nullptr ? Headers() : Headers{{"Content-Range", content_range}};
  const Response answer{.status = status, .headers = headers, .body = items(count), .url = list};
  const auto decision = pager.decide({.response = answer, .items = static_cast<std::size_t>(count)});
  const auto* refuse = std::get_if<Refuse>(&decision.next);
  if (refuse == nullptr) return decision.deliver ? "taken" : "left out";
  if (decision.deliver && count > 0) return "taken, then " + refuse->what;
  return PagingBench::shown(*refuse);
}

TEST(PagingRange, an_answer_that_is_another_part_or_not_all_of_it_is_no_page) {
  const auto follow = [](int count, const char* content_range) { return refused("0-4", count, content_range); };
  EXPECT_EQ(follow(5, "1-5/23"),
            "protocol: the answer begins at item 1, and 0 was asked for; tell the service's owner");
  EXPECT_EQ(follow(5, "0-99/23"),
            "protocol: the answer is items 0 to 99 by its Content-Range, and has 5; tell the service's owner");
  EXPECT_EQ(follow(5, "0-22/23").substr(0, 8), "protocol") << "also where it says that it is the last";
  EXPECT_EQ(refused("0-4", 5, nullptr, 206),
            "protocol: the answer is a part (206) and has no Content-Range, so that it is not known of what; tell the "
            "service's owner");
  EXPECT_EQ(refused("0-4", 5, "0-4").substr(0, 8), "protocol") << "what cannot be read";
}

TEST(PagingRange, the_whole_list_in_place_of_a_part_is_no_page) {
  const std::string whole =
      "protocol: the answer does not say which items it has, and those from 3 on were asked for: it may be the whole "
      "list; tell the service's owner";
  EXPECT_EQ(refused("3-5", 9, nullptr), whole);
  EXPECT_EQ(refused("items=3-5", 9, nullptr), whole);
  EXPECT_EQ(refused("3-5", 9, "*/9"), whole);
  EXPECT_EQ(refused("3-5", 0, nullptr), "taken") << "nothing comes twice";
  EXPECT_EQ(refused("0-2", 9, nullptr), "taken") << "it begins where it was asked to";
  EXPECT_EQ(refused("", 9, nullptr), "taken");
  PagingBench listing(by_range(), {.url = list, .range = "0-2"});
  EXPECT_EQ(listing.next(items(3), {{"Content-Range", "0-2/*"}}), " 3-5");
  const auto again = listing.decide(items(9));
  EXPECT_FALSE(again.deliver);
  EXPECT_TRUE(std::holds_alternative<Refuse>(again.next));
}

TEST(PagingRange, items_that_the_service_counts_and_does_not_give_are_no_end) {
  EXPECT_EQ(refused("0-2", 0, "0-2/100"),
            "protocol: the answer is items 0 to 2 by its Content-Range, and has 0; tell the service's owner");
  EXPECT_EQ(refused("0-2", 0, "0-2/*"), "taken") << "a range beyond the end of an unknown number";
  EXPECT_EQ(refused("3-5", 0, "*/100"),
            "protocol: the service counts 100 items, and gives none from item 3 on; tell the service's owner");
  EXPECT_EQ(refused("3-5", 0, "*/3"), "taken");
  EXPECT_EQ(refused("3-5", 0, "*/*"), "taken");
  EXPECT_EQ(refused("0-2", 3, "*/3"), "taken") << "the whole list, and its length";
  EXPECT_TRUE(
      refused("0-2", 3, "*/4").starts_with("taken, then the service counts 4 items, and gives none from item 3"));
  PagingBench listing(by_range(), {.url = list, .range = "0-2"});
  EXPECT_EQ(listing.next(items(3), {{"Content-Range", "0-2/100"}}), " 3-5");
  EXPECT_EQ(listing.next(items(0), {{"Content-Range", "*/*"}}).substr(0, 8), "protocol") << "told by the page before";
}

TEST(PagingEnds, at_416_only_where_the_list_is_not_known_to_be_longer) {
  const auto ends = [](const char* asked, const char* content_range) {
    PagingBench listing(by_range(), {.url = list, .range = asked});
    listing.next(items(3), {{"Content-Range", content_range}});
    return listing.pager.ends_at(416);
  };
  EXPECT_TRUE(ends("0-2", "0-2/*"));
  EXPECT_FALSE(ends("0-2", "0-2/100"));
  EXPECT_FALSE(ends("items=0-2", "items 0-2/4"));
  PagingBench forgotten(by_range(), {.url = list, .range = "0-2"});
  forgotten.next(items(3), {{"Content-Range", "0-2/100"}});
  forgotten.next(items(3, 4), {{"Content-Range", "3-5/*"}});
  EXPECT_TRUE(forgotten.pager.ends_at(416)) << "the last page counts";
  auto counted = by_range();
  counted.total_header = "X-Total-Count";
  PagingBench hint(counted, {.url = list, .range = "0-2"});
  hint.next(items(3), {{"Content-Range", "0-2/*"}, {"X-Total-Count", "100"}});
  EXPECT_TRUE(hint.pager.ends_at(416)) << "a total elsewhere may count what is not shown";
}

}  // namespace paging_range_test
}  // namespace noun::paging_tests
