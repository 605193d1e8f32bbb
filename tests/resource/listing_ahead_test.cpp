// Tests of listings with prefetch: order, number of pages, and cancellation.
#include <noun/listing.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <noun/future.hpp>

#include "resource/concurrent_pages.hpp"
#include "resource/failing_threads.hpp"

namespace resource_test { namespace listing_ahead_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

TEST(ListingAhead, fetches_known_pages_concurrently_and_delivers_them_in_order) {
  FiveLinkedPages bench;
  EXPECT_EQ(all_of(bench.numbers.list({.prefetch = 4})), numbers(1, 10));
  EXPECT_EQ(bench.pages->max_in_flight(), 4U);
  EXPECT_THAT(bench.pages->requested(), UnorderedElementsAre(numbers_url, numbered_page(2), numbered_page(3),
                                                             numbered_page(4), numbered_page(5)));
}

TEST(ListingAhead, fetches_one_page_at_a_time_if_only_the_next_is_known) {
  ThreePages bench;
  EXPECT_THAT(all_of(bench.numbers.list({.prefetch = 8})), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
  EXPECT_THAT(bench.pages->urls, ElementsAre(numbers_url, numbers_url + "?page=2", numbers_url + "?page=3"));
}

TEST(ListingAhead, reads_at_most_prefetch_pages_ahead) {
  FiveLinkedPages bench;
  bench.pages->together = 1;
  bench.pages->page(numbers_url + "/1", "1");
  auto listing = bench.numbers.list({.prefetch = 2});
  auto pages = listing.pages();
  auto page = pages.begin();
  ASSERT_THAT(page->value().items, ElementsAre(1, 2));
  bench.pages->wait_for_requests(3);
  // One page too many would be requested before the second of these, in the same way.
  for (int i = 0; i < 2; ++i)
    for (const auto& number : bench.numbers.get_all(std::vector{1})) EXPECT_EQ(*number, 1);
  EXPECT_THAT(bench.pages->requested(), UnorderedElementsAre(numbers_url, numbered_page(2), numbered_page(3),
                                                             numbers_url + "/1", numbers_url + "/1"));
}

TEST(ListingAhead, large_pages_are_fetched_again_one_by_one) {
  FiveLinkedPages bench;
  bench.pages->together = 1;
  for (int page = 2; page <= 5; ++page) bench.pages->pages[numbered_page(page)].body += std::string(600'000, ' ');
  const auto api = bench.client({.limits = {.body = 1'000'000}, .transport = bench.pages});
  EXPECT_EQ(all_of(api.collection<int>("numbers").list({.prefetch = 4})), numbers(1, 10));
  EXPECT_THAT(bench.pages->requested(), SizeIs(9)) << "four of them were larger than their share";
}

TEST(ListingAhead, sends_nothing_before_begin) {
  FiveLinkedPages bench;
  auto listing = bench.numbers.list({.prefetch = 4});
  static_cast<void>(listing.bookmark());
  EXPECT_THAT(bench.pages->requested(), SizeIs(0));
}

TEST(ListingAhead, cancels_its_requests_when_destroyed) {
  FiveLinkedPages bench;
  bench.pages->together = 100;
  {
    auto listing = bench.numbers.list({.prefetch = 3});
    EXPECT_EQ(**listing.begin(), 1);
    bench.pages->wait_for(3);
  }
  bench.pages->wait_for_cancelled(3);
  EXPECT_THAT(bench.pages->requested(), ElementsAre(numbers_url));
}

TEST(ListingAhead, ends_when_stop_is_requested) {
  FiveLinkedPages bench;
  bench.pages->together = 100;
  noun::StopSource stop;
  auto listing = bench.numbers.list({.prefetch = 3, .stop = stop.get_token()});
  std::vector<int> taken;
  for (const auto& number : listing) {
    if (number) {
      taken.push_back(*number);
      bench.pages->wait_for(3);
      stop.request_stop();
    } else {
      EXPECT_EQ(number.error().code(), Errc::cancelled);
      taken.push_back(-1);
    }
  }
  EXPECT_THAT(taken, ElementsAre(1, 2, -1));
}

TEST(ListingAhead, delivers_the_pages_before_a_failed_page_and_fetches_it_again) {
  FiveLinkedPages bench;
  bench.pages->pages[numbered_page(3)] = {.status = 500};
  auto listing = bench.numbers.list({.prefetch = 4});
  EXPECT_THAT(all_of(listing), ElementsAre(1, 2, 3, 4, -1));
  bench.serve(3);
  bench.pages->together = 1;
  EXPECT_EQ(all_of(listing), numbers(5, 10));
}

TEST(ListingAhead, an_unexpected_next_page_is_followed) {
  FiveLinkedPages bench;
  const auto elsewhere = numbers_url + "?page=3&moved=1";
  bench.pages->page(numbered_page(2), "[3, 4]", next(elsewhere));
  bench.pages->page(elsewhere, "[50]");
  bench.pages->at_once.push_back(elsewhere);
  EXPECT_THAT(all_of(bench.numbers.list({.prefetch = 4})), ElementsAre(1, 2, 3, 4, 50));
}

TEST(ListingAhead, an_early_last_page_ends_the_listing) {
  FiveLinkedPages bench;
  bench.pages->page(numbered_page(2), "[3]");
  bench.pages->pages.erase(numbered_page(4));
  EXPECT_THAT(all_of(bench.numbers.list({.prefetch = 4})), ElementsAre(1, 2, 3));
}

TEST(ListingAhead, fetches_only_the_pages_that_max_items_needs) {
  FiveLinkedPages bench;
  bench.pages->together = 1;
  EXPECT_EQ(all_of(bench.numbers.list({.max_items = 5, .prefetch = 4})), numbers(1, 5));
  EXPECT_THAT(bench.pages->requested(), ElementsAre(numbers_url, numbered_page(2), numbered_page(3)));
}

TEST(ListingAhead, has_the_same_bookmarks_as_without_prefetch) {
  FiveLinkedPages bench;
  auto plain = bench.numbers.list();
  auto ahead = bench.numbers.list({.prefetch = 4});
  auto other = ahead.begin();
  for (const auto& number : plain) {
    ASSERT_EQ(*number, **other);
    EXPECT_EQ(ahead.bookmark(), plain.bookmark()) << "at " << *number;
    ++other;
  }
  EXPECT_TRUE(other == ahead.end());
  EXPECT_EQ(ahead.bookmark(), plain.bookmark());
}

TEST(ListingAhead, resumes_after_the_last_item) {
  for (int taken = 0; taken <= 10; ++taken) {
    FiveLinkedPages bench;
    bench.pages->together = 1;
    auto first = bench.numbers.list({.max_items = static_cast<std::size_t>(taken), .prefetch = 2});
    EXPECT_EQ(all_of(first), numbers(1, taken));
    EXPECT_EQ(all_of(bench.numbers.list({.prefetch = 2, .resume = first.bookmark()})), numbers(taken + 1, 10));
  }
}

TEST(ListingAhead, may_outlive_every_client) {
  FiveLinkedPages bench;
  auto listing = noun::Client("https://api.example.com/v1", bench.filled(bench.options))
                     .collection<int>("numbers")
                     .list({.prefetch = 4});
  EXPECT_EQ(all_of(listing), numbers(1, 10));
}

TEST(ListingAhead, pages_already_received_are_delivered_after_the_deadline) {
  FiveLinkedPages bench;
  const noun::Headers used_up{
      {"X-RateLimit-Limit", "5"}, {"X-RateLimit-Remaining", "0"}, {"X-RateLimit-Reset", "3600"}};
  for (auto& [url, page] : bench.pages->pages)
    for (const auto& field : used_up) page.headers.add(field.name, field.value);
  bench.pages->pages[numbers_url].headers.set("X-RateLimit-Remaining", "4");
  auto listing = bench.numbers.list({.prefetch = 4, .deadline = bench.clock->now().steady + 10min});
  auto at = listing.begin();
  for (int taken = 1; taken < 10; ++taken) ++at;
  ASSERT_TRUE(*at) << at->error().message();
  EXPECT_EQ(**at, 10);
}

TEST(ListingAhead, refuses_a_negative_number_of_pages) {
  FiveLinkedPages bench;
  const auto error = first_error(bench.numbers.list({.prefetch = static_cast<std::size_t>(-1)}));
  EXPECT_EQ(error.code(), Errc::invalid_argument);
  EXPECT_THAT(error.message(), HasSubstr("prefetch"));
}

TEST(NextPage, without_a_thread_to_read_it_is_an_error_of_threads) {
  if (!can_fail_threads()) GTEST_SKIP() << "threads cannot be made to fail here";
  Bench bench;
  bench.script->expect(Method::get, "/v1/numbers").reply(200, "[1, 2]");
  const auto api = bench.client({.observer = [](const noun::Event& event) {
    if (event.kind == noun::EventKind::ended) fail_threads(true);
  }});
  auto numbers = api.collection<int>("numbers").list();
  const auto page = noun::future(noun::op::next_page(numbers)).get();
  fail_threads(false);
  expect_error(page, Errc::resource, "a page cannot be read in the background");
  EXPECT_EQ(page.error().sent(), Sent::answered);
  EXPECT_THAT(page.error().message(), ::testing::Not(::testing::HasSubstr("memory")));
}

}  // namespace listing_ahead_test
}  // namespace resource_test
