// Tests of bookmarks made in the observer, and after the end of a listing with paging::LastItem.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "resource/listing_bench.hpp"

namespace resource_test { namespace listing_mark_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// The remaining items after each bookmark that was made during an event of `kind`.
std::vector<std::vector<int>> rests_at_events(ThreePages& bench, noun::EventKind kind, noun::ListOptions options) {
  noun::Listing<Json>* reading = nullptr;
  std::vector<std::string> bookmarks;
  const auto observed = bench.client({.observer =
                                          [&](const noun::Event& event) {
                                            if (event.kind == kind && reading != nullptr)
                                              bookmarks.push_back(reading->bookmark());
                                          },
                                      .transport = bench.pages});
  auto listing = observed.collection("numbers").list(options);
  reading = &listing;
  for (const auto& number : listing) EXPECT_TRUE(number) << message_of(number);
  reading = nullptr;
  std::vector<std::vector<int>> rests;
  for (const auto& bookmark : bookmarks) {
    options.resume = bookmark;
    rests.push_back(all_of(bench.numbers.list(options)));
  }
  return rests;
}

TEST(BookmarkInTheObserver, of_a_page_is_before_that_page) {
  for (const std::size_t prefetch : {0U, 2U}) {
    ThreePages bench;
    EXPECT_THAT(rests_at_events(bench, noun::EventKind::page_delivered, {.prefetch = prefetch}),
                ElementsAre(numbers(1, 8), numbers(4, 8), numbers(6, 8)));
  }
}

TEST(BookmarkInTheObserver, of_a_resumed_page_is_after_its_delivered_items) {
  for (const std::string key : {"", "/id"}) {
    ThreePages bench;
    auto before = bench.numbers.list({.max_items = 4, .key = key});
    EXPECT_EQ(all_of(before), numbers(1, 4));
    EXPECT_THAT(rests_at_events(bench, noun::EventKind::page_delivered, {.resume = before.bookmark(), .key = key}),
                ElementsAre(numbers(5, 8), numbers(6, 8)));
  }
}

TEST(BookmarkInTheObserver, of_a_notice_is_before_its_page) {
  ThreePages bench;
  bench.pages->page(numbers_url + "?page=2", "[3, 4, 5]", next("?page=3"));
  EXPECT_THAT(rests_at_events(bench, noun::EventKind::notice, {.key = "/id"}), ElementsAre(numbers(4, 8)))
      << "the bookmark has the key of item 3";
}

TEST(BookmarkInTheObserver, of_an_empty_page_at_the_end_is_after_the_last_item) {
  ThreePages bench;
  bench.pages->page(numbers_url + "?page=3", "[]");
  EXPECT_THAT(rests_at_events(bench, noun::EventKind::page_delivered, {}),
              ElementsAre(numbers(1, 5), numbers(4, 5), IsEmpty()));
}

/// Serves the items after the one in the request, three at a time.
struct ItemsAfter final : noun::Transport {
  noun::Result<noun::Response> send(const noun::Attempt& attempt, const noun::StopToken&) override {
    const auto at = attempt.url.find("after=");
    const int after = at == std::string_view::npos ? 0 : std::stoi(std::string(attempt.url.substr(at + 6)));
    std::vector<int> some;
    for (const int item : items)
      if (item > after && some.size() < 3) some.push_back(item);
    return noun::Response{.status = 200, .body = page_of(some)};
  }
  std::vector<int> items = numbers(1, 5);
};

struct ByLastItem : Bench {
  std::shared_ptr<ItemsAfter> service = std::make_shared<ItemsAfter>();
  noun::Collection<int> things = client({.dialect = dialect(), .transport = service}).collection<int>("things");

  static noun::Dialect dialect() {
    noun::Dialect dialect;
    dialect.paging.style = noun::paging::LastItem{.parameter = "after", .key = ""};
    return dialect;
  }
};

TEST(BookmarkByLastItem, after_the_end_is_exact_even_if_the_last_page_changes) {
  for (const std::string key : {"", "/id"}) {
    ByLastItem bench;
    auto listing = bench.things.list({.key = key});
    EXPECT_EQ(all_of(listing), numbers(1, 5));
    const auto bookmark = listing.bookmark();
    bench.service->items = {1, 2, 3, 5, 6, 7};
    auto rest = bench.things.list({.resume = bookmark, .key = key});
    EXPECT_THAT(all_of(rest), ElementsAre(6, 7));
    EXPECT_EQ(rest.tally().items, 7U);
  }
}

}  // namespace listing_mark_test
}  // namespace resource_test
