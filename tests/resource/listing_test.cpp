// Tests of listings: when they send, what they deliver, and where they end.
#include <noun/listing.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <ranges>

#include "resource/listing_bench.hpp"

namespace resource_test { namespace listing_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

static_assert(std::ranges::input_range<noun::Listing<int>>);
static_assert(!std::ranges::view<noun::Listing<int>>);
static_assert(!std::ranges::forward_range<noun::Listing<int>>);
static_assert(std::ranges::input_range<noun::Pages<int>>);
static_assert(!std::copyable<noun::Listing<int>>);
static_assert(std::movable<noun::Listing<int>>);

TEST(Listing, delivers_every_item_of_every_page_in_order) {
  ThreePages bench;
  EXPECT_THAT(all_of(bench.numbers.list()), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
  EXPECT_THAT(bench.pages->urls, ElementsAre(numbers_url, numbers_url + "?page=2", numbers_url + "?page=3"));
}

TEST(Listing, sends_nothing_before_begin) {
  ThreePages bench;
  auto listing = bench.numbers.list();
  auto moved = std::move(listing);
  static_cast<void>(moved.bookmark());
  auto pages = moved.pages();
  EXPECT_THAT(bench.pages->urls, IsEmpty());
  auto at = moved.begin();
  ++at;
  EXPECT_THAT(bench.pages->urls, IsEmpty());
  EXPECT_EQ(**at, 2);
  EXPECT_EQ(bench.pages->urls.size(), 1U);
}

TEST(Listing, sends_nothing_after_break) {
  ThreePages bench;
  auto listing = bench.numbers.list();
  for (const auto& number : listing)
    if (*number == 3) break;
  EXPECT_EQ(bench.pages->urls.size(), 1U);
  for (const auto& number : listing)
    if (*number == 5) break;
  EXPECT_EQ(bench.pages->urls.size(), 2U);
}

TEST(Listing, increment_sends_nothing_and_comparison_fetches) {
  ThreePages bench;
  auto listing = bench.numbers.list();
  auto at = listing.begin();
  for (int i = 1; i <= 3; ++i) {
    EXPECT_FALSE(at == listing.end());
    ++at;
  }
  EXPECT_EQ(bench.pages->urls.size(), 1U);
  EXPECT_FALSE(at == listing.end());
  EXPECT_EQ(bench.pages->urls.size(), 2U);
  EXPECT_EQ(**at, 4);
  EXPECT_EQ(*at->operator->(), 4);
}

TEST(Listing, is_an_input_range_for_algorithms) {
  ThreePages bench;
  auto listing = bench.numbers.list();
  EXPECT_EQ(std::ranges::distance(listing), 8);
  auto again = bench.numbers.list();
  const auto found = std::ranges::find_if(again, [](const auto& number) { return *number == 4; });
  EXPECT_EQ(**found, 4);
  EXPECT_EQ(bench.pages->urls.size(), 5U);
}

#if defined(__GNUC__) && !defined(__clang__)
TEST(Listing, sends_only_what_a_view_needs) {
  for (const std::ptrdiff_t count : {1, 3}) {
    ThreePages bench;
    auto listing = bench.numbers.list();
    std::vector<int> taken;
    for (const auto& number : listing | std::views::take(count)) taken.push_back(*number);
    EXPECT_EQ(taken, numbers(1, static_cast<int>(count)));
    EXPECT_EQ(bench.pages->urls.size(), 1U);
    EXPECT_EQ(all_of(listing), numbers(static_cast<int>(count) + 1, 8));
  }
}

TEST(Listing, can_be_filtered_and_transformed) {
  ThreePages bench;
  auto listing = bench.numbers.list();
  std::vector<int> even;
  for (const int number : listing | std::views::transform([](const auto& result) { return *result; }) |
                              std::views::filter([](int n) { return n % 2 == 0; }))
    even.push_back(number);
  EXPECT_THAT(even, ElementsAre(2, 4, 6, 8));
}
#endif

TEST(Listing, resumes_after_the_last_delivered_item) {
  ThreePages bench;
  auto listing = bench.numbers.list();
  auto at = listing.begin();
  EXPECT_EQ(**at, 1);
  EXPECT_EQ(**listing.begin(), 2);
  at = listing.begin();
  EXPECT_FALSE(at == listing.end());
  EXPECT_EQ(**listing.begin(), 3) << "an item that was not dereferenced was not delivered";
  EXPECT_THAT(all_of(listing), ElementsAre(4, 5, 6, 7, 8));
  EXPECT_THAT(all_of(listing), IsEmpty());
  EXPECT_EQ(bench.pages->urls.size(), 3U);
}

TEST(Listing, an_item_dereferenced_twice_is_delivered_once) {
  ThreePages bench;
  auto listing = bench.numbers.list();
  auto at = listing.begin();
  EXPECT_EQ(**at, 1);
  EXPECT_EQ(**at, 1);
  EXPECT_FALSE(at == listing.end());
  at++;
  EXPECT_EQ(**at, 2);
}

TEST(Listing, follows_empty_pages_and_an_empty_collection_has_no_item) {
  ThreePages bench;
  bench.pages->page(numbers_url + "?page=2", "[]", next("?page=3"));
  EXPECT_THAT(all_of(bench.numbers.list()), ElementsAre(1, 2, 3, 6, 7, 8));
  auto pages = bench.numbers.list();
  EXPECT_THAT(all_by_page(pages), ElementsAre(1, 2, 3, 6, 7, 8));
  bench.pages->page(numbers_url, "[]");
  EXPECT_THAT(all_of(bench.numbers.list()), IsEmpty());
  bench.pages->pages[numbers_url] = {.status = 204};
  EXPECT_THAT(all_of(bench.numbers.list()), IsEmpty());
}

TEST(Listing, a_204_is_an_empty_page_with_one_notice) {
  ThreePages bench;
  bench.pages->pages[numbers_url] = {.status = 204};
  std::vector<std::string> notices;
  const auto observer = [&](const noun::Event& event) {
    if (event.kind == noun::EventKind::notice) notices.push_back(event.note);
  };
  const auto api = bench.client({.observer = observer, .transport = bench.pages});
  for (int i = 0; i < 2; ++i) EXPECT_THAT(all_of(api.collection<int>("numbers").list()), IsEmpty());
  EXPECT_THAT(notices, ElementsAre("the server responded 204 No Content, which dialect plain does not expect here"));
  const auto strict = bench.client({.strict_statuses = true, .transport = bench.pages});
  EXPECT_EQ(first_error(strict.collection<int>("numbers").list()).code(), Errc::protocol);
}

TEST(Listing, of_endless_empty_pages_ends_with_an_error) {
  Bench bench;
  auto pages = std::make_shared<PageTransport>();
  for (int page = 1; page <= 20; ++page)
    pages->page(numbers_url + (page == 1 ? "" : "?page=" + std::to_string(page)), "[]",
                next("?page=" + std::to_string(page + 1)));
  const auto api = bench.client({.limits = {.empty_pages = 5}, .transport = pages});
  const auto error = first_error(api.collection<int>("numbers").list());
  EXPECT_EQ(error.code(), Errc::refused);
  EXPECT_THAT(error.message(), HasSubstr("ClientOptions::limits.empty_pages"));
  EXPECT_EQ(pages->urls.size(), 6U);
}

TEST(Listing, of_more_pages_than_the_limit_ends_with_an_error_after_their_items) {
  ThreePages bench;
  const auto api = bench.client({.limits = {.pages = 2}, .transport = bench.pages});
  auto listing = api.collection<int>("numbers").list();
  EXPECT_THAT(all_of(listing), ElementsAre(1, 2, 3, 4, 5, -1));
  EXPECT_EQ(bench.pages->urls.size(), 2U);
  EXPECT_THAT(all_of(bench.numbers.list({.resume = listing.bookmark()})), ElementsAre(6, 7, 8));
}

TEST(MaxItems, ends_the_listing_and_fetches_no_further_page) {
  struct Case {
    std::size_t most;
    std::vector<int> taken;
    std::size_t sent;
  };
  for (const auto& [most, taken, sent] : std::vector<Case>{{0, {}, 0},
                                                           {1, {1}, 1},
                                                           {3, {1, 2, 3}, 1},
                                                           {4, {1, 2, 3, 4}, 2},
                                                           {5, {1, 2, 3, 4, 5}, 2},
                                                           {8, numbers(1, 8), 3},
                                                           {100, numbers(1, 8), 3}}) {
    ThreePages bench;
    auto items = bench.numbers.list({.max_items = most});
    EXPECT_EQ(all_of(items), taken) << most;
    EXPECT_EQ(bench.pages->urls.size(), sent) << most;
    EXPECT_EQ(all_of(bench.numbers.list({.resume = items.bookmark()})), numbers(static_cast<int>(taken.size()) + 1, 8))
        << most;
    ThreePages other;
    auto pages = other.numbers.list({.max_items = most});
    EXPECT_EQ(all_by_page(pages), taken) << most;
    EXPECT_EQ(other.pages->urls.size(), sent) << most;
    EXPECT_EQ(all_of(other.numbers.list({.resume = pages.bookmark()})), numbers(static_cast<int>(taken.size()) + 1, 8))
        << most;
  }
}

TEST(MaxItems, counts_from_the_bookmark) {
  ThreePages bench;
  auto first = bench.numbers.list({.max_items = 2});
  EXPECT_THAT(all_of(first), ElementsAre(1, 2));
  EXPECT_THAT(all_of(bench.numbers.list({.max_items = 2, .resume = first.bookmark()})), ElementsAre(3, 4));
}

TEST(MaxItems, that_is_negative_is_refused) {
  ThreePages bench;
  const auto error = first_error(bench.numbers.list({.max_items = static_cast<std::size_t>(-1)}));
  EXPECT_EQ(error.code(), Errc::invalid_argument);
  EXPECT_THAT(error.message(), HasSubstr("ListOptions::max_items must not be negative"));
  EXPECT_THAT(bench.pages->urls, IsEmpty());
}

TEST(PageSize, is_sent_as_the_size_parameter_of_the_dialect) {
  Bench bench;
  bench.script->expect(Method::get, "/v1/numbers?state=open&per_page=100").reply(200, "[]");
  EXPECT_THAT(all_of(bench.client().collection<int>("numbers").list({.query = {{"state", "open"}}, .page_size = 100})),
              IsEmpty());
  EXPECT_EQ(bench.script->complaint(), "");
}

TEST(PageSize, out_of_range_or_given_twice_is_refused_and_nothing_is_sent) {
  ThreePages bench;
  const std::pair<noun::ListOptions, const char*> cases[] = {
      {{.page_size = 0}, "ListOptions::page_size must be 1 to 1,000,000,000"},
      {{.page_size = static_cast<std::size_t>(-1)}, "ListOptions::page_size must be"},
      {{.page_size = 1'000'000'001}, "ListOptions::page_size must be"},
      {{.query = {{"per_page", 5}}, .page_size = 5},
       "ListOptions::page_size and the query parameter per_page are both set"},
  };
  for (const auto& [options, because] : cases) {
    const auto error = first_error(bench.numbers.list(options));
    EXPECT_EQ(error.code(), Errc::invalid_argument);
    EXPECT_EQ(error.sent(), Sent::no);
    EXPECT_THAT(error.message(), HasSubstr(because));
  }
  noun::ClientOptions options{.transport = bench.pages};
  options.dialect.paging.size_parameter = "";
  EXPECT_THAT(first_error(bench.client(options).collection<int>("numbers").list({.page_size = 5})).message(),
              HasSubstr("the dialect has no parameter for ListOptions::page_size"));
  EXPECT_THAT(bench.pages->urls, IsEmpty());
}

TEST(NumberedPages, start_at_the_first_page_of_the_dialect) {
  Bench bench;
  noun::ClientOptions options;
  options.dialect.paging.style = noun::paging::PageNumber{.first = 0};
  bench.script->expect(Method::get, "/v1/numbers?q=a&page=0").reply(200, "[1, 2]");
  bench.script->expect(Method::get, "/v1/numbers?q=a&page=1").reply(200, "[3]");
  bench.script->expect(Method::get, "/v1/numbers?q=a&page=2").reply(200, "[]");
  EXPECT_THAT(all_of(bench.client(options).collection<int>("numbers").list({.query = {{"q", "a"}}})),
              ElementsAre(1, 2, 3));
  EXPECT_EQ(bench.script->complaint(), "");
  bench.script->expect(Method::get, "/v1/numbers?page=7").reply(200, "[9]");
  bench.script->expect(Method::get, "/v1/numbers?page=8").reply(200, "[]");
  EXPECT_THAT(all_of(bench.client(options).collection<int>("numbers").list({.query = {{"page", 7}}})), ElementsAre(9));
  EXPECT_EQ(bench.script->complaint(), "");
}

TEST(NumberedPages, that_repeat_are_an_error_and_are_not_repeated_after_the_bookmark) {
  Bench bench;
  auto pages = std::make_shared<PageTransport>();
  noun::ClientOptions options{.transport = pages};
  options.dialect.paging.style = noun::paging::PageNumber{};
  const auto listed = bench.client(options).collection<int>("numbers");
  for (const char* page : {"?page=1", "?page=2"}) pages->page(numbers_url + page, "[1, 2]");
  auto listing = listed.list();
  EXPECT_THAT(all_of(listing), ElementsAre(1, 2, -1));
  pages->page(numbers_url + "?page=2", "[3]");
  pages->page(numbers_url + "?page=3", "[]");
  EXPECT_THAT(all_of(listed.list({.resume = listing.bookmark()})), ElementsAre(3));
}

TEST(GuessedPages, end_at_an_empty_page_or_a_404) {
  const std::pair<int, std::string> ends[] = {{200, "[]"}, {404, "{}"}};
  for (const auto& [status, body] : ends) {
    Bench bench;
    bench.script->expect(Method::get, "/v1/numbers?per_page=2").reply(200, "[1,2]");
    bench.script->expect(Method::get, "/v1/numbers?per_page=2&page=2").reply(status, body);
    auto listing = bench.client().collection<int>("numbers").list({.page_size = 2});
    EXPECT_THAT(all_of(listing), ElementsAre(1, 2));
    EXPECT_THAT(all_of(listing), IsEmpty());
    EXPECT_EQ(bench.script->complaint(), "");
  }
}

/// A server with page numbers that it does not report: 1 2, 3 4, 5.
struct GuessedPages : Bench {
  std::shared_ptr<PageTransport> pages = std::make_shared<PageTransport>();
  noun::Collection<int> numbers = client({.transport = pages}).collection<int>("numbers");

  GuessedPages() {
    pages->page(numbers_url + "?per_page=2", "[1,2]");
    pages->page(numbers_url + "?per_page=2&page=2", "[3,4]");
    pages->page(numbers_url + "?per_page=2&page=3", "[5]");
    pages->page(numbers_url + "?per_page=2&page=4", "[]");
  }
  /// The bookmark after `count` items.
  std::string bookmark_after(int count) {
    auto listing = numbers.list({.page_size = 2});
    if (count == 0) return listing.bookmark();
    for (const auto& number : listing)
      if (*number == count) break;
    return listing.bookmark();
  }
};

TEST(GuessedPages, resume_after_every_item_with_and_without_a_page_size) {
  for (int count = 0; count <= 5; ++count) {
    GuessedPages bench;
    const auto bookmark = bench.bookmark_after(count);
    EXPECT_EQ(all_of(bench.numbers.list({.resume = bookmark})), resource_test::numbers(count + 1, 5)) << count;
    EXPECT_EQ(all_of(bench.numbers.list({.page_size = 2, .resume = bookmark})), resource_test::numbers(count + 1, 5));
  }
}

TEST(GuessedPages, resume_after_a_page_that_has_become_shorter) {
  GuessedPages bench;
  const auto bookmark = bench.bookmark_after(3);
  bench.pages->page(numbers_url + "?per_page=2&page=2", "[3]");
  EXPECT_THAT(all_of(bench.numbers.list({.resume = bookmark})), ElementsAre(5));
}

TEST(GuessedPages, that_no_longer_exist_when_resumed_are_an_error) {
  GuessedPages bench;
  const auto bookmark = bench.bookmark_after(3);
  bench.pages->pages.clear();
  auto resumed = bench.numbers.list({.resume = bookmark});
  EXPECT_EQ(code_of(*resumed.begin()), Errc::not_found);
  EXPECT_EQ(resumed.bookmark(), bookmark);
}

TEST(NumberedPages, end_at_a_404_after_a_page) {
  Bench bench;
  noun::ClientOptions options;
  options.dialect.paging.style = noun::paging::PageNumber{};
  bench.script->expect(Method::get, "/v1/numbers?page=1").reply(404);
  EXPECT_EQ(first_error(bench.client(options).collection<int>("numbers").list()).code(), Errc::not_found);
  bench.script->expect(Method::get, "/v1/numbers?page=1").reply(200, "[1, 2]");
  bench.script->expect(Method::get, "/v1/numbers?page=2").reply(404);
  EXPECT_THAT(all_of(bench.client(options).collection<int>("numbers").list()), ElementsAre(1, 2));
}

TEST(GuessedPages, resume_after_the_end_with_items_added_since) {
  for (const auto& last : {noun::Response{.status = 200, .body = "[]"}, noun::Response{.status = 404},
                           noun::Response{.status = 200, .body = "[5]"}}) {
    GuessedPages bench;
    bench.pages->pages[numbers_url + "?per_page=2&page=4"] = last;
    auto listing = bench.numbers.list({.page_size = 2});
    EXPECT_THAT(all_of(listing), ElementsAre(1, 2, 3, 4, 5));
    EXPECT_THAT(all_of(bench.numbers.list({.resume = listing.bookmark()})), IsEmpty());
    bench.pages->page(numbers_url + "?per_page=2&page=3", "[5,6]");
    if (last.body == "[5]") bench.pages->page(numbers_url + "?per_page=2&page=4", "[5,6]");
    EXPECT_THAT(all_of(bench.numbers.list({.resume = listing.bookmark()})), ElementsAre(6)) << last.status;
  }
}

TEST(ListOptions, apply_to_every_page) {
  ThreePages bench;
  const auto listed = bench.numbers.list({.headers = {{"X-Trace", "t"}, {"Accept", "text/json"}}});
  static_cast<void>(all_of(bench.numbers.list({.headers = {{"X-Trace", "t"}, {"Accept", "text/json"}}})));
  ASSERT_EQ(bench.pages->headers.size(), 3U);
  for (const auto& headers : bench.pages->headers) {
    EXPECT_EQ(headers.get("X-Trace"), "t");
    EXPECT_THAT(headers.values("Accept"), ElementsAre("text/json"));
  }
}

TEST(ListOptions, deadline_and_stop_end_the_listing_with_an_error) {
  ThreePages bench;
  const auto now = bench.clock->now().steady;
  auto late = bench.numbers.list({.deadline = now + 1s});
  EXPECT_EQ(**late.begin(), 1);
  bench.clock->advance(2s);
  EXPECT_THAT(all_of(late), ElementsAre(2, 3, -1));
  noun::StopSource stop;
  auto stopped = bench.numbers.list({.stop = stop.get_token()});
  EXPECT_EQ(**stopped.begin(), 1);
  stop.request_stop();
  std::vector<std::optional<Errc>> codes;
  for (const auto& number : stopped) codes.push_back(code_of(number));
  EXPECT_THAT(codes, ElementsAre(std::nullopt, std::nullopt, Errc::cancelled));
}

TEST(ListOptions, deadline_as_a_duration_counts_from_the_first_begin) {
  for (const std::size_t prefetch : {0U, 2U}) {
    ThreePages bench;
    auto listing = bench.numbers.list({.prefetch = prefetch, .deadline = 10s});
    bench.clock->advance(1h);
    auto item = listing.begin();
    EXPECT_EQ(**item, 1);
    bench.clock->advance(9s);
    EXPECT_THAT(all_of(listing), ElementsAre(2, 3, 4, 5, 6, 7, 8));
  }
  ThreePages bench;
  auto listing = bench.numbers.list({.deadline = 10s});
  EXPECT_EQ(**listing.begin(), 1);
  bench.clock->advance(10s);
  ASSERT_THAT(all_of(listing), ElementsAre(2, 3, -1)) << "begin() again does not start it again";
  auto rest = bench.numbers.list({.resume = listing.bookmark(), .deadline = 10s});
  bench.clock->advance(1h);
  EXPECT_EQ(**rest.begin(), 4);
  bench.clock->advance(10s);
  EXPECT_THAT(all_of(rest), ElementsAre(5, -1));
}

TEST(Listing, outlives_its_client_and_collection) {
  Bench bench;
  bench.script->expect(Method::get, "/v1/numbers").reply(200, "[1]", next("?page=2"));
  bench.script->expect(Method::get, "/v1/numbers?page=2").reply(200, "[2]");
  auto listing = [&] { return bench.client().collection<int>("numbers").list(); }();
  EXPECT_THAT(all_of(listing), ElementsAre(1, 2));
}

}  // namespace listing_test
}  // namespace resource_test
