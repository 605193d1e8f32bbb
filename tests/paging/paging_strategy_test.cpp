// A PageStrategy: what it is called with, what follows from what it returns, and that its pages are checked.
#include <gtest/gtest.h>

#include "paging/paging_bench.hpp"

namespace noun::paging_tests { namespace paging_strategy_test {

using paging::PageRequest;
using paging::PageResponse;

Paging by(paging::PageStrategy strategy) { return {.style = std::move(strategy)}; }

using Next = Result<std::optional<PageRequest>>;

TEST(PagingStrategy, is_called_with_the_request_and_the_response) {
  std::vector<PageRequest> asked;
  std::string seen;
  PagingBench listing(by([&](const PageRequest& request, const PageResponse& page) -> Next {
                        asked.push_back(request);
                        seen += std::to_string(page.items) + std::string(page.last_item) + page.response.body + ";";
                        if (page.items == 0) return std::nullopt;
                        return PageRequest{.url = "?n=2", .body = R"({"n":2})", .range = "r"};
                      }),
                      {.url = list}, R"({"n":1})");
  EXPECT_EQ(listing.next("[7,8]"), R"(?n=2 {"n":2} r)");
  EXPECT_EQ(listing.next("[]"), "last");
  EXPECT_EQ(seen, "28[7,8];0[];");
  EXPECT_EQ(asked, (std::vector<PageRequest>{{.url = list, .body = R"({"n":1})", .range = ""},
                                             {.url = list + "?n=2", .body = R"({"n":2})", .range = "r"}}));
}

TEST(PagingStrategy, without_a_body_sends_the_listings_own) {
  PagingBench listing(by([](const PageRequest&, const PageResponse&) -> Next { return PageRequest{.url = "?n=2"}; }),
                      {.url = list}, "q=form");
  EXPECT_EQ(listing.next("[1]"), "?n=2");
  EXPECT_EQ(listing.pager.request_for(listing.pager.place()), (PageRequest{.url = list + "?n=2", .body = "q=form"}));
}

TEST(PagingStrategy, returns_a_body_that_is_sent_as_it_is) {
  PagingBench listing(
      by([](const PageRequest&, const PageResponse&) -> Next { return PageRequest{.body = "q=form&n=2"}; }),
      {.url = list}, "q=form");
  EXPECT_EQ(listing.next("[1]"), " q=form&n=2");
  EXPECT_EQ(listing.pager.request_for(listing.pager.place()).body, "q=form&n=2");
}

TEST(PagingStrategy, with_another_body_requests_another_page) {
  int page = 1;
  PagingBench listing(by([&](const PageRequest& asked, const PageResponse&) -> Next {
                        return PageRequest{.url = asked.url, .body = std::to_string(++page % 3 + 1)};
                      }),
                      {.url = list}, "0");
  EXPECT_EQ(listing.next("[1]"), " 3");
  EXPECT_EQ(listing.next("[2]"), " 1");
  EXPECT_EQ(listing.next("[3]"), " 2");
  EXPECT_TRUE(listing.next("[4]").starts_with("refused: the next link leads back to a page"));
}

TEST(PagingStrategy, that_fails_ends_the_listing_after_the_page) {
  PagingBench listing(by([](const PageRequest&, const PageResponse&) -> Next {
    return Error({.code = Errc::decode, .what = "no next page in it", .advice = "ask its owner"});
  }));
  const auto decision = listing.decide("[1]");
  EXPECT_TRUE(decision.deliver);
  ASSERT_TRUE(std::holds_alternative<Refuse>(decision.next));
  EXPECT_EQ(std::get<Refuse>(decision.next).code, Errc::decode);
  EXPECT_EQ(std::get<Refuse>(decision.next).what, "the paging strategy failed: no next page in it");
  EXPECT_EQ(std::get<Refuse>(decision.next).advice, "ask its owner");
  PagingBench of_a_call(by([](const PageRequest&, const PageResponse&) -> Next {
    return Error({.code = Errc::timeout, .what = "it was late", .advice = "wait", .request = {.url = "https://h/x"}});
  }));
  EXPECT_EQ(of_a_call.next("[1]"), "timeout: the paging strategy failed: GET https://h/x: it was late; wait");
}

TEST(PagingStrategy, leads_only_where_a_link_may_lead) {
  const auto led_to = [](const PageRequest& next) {
    return PagingBench(by([=](const PageRequest&, const PageResponse&) -> Next { return next; })).next("[1]");
  };
  EXPECT_TRUE(led_to({.url = "https://evil.example/"}).starts_with("refused: the next link leads to another origin"));
  EXPECT_TRUE(led_to({.url = "https://me@api.example.com/"}).starts_with("refused: the next link is not a plain"));
  EXPECT_TRUE(led_to({.url = list}).starts_with("refused: the next link leads back"));
  EXPECT_TRUE(led_to({}).starts_with("refused: the next link leads back"));
  EXPECT_EQ(led_to({.url = "?a#b"}), "?a");
  EXPECT_TRUE(
      led_to({.url = "?a", .range = "0-1\r\nX: y"}).starts_with("refused: the next range has a control character"));
}

}  // namespace paging_strategy_test
}  // namespace noun::paging_tests
