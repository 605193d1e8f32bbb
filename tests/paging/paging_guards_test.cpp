// What no style does: follow a cycle, leave the origin, or never end.
#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "paging/paging_bench.hpp"

namespace noun::paging_tests { namespace paging_guards_test {

using ::testing::StartsWith;

Paging by(paging::Style style) { return {.style = std::move(style), .items = "/items"}; }
Paging by_cursor() { return by(paging::Cursor{.parameter = "cursor", .from = "/next"}); }
Paging by_url() { return by(paging::NextUrl{.from = "/next"}); }

std::string leading_to(const std::string& next, int first = 1) {
  return "{\"items\":" + items(1, first) + ",\"next\":\"" + next + "\"}";
}

const std::string cycle =
    "refused: the next link leads back to a page that was read before (a paging cycle); set "
    "ClientOptions::dialect.paging.end if the server names a next page after the last one too, or report it to the API's "
    "owner";

TEST(PagingGuards, a_cycle_of_any_length_is_refused_in_every_style) {
  const auto in_body = by(paging::Cursor{.from = "/next", .into_body = "/after"});
  for (const int length : {1, 2, 7}) {
    PagingBench in_query(by_cursor());
    PagingBench urls(by_url());
    PagingBench bodies(in_body, {.url = list}, "{}");
    for (int i = 0; i < length; ++i) {
      const auto number = std::to_string(i);
      EXPECT_EQ(in_query.next(leading_to(number, i)), "?cursor=" + number);
      EXPECT_EQ(urls.next(leading_to("?p=" + number, i)), "?p=" + number);
      EXPECT_EQ(bodies.next(leading_to(number, i)), " \"" + number + "\"");
    }
    EXPECT_EQ(in_query.next(leading_to("0", 90)), cycle);
    EXPECT_EQ(urls.next(leading_to("?p=0", 90)), cycle);
    EXPECT_EQ(bodies.next(leading_to("0", 90)), cycle);
  }
}

TEST(PagingGuards, a_next_link_with_spaces_and_letters_beyond_ascii_is_followed_encoded) {
  const std::string written = "?q=caf\xC3\xA9 au lait&after=100%&page=2";
  const std::string sent = "?q=caf%C3%A9%20au%20lait&after=100%25&page=2";
  EXPECT_EQ(PagingBench(by_url()).next(leading_to(written)), sent);
  EXPECT_EQ(PagingBench(by(paging::NextUrl{.from_header = "Next"})).next(leading_to("x"), {{"Next", written}}), sent);
  const Headers link = {{"Link", "<" + written + ">; rel=next"}};
  EXPECT_EQ(PagingBench(by(paging::LinkHeader{})).next(leading_to("x"), link), sent);
  EXPECT_EQ(PagingBench(by(paging::Automatic{})).next(leading_to("x"), link), sent);
  const paging::PageStrategy strategy = [&](const auto&, const auto&) -> Result<std::optional<paging::PageRequest>> {
    return paging::PageRequest{.url = written};
  };
  EXPECT_EQ(PagingBench(by(strategy)).next(leading_to("x")), sent);
}

TEST(PagingGuards, urls_that_grow_without_end_are_refused) {
  const std::string long_cursor(15'000, 'c');
  EXPECT_EQ(PagingBench(by_cursor()).next(leading_to(long_cursor)), "?cursor=" + long_cursor);
  const auto refused = StartsWith("refused: the URL of the next page has 20038 bytes: it was not requested");
  const std::string longer(20'000, 'c');
  EXPECT_THAT(PagingBench(by_cursor()).next(leading_to(longer)), refused);
  EXPECT_THAT(PagingBench(by_url()).next(leading_to("?cursor=" + longer)), refused);
  const PagePlace own{.url = list + "?ids=" + std::string(100'000, '7')};
  EXPECT_THAT(PagingBench(by_cursor(), own).next(leading_to("2")), StartsWith("?ids=777")) << "the caller's own";
}

TEST(PagingGuards, a_cycle_of_ranges_is_refused) {
  PagingBench listing({.style = paging::ItemRange{.next_header = "Next-Range"}}, {.url = list, .range = "a"});
  EXPECT_EQ(listing.next(items(1, 1), {{"Next-Range", "b"}}), " b");
  EXPECT_EQ(listing.next(items(1, 2), {{"Next-Range", "a"}}), cycle);
}

TEST(PagingGuards, a_cursor_at_one_url_is_another_page_at_another) {
  using paging::PageRequest;
  std::vector<PageRequest> way = {{.url = "?a", .body = "1"}, {.url = "?b", .body = "1"}, {.url = "?b", .range = "1"}};
  const paging::PageStrategy strategy = [&](const PageRequest&,
                                            const paging::PageResponse&) -> Result<std::optional<PageRequest>> {
    auto next = way.front();
    way.erase(way.begin());
    return next;
  };
  PagingBench listing({.style = strategy});
  EXPECT_EQ(listing.next("[1]"), "?a 1");
  EXPECT_EQ(listing.next("[2]"), "?b 1");
  EXPECT_EQ(listing.next("[3]"), "?b 1") << "the same text in another place";
}

TEST(PagingGuards, a_next_url_does_not_leave_the_origin_or_https) {
  for (const auto* url : {"https://evil.example/", "//evil.example/", "http://api.example.com/things?p=2",
                          "https://api.example.com:8443/", "https://api.example.com@evil.example/"}) {
    const auto refused = PagingBench(by_url()).next(leading_to(url));
    EXPECT_TRUE(refused.starts_with("refused: the next link ")) << url << ": " << refused;
  }
}

TEST(PagingGuards, an_https_listing_never_goes_to_http_even_if_that_is_trusted) {
  const auto follow = [](const std::string& from, const std::string& to) {
    Pager pager(by_url(), {}, {.url = from}, {},
                {*wire::origin_of("https://api.example.com"), *wire::origin_of("http://old.example.com")});
    const Response response{.status = 200, .body = leading_to(to), .url = from};
    const auto decision = pager.decide({.response = response, .items = 1});
    const auto* refuse = std::get_if<Refuse>(&decision.next);
    return refuse == nullptr ? pager.place().url : refuse->what + "; " + refuse->advice;
  };
  for (const auto* secure : {"https://api.example.com/a", "HTTPS://api.example.com/a"})
    EXPECT_EQ(follow(secure, "http://old.example.com/b"),
              "the next link leads from https to http: nothing was sent there; report it to the API's owner");
  for (const auto* downgraded : {"http://api.example.com/b", "http://API.example.com:8443/b"})
    EXPECT_EQ(follow("https://api.example.com/a", downgraded),
              "the next link leads from https to http: nothing was sent there; report it to the API's owner");
  EXPECT_TRUE(follow("https://api.example.com/a", "http://evil.example/").starts_with("the next link leads to another"))
      << "a downgrade and another origin";
  EXPECT_EQ(follow("http://old.example.com/a", "http://old.example.com/b"), "http://old.example.com/b");
  EXPECT_EQ(follow("http://old.example.com/a", "https://api.example.com/b"), "https://api.example.com/b");
}

TEST(PagingGuards, a_fragment_is_dropped_and_is_not_another_page) {
  PagingBench listing(by_url());
  EXPECT_EQ(listing.next(leading_to("?p=2#a", 1)), "?p=2");
  EXPECT_EQ(listing.next(leading_to("?p=2#b", 2)), cycle);
}

TEST(PagingGuards, the_number_of_pages_is_limited_and_the_place_stays_at_the_last_one) {
  PagingBench listing(by_cursor(), {.url = list}, {}, {.pages = 2});
  EXPECT_EQ(listing.next(leading_to("a", 1)), "?cursor=a");
  EXPECT_EQ(listing.next(leading_to("b", 2)),
            "refused: the listing has more than 2 pages; raise ClientOptions::limits.pages, or resume "
            "the listing from its bookmark");
  EXPECT_EQ(listing.shown(listing.pager.place()), "?cursor=a");
}

TEST(PagingGuards, a_refused_page_does_not_change_the_place) {
  PagingBench listing(by_url());
  EXPECT_TRUE(listing.next(leading_to("https://evil.example/")).starts_with("refused: "));
  EXPECT_EQ(listing.pager.place().url, list);
}

TEST(PagingGuards, equal_pages_of_items_without_identity_are_followed_where_the_server_names_the_next_page) {
  const std::pair<paging::Style, bool> cases[] = {{paging::NextUrl{.from = "/next"}, true},
                                          {paging::LinkHeader{}, true},
                                          {paging::Offset{}, false}};
  for (const auto& [style, is_followed] : cases)
    for (const auto& texts : {std::vector<std::string_view>{"0", "0"}, std::vector<std::string_view>{"0"}}) {
      PagingBench listing(by(style));
      const auto decide = [&](const std::string& next) {
        Response response{.status = 200, .headers = {{"Link", "<" + next + ">; rel=next"}}, .body = leading_to(next)};
        response.url = listing.pager.place().url;
        return listing.pager.decide(
            {.response = response, .items = texts.size(), .last_item = "0", .texts = texts, .fingerprint = 7});
      };
      EXPECT_TRUE(decide("?p=1").deliver) << style.index();
      EXPECT_EQ(decide("?p=2").deliver, is_followed) << style.index();
    }
}

TEST(PagingGuards, an_equal_page_is_another_one_if_the_server_counts_more_items_than_before) {
  const auto paging = by(paging::Offset{.parameter = "cursor"});
  const auto follow = [&](const char* first, const char* second) {
    PagingBench listing(paging);
    EXPECT_FALSE(listing.next(leading_to("", 7), {{"X-Total-Count", "9"}}).starts_with("refused"));
    listing.next(leading_to("", 8), {{"X-Total-Count", first}});
    return listing.next(leading_to("", 8), {{"X-Total-Count", second}});
  };
  EXPECT_FALSE(follow("9", "10").starts_with("refused: ")) << "as many were added in front of it as it has";
  EXPECT_TRUE(follow("9", "9").starts_with("refused: the server returned the same items twice"));
  EXPECT_TRUE(follow("9", "8").starts_with("refused: "));
  EXPECT_TRUE(follow("", "10").starts_with("refused: "));
}

TEST(PagingGuards, an_equal_page_is_the_same_one_if_the_server_counts_fewer_items_more_than_it_has) {
  const auto follow = [&](const char* total) {
    PagingBench listing(by(paging::PageNumber{}));
    const std::string same = "{\"items\":" + items(3) + "}";
    EXPECT_EQ(listing.next(same, {{"X-Total-Count", "9"}}), "?page=2");
    return listing.next(same, {{"X-Total-Count", total}});
  };
  for (const auto* total : {"10", "11"})
    EXPECT_TRUE(follow(total).starts_with("refused: the server returned the same items twice")) << total;
  for (const auto* total : {"12", "13"}) EXPECT_EQ(follow(total), "?page=3") << total;
}

TEST(PagingGuards, a_page_that_was_reported_is_not_the_end_if_it_is_not_found) {
  auto paging = by(paging::PageNumber{});
  const auto ends = [&](const char* total) {
    PagingBench listing(paging, {.url = list + "?page=1&per_page=2"});
    listing.next(R"({"items":[1,2]})", {{"X-Total-Count", total}});
    return listing.on_status(404) == "last";
  };
  EXPECT_FALSE(ends("3")) << "the page before was as full as requested";
  EXPECT_TRUE(ends("2"));
  EXPECT_TRUE(ends(""));
  PagingBench linked(paging, {.url = list + "?page=1"});
  linked.next(R"({"items":[1]})", {{"Link", "<?page=3>; rel=last"}});
  EXPECT_FALSE(linked.on_status(404) == "last");
  linked.next(R"({"items":[2]})", {{"Link", "<?page=2>; rel=last"}});
  EXPECT_TRUE(linked.on_status(404) == "last");
  paging.totals.pages_pointer = "/pages";
  PagingBench counted(paging, {.url = list + "?page=1"});
  counted.next(R"({"items":[1],"pages":2})");
  EXPECT_FALSE(counted.on_status(404) == "last");
}

TEST(PagingGuards, a_page_that_is_not_found_is_the_end_if_the_total_was_not_larger) {
  const auto paging = by(paging::PageNumber{});
  const auto ends = [&](const char* query, PagerStart start, const std::vector<int>& pages, const char* total) {
    PagingBench listing(paging, {.url = list + query}, {}, {}, start);
    int first = 1;
    for (const int count : pages) {
      listing.next("{\"items\":" + items(count, first) + "}", {{"X-Total-Count", total}});
      first += count;
    }
    return listing.on_status(404);
  };
  const PagerStart begin;
  const PagerStart resumed{.is_first = false};
  EXPECT_EQ(ends("?page=3", resumed, {1}, "7"), "last") << "a bookmark's page may be the short last one";
  EXPECT_EQ(ends("?page=3&per_page=3", resumed, {1}, "7"), "last");
  EXPECT_EQ(ends("?page=2&per_page=3", resumed, {3}, "7"), "error");
  EXPECT_EQ(ends("?page=1&per_page=3", begin, {2, 2, 2}, "6"), "last");
  EXPECT_EQ(ends("?page=1", begin, {3, 3}, "6"), "last");
  const auto incomplete = StartsWith("incomplete: the listing ended after 6 items, but the response reports 9; ");
  EXPECT_THAT(ends("?page=1&per_page=3", begin, {2, 2, 2}, "9"), incomplete);
  EXPECT_THAT(ends("?page=1", begin, {3, 3}, "9"), incomplete);
  EXPECT_THAT(ends("?page=1&per_page=5", begin, {3, 3}, "9"), incomplete);
  EXPECT_EQ(ends("?page=1&per_page=3", begin, {3, 3, 3}, "12"), "error");
}

TEST(PagingGuards, a_cycle_through_the_first_page_under_its_number_delivers_nothing_twice) {
  const auto to = [](const char* target) { return Headers{{"Link", fmt::format("<{}>; rel=next", target)}}; };
  for (const auto& style : {paging::Style(paging::LinkHeader{}), paging::Style(paging::Automatic{})}) {
    PagingBench listing({.style = style}, {.url = list + "?q=a"});
    EXPECT_EQ(listing.next(items(3, 1), to("?page=2&q=a")), "?page=2&q=a");
    EXPECT_EQ(listing.next(items(3, 4), to("?page=1&q=a")), "?page=1&q=a");
    const auto again = listing.decide(items(3, 1), to("?page=2&q=a"));
    EXPECT_FALSE(again.deliver);
    ASSERT_TRUE(std::holds_alternative<Refuse>(again.next));
    EXPECT_EQ(PagingBench::shown(std::get<Refuse>(again.next)), cycle);
  }
  PagingBench from_zero({.style = paging::LinkHeader{}});
  EXPECT_EQ(from_zero.next(items(3, 1), to("?page=1")), "?page=1");
  EXPECT_EQ(from_zero.next(items(3, 4), to("?page=2")), "?page=2") << "a server that counts from zero";
  PagingBench backwards({.style = paging::LinkHeader{}});
  EXPECT_EQ(backwards.next(items(3, 7), to("?page=2")), "?page=2");
  EXPECT_EQ(backwards.next(items(3, 4), to("?page=1")), "?page=1");
  EXPECT_EQ(backwards.next(items(3, 1)), "last") << "a server whose first page is its newest one";
  PagingBench resumed({.style = paging::LinkHeader{}}, {.url = list + "?after=3"}, {}, {}, {.is_first = false});
  EXPECT_EQ(resumed.next(items(3, 4), to("?page=1")), "?page=1");
  EXPECT_EQ(resumed.next(items(3, 1), to("?page=2")), "?page=2") << "it did not start at the first page";
}

TEST(PagingGuards, a_page_with_the_items_of_the_one_before_is_refused_wherever_it_is) {
  const paging::PageStrategy strategy = [page = 0](const paging::PageRequest&, const paging::PageResponse&) mutable {
    return Result<std::optional<paging::PageRequest>>({{.url = "?p=" + std::to_string(++page)}});
  };
  for (const paging::Style& style :
       std::initializer_list<paging::Style>{paging::LinkHeader{}, paging::PageNumber{}, paging::Offset{},
                                            paging::Cursor{.parameter = "cursor", .from = "/next"},
                                            paging::NextUrl{.from = "/next"}, strategy}) {
    PagingBench listing(by(style));
    const auto decide = [&](const std::string& next) {
      Response response{.status = 200, .headers = {{"Link", "<" + next + ">; rel=next"}}, .body = leading_to(next)};
      response.url = listing.pager.place().url;
      const std::string_view texts[] = {"1", "2"};
      return listing.pager.decide({.response = response, .items = 2, .texts = texts, .fingerprint = 7});
    };
    EXPECT_TRUE(decide("?p=1").deliver) << style.index();
    const auto again = decide("?p=2");
    EXPECT_FALSE(again.deliver) << style.index();
    ASSERT_TRUE(std::holds_alternative<Refuse>(again.next)) << style.index();
    EXPECT_EQ(PagingBench::shown(std::get<Refuse>(again.next)),
              "refused: the server returned the same items twice, for this page and the one before it; check the names "
              "in ClientOptions::dialect.paging.style, or report it to the API's owner");
  }
}

TEST(PagingGuards, empty_pages_are_not_equal_ones) {
  PagingBench listing(by_cursor());
  for (int page = 2; page <= 9; ++page)
    EXPECT_EQ(listing.next(fmt::format(R"({{"items":[],"next":"{}"}})", page)), fmt::format("?cursor={}", page));
}

}  // namespace paging_guards_test
}  // namespace noun::paging_tests
