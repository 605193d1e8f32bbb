// Cursors, next URLs and last items: where the answer says what comes next.
#include <gtest/gtest.h>

#include "paging/paging_bench.hpp"

namespace noun::paging_tests { namespace paging_cursor_test {

PagingConvention by_cursor() {
  PagingConvention paging{.style = PagingStyle::cursor, .items_pointer = "/items"};
  paging.next_pointers = {"/next", "/meta/next"};
  paging.cursor_parameter = "cursor";
  return paging;
}

TEST(PagingCursor, goes_into_its_parameter_encoded_once_until_there_is_none) {
  PagingBench listing(by_cursor(), {.url = list + "?q=%7e&cursor=old"});
  EXPECT_EQ(listing.next(R"({"items":[1],"next":"a=="})"), "?q=%7e&cursor=a%3D%3D");
  EXPECT_EQ(listing.next(R"({"items":[],"next":"b%3D"})"), "?q=%7e&cursor=b%253D") << "an empty page is no end";
  EXPECT_EQ(listing.next(R"({"items":[1]})"), "last");
}

TEST(PagingCursor, what_is_no_cursor_is_the_end) {
  for (const auto* none : {R"("")", "null", "false"}) {
    PagingBench listing(by_cursor());
    EXPECT_EQ(listing.next(std::string(R"({"items":[1],"next":)") + none + "}"), "last") << none;
  }
  EXPECT_EQ(PagingBench(by_cursor()).next(R"({"items":[1],"next":null,"meta":{"next":"m"}})"), "?cursor=m");
}

TEST(PagingCursor, may_be_any_json) {
  EXPECT_EQ(PagingBench(by_cursor()).next(R"({"next":12345678901234567890})"), "?cursor=12345678901234567890");
  EXPECT_EQ(PagingBench(by_cursor()).next(R"({"next":0})"), "?cursor=0");
  EXPECT_EQ(PagingBench(by_cursor()).next(R"({"next":{"k":[1,"b"]}})"), "?cursor=%7B%22k%22%3A%5B1%2C%22b%22%5D%7D");
  EXPECT_EQ(PagingBench(by_cursor()).next(R"({"next":"\u00fc\u0026"})"), "?cursor=%C3%BC%26");
}

TEST(PagingCursor, of_a_listing_with_a_body_goes_into_it_as_json) {
  auto paging = by_cursor();
  paging.cursor_pointer = "/page/after";
  PagingBench listing(paging, {.url = list}, R"({"size":2})");
  EXPECT_EQ(listing.next(R"({"next":{"id":1.50}})"), R"( {"id":1.50})");
  EXPECT_EQ(listing.pager.request_for(listing.pager.place()),
            (PageRequest{.url = list, .body = R"({"page":{"after":{"id":1.50}},"size":2})"}));
  EXPECT_EQ(listing.next(R"({"next":"x"})"), R"( "x")");
  EXPECT_EQ(listing.pager.request_for(listing.pager.place()).body, R"({"page":{"after":"x"},"size":2})");
  EXPECT_EQ(listing.pager.request_for({.url = list}).body, R"({"size":2})") << "the first page's body is the caller's";
  EXPECT_EQ(PagingBench(paging).next(R"({"next":"x"})"), "?cursor=x") << "without a body it goes into the query";
  paging.cursor_parameter = "";
  EXPECT_TRUE(PagingBench(paging).next(R"({"next":"x"})").starts_with("invalid_argument: "))
      << "unless it has no place there";
}

TEST(PagingCursor, that_does_not_go_into_the_body_is_refused) {
  auto paging = by_cursor();
  paging.cursor_pointer = "/after";
  EXPECT_EQ(PagingBench(paging, {.url = list}, "q=form").next(R"({"next":"x"})"),
            "invalid_argument: the next cursor does not go into the body of the request; check the body, and "
            "dialect.paging.cursor_pointer");
}

TEST(PagingCursor, may_stand_in_a_header_which_comes_first) {
  auto paging = by_cursor();
  paging.next_header = "X-Next-Cursor";
  paging.cursor_pointer = "/after";
  EXPECT_EQ(PagingBench(paging).next(R"({"next":"b"})", {{"X-Next-Cursor", " h "}}), "?cursor=h");
  EXPECT_EQ(PagingBench(paging).next(R"({"next":"b"})", {{"X-Next-Cursor", ""}}), "last");
  EXPECT_EQ(PagingBench(paging).next(R"({"next":"b"})"), "?cursor=b");
  EXPECT_EQ(PagingBench(paging, {.url = list}, "{}").next("{}", {{"X-Next-Cursor", "a\"b"}}), R"( "a\"b")");
}

TEST(PagingCursor, that_cannot_be_read_is_no_end) {
  for (const auto* broken : {R"({"next":"\q"})", "{\"next\":\"\xFF\"}"})
    EXPECT_EQ(PagingBench(by_cursor()).next(broken),
              "protocol: what the answer gives as its next page is not readable text; tell the service's owner");
}

struct MoreCase {
  PagingStyle style;
  std::string body;
  std::string next;
};

const std::string no_way_on =
    "protocol: the answer says that there is more, but not where; check dialect.paging.next_pointers, "
    "next_header and more_pointer";

TEST(PagingMore, what_the_answer_says_comes_before_all_else) {
  const MoreCase cases[] = {
      {PagingStyle::cursor, R"({"items":[1],"next":"a","more":false})", "last"},
      {PagingStyle::cursor, R"({"items":[],"next":"a","more":true})", "?cursor=a"},
      {PagingStyle::cursor, R"({"items":[1],"more":true})", no_way_on},
      {PagingStyle::cursor, R"({"items":[1],"next":null,"more":true})", no_way_on},
      {PagingStyle::cursor, R"({"items":[1],"next":"a","more":"yes"})", "?cursor=a"},
      {PagingStyle::next_url, R"({"items":[1],"next":"?p=2","more":false})", "last"},
      {PagingStyle::next_url, R"({"items":[1],"more":true})", no_way_on},
      {PagingStyle::link_header, R"({"items":[1],"more":true})", no_way_on},
      {PagingStyle::last_item, R"({"items":[{"id":"b"}],"more":false})", "last"},
      {PagingStyle::last_item, R"({"items":[{"id":"b"}],"more":true})", "?cursor=b"},
      {PagingStyle::last_item, R"({"items":[],"more":true})",
       "protocol: the answer says that there is more, but has no item that the next page could begin behind; tell the "
       "service's owner"},
  };
  for (const auto& [style, body, next] : cases) {
    auto paging = by_cursor();
    paging.style = style;
    paging.more_pointer = "/more";
    EXPECT_EQ(PagingBench(paging).next(body), next) << body;
    if (style == PagingStyle::link_header) continue;
    paging.more_value = false;
    std::string turned = body;
    if (const auto at = turned.find("true"); at != std::string::npos)
      turned.replace(at, 4, "false");
    else if (const auto no = turned.find("false"); no != std::string::npos)
      turned.replace(no, 5, "true");
    EXPECT_EQ(PagingBench(paging).next(turned), next) << turned;
  }
}

TEST(PagingMore, false_ends_also_where_a_link_leads_on) {
  PagingConvention paging{.style = PagingStyle::link_header, .items_pointer = "/items"};
  paging.more_pointer = "/more";
  const Headers link = {{"Link", "<?page=2>; rel=next"}};
  EXPECT_EQ(PagingBench(paging).next(R"({"items":[1],"more":false})", link), "last");
  EXPECT_EQ(PagingBench(paging).next(R"({"items":[1],"more":true})", link), "?page=2");
}

PagingConvention by_url() {
  PagingConvention paging{.style = PagingStyle::next_url, .items_pointer = "/data"};
  paging.next_pointers = {"/links/next", "/links/next/href"};
  return paging;
}

TEST(PagingNextUrl, is_a_text_or_an_object_with_one) {
  PagingBench listing(by_url(), {.url = list + "?size=2"});
  EXPECT_EQ(listing.next(R"({"data":[1],"links":{"next":"https://api.example.com/things?p=%7e2#end"}})"), "?p=%7e2");
  EXPECT_EQ(listing.next(R"({"data":[],"links":{"next":{"href":"?p=3","meta":{}}}})"), "?p=3");
  EXPECT_EQ(listing.next(R"({"data":[1],"links":{"next":"/v2/x?p=4"}})"), "https://api.example.com/v2/x?p=4");
  EXPECT_EQ(listing.next(R"({"data":[1],"links":{"next":null}})"), "last");
  for (const auto* none : {"{}", R"({"links":{}})", R"({"links":{"next":""}})", R"({"links":{"next":7}})",
                           R"({"links":{"next":{"href":null}}})", "[]"})
    EXPECT_EQ(PagingBench(by_url()).next(none), "last") << none;
}

TEST(PagingNextUrl, is_resolved_against_where_the_answer_came_from) {
  Pager pager(by_url(), {}, {.url = list}, {}, {*wire::origin_of(list)});
  const Response redirected{.status = 200,
                            .body = R"({"links":{"next":"?p=2","base":"https://evil.example"}})",
                            .url = origin + "/v9/things"};
  const auto decision = pager.decide({.response = redirected, .items = 1});
  ASSERT_TRUE(std::holds_alternative<NextPage>(decision.next));
  EXPECT_EQ(std::get<NextPage>(decision.next).place.url, origin + "/v9/things?p=2");
}

TEST(PagingNextUrl, may_stand_in_a_header) {
  auto paging = by_url();
  paging.next_header = "X-Next";
  EXPECT_EQ(PagingBench(paging).next("{}", {{"X-Next", "/things?p=2"}}), "?p=2");
  EXPECT_EQ(PagingBench(paging).next(R"({"links":{"next":"?p=9"}})", {{"X-Next", ""}}), "last");
}

TEST(PagingNextUrl, keeps_the_body_of_the_listing) {
  PagingBench listing(by_url(), {.url = list}, R"({"q":1})");
  EXPECT_EQ(listing.next(R"({"links":{"next":"?p=2"}})"), "?p=2");
  EXPECT_EQ(listing.pager.request_for(listing.pager.place()).body, R"({"q":1})");
}

PagingConvention by_key() {
  PagingConvention paging{.style = PagingStyle::last_item, .size_parameter = "limit"};
  paging.cursor_parameter = "after";
  return paging;
}

TEST(PagingLastItem, gives_its_key_until_a_page_is_empty) {
  PagingBench listing(by_key());
  EXPECT_EQ(listing.next(items(3)), "?after=3");
  EXPECT_EQ(listing.next(R"([{"id":"a b"}])"), "?after=a%20b");
  EXPECT_EQ(listing.next("[]"), "last");
}

TEST(PagingLastItem, ends_at_a_short_page_only_where_the_dialect_says_so) {
  const PagePlace asked{.url = list + "?limit=3"};
  EXPECT_EQ(PagingBench(by_key(), asked).next(items(2)), "?limit=3&after=2");
  auto paging = by_key();
  paging.short_page_is_last = true;
  EXPECT_EQ(PagingBench(paging, asked).next(items(2)), "last");
  EXPECT_EQ(PagingBench(paging, asked).next(items(3)), "?limit=3&after=3");
  EXPECT_EQ(PagingBench(paging).next(items(2)), "?after=2") << "what was not asked for is not short";
  EXPECT_EQ(PagingBench(paging, {.url = list}, R"({"limit":3})").next(items(2)), "last") << "asked for in the body";
  paging.total_header = "X-Total";
  EXPECT_EQ(PagingBench(paging, asked).next(items(2), {{"X-Total", "9"}}), "?limit=3&after=2") << "the total says more";
  EXPECT_EQ(PagingBench(paging, asked).next(items(2), {{"X-Total", "2"}}), "last");
}

TEST(PagingLastItem, has_a_key_anywhere_and_of_any_kind) {
  auto paging = by_key();
  paging.key_pointer = "/sort";
  paging.cursor_pointer = "/search_after";
  PagingBench listing(paging, {.url = list}, R"({"size":1})");
  EXPECT_EQ(listing.next(R"([{"sort":[1]},{"sort":[1700000000, "b"]}])"), R"( [1700000000, "b"])");
  EXPECT_EQ(listing.pager.request_for(listing.pager.place()).body, R"({"search_after":[1700000000, "b"],"size":1})");
  paging = by_key();
  paging.key_pointer = "";
  EXPECT_EQ(PagingBench(paging).next(R"(["a","b"])"), "?after=b") << "an item that is its own key";
}

TEST(PagingLastItem, without_a_key_is_no_end) {
  for (const auto* page : {"[{}]", R"([{"id":null}])", R"([{"id":""}])", R"([{"id":"\q"}])", "[7]"})
    EXPECT_EQ(
        PagingBench(by_key()).next(page),
        "protocol: the last item of the page has no key at /id, so that it is not known where the next page begins; "
        "check dialect.paging.key_pointer")
        << page;
}

TEST(PlaceBehind, an_item_is_where_its_key_leads_from_the_page_that_it_is_on) {
  PagingConvention paging{.style = PagingStyle::last_item, .cursor_parameter = "after"};
  const auto behind = [&](std::string_view item, std::string_view body = "") {
    const auto place = place_behind(item, {.url = list + "?limit=2&after=3"}, paging, body);
    return place ? place->url.substr(list.size()) + " " + place->cursor : "nowhere";
  };
  EXPECT_EQ(behind(R"({"id":"a b"})"), "?limit=2&after=a%20b ");
  EXPECT_EQ(behind(R"({"id":7})"), "?limit=2&after=7 ");
  for (const auto* item : {R"({"id":null})", R"({"id":""})", R"({"name":"a"})", "", "7"})
    EXPECT_EQ(behind(item), "nowhere");
  paging.cursor_pointer = "/after";
  EXPECT_EQ(behind(R"({"id":"a"})"), "?limit=2&after=a ") << "without a body there is only the query";
  EXPECT_EQ(behind(R"({"id":"a"})", "{}"), "?limit=2&after=3 \"a\"");
  paging.key_pointer = "/sort";
  EXPECT_EQ(behind(R"({"sort":[1,"x"]})", "{}"), "?limit=2&after=3 [1,\"x\"]");
  paging.style = PagingStyle::offset;
  EXPECT_EQ(behind(R"({"sort":[1]})", "{}"), "nowhere");
}

}  // namespace paging_cursor_test
}  // namespace noun::paging_tests
