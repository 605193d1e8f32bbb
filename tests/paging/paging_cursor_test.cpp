// Cursors, next URLs and last items: styles where the response says what is next.
#include <gtest/gtest.h>

#include "paging/paging_bench.hpp"

namespace noun::paging_tests { namespace paging_cursor_test {

using detail::place_after;

Paging by_cursor(paging::Cursor style = {.parameter = "cursor"}) {
  if (style.from.empty()) style.from = {"/next", "/meta/next"};
  return {.style = std::move(style), .items = "/items"};
}

TEST(PagingCursor, goes_into_its_parameter_encoded_once_until_there_is_none) {
  PagingBench listing(by_cursor(), {.url = list + "?q=%7e&cursor=old"});
  EXPECT_EQ(listing.next(R"({"items":[1],"next":"a=="})"), "?q=%7e&cursor=a%3D%3D");
  EXPECT_EQ(listing.next(R"({"items":[],"next":"b%3D"})"), "?q=%7e&cursor=b%253D") << "an empty page is not the end";
  EXPECT_EQ(listing.next(R"({"items":[1]})"), "last");
}

TEST(PagingCursor, null_false_and_an_empty_text_are_the_end) {
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
  auto paging = by_cursor({.parameter = "cursor", .into_body = "/page/after"});
  PagingBench listing(paging, {.url = list}, R"({"size":2})");
  EXPECT_EQ(listing.next(R"({"next":{"id":1.50}})"), R"( {"id":1.50})");
  EXPECT_EQ(listing.pager.request_for(listing.pager.place()),
            (paging::PageRequest{.url = list, .body = R"({"page":{"after":{"id":1.50}},"size":2})"}));
  EXPECT_EQ(listing.next(R"({"next":"x"})"), R"( "x")");
  EXPECT_EQ(listing.pager.request_for(listing.pager.place()).body, R"({"page":{"after":"x"},"size":2})");
  EXPECT_EQ(listing.pager.request_for({.url = list}).body, R"({"size":2})") << "the first page's body is the caller's";
  EXPECT_EQ(PagingBench(paging).next(R"({"next":"x"})"), "?cursor=x") << "without a body it goes into the query";
  paging = by_cursor({.into_body = "/page/after"});
  EXPECT_TRUE(PagingBench(paging).next(R"({"next":"x"})").starts_with("invalid_argument: "))
      << "unless it has no parameter";
}

TEST(PagingCursor, that_does_not_fit_into_the_body_is_refused) {
  const auto paging = by_cursor({.into_body = "/after"});
  EXPECT_EQ(PagingBench(paging, {.url = list}, "q=form").next(R"({"next":"x"})"),
            "invalid_argument: the next cursor cannot be put into the request body; check ListOptions::body and "
            "ClientOptions::dialect.paging.style.into_body");
}

TEST(PagingCursor, may_be_in_a_header_which_comes_first) {
  const auto paging =
      by_cursor({.parameter = "cursor", .from_header = "X-Next-Cursor", .into_body = "/after"});
  EXPECT_EQ(PagingBench(paging).next(R"({"next":"b"})", {{"X-Next-Cursor", " h "}}), "?cursor=h");
  EXPECT_EQ(PagingBench(paging).next(R"({"next":"b"})", {{"X-Next-Cursor", ""}}), "last");
  EXPECT_EQ(PagingBench(paging).next(R"({"next":"b"})"), "?cursor=b");
  EXPECT_EQ(PagingBench(paging, {.url = list}, "{}").next("{}", {{"X-Next-Cursor", "a\"b"}}), R"( "a\"b")");
}

TEST(PagingCursor, that_cannot_be_read_is_not_the_end) {
  for (const auto* broken : {R"({"next":"\q"})", "{\"next\":\"\xFF\"}"})
    EXPECT_EQ(PagingBench(by_cursor()).next(broken),
              "protocol: the value for the next page in the response cannot be read; report it to the API's owner");
}

struct MoreCase {
  paging::Style style;
  std::string body;
  std::string next;
};

const std::string missing_next =
    "protocol: the response reports more pages, but not where they are; check ClientOptions::dialect.paging.style and "
    "ClientOptions::dialect.paging.end.more_pointer";

TEST(PagingMore, comes_before_everything_else) {
  const paging::Cursor cursor{.parameter = "cursor", .from = "/next"};
  const paging::NextUrl next_url{.from = "/next"};
  const paging::LastItem last_item{.parameter = "cursor"};
  const MoreCase cases[] = {
      {cursor, R"({"items":[1],"next":"a","more":false})", "last"},
      {cursor, R"({"items":[],"next":"a","more":true})", "?cursor=a"},
      {cursor, R"({"items":[1],"more":true})", missing_next},
      {cursor, R"({"items":[1],"next":null,"more":true})", missing_next},
      {cursor, R"({"items":[1],"next":"a","more":"yes"})", "?cursor=a"},
      {next_url, R"({"items":[1],"next":"?p=2","more":false})", "last"},
      {next_url, R"({"items":[1],"more":true})", missing_next},
      {paging::LinkHeader{}, R"({"items":[1],"more":true})", missing_next},
      {last_item, R"({"items":[{"id":"b"}],"more":false})", "last"},
      {last_item, R"({"items":[{"id":"b"}],"more":true})", "?cursor=b"},
      {last_item, R"({"items":[],"more":true})",
       "protocol: the response reports more pages, but has no item to continue after; report it to the API's owner"},
  };
  for (const auto& [style, body, next] : cases) {
    Paging paging{.style = style, .items = "/items", .end = {.more_pointer = "/more"}};
    EXPECT_EQ(PagingBench(paging).next(body), next) << body;
    if (std::holds_alternative<paging::LinkHeader>(style)) continue;
    paging.end.more_value = false;
    std::string turned = body;
    if (const auto at = turned.find("true"); at != std::string::npos)
      turned.replace(at, 4, "false");
    else if (const auto no = turned.find("false"); no != std::string::npos)
      turned.replace(no, 5, "true");
    EXPECT_EQ(PagingBench(paging).next(turned), next) << turned;
  }
}

TEST(PagingMore, false_is_the_end_even_with_a_next_link) {
  const Paging paging{.style = paging::LinkHeader{}, .items = "/items", .end = {.more_pointer = "/more"}};
  const Headers link = {{"Link", "<?page=2>; rel=next"}};
  EXPECT_EQ(PagingBench(paging).next(R"({"items":[1],"more":false})", link), "last");
  EXPECT_EQ(PagingBench(paging).next(R"({"items":[1],"more":true})", link), "?page=2");
}

Paging by_url(std::string from_header = {}) {
  return {.style = paging::NextUrl{.from = {"/links/next", "/links/next/href"}, .from_header = std::move(from_header)},
          .items = "/data"};
}

TEST(PagingNextUrl, is_a_text_or_an_object_with_one) {
  PagingBench listing(by_url(), {.url = list + "?size=2"});
  EXPECT_EQ(listing.next(R"({"data":[1],"links":{"next":"https://api.example.com/things?p=%7e2#end"}})"), "?p=%7e2");
  EXPECT_EQ(listing.next(R"({"data":[],"links":{"next":{"href":"?p=3","meta":{}}}})"), "?p=3");
  EXPECT_EQ(listing.next(R"({"data":[1],"links":{"next":"/v2/x?p=4"}})"), "https://api.example.com/v2/x?p=4");
  EXPECT_EQ(listing.next(R"({"data":[1],"links":{"next":null}})"), "last");
  for (const auto* none : {"{}", R"({"links":{}})", R"({"links":{"next":""}})", R"({"links":{"next":false}})",
                           R"({"links":{"next":{"href":null}}})", "[]"})
    EXPECT_EQ(PagingBench(by_url()).next(none), "last") << none;
}

TEST(PagingNextUrl, is_a_fault_if_something_else_is_in_its_place) {
  const auto fault = [](const std::string& what, const std::string& place) {
    return "protocol: the response has " + what + " at " + place +
           ", not the URL of the next page; check ClientOptions::dialect.paging.style.from";
  };
  const Paging one = {.style = paging::NextUrl{.from = "/next"}, .items = "/data"};
  EXPECT_EQ(PagingBench(one).next(R"({"data":[1],"next":{"href":"?p=2"}})"), fault("an object", "/next"));
  EXPECT_EQ(PagingBench(one).next(R"({"data":[1],"next":["?p=2"]})"), fault("an array", "/next"));
  EXPECT_EQ(PagingBench(one).next(R"({"data":[1],"next":2})"), fault("2", "/next"));
  EXPECT_EQ(PagingBench(one).next(R"({"data":[1],"next":true})"), fault("true", "/next"));
  EXPECT_EQ(PagingBench(by_url()).next(R"({"data":[1],"links":{"next":{"url":"?p=2"}}})"),
            fault("an object", "/links/next"));
  EXPECT_EQ(PagingBench(by_url()).next(R"({"data":[1],"links":{"next":{"href":7}}})"),
            fault("7", "/links/next/href"));
  const Paging others = {.style = paging::NextUrl{.from = {"/a", "/b"}}, .items = "/data"};
  EXPECT_EQ(PagingBench(others).next(R"({"a":[],"b":"?p=2"})"), "?p=2") << "another place has one";
  EXPECT_EQ(PagingBench(others).next(R"({"a":[],"b":null})"), fault("an array", "/a"));
  EXPECT_EQ(PagingBench(others).next(R"({"a":null,"b":[]})"), fault("an array", "/b"));
}

TEST(PagingNextUrl, of_hal_is_a_template_whose_variables_have_no_value) {
  const auto next = [](const std::string& href) {
    return PagingBench(paging::hal()).next(R"({"_embedded":{"a":[1]},"_links":{"next":{"href":")" + href + R"("}}})");
  };
  EXPECT_EQ(next("/things?page=1&size=5{&sort}"), "?page=1&size=5");
  EXPECT_EQ(next("/things{/part}?page=1{&sort,q*,part:3}{#top}"), "?page=1");
  EXPECT_EQ(next("/things{.b}{;c}?page=1{?e.f,g%20h}"), "?page=1");
  EXPECT_EQ(next("/things?tags={1,2}&p=2"), "?tags=%7B1,2%7D&p=2") << "a set";
  EXPECT_EQ(next("/things?where={\\\"a\\\":1}&p=2"), "?where=%7B%22a%22:1%7D&p=2") << "no expression";
  EXPECT_EQ(next("/things?a={}&b={c d}&e={f"), "?a=%7B%7D&b=%7Bc%20d%7D&e=%7Bf");
  constexpr std::size_t many = 300'000;  // for a reader that takes quadratic time, a minute
  EXPECT_TRUE(next("/things?" + std::string(many, '{')).starts_with("refused: the URL of the next page has 9000"));
}

TEST(PagingNextUrl, of_hal_may_be_in_an_array_of_links) {
  PagingBench listing(paging::hal());
  EXPECT_EQ(listing.next(R"({"_embedded":{"a":[1]},"_links":{"next":[{"href":"/things?page=1"}]}})"), "?page=1");
  EXPECT_EQ(listing.next(R"({"_embedded":{"a":[2]},"_links":{"self":{"href":"/things"}}})"), "last");
}

TEST(PagingNextUrl, is_resolved_against_the_url_of_the_response) {
  Pager pager(by_url(), {}, {.url = list}, {}, {*wire::origin_of(list)});
  const Response redirected{.status = 200,
                            .body = R"({"links":{"next":"?p=2","base":"https://evil.example"}})",
                            .url = origin + "/v9/things"};
  const auto decision = pager.decide({.response = redirected, .items = 1});
  ASSERT_TRUE(std::holds_alternative<PagePlace>(decision.next));
  EXPECT_EQ(std::get<PagePlace>(decision.next).url, origin + "/v9/things?p=2");
}

TEST(PagingNextUrl, may_be_in_a_header) {
  const auto paging = by_url("X-Next");
  EXPECT_EQ(PagingBench(paging).next("{}", {{"X-Next", "/things?p=2"}}), "?p=2");
  EXPECT_EQ(PagingBench(paging).next(R"({"links":{"next":"?p=9"}})", {{"X-Next", ""}}), "last");
}

TEST(PagingNextUrl, keeps_the_body_of_the_listing) {
  PagingBench listing(by_url(), {.url = list}, R"({"q":1})");
  EXPECT_EQ(listing.next(R"({"links":{"next":"?p=2"}})"), "?p=2");
  EXPECT_EQ(listing.pager.request_for(listing.pager.place()).body, R"({"q":1})");
}

Paging by_key(paging::LastItem style = {.parameter = "after"}) {
  return {.style = std::move(style), .size_parameter = "limit"};
}

TEST(PagingLastItem, is_continued_after_until_a_page_is_empty) {
  PagingBench listing(by_key());
  EXPECT_EQ(listing.next(items(3)), "?after=3");
  EXPECT_EQ(listing.next(R"([{"id":"a b"}])"), "?after=a%20b");
  EXPECT_EQ(listing.next("[]"), "last");
}

TEST(PagingLastItem, ends_at_a_short_page_only_if_the_dialect_says_so) {
  const PagePlace sized{.url = list + "?limit=3"};
  EXPECT_EQ(PagingBench(by_key(), sized).next(items(2)), "?limit=3&after=2");
  auto paging = by_key();
  paging.end.short_page = true;
  EXPECT_EQ(PagingBench(paging, sized).next(items(2)), "last");
  EXPECT_EQ(PagingBench(paging, sized).next(items(3)), "?limit=3&after=3");
  EXPECT_EQ(PagingBench(paging).next(items(2)), "?after=2") << "without a requested size no page is short";
  EXPECT_EQ(PagingBench(paging, {.url = list}, R"({"limit":3})").next(items(2)), "last") << "requested in the body";
  paging.totals.items_header = "X-Total";
  EXPECT_EQ(PagingBench(paging, sized).next(items(2), {{"X-Total", "9"}}), "?limit=3&after=2") << "the total is 9";
  EXPECT_EQ(PagingBench(paging, sized).next(items(2), {{"X-Total", "2"}}), "last");
}

TEST(PagingLastItem, has_a_key_anywhere_and_of_any_kind) {
  PagingBench listing(by_key({.key = "/sort", .into_body = "/search_after"}), {.url = list}, R"({"size":1})");
  EXPECT_EQ(listing.next(R"([{"sort":[1]},{"sort":[1700000000, "b"]}])"), R"( [1700000000, "b"])");
  EXPECT_EQ(listing.pager.request_for(listing.pager.place()).body, R"({"search_after":[1700000000, "b"],"size":1})");
  EXPECT_EQ(PagingBench(by_key({.parameter = "after", .key = {}})).next(R"(["a","b"])"), "?after=b")
      << "an item that is its own key";
}

TEST(PagingLastItem, that_is_included_in_the_next_page_is_an_error) {
  const std::string refused =
      "refused: the page starts with the item that it was to start after: after includes the item that it names";
  PagingBench listing(by_key());
  EXPECT_EQ(listing.next(items(3)), "?after=3");
  EXPECT_TRUE(listing.next(items(3, 3)).starts_with(refused));
  PagingBench last(by_key());
  EXPECT_EQ(last.next(items(3)), "?after=3");
  EXPECT_TRUE(last.next(items(1, 3)).starts_with(refused)) << "the last item alone, again and again";
}

TEST(PagingLastItem, that_is_included_in_the_page_where_a_bookmark_stands_is_an_error) {
  const std::string refused =
      "refused: the page starts with the item that it was to start after: after includes the item that it names";
  const auto resumed = [](const std::string& after, const std::string& page) {
    return PagingBench(by_key(), {.url = list + "?limit=3&after=" + after}, {}, {}, {.is_first = false}).next(page);
  };
  EXPECT_TRUE(resumed("3", items(3, 3)).starts_with(refused));
  EXPECT_TRUE(resumed("a%20b", R"([{"id":"a b"},{"id":"c"}])").starts_with(refused));
  EXPECT_EQ(resumed("3", items(3, 4)), "?limit=3&after=6");
  EXPECT_EQ(resumed("3", R"([{"name":"a"},{"id":5}])"), "?limit=3&after=5");
  PagingBench body(by_key({.key = "/sort", .into_body = "/search_after"}),
                   {.url = list, .cursor = "[1,\"b\"]"}, "{}", {}, {.is_first = false});
  EXPECT_TRUE(body.next(R"([{"sort":[1,"b"]},{"sort":[1,"c"]}])")
                  .starts_with("refused: the page starts with the item that it was to start after: /search_after "));
  PagingBench changed(by_key());
  EXPECT_EQ(changed.next(R"([{"id":1,"name":"a"}])"), "?after=1");
  EXPECT_TRUE(changed.next(R"([{"id":1,"name":"b"},{"id":2}])").starts_with(refused)) << "the item was changed";
}

TEST(PagingLastItem, without_a_key_is_not_the_end) {
  for (const auto* page : {"[{}]", R"([{"id":null}])", R"([{"id":""}])", R"([{"id":"\q"}])", "[7]"})
    EXPECT_EQ(PagingBench(by_key()).next(page),
              "protocol: the last item of the page has no key at /id, so the next page is unknown; check "
              "ClientOptions::dialect.paging.style.key")
        << page;
}

TEST(PlaceAfter, an_item_is_its_page_with_the_items_key) {
  paging::LastItem style{.parameter = "after"};
  const auto after = [&](std::string_view item, const std::string& body = "") {
    const auto step = place_after(style, item, {.url = list + "?limit=2&after=3"}, body);
    const auto* place = step ? std::get_if<PagePlace>(&*step) : nullptr;
    return place != nullptr ? place->url.substr(list.size()) + " " + place->cursor : "nowhere";
  };
  EXPECT_EQ(after(R"({"id":"a b"})"), "?limit=2&after=a%20b ");
  EXPECT_EQ(after(R"({"id":7})"), "?limit=2&after=7 ");
  for (const auto* item : {R"({"id":null})", R"({"id":""})", R"({"name":"a"})", "", "7"})
    EXPECT_EQ(after(item), "nowhere");
  style.into_body = "/after";
  EXPECT_EQ(after(R"({"id":"a"})"), "?limit=2&after=a ") << "without a body it goes into the query";
  EXPECT_EQ(after(R"({"id":"a"})", "{}"), "?limit=2&after=3 \"a\"");
  style.key = "/sort";
  EXPECT_EQ(after(R"({"sort":[1,"x"]})", "{}"), "?limit=2&after=3 [1,\"x\"]");
}

TEST(PagingEnd, may_be_an_empty_page_with_a_cursor) {
  Paging etcd = {.style = paging::Cursor{.parameter = "from", .from = "/next"}, .items = "/items"};
  const auto page = [](int count) { return "{\"items\":" + items(count) + R"(,"next":"abc"})"; };
  EXPECT_EQ(PagingBench(etcd).next(page(0)), "?from=abc") << "a page may be empty by a filter";
  etcd.end.empty_page = true;
  PagingBench listing(etcd);
  EXPECT_EQ(listing.next(page(2)), "?from=abc");
  EXPECT_EQ(listing.next(page(0)), "last");
}

TEST(PagingEnd, may_be_the_absence_of_what_says_more) {
  Paging paging = {.style = paging::Cursor{.parameter = "from", .from = "/next"}, .items = "/items"};
  paging.end.more_pointer = "/more";
  const std::string page = "{\"items\":" + items(2) + R"(,"next":"abc"})";
  EXPECT_EQ(PagingBench(paging).next(page), "?from=abc");
  paging.end.absent_is_last = true;
  EXPECT_EQ(PagingBench(paging).next(page), "last");
  EXPECT_EQ(PagingBench(paging).next("{\"items\":" + items(2) + R"(,"next":"abc","more":true})"), "?from=abc");
}

}  // namespace paging_cursor_test
}  // namespace noun::paging_tests
