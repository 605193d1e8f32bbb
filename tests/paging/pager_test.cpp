// Following Link headers from page to page: where a listing goes, where it refuses to go, and where it ends.
#include "paging/pager.hpp"

#include <gtest/gtest.h>

#include <string>


namespace paging_tests { namespace pager_test {

using noun::Errc;
using noun::Headers;
using noun::detail::LastPage;
using noun::Limits;
using noun::detail::PagePlace;
using noun::detail::PageDecision;
using noun::detail::Pager;
using noun::Paging;
using noun::Refuse;

const std::string first = "https://api.example.com/v1/things?per_page=2";

Pager pager_by_link(Limits limits = {}, std::vector<std::string> trusted = {}) {
  std::vector<noun::wire::UrlOrigin> allowed = {*noun::wire::origin_of(first)};
  for (const auto& origin : trusted) allowed.push_back(*noun::wire::origin_of(origin));
  return Pager({.style = noun::paging::LinkHeader{}}, limits, {.url = first}, {}, std::move(allowed));
}
Headers next(std::string_view target) { return {{"Link", "<" + std::string(target) + ">; rel=\"next\""}}; }

/// A listing without requests: where it is, and how many pages it has seen.
struct Walk {
  Pager pager = pager_by_link();
  std::string at = first;
  std::size_t pages = 0;

  PageDecision page(const Headers& headers, std::size_t items = 2) {
    const noun::Response response{.status = 200, .headers = headers, .url = at};
    auto decision = pager.decide({.response = response, .items = items, .fingerprint = ++pages});
    if (const auto* link = std::get_if<PagePlace>(&decision.next)) at = link->url;
    return decision;
  }
  /// Where the link leads, or why not.
  std::string follow(std::string_view target) {
    const auto decision = page(next(target));
    if (const auto* link = std::get_if<PagePlace>(&decision.next)) return link->url;
    const auto* refuse = std::get_if<Refuse>(&decision.next);
    return refuse ? std::string(to_string(refuse->code)) + ": " + refuse->what : "last";
  }
};

bool is_last(const PageDecision& decision) { return std::holds_alternative<LastPage>(decision.next); }

TEST(Paging, a_next_link_is_followed_until_there_is_none) {
  Walk walk;
  EXPECT_EQ(walk.follow("https://api.example.com/v1/things?page=2"), "https://api.example.com/v1/things?page=2");
  EXPECT_EQ(walk.follow("https://api.example.com/v1/things?page=3"), "https://api.example.com/v1/things?page=3");
  EXPECT_TRUE(is_last(walk.page({{"Link", "</v1/things?page=1>; rel=\"prev\""}})));
}

TEST(Paging, without_a_link_even_a_full_page_is_the_last) {
  Walk walk;
  EXPECT_TRUE(is_last(walk.page({})));
}

TEST(Paging, a_link_field_that_cannot_be_read_is_not_the_end) {
  for (const auto* broken : {"<<<>>;; rel=next", "</v1/things?page=2", "nothing", "; rel=next",
                             "</v1/things?page=1>; rel=prev, </v1/things?page=3"}) {
    Walk walk;
    const auto decision = walk.page({{"Link", broken}});
    const auto* refuse = std::get_if<Refuse>(&decision.next);
    ASSERT_NE(refuse, nullptr) << broken;
    EXPECT_EQ(refuse->code, noun::Errc::protocol);
  }
  for (const auto* blank : {"", " , ,"}) EXPECT_TRUE(is_last(Walk().page({{"Link", blank}})));
  EXPECT_TRUE(is_last(Walk().page({{"Link", "</schema>"}})));
  EXPECT_TRUE(is_last(Walk().page({{"Link", "</a.css>; as=style; crossorigin, </a>; rel=self"}})));
}

TEST(Paging, relative_links_are_resolved_against_their_page) {
  Walk walk;
  EXPECT_EQ(walk.follow("?page=2"), "https://api.example.com/v1/things?page=2");
  EXPECT_EQ(walk.follow("../v2/things"), "https://api.example.com/v2/things");
  EXPECT_EQ(walk.follow("more"), "https://api.example.com/v2/more");
  EXPECT_EQ(walk.follow("/v1/things?page=5#end"), "https://api.example.com/v1/things?page=5");
  EXPECT_EQ(walk.follow("//api.example.com/last"), "https://api.example.com/last");
}

TEST(Paging, another_origin_is_refused) {
  for (const auto* link : {"https://evil.example/things", "http://evil.example/things", "//evil.example/things",
                           "https://api.example.com:8443/things", "https://api.example.com.evil.example/"}) {
    Walk walk;
    const auto shown = walk.follow(link);
    EXPECT_TRUE(shown.starts_with("refused: the next link leads to another origin, ")) << link << " → " << shown;
    EXPECT_EQ(walk.at, first);
  }
}

TEST(Paging, only_a_plain_address_is_followed) {
  for (const auto* link : {"https://user:pw@api.example.com/", "https://api@evil.example/", "\\\\evil.example/x",
                           "https://api.example.com\\@evil.example/", "file:///etc/passwd", "ftp://api.example.com/",
                           "javascript:alert(1)"}) {
    Walk walk;
    const auto shown = walk.follow(link);
    EXPECT_TRUE(shown.starts_with("refused: ")) << link << " → " << shown;
  }
}

TEST(Paging, a_trusted_origin_is_followed_there_and_back) {
  Walk walk{.pager = pager_by_link({}, {"https://pages.example.net"})};
  EXPECT_EQ(walk.follow("https://pages.example.net/2"), "https://pages.example.net/2");
  EXPECT_EQ(walk.follow("/3"), "https://pages.example.net/3");
  EXPECT_EQ(walk.follow("https://api.example.com/4"), "https://api.example.com/4");
  EXPECT_TRUE(walk.follow("http://pages.example.net/5").starts_with("refused: "));
}

TEST(Paging, a_cycle_of_any_length_is_refused) {
  for (const int length : {1, 2, 5}) {
    Walk walk;
    for (int page = 1; page < length; ++page) walk.follow("?page=" + std::to_string(page));
    const auto shown = walk.follow(first);
    EXPECT_TRUE(shown.starts_with("refused: the next link leads back to a page")) << length << ": " << shown;
  }
}

TEST(Paging, a_cycle_that_does_not_lead_back_to_the_first_page_is_refused) {
  Walk walk;
  walk.follow("?page=2");
  walk.follow("?page=3");
  EXPECT_TRUE(walk.follow("?page=2").starts_with("refused: "));
}

TEST(Paging, a_fragment_is_not_another_page) {
  Walk walk;
  EXPECT_TRUE(walk.follow(first + "#again").starts_with("refused: "));
}

TEST(Paging, the_number_of_pages_is_limited_and_the_last_one_is_delivered) {
  Walk walk{.pager = pager_by_link({.pages = 3})};
  EXPECT_FALSE(std::holds_alternative<Refuse>(walk.page(next("?page=2")).next));
  EXPECT_FALSE(std::holds_alternative<Refuse>(walk.page(next("?page=3")).next));
  const auto third = walk.page(next("?page=4"));
  EXPECT_TRUE(third.deliver);
  ASSERT_TRUE(std::holds_alternative<Refuse>(third.next));
  EXPECT_EQ(std::get<Refuse>(third.next).what,
            "the listing has more than 3 pages");
}

TEST(Paging, as_many_pages_as_the_limit_are_not_an_error) {
  Walk walk{.pager = pager_by_link({.pages = 2})};
  walk.page(next("?page=2"));
  EXPECT_TRUE(is_last(walk.page({})));
}

}  // namespace pager_test
}  // namespace paging_tests
