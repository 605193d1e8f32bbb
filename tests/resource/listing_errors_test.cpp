// Tests of the errors of listings: always the last element, after all items, and the listing can be resumed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "resource/listing_bench.hpp"

namespace resource_test { namespace listing_errors_test {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// 1 2 3, then a page that fails with `status` until repair().
struct BrokenSecondPage : ThreePages {
  explicit BrokenSecondPage(int status) { pages->pages[numbers_url + "?page=2"] = {.status = status}; }
  void repair() { pages->page(numbers_url + "?page=2", "[4, 5]", next("?page=3")); }
};

TEST(ListingError, is_the_last_element_after_all_items) {
  BrokenSecondPage bench(403);
  auto listing = bench.numbers.list();
  EXPECT_THAT(all_of(listing), ElementsAre(1, 2, 3, -1));
  auto pages = bench.numbers.list();
  EXPECT_THAT(all_by_page(pages), ElementsAre(1, 2, 3, -1));
}

TEST(ListingError, begin_retries_after_a_delivered_error) {
  BrokenSecondPage bench(403);
  auto listing = bench.numbers.list();
  EXPECT_THAT(all_of(listing), ElementsAre(1, 2, 3, -1));
  EXPECT_THAT(all_of(listing), ElementsAre(-1)) << "a listing never ends silently";
  bench.repair();
  EXPECT_THAT(all_of(listing), ElementsAre(4, 5, 6, 7, 8));
  EXPECT_THAT(all_of(listing), IsEmpty());
}

TEST(ListingError, begin_retries_after_a_loop_that_broke_at_the_error) {
  BrokenSecondPage bench(403);
  auto listing = bench.numbers.list();
  for (const auto& number : listing)
    if (!number) break;
  bench.repair();
  EXPECT_THAT(all_of(listing), ElementsAre(4, 5, 6, 7, 8));
}

TEST(ListingError, pages_retries_after_an_error) {
  BrokenSecondPage bench(403);
  auto listing = bench.numbers.list();
  EXPECT_THAT(all_by_page(listing), ElementsAre(1, 2, 3, -1));
  EXPECT_THAT(all_by_page(listing), ElementsAre(-1));
  bench.repair();
  EXPECT_THAT(all_by_page(listing), ElementsAre(4, 5, 6, 7, 8));
}

TEST(ListingError, that_was_not_dereferenced_is_kept) {
  BrokenSecondPage bench(403);
  auto listing = bench.numbers.list();
  auto at = listing.begin();
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(*at);
    ++at;
  }
  EXPECT_FALSE(at == listing.end());
  EXPECT_THAT(all_of(listing), ElementsAre(-1));
}

TEST(ListingError, that_was_not_dereferenced_is_not_skipped) {
  BrokenSecondPage bench(403);
  auto listing = bench.numbers.list();
  auto at = listing.begin();
  for (int i = 0; i < 5; ++i) ++at;
  ASSERT_FALSE(at == listing.end());
  EXPECT_EQ(code_of(*at), Errc::forbidden);
  auto by_page = bench.numbers.list();
  auto pages = by_page.pages();
  auto page = pages.begin();
  for (int i = 0; i < 3; ++i) ++page;
  ASSERT_FALSE(page == pages.end());
  EXPECT_EQ(code_of(*page), Errc::forbidden);
}

TEST(ListingError, leaves_the_bookmark_after_the_last_item) {
  BrokenSecondPage bench(403);
  auto listing = bench.numbers.list();
  EXPECT_THAT(all_of(listing), ElementsAre(1, 2, 3, -1));
  bench.repair();
  EXPECT_THAT(all_of(bench.numbers.list({.resume = listing.bookmark()})), ElementsAre(4, 5, 6, 7, 8));
}

TEST(ListingError, of_the_first_page_leaves_the_bookmark_at_the_start) {
  ThreePages bench;
  bench.pages->pages[numbers_url].status = 403;
  auto listing = bench.numbers.list();
  EXPECT_THAT(all_of(listing), ElementsAre(-1));
  bench.pages->pages[numbers_url].status = 200;
  EXPECT_EQ(all_of(bench.numbers.list({.resume = listing.bookmark()})), numbers(1, 8));
}

TEST(ListingError, names_the_page_that_is_not_an_array) {
  ThreePages bench;
  bench.pages->page(numbers_url + "?page=2", R"({"items": [4]})");
  auto listing = bench.numbers.list();
  std::optional<noun::Error> error;
  for (const auto& number : listing)
    if (!number) error = number.error();
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), Errc::decode);
  EXPECT_THAT(error->message(), AllOf(HasSubstr("page 2 is not a list of items"), HasSubstr(R"(in "{"items": [4]}")"),
                                      HasSubstr("https://api.example.com/v1/numbers?page=2")));
  EXPECT_EQ(error->status(), 200);
  EXPECT_EQ(error->sent(), Sent::answered);
}

TEST(ListingError, a_page_without_a_body_is_no_content_and_is_fetched_again) {
  ThreePages bench;
  bench.pages->page(numbers_url + "?page=2", "", next("?page=3"));
  auto listing = bench.numbers.list();
  std::optional<noun::Error> error;
  for (const auto& number : listing)
    if (!number) error = number.error();
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), Errc::no_content);
  EXPECT_THAT(error->message(), HasSubstr("page 2 has no body"));
  bench.pages->page(numbers_url + "?page=2", "[4, 5]", next("?page=3"));
  EXPECT_THAT(all_of(listing), ElementsAre(4, 5, 6, 7, 8));
}

TEST(ListingError, a_page_that_is_accepted_and_not_finished_says_so_and_is_fetched_again) {
  for (const auto* body : {"", "{}"}) {
    ThreePages bench;
    bench.pages->pages[numbers_url + "?page=2"] = {.status = 202, .body = body};
    auto listing = bench.numbers.list({.paging = noun::Paging{.items = "/items", .items_may_be_absent = true}});
    bench.pages->page(numbers_url, R"({"items": [1, 2, 3]})", next("?page=2"));
    std::optional<noun::Error> error;
    for (const auto& number : listing)
      if (!number) error = number.error();
    ASSERT_TRUE(error) << body;
    EXPECT_EQ(error->code(), Errc::no_content);
    EXPECT_THAT(error->message(),
                HasSubstr("page 2 is not there yet: the server responded 202 Accepted (not finished)"));
    EXPECT_THAT(error->message(), HasSubstr("; list again later"));
    bench.pages->page(numbers_url + "?page=2", R"({"items": [4, 5]})");
    EXPECT_THAT(all_of(listing), ElementsAre(4, 5)) << body;
  }
}

TEST(ListingError, of_an_invalid_query_is_invalid_argument) {
  ThreePages bench;
  const auto error = first_error(bench.numbers.list({.query = {{"q", std::string(9'000'000, 'x')}}}));
  EXPECT_EQ(error.code(), Errc::invalid_argument);
  EXPECT_THAT(error.message().substr(0, 500), HasSubstr("the URL is too long"));
  EXPECT_THAT(bench.pages->urls, IsEmpty());
}

/// The error message of a listing with credentials whose second page is `body`.
std::string message_with_credentials(const std::string& body, const std::string& link = "?page=3") {
  ThreePages bench;
  bench.pages->page(numbers_url + "?page=2", body, next(link));
  const auto api =
      bench.client({.credentials = noun::bearer("canary-s3cret/token+0123456789"), .transport = bench.pages});
  auto listing = api.collection<int>("numbers").list();
  for (const auto& number : listing)
    if (!number) return number.error().message() + number.error().request().curl;
  return {};
}

TEST(ListingError, hides_credentials_at_the_end_of_an_excerpt) {
  for (std::size_t before = 0; before < 110; ++before)
    for (const char* echo : {"canary-s3cret/token+0123456789", "canary-s3cret\\/token+0123456789",
                             "canary-s3cret/token\\u002B0123456789", "\\u0063anary-s3cret/token\\u002b0123456789"}) {
      const auto words = '"' + std::string(before, 'x') + echo + '"';
      const auto item = message_with_credentials("[4, " + words + "]");
      EXPECT_THAT(item, AllOf(HasSubstr("item 1 of page 2"), Not(HasSubstr("anary")), Not(HasSubstr("s3cret"))))
          << words;
      const auto page = message_with_credentials("{\"error\": " + words + "}");
      EXPECT_THAT(page, AllOf(HasSubstr("page 2 is not a list"), Not(HasSubstr("anary")), Not(HasSubstr("s3cret"))))
          << words;
    }
  EXPECT_THAT(message_with_credentials("[4]", "https://canary-s3cret.example/"), HasSubstr("leads to another origin"));
}

TEST(ListingError, of_a_page_nested_too_deeply_is_too_large) {
  Bench bench;
  bench.script->expect(Method::get, "/v1/numbers").reply(200, "[[[[[1]]]]]");
  const auto error = first_error(bench.client({.limits = {.json_depth = 4}}).collection<int>("numbers").list());
  EXPECT_EQ(error.code(), Errc::too_large);
  EXPECT_THAT(error.message(), HasSubstr("page 1 is nested deeper than 4 levels"));
}

TEST(ListingError, of_a_page_with_too_many_values_is_too_large) {
  Bench bench;
  bench.script->expect(Method::get, "/v1/numbers").reply(200, "[1, 2, 3, 4]");
  const auto error = first_error(bench.client({.limits = {.json_values = 4}}).collection<int>("numbers").list());
  EXPECT_EQ(error.code(), Errc::too_large);
  EXPECT_THAT(error.message(), HasSubstr("page 1 has more than 4 values"));
  EXPECT_THAT(error.message(), HasSubstr("raise ClientOptions::limits.json_values"));
}

/// 1, an item that is not a number, 3; then 4.
struct BadItem : Bench {
  std::shared_ptr<PageTransport> pages = std::make_shared<PageTransport>();
  noun::Collection<int> numbers = client({.transport = pages}).collection<int>("numbers");

  BadItem() {
    pages->page(numbers_url, R"([1, "two", 3])", next("?page=2"));
    pages->page(numbers_url + "?page=2", "[4]");
  }
};

TEST(UndecodableItem, is_an_error_that_names_page_and_index) {
  BadItem bench;
  auto listing = bench.numbers.list();
  std::optional<noun::Error> error;
  for (const auto& number : listing)
    if (!number) error = number.error();
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), Errc::decode);
  EXPECT_THAT(error->message(), AllOf(HasSubstr("item 1 of page 1"), HasSubstr("a number is expected, not string"),
                                      HasSubstr(R"(in ""two"")")));
  EXPECT_EQ(error->sent(), Sent::answered);
  EXPECT_EQ(error->attempts(), 1);
  EXPECT_EQ(error->status(), 200);
  ASSERT_NE(error->response(), nullptr);
  EXPECT_EQ(error->body_as<Json>()->size(), 3U);
}

TEST(UndecodableItem, ends_the_listing_and_begin_resumes_after_it) {
  BadItem bench;
  auto listing = bench.numbers.list();
  EXPECT_THAT(all_of(listing), ElementsAre(1, -1));
  EXPECT_THAT(all_of(listing), ElementsAre(3, 4)) << "the other items of the page are delivered";
  auto broken_off = bench.numbers.list();
  for (const auto& number : broken_off)
    if (!number) break;
  EXPECT_THAT(all_of(broken_off), ElementsAre(3, 4));
}

TEST(UndecodableItem, is_the_first_item_after_a_bookmark_made_at_its_error) {
  BadItem bench;
  auto listing = bench.numbers.list();
  EXPECT_THAT(all_of(listing), ElementsAre(1, -1));
  EXPECT_THAT(all_of(bench.numbers.list({.resume = listing.bookmark()})), ElementsAre(-1));
  EXPECT_EQ(**listing.begin(), 3);
  EXPECT_THAT(all_of(bench.numbers.list({.resume = listing.bookmark()})), ElementsAre(4));
}

TEST(UndecodableItem, fails_its_page_and_leaves_the_bookmark_before_the_page) {
  BadItem bench;
  auto listing = bench.numbers.list();
  EXPECT_THAT(all_by_page(listing), ElementsAre(-1));
  EXPECT_THAT(all_by_page(listing), ElementsAre(-1)) << "the page is fetched again";
  EXPECT_THAT(all_of(bench.numbers.list({.resume = listing.bookmark()})), ElementsAre(1, -1));
  EXPECT_THAT(all_of(listing), ElementsAre(1, -1)) << "item by item, those before it are delivered";
}

TEST(ExpiredCursor, after_the_first_page_has_its_own_error_code) {
  BrokenSecondPage bench(410);
  auto listing = bench.numbers.list();
  std::optional<noun::Error> error;
  for (const auto& number : listing)
    if (!number) error = number.error();
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), Errc::expired_cursor);
  EXPECT_EQ(error->status(), 410);
  EXPECT_THAT(error->message(), HasSubstr("start the listing again"));
  const auto resumed = first_error(bench.numbers.list({.resume = [&] {
    bench.repair();
    auto whole = bench.numbers.list();
    for (const auto& number : whole)
      if (*number == 4) break;
    bench.pages->pages[numbers_url + "?page=2"] = {.status = 410};
    return whole.bookmark();
  }()}));
  EXPECT_EQ(resumed.code(), Errc::expired_cursor);
}

TEST(ExpiredCursor, is_not_the_code_of_a_410_of_the_first_page) {
  ThreePages bench;
  bench.pages->pages[numbers_url] = {.status = 410};
  EXPECT_EQ(first_error(bench.numbers.list()).code(), Errc::client_error);
}

TEST(PagingCycle, is_an_error_after_the_items_of_its_page) {
  ThreePages bench;
  bench.pages->page(numbers_url + "?page=3", "[6, 7, 8]", next("/v1/numbers?page=2"));
  auto listing = bench.numbers.list();
  EXPECT_THAT(all_of(listing), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, -1));
  EXPECT_THAT(all_of(listing), ElementsAre(-1)) << "it does not end silently";
  EXPECT_EQ(bench.pages->urls.size(), 3U);
  auto pages = bench.numbers.list();
  EXPECT_THAT(all_by_page(pages), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, -1));
}

TEST(PagingCycle, of_one_page_is_detected) {
  ThreePages bench;
  bench.pages->page(numbers_url, "[1]", next("/v1/numbers#again"));
  auto listing = bench.numbers.list();
  std::optional<noun::Error> error;
  for (const auto& number : listing)
    if (!number) error = number.error();
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), Errc::refused);
  EXPECT_THAT(error->message(), HasSubstr("a paging cycle"));
  EXPECT_EQ(bench.pages->urls.size(), 1U);
}

/// The listing of a page that is an object; the dialect has the pointer of its items.
noun::Listing<int> listing_of(const ThreePages& bench, const std::string& body) {
  bench.pages->page(numbers_url, body);
  const auto api = bench.client({.dialect = {.paging = {.items = "/items"}}, .transport = bench.pages});
  return api.collection<int>("numbers").list();
}

TEST(IncompleteListing, is_a_permanent_error_after_the_items) {
  ThreePages bench;
  auto listing = listing_of(bench, R"({"items": [1, 2], "next_cursor": "abc"})");
  EXPECT_THAT(all_of(listing), ElementsAre(1, 2, -1));
  ASSERT_EQ(code_of(*listing.begin()), Errc::incomplete);
  EXPECT_THAT(message_of(*listing.begin()),
              AllOf(HasSubstr("/next_cursor"), HasSubstr("ClientOptions::dialect.paging.style")));
  EXPECT_EQ(bench.pages->urls.size(), 1U);
}

TEST(IncompleteListing, no_error_if_the_total_is_less_than_the_items_received) {
  ThreePages bench;
  auto listing = listing_of(bench, R"({"items": [1, 2], "count": 1})");
  EXPECT_THAT(all_of(listing), ElementsAre(1, 2));
  EXPECT_EQ(listing.tally().total, std::nullopt);
}

TEST(ListingFault, is_retried_on_the_same_page) {
  Bench bench;
  bench.script->expect(Method::get, "/v1/numbers").reply(200, "[1]", next("?page=2"));
  bench.script->expect(Method::get, "/v1/numbers?page=2").reply(503);
  bench.script->expect(Method::get, "/v1/numbers?page=2").fail(Errc::truncated, Sent::maybe);
  bench.script->expect(Method::get, "/v1/numbers?page=2").reply(429, "", {{"Retry-After", 9}});
  bench.script->expect(Method::get, "/v1/numbers?page=2").reply(200, "[2]");
  EXPECT_THAT(all_of(bench.client().collection<int>("numbers").list()), ElementsAre(1, 2));
  EXPECT_THAT(bench.clock->waits(), ElementsAre(1s, 2s, 9s));
  EXPECT_EQ(bench.script->complaint(), "");
}

}  // namespace listing_errors_test
}  // namespace resource_test
