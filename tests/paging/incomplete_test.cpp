// An automatic listing does not end silently: if its last page says that there are more items, it is incomplete.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "paging/more_hint.hpp"
#include "paging/paging_bench.hpp"

namespace noun::paging_tests { namespace incomplete_test {

const Paging automatic = {.items = "/items"};

/// A page of two items and these members.
std::string page(const std::string& members, int first = 1) {
  return "{\"items\":" + items(2, first) + (members.empty() ? "" : ",") + members + "}";
}

std::string incomplete(const std::string& hint, const std::string& option, const std::string& also = "") {
  return fmt::format(
      "incomplete: the response has {}: there are more items, but the dialect does not say how to get them{}; set "
      "ClientOptions::dialect.paging.style, for example to {}, or to noun::paging::SinglePage{{}} if this page is all",
      hint, also, option);
}

const std::string style_or_all =
    "; set ClientOptions::dialect.paging.style to the API's paging, or to noun::paging::SinglePage{} if the first page "
    "is all";

std::string incomplete_by_total(int total, const std::string& place, const std::string& also = "") {
  return fmt::format(
      "incomplete: the response reports {} items at {} and has 2: the dialect does not say how to get the rest{}{}",
      total, place, also, style_or_all);
}

std::string cursor(const std::string& place) {
  return fmt::format("noun::paging::Cursor{{.parameter = \"…\", .from = \"{}\"}}", place);
}
std::string url(const std::string& place) { return fmt::format("noun::paging::NextUrl{{.from = \"{}\"}}", place); }
const std::string counted = "noun::paging::PageNumber{}";

TEST(Incomplete, if_the_body_has_a_next_value) {
  const struct {
    const char* members;
    std::string place;
    std::string option;
  } cases[] = {
      {R"("next":"https://api.example.com/things?page=2")", "/next", url("/next")},
      {R"("next":"?page=2")", "/next", url("/next")},
      {R"("next":"abc")", "/next", cursor("/next")},
      {R"("next_page":2)", "/next_page", R"(noun::paging::PageNumber{.next = "/next_page"})"},
      {R"("next_cursor":"abc")", "/next_cursor", cursor("/next_cursor")},
      {R"("next_cursor":17)", "/next_cursor", cursor("/next_cursor")},
      {R"("nextPageToken":"abc")", "/nextPageToken", cursor("/nextPageToken")},
      {R"("links":{"self":"/things","next":"/things?page=2"})", "/links/next", url("/links/next")},
      {R"("links":{"next":{"href":"/things?page=2"}})", "/links/next/href", url("/links/next/href")},
      {R"("_links":{"next":{"href":"/things?page=2"}})", "/_links/next/href", url("/_links/next/href")},
      {R"("_links":{"next":"/things?page=2"})", "/_links/next", url("/_links/next")},
      {R"("@odata.nextLink":"https://api.example.com/things?$skip=2")", "/@odata.nextLink", url("/@odata.nextLink")},
      {R"("paging":{"next":{"after":"abc"}})", "/paging/next/after", cursor("/paging/next/after")},
      {R"("metadata":{"continue":"abc"})", "/metadata/continue", cursor("/metadata/continue")},
      {R"("response_metadata":{"next_cursor":"abc"})", "/response_metadata/next_cursor",
       cursor("/response_metadata/next_cursor")},
      {R"("next":null,"next_token":"abc")", "/next_token", cursor("/next_token")},
      {R"("meta":{"pagination":{"next_page":2}})", "/meta/pagination/next_page",
       R"(noun::paging::PageNumber{.next = "/meta/pagination/next_page"})"},
      {R"("LastEvaluatedKey":{"id":{"S":"7"}})", "/LastEvaluatedKey", cursor("/LastEvaluatedKey")},
      {R"("next_href":"/things?page=2")", "/next_href", url("/next_href")},
      {R"("resultsContinuationToken":"abc")", "/resultsContinuationToken", cursor("/resultsContinuationToken")},
      {R"("paging":{"cursors":{"before":"a","after":"b"},"next":"https://api.example.com/things?after=b"})",
       "/paging/next", url("/paging/next")},
      {R"("cursor":"abc")", "/cursor", cursor("/cursor")},
  };
  for (const auto& [members, place, option] : cases)
    EXPECT_EQ(PagingBench(automatic).next(page(members)), incomplete("a value at " + place, option)) << members;
}

TEST(Incomplete, if_the_body_says_that_there_is_more) {
  const struct {
    const char* members;
    const char* hint;
  } cases[] = {
      {R"("has_more":true)", "true at /has_more"},
      {R"("hasMore":true)", "true at /hasMore"},
      {R"("more":true)", "true at /more"},
      {R"("isLast":false)", "false at /isLast"},
      {R"("last":false)", "false at /last"},
      {R"("IsTruncated":true)", "true at /IsTruncated"},
      {R"("meta":{"has_more":true})", "true at /meta/has_more"},
      {R"("pageInfo":{"hasNextPage":true})", "true at /pageInfo/hasNextPage"},
      {R"("exceededTransferLimit":true)", "true at /exceededTransferLimit"},
      {R"("isLastPage":false)", "false at /isLastPage"},
      {R"("truncated":true)", "true at /truncated"},
      {R"("page":1,"pages":3)", "page 1 of 3 at /pages"},
      {R"("current_page":1,"last_page":3)", "page 1 of 3 at /last_page"},
      {R"("meta":{"pagination":{"page":2,"pageCount":3}})", "page 2 of 3 at /meta/pagination/pageCount"},
  };
  for (const auto& [members, hint] : cases)
    EXPECT_EQ(PagingBench(automatic).next(page(members)), incomplete(hint, counted)) << members;
}

TEST(Incomplete, if_the_body_says_that_there_is_more_and_counts_from_zero) {
  const std::string from_zero = "noun::paging::PageNumber{.first = 0}";
  EXPECT_EQ(PagingBench(automatic).next(page(R"("number":0,"totalPages":2)")),
            incomplete("page 0 of 2 at /totalPages", from_zero));
  EXPECT_EQ(PagingBench(automatic).next(page(R"("last":false,"number":0)")), incomplete("false at /last", from_zero));
}

TEST(Incomplete, if_a_cursor_is_known_by_its_place) {
  const struct {
    const char* members;
    std::string place;
    std::string option;
  } cases[] = {
      {R"("info":{"count":4,"pages":2,"next":"https://api.example.com/things?page=2","prev":null})", "/info/next",
       url("/info/next")},
      {R"("info":{"page":1,"pages":2})", "", ""},
      {R"("offset":"itrA/recB")", "/offset", cursor("/offset")},
      {R"("after":"t3_b","before":null)", "/after", cursor("/after")},
      {R"("result_info":{"count":2,"cursors":{"after":"b","before":""}})", "/result_info/cursors/after",
       cursor("/result_info/cursors/after")},
      {R"("has_more":true,"after":"b")", "/after", cursor("/after")},
      {R"("next_cursor":"2026-11-26T10:00:00Z")", "/next_cursor", cursor("/next_cursor")},
      {R"("nextPageToken":"2026-11-26T10:00:00Z")", "/nextPageToken", cursor("/nextPageToken")},
      {R"("meta":{"next_token":"2026-11-26T10:00:00Z"})", "/meta/next_token", cursor("/meta/next_token")},
      {R"("result_info":{"cursors":{"after":"2026-11-26T10:00:00Z"}})", "/result_info/cursors/after",
       cursor("/result_info/cursors/after")},
  };
  for (const auto& [members, place, option] : cases)
    EXPECT_EQ(PagingBench(automatic).next(page(members)),
              place.empty() ? incomplete("page 1 of 2 at /info/pages", counted)
                            : incomplete("a value at " + place, option))
        << members;
  const Paging reddit = {.items = "/data/children"};
  EXPECT_EQ(PagingBench(reddit).next("{\"data\":{\"after\":\"t3_b\",\"children\":" + items(2) + "}}"),
            incomplete("a value at /data/after", cursor("/data/after")));
  EXPECT_EQ(PagingBench(automatic).next(page(""), {{"X-Next-Cursor", "2026-11-26T10:00:00Z"}}),
            incomplete("a value in X-Next-Cursor",
                       R"(noun::paging::Cursor{.parameter = "…", .from_header = "X-Next-Cursor"})"));
}

TEST(Incomplete, not_if_what_is_at_the_place_of_a_cursor_is_none) {
  for (const auto* members :
       {R"("offset":20)", R"("offset":"20")", R"("offset":"+02:00")", R"("offset":"")", R"("offset":null)",
        R"("meta":{"offset":"itrA"})", R"("after":null,"before":null)", R"("after":"")", R"("after":{"name":"b"})",
        R"("after":3)", R"("after":"2026-11-26T10:00:00Z")", R"("paging":{"after_sale":"b"})",
        R"("paging":{"cursors":{"before":"a"}})", R"("paging":{"cursors":{"before":"a","after":null}})",
        R"("paging":{"cursors":{"before":"a","after":"b"}})",
        R"("result_info":{"cursors":{"after":"","before":""}})", R"("info":{"name":"a list","after":"b"})",
        R"("more_info":{"next":"abc"})", R"("has_more":false,"after":"b","offset":"itrA")"})
    EXPECT_EQ(PagingBench(automatic).next(page(members)), "last") << members;
  for (const auto* of_this_page : {"after", "offset"}) {
    const PagePlace place{.url = fmt::format("{}?{}=a%2Fb", list, of_this_page)};
    EXPECT_EQ(PagingBench(automatic, place).next(page(fmt::format(R"("{}":"a/b")", of_this_page))), "last");
  }
  const auto* of_an_item = R"({"items":[{"id":1,"after":"b","offset":"itrA","next_cursor":"c"}]})";
  EXPECT_EQ(PagingBench(automatic).next(of_an_item), "last");
}

TEST(Incomplete, if_an_array_of_links_has_the_next_page) {
  for (const auto* members : {R"("links":[{"rel":"self","href":"/things"},{"rel":"next","href":"/things?page=2"}])",
                              R"("link":[{"url":"/things"},{"relation":"next","url":"/things?page=2"}])"}) {
    const std::string name = members[5] == 's' ? "/links/1" : "/link/1";
    EXPECT_EQ(PagingBench(automatic).next(page(members)),
              "incomplete: the response has a link with rel=next at " + name +
                  ": there are more items, but the dialect does not say how to get them" + style_or_all);
  }
}

TEST(Incomplete, if_a_field_has_the_next_page) {
  const auto from_field = [](const std::string& name, const std::string& value) {
    return PagingBench({}).next(items(2), {{name, value}});
  };
  EXPECT_EQ(from_field("x-ms-continuationtoken", "abc"),
            incomplete("a value in x-ms-continuationtoken",
                       R"(noun::paging::Cursor{.parameter = "…", .from_header = "x-ms-continuationtoken"})"));
  EXPECT_EQ(from_field("X-Next-Page", "2"),
            incomplete("a value in X-Next-Page", R"(noun::paging::PageNumber{.next_header = "X-Next-Page"})"));
  EXPECT_EQ(from_field("X-Next", "/things?page=2"),
            incomplete("a value in X-Next", R"(noun::paging::NextUrl{.from_header = "X-Next"})"));
  for (const auto* other : {"X-Nextjs-Cache", "X-Previous-Cursor", "X-Context", "Content-Length"})
    EXPECT_EQ(from_field(other, "7"), "last") << other;
  for (const auto* end : {"", "0", "null", "false"}) EXPECT_EQ(from_field("X-Next-Page", end), "last") << end;
}

TEST(Incomplete, not_if_the_value_is_the_one_of_this_page) {
  const PagePlace third{.url = list + "?cursor=a%2Fb"};
  EXPECT_EQ(PagingBench(automatic, third, {}, {}, {.is_first = false}).next(page(R"("cursor":"a/b")")), "last");
  EXPECT_EQ(PagingBench(automatic, third, {}, {}, {.is_first = false}).next(page(R"("cursor":"c")")),
            incomplete("a value at /cursor", cursor("/cursor")));
}

TEST(Incomplete, also_if_the_value_is_that_of_a_parameter_that_is_no_position) {
  const detail::PagerStart elsewhere{.is_first = false};
  for (const auto* query : {"?limit=2", "?page_size=2", "?per_page=2", "?id=2", "?per_page=2&page=1"})
    for (const auto* name : {"next_offset", "next_page"}) {
      PagingBench listing(automatic, {.url = list + query}, {}, {}, elsewhere);
      const auto next = listing.next(page(fmt::format(R"("{}":2)", name)));
      EXPECT_TRUE(next.starts_with(fmt::format("incomplete: the response has a value at /{}", name))) << query << next;
    }
  for (const auto* query : {"?offset=2", "?page=2", "?limit=9&startAt=2", "?continuation=2"})
    EXPECT_EQ(PagingBench(automatic, {.url = list + query}, {}, {}, elsewhere).next(page(R"("next_offset":2)")), "last")
        << query;
  const Paging by_p = {.style = paging::Automatic{.page_parameter = "p"}, .items = "/items"};
  EXPECT_EQ(PagingBench(by_p, {.url = list + "?p=2"}, {}, {}, elsewhere).next(page(R"("next_page":2)")), "last");
}

TEST(Incomplete, is_not_decided_by_objects_with_very_long_names) {
  // The path of each member would begin with the name.
  EXPECT_EQ(PagingBench(automatic).next(page("\"meta " + std::string(59, 'x') + R"(":{"next":"b"})")),
            incomplete("a value at /meta " + std::string(59, 'x') + "/next", cursor("/meta " + std::string(59, 'x') + "/next")));
  EXPECT_EQ(PagingBench(automatic).next(page("\"meta " + std::string(60, 'x') + R"(":{"next":"b"})")), "last");
}

TEST(Incomplete, is_decided_in_a_body_with_many_members) {
  std::string members;
  for (int i = 0; i < 20'000; ++i) members += fmt::format(R"("cursor_{}":"",)", i);
  EXPECT_EQ(PagingBench(automatic).next(page(members + R"("next":"abc")")),
            incomplete("a value at /next", cursor("/next")));
}

TEST(Incomplete, if_the_hint_is_beside_the_items) {
  const Paging graphql = {.items = "/data/issues/nodes"};
  const auto issues = [](const std::string& members) {
    return "{\"data\":{\"issues\":{\"nodes\":" + items(2) + "," + members + "}}}";
  };
  EXPECT_EQ(PagingBench(graphql).next(issues(R"("pageInfo":{"hasNextPage":true})")),
            incomplete("true at /data/issues/pageInfo/hasNextPage", counted));
  EXPECT_EQ(PagingBench(graphql).next(issues(R"("next_cursor":"abc")")),
            incomplete("a value at /data/issues/next_cursor", cursor("/data/issues/next_cursor")));
  EXPECT_EQ(PagingBench(graphql).next(issues(R"("totalCount":5)")), incomplete_by_total(5, "/data/issues/totalCount"));
  EXPECT_EQ(PagingBench(graphql).next(issues(R"("pageInfo":{"hasNextPage":false})")), "last");
  EXPECT_EQ(PagingBench(graphql).next(issues(R"("owner":{"has_more":true,"next":"abc"})")), "last")
      << "a place that is neither at the root nor beside the items";
}

TEST(Incomplete, if_the_page_is_a_part_by_its_content_range) {
  const auto hint = [](int status, const char* range) {
    const noun::Response response{.status = status, .headers = {{"Content-Range", range}}, .body = "[1]"};
    const auto found = noun::detail::more_hint(response, {});
    return found ? found->place + ", " + found->option : "none";
  };
  EXPECT_EQ(hint(206, "items 0-9/23"), "a Content-Range of 23 items, noun::paging::ItemRange{}");
  EXPECT_EQ(hint(206, "0-9/23"), "a Content-Range of 23 items, noun::paging::ItemRange{}");
  for (const auto* whole : {"items 0-22/23", "items 0-9/*", "items */0", "bytes 0-9/23"})
    EXPECT_EQ(hint(206, whole), "none") << whole;
  EXPECT_EQ(hint(200, "items 0-9/23"), "none");
}

TEST(Incomplete, if_the_total_is_above_a_full_page) {
  EXPECT_EQ(PagingBench(automatic).next(page(R"("total":5)")), incomplete_by_total(5, "/total"))
      << "no size was requested";
  EXPECT_EQ(PagingBench(automatic).next(page(R"("count":2,"meta":{"total":5})")), incomplete_by_total(5, "/meta/total"))
      << "the largest counts";
  EXPECT_EQ(PagingBench(automatic).next(page(R"("@odata.count":5)")), incomplete_by_total(5, "/@odata.count"));
  EXPECT_EQ(PagingBench(automatic).next(page(R"("hits":{"total":{"value":5,"relation":"eq"}})")),
            incomplete_by_total(5, "/hits/total/value"));
  EXPECT_EQ(PagingBench(automatic).next(page(R"("hits":{"total":5})")), incomplete_by_total(5, "/hits/total"));
  EXPECT_EQ(PagingBench(automatic).next(page(R"("hits":{"total":{"value":5,"relation":"gte"}})")), "last");
  EXPECT_EQ(PagingBench(automatic).next(page(R"("total_entries":5)")), incomplete_by_total(5, "/total_entries"));
  const PagePlace sized{.url = list + "?per_page=2"};
  const Headers last = {{"Link", "<?page=1>; rel=last"}};
  EXPECT_EQ(PagingBench(automatic, sized).next(page(R"("total":5)"), last), incomplete_by_total(5, "/total"));
  EXPECT_EQ(PagingBench(automatic, sized).next(page(R"("total":5)")), "?per_page=2&page=2")
      << "a full page without a Link header may be numbered";
}

TEST(Incomplete, if_the_total_of_the_dialect_is_above_the_only_page) {
  const Headers last = {{"Link", "<?page=1>; rel=last"}, {"X-Total-Count", "5"}};
  EXPECT_EQ(PagingBench(automatic).next(page(""), last), incomplete_by_total(5, "X-Total-Count"));
  EXPECT_EQ(PagingBench({}).next(items(2), last), incomplete_by_total(5, "X-Total-Count")) << "a root array";
  const Paging in_body = {.items = "/items", .totals = {.items_pointer = "/size"}};
  EXPECT_EQ(PagingBench(in_body).next(page(R"("size":5)"), {{"Link", "<?page=1>; rel=last"}}),
            incomplete_by_total(5, "/size"));
}

TEST(Incomplete, if_the_place_of_the_dialect_says_that_there_is_more) {
  auto paging = automatic;
  paging.end.more_pointer = "/paging/more";
  EXPECT_EQ(PagingBench(paging).next(page(R"("paging":{"more":true})")),
            "incomplete: the response reports more pages at /paging/more, but not where they are; set "
            "ClientOptions::dialect.paging.style to the API's paging");
  EXPECT_EQ(PagingBench(paging).next(page(R"("paging":{"more":false},"next":"?page=2","total":9)")), "last");
  paging.end.more_value = false;
  EXPECT_EQ(PagingBench(paging).next(page(R"("paging":{"more":true},"has_more":true)")), "last");
}

TEST(Incomplete, not_if_the_response_says_nothing_or_that_this_is_all) {
  for (const auto* members : {"",
                              R"("next":null)",
                              R"("next":false)",
                              R"("next":"")",
                              R"("next":{},"next_page":[])",
                              R"("links":{"next":null})",
                              R"("_links":{"self":{"href":"/things"}})",
                              R"("@odata.nextLink":"")",
                              R"("nextPageToken":"")",
                              R"("next_cursor":null)",
                              R"("has_more":false)",
                              R"("has_more":"yes")",
                              R"("has_more":null)",
                              R"("isLast":true)",
                              R"("last":"/things?page=9")",
                              R"("pageInfo":{"hasNextPage":false})",
                              R"("previous":"abc")",
                              R"("previous_cursor":"abc","start_cursor":"def")",
                              R"("nextSyncToken":"abc")",
                              R"("next_run":"2026-11-26T10:00:00Z","next":"2026-11-26T10:00:00Z")",
                              R"("next_steps":"read the guide")",
                              R"("more_info":"https://example.com/help")",
                              R"("context":"abc")",
                              R"("page":3,"pages":3)",
                              R"("number":0,"totalPages":1)",
                              R"("pages":3)",
                              R"("LastEvaluatedKey":{})",
                              R"("links":[{"rel":"prev","href":"/things"}])",
                              R"("links":["next"])",
                              R"("total":2)",
                              R"("total":0)",
                              R"("total":-1)",
                              R"("total":"9")",
                              R"("total":null)",
                              R"("total":{"value":9})",
                              R"("total":9.5)"})
    EXPECT_EQ(PagingBench(automatic).next(page(members)), "last") << members;
}

TEST(Incomplete, not_if_the_page_is_not_full_but_the_total_is_known) {
  const PagePlace sized{.url = list + "?per_page=3"};
  PagingBench listing(automatic, sized);
  EXPECT_EQ(listing.next(page(R"("total":5)")), "last");
  EXPECT_EQ(listing.pager.total(), 5U);
  PagingBench complete(automatic);
  EXPECT_EQ(complete.next(page(R"("total":2)")), "last");
  EXPECT_EQ(complete.pager.total(), 2U);
  PagingBench empty(automatic);
  EXPECT_EQ(empty.next(R"({"items":[],"total":5})"), "last");
  EXPECT_EQ(PagingBench(automatic, sized).next(page(R"("has_more":true)")), incomplete("true at /has_more", counted))
      << "what says that there is more counts on every page";
}

TEST(Incomplete, not_in_a_root_array) {
  for (const auto* body : {"[]", "[1,2]", R"([{"next":"abc","has_more":true,"total":9}])", R"( [{"next":"?page=2"}])"})
    EXPECT_EQ(PagingBench({}).next(body), "last") << body;
}

TEST(Incomplete, not_in_a_named_style) {
  const paging::PageStrategy strategy = [](const paging::PageRequest&,
                                           const paging::PageResponse&) -> Result<std::optional<paging::PageRequest>> {
    return std::nullopt;
  };
  const std::pair<paging::Style, std::string> cases[] = {
      {paging::SinglePage{}, "last"},
      {paging::LinkHeader{}, "last"},
      {paging::PageNumber{}, "?page=2"},
      {paging::PageNumber{.next = "/next_page"}, "last"},
      {paging::Offset{}, "?offset=2"},
      {paging::Cursor{.parameter = "cursor", .from = "/cursor"}, "last"},
      {paging::NextUrl{.from = "/url"}, "last"},
      {paging::LastItem{.parameter = "after"}, "?after=2"},
      {paging::ItemRange{}, "last"},
      {paging::ItemRange{.next_header = "Next-Range"}, "last"},
      {strategy, "last"},
  };
  for (const auto& [style, next] : cases)
    EXPECT_EQ(PagingBench({.style = style, .items = "/items"})
                  .next(page(R"("next":"?page=7","next_page":null,"has_more":true,"isLast":false,"total":9)")),
              next)
        << "style " << style.index();
}

TEST(Incomplete, not_if_a_link_leads_to_the_next_page) {
  const auto hints = R"("next":"abc","has_more":true,"total":9)";
  PagingBench listing(automatic);
  EXPECT_EQ(listing.next(page(hints), {{"Link", "<?p=2>; rel=next"}}), "?p=2");
  EXPECT_EQ(listing.next(page(R"("total":9)", 3)), "last") << "a total is for the only page";
  PagingBench last(automatic);
  EXPECT_EQ(last.next(page(hints), {{"Link", "<?p=2>; rel=next"}}), "?p=2");
  EXPECT_EQ(last.next(page(hints, 3)), incomplete("a value at /next", cursor("/next")))
      << "the last page says that there is more";
}

TEST(Incomplete, if_a_link_to_the_next_page_cannot_be_followed) {
  const auto incomplete_by_link = [](const std::string& why) {
    return "incomplete: the response has a Link with rel=next that is not followed, since " + why +
           ": there are more items, but the dialect does not say how to get them" + style_or_all;
  };
  for (const auto* quoted : {"<?page=2>; rel='next'", "<?page=1>; rel=prev, <?page=2>; rel='NEXT last'"})
    EXPECT_EQ(PagingBench({}).next(items(2), {{"Link", quoted}}),
              incomplete_by_link("its relation is in single quotes (RFC 8288 has double quotes)"));
  for (const auto* anchor : {"<?page=2>; rel=next; anchor=\"/others\"", "<?page=2>; anchor=\"#part\"; rel=\"next\""})
    EXPECT_EQ(PagingBench({}).next(items(2), {{"Link", anchor}}),
              incomplete_by_link("its anchor is another resource"));
  for (const auto* other : {"<?page=2>; rel='prev'", "<?page=2>; rel='nextish'; title='next'",
                            "<?page=2>; rel='next'; results=\"false\"", "</a>; rel=self; anchor=\"/others\""})
    EXPECT_EQ(PagingBench({}).next(items(2), {{"Link", other}}), "last") << other;
  EXPECT_EQ(PagingBench({}).next(items(2), {{"Link", "<?page=3>; rel='next', <?page=2>; rel=next"}}), "?page=2");
  EXPECT_EQ(PagingBench({.style = paging::LinkHeader{}}).next(items(2), {{"Link", "<?page=2>; rel='next'"}}), "last")
      << "a named style";
}

TEST(Incomplete, a_resumed_listing_by_the_hints_of_its_last_page_but_not_by_a_total) {
  const auto resumed = [](const std::string& members) {
    return PagingBench(automatic, {.url = list + "?p=3"}, {}, {}, {.is_first = false}).next(page(members));
  };
  EXPECT_EQ(resumed(R"("has_more":true)"), incomplete("true at /has_more", counted));
  EXPECT_EQ(resumed(R"("total":9)"), "last");
}

/// What follows if the server returns its first page again for the guessed page=2.
std::string repeated(const std::string& members, const Headers& headers = {}) {
  PagingBench listing(automatic, {.url = list + "?per_page=2"});
  EXPECT_EQ(listing.next(page(members), headers), "?per_page=2&page=2");
  const auto decision = listing.decide(page(members), headers);
  EXPECT_FALSE(decision.deliver);
  const auto* refuse = std::get_if<Refuse>(&decision.next);
  return refuse == nullptr ? "last" : PagingBench::shown(*refuse);
}

TEST(Incomplete, if_the_page_number_is_ignored_and_the_page_says_that_there_is_more) {
  const std::string again = ", and the server returned the same page again for page=2";
  EXPECT_EQ(repeated(R"("next_cursor":"abc")"), incomplete("a value at /next_cursor", cursor("/next_cursor"), again));
  EXPECT_EQ(repeated(R"("total":5)"), incomplete_by_total(5, "/total", again));
  EXPECT_EQ(repeated("", {{"X-Total-Count", "5"}}), incomplete_by_total(5, "X-Total-Count", again));
  const std::string unknown =
      "refused: the server returned the same page again for page=2: it is unknown whether there are more items" +
      style_or_all;
  EXPECT_EQ(repeated("", {{"X-Total-Count", "2"}}), unknown);
  EXPECT_EQ(repeated(""), unknown);
}

TEST(Incomplete, is_unknown_if_the_server_rejects_a_guessed_second_page) {
  const auto rejected = [](int status, const Headers& headers = {}, int pages = 1) {
    PagingBench listing(automatic, {.url = list + "?per_page=2"});
    for (int i = 0; i < pages; ++i) listing.next(page("", 1 + 2 * i), headers);
    return listing.on_status(status);
  };
  for (const int status : {400, 422})
    EXPECT_TRUE(rejected(status).starts_with("refused: the server returned " + std::to_string(status) +
                                             " for page=2: it is unknown whether there are more items"));
  EXPECT_EQ(rejected(400, {{"X-Total-Count", "5"}}),
            incomplete_by_total(5, "X-Total-Count", ", and the server returned 400 for page=2"));
  EXPECT_EQ(rejected(400, {}, 2), "error") << "two pages were different: the pages are numbered";
  EXPECT_EQ(rejected(403), "error");
}

TEST(Incomplete, if_there_is_no_second_page_and_the_first_says_that_there_is_more) {
  const auto not_found = [](const Headers& headers, const std::string& members = "", int pages = 1) {
    PagingBench listing(automatic, {.url = list + "?per_page=2"});
    for (int i = 0; i < pages; ++i) listing.next(page(members, 1 + 2 * i), headers);
    return listing.on_status(404);
  };
  const auto empty = [](const std::string& members) {
    PagingBench listing(automatic, {.url = list + "?per_page=2"});
    listing.next(page(members));
    return listing.next(R"({"items":[]})");
  };
  EXPECT_EQ(not_found({{"X-Total-Count", "5"}}),
            incomplete_by_total(5, "X-Total-Count", ", and the server returned 404 for page=2"));
  EXPECT_EQ(not_found({}, R"("total":5)"),
            incomplete_by_total(5, "/total", ", and the server returned 404 for page=2"));
  EXPECT_EQ(not_found({{"X-Total-Count", "2"}}), "last");
  EXPECT_EQ(not_found({}), "last");
  EXPECT_EQ(not_found({}, R"("total":5)", 2), "last") << "two pages were different: the pages are numbered";
  EXPECT_EQ(empty(R"("total":5)"),
            incomplete_by_total(5, "/total", ", and the server returned an empty page for page=2"));
  EXPECT_EQ(empty(R"("total":2)"), "last");
}

TEST(Incomplete, not_if_the_response_says_that_this_is_the_last_page) {
  EXPECT_EQ(PagingBench(automatic).next(page(R"("has_more":false,"next_cursor":"abc")")), "last");
  EXPECT_EQ(PagingBench(automatic).next(page(R"("isLast":true,"next":"abc")")), "last");
  EXPECT_EQ(PagingBench(automatic).next(page(R"("next":0)")), "last");
}

TEST(Incomplete, not_known_if_the_link_field_cannot_be_read) {
  auto paging = automatic;
  paging.end.more_pointer = "/more";
  EXPECT_EQ(PagingBench(paging).next(page(R"("more":true)"), {{"Link", "<<<>>"}}).substr(0, 8), "protocol");
}

}  // namespace incomplete_test
}  // namespace noun::paging_tests
