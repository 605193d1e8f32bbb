// Tests of listings page by page, mixed with item by item, and of the lifetime of pages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "resource/listing_bench.hpp"

namespace resource_test { namespace listing_pages_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

TEST(Pages, have_items_number_and_response) {
  ThreePages bench;
  auto listing = bench.numbers.list();
  std::vector<std::size_t> seen;
  for (const auto& page : listing.pages()) {
    ASSERT_TRUE(page);
    seen.push_back(page->number);
    EXPECT_EQ(page->response()->status, 200);
    EXPECT_EQ(page.response(), page->response());
    EXPECT_EQ(page_of(page->items), Json::parse(page->response()->body).dump());
    EXPECT_EQ(bench.pages->urls.size(), page->number);
  }
  EXPECT_THAT(seen, ElementsAre(1U, 2U, 3U));
}

TEST(Pages, of_a_list_may_differ_from_those_of_the_dialect) {
  Bench bench;
  bench.script->expect(Method::get, "/v1/queues").reply(200, R"({"items":[1,2],"page":1,"page_count":2})");
  bench.script->expect(Method::get, "/v1/queues?page=2").reply(200, R"({"items":[3],"page":2,"page_count":2})");
  bench.script->expect(Method::get, "/v1/users").reply(200, "[4]");
  const auto api = bench.client();
  const noun::Paging counted = {.style = noun::paging::PageNumber{},
                                .items = "/items",
                                .totals = {.items_header = {}, .pages_pointer = "/page_count"}};
  EXPECT_THAT(all_of(api.collection<int>("queues").list({.query = {{"page", 1}}, .paging = counted})),
              ElementsAre(1, 2, 3));
  EXPECT_THAT(all_of(api.collection<int>("users").list()), ElementsAre(4));
  auto listing = api.collection<int>("users").list({.paging = noun::Paging{.style = noun::paging::Offset{.parameter = ""}}});
  expect_refused(*listing.begin(), "ListOptions::paging.style must have parameter or into_body");
}

TEST(Pages, of_a_temporary_listing_keep_it_alive) {
  ThreePages bench;
  std::vector<int> taken;
  for (const auto& page : bench.client({.transport = bench.pages}).collection<int>("numbers").list().pages())
    taken.insert(taken.end(), page->items.begin(), page->items.end());
  EXPECT_EQ(taken, numbers(1, 8));
}

TEST(Pages, send_nothing_after_break_and_resume_there) {
  ThreePages bench;
  auto listing = bench.numbers.list();
  for (const auto& page : listing.pages()) {
    EXPECT_EQ(page->number, 1U);
    break;
  }
  EXPECT_EQ(bench.pages->urls.size(), 1U);
  EXPECT_THAT(all_by_page(listing), ElementsAre(4, 5, 6, 7, 8));
  EXPECT_THAT(all_by_page(listing), IsEmpty());
  EXPECT_EQ(bench.pages->urls.size(), 3U);
}

TEST(Pages, of_one_range_can_be_iterated_again) {
  ThreePages bench;
  auto listing = bench.numbers.list();
  auto pages = listing.pages();
  auto at = pages.begin();
  EXPECT_THAT((*at)->items, ElementsAre(1, 2, 3));
  EXPECT_THAT((*pages.begin())->items, ElementsAre(4, 5));
  at = pages.begin();
  EXPECT_FALSE(at == pages.end());
  EXPECT_THAT((*at)->items, ElementsAre(6, 7, 8));
  ++at;
  EXPECT_TRUE(at == pages.end());
  EXPECT_TRUE(pages.begin() == pages.end());
}

TEST(Pages, that_were_stepped_over_are_not_delivered_again) {
  ThreePages bench;
  auto listing = bench.numbers.list();
  auto pages = listing.pages();
  auto at = pages.begin();
  ++at;
  at++;
  EXPECT_THAT(bench.pages->urls, IsEmpty());
  EXPECT_THAT(at->value().items, ElementsAre(6, 7, 8));
}

TEST(Pages, after_some_items_start_with_the_rest_of_the_page) {
  ThreePages bench;
  auto listing = bench.numbers.list();
  EXPECT_EQ(**listing.begin(), 1);
  EXPECT_THAT(all_by_page(listing), ElementsAre(2, 3, 4, 5, 6, 7, 8));
}

TEST(Pages, after_an_item_that_was_not_dereferenced_start_with_it) {
  ThreePages bench;
  auto listing = bench.numbers.list();
  EXPECT_FALSE(listing.begin() == listing.end());
  EXPECT_THAT(all_by_page(listing), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
}

TEST(Pages, and_items_may_alternate) {
  ThreePages bench;
  auto listing = bench.numbers.list();
  auto pages = listing.pages();
  EXPECT_EQ(**listing.begin(), 1);
  EXPECT_THAT((*pages.begin())->items, ElementsAre(2, 3));
  EXPECT_EQ(**listing.begin(), 4);
  EXPECT_THAT((*pages.begin())->items, ElementsAre(5));
  EXPECT_THAT(all_of(listing), ElementsAre(6, 7, 8));
}

TEST(ListedItems, have_no_response) {
  ThreePages bench;
  std::vector<noun::Result<int>> kept;
  for (auto& number : bench.numbers.list()) {
    kept.push_back(number);
    EXPECT_EQ(number.response(), nullptr);
    EXPECT_EQ(kept.back(), number);
  }
  EXPECT_EQ(kept.size(), 8U);
}

TEST(ListingResponse, is_that_of_the_current_page) {
  ThreePages bench;
  auto listing = bench.numbers.list();
  EXPECT_EQ(listing.response(), nullptr);
  for (const auto& number : listing)
    EXPECT_EQ(listing.response()->body, *number <= 3 ? "[1, 2, 3]" : *number <= 5 ? "[4, 5]" : "[6, 7, 8]");
}

TEST(KeptPages, keep_their_response) {
  ThreePages bench;
  std::vector<noun::Page<int>> kept;
  for (auto& page : bench.numbers.list().pages()) kept.push_back(*std::move(page));
  ASSERT_EQ(kept.size(), 3U);
  EXPECT_EQ(kept[1].response()->body, "[4, 5]");
}

TEST(PageEvents, report_each_page_with_its_number_and_items) {
  ThreePages bench;
  std::vector<std::pair<std::size_t, std::size_t>> events;
  const auto api = bench.client({.observer =
                                     [&](const noun::Event& event) {
                                       if (event.kind != noun::EventKind::page_delivered) return;
                                       events.emplace_back(event.page, event.items);
                                       EXPECT_EQ(event.status, 200);
                                       EXPECT_NE(event.url.find("/v1/numbers"), std::string::npos);
                                     },
                                 .transport = bench.pages});
  static_cast<void>(all_of(api.collection<int>("numbers").list()));
  EXPECT_THAT(events, ElementsAre(std::pair(1U, 3U), std::pair(2U, 2U), std::pair(3U, 3U)));
}

TEST(PageEvents, have_the_number_of_the_call_that_fetched_the_page) {
  for (const std::size_t prefetch : {0U, 2U}) {
    ThreePages bench;
    std::mutex mutex;
    std::map<std::string, std::uint64_t> fetched_by;
    std::vector<std::pair<std::string, std::uint64_t>> delivered;
    const auto api = bench.client({.observer =
                                       [&](const noun::Event& event) {
                                         const std::lock_guard lock(mutex);
                                         if (event.kind == noun::EventKind::attempt_ended)
                                           fetched_by[event.url] = event.call;
                                         if (event.kind == noun::EventKind::page_delivered)
                                           delivered.emplace_back(event.url, event.call);
                                       },
                                   .transport = bench.pages});
    EXPECT_EQ(all_of(api.collection<int>("numbers").list({.prefetch = prefetch})), numbers(1, 8));
    EXPECT_EQ(delivered.size(), 3U);
    for (const auto& [url, call] : delivered) {
      EXPECT_NE(call, 0U) << url;
      EXPECT_EQ(call, fetched_by[url]) << url;
    }
  }
}

/// Calls a function on another thread while the first page is fetched.
struct InterruptedPages final : noun::Transport {
  noun::Result<noun::Response> send(const noun::Attempt& attempt, const noun::StopToken& stop) override {
    if (auto use = std::exchange(meanwhile, nullptr)) std::thread(use).join();
    return pages->send(attempt, stop);
  }
  std::shared_ptr<PageTransport> pages;
  std::function<void()> meanwhile;
};

TEST(Listing, another_thread_gets_an_error_while_a_page_is_fetched) {
  using Use = std::function<std::optional<noun::Errc>(noun::Listing<int>&)>;
  const std::pair<const char*, Use> uses[] = {
      {"items",
       [](auto& listing) {
         std::vector<std::optional<noun::Errc>> codes;
         for (const auto& item : listing) codes.push_back(code_of(item));
         return codes.size() == 1 ? codes.front() : std::nullopt;
       }},
      {"pages",
       [](auto& listing) {
         std::vector<std::optional<noun::Errc>> codes;
         for (const auto& page : listing.pages()) codes.push_back(code_of(page));
         return codes.size() == 1 ? codes.front() : std::nullopt;
       }},
      {"an operation", [](auto& listing) { return code_of(noun::op::next_page(listing).run()); }},
  };
  for (const auto& [name, use] : uses) {
    ThreePages bench;
    const auto interrupted = std::make_shared<InterruptedPages>();
    interrupted->pages = bench.pages;
    const auto api = bench.client({.transport = interrupted});
    auto listing = api.collection<int>("numbers").list();
    std::optional<noun::Errc> code;
    interrupted->meanwhile = [&, &read = use] { code = read(listing); };
    EXPECT_THAT(all_of(listing), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8)) << name;
    EXPECT_EQ(code, noun::Errc::invalid_argument) << name;
  }
}

TEST(Listing, an_iterator_that_was_refused_steps_over_nothing) {
  ThreePages bench;
  const auto interrupted = std::make_shared<InterruptedPages>();
  interrupted->pages = bench.pages;
  const auto api = bench.client({.transport = interrupted});
  auto listing = api.collection<int>("numbers").list();
  auto early = listing.begin();
  interrupted->meanwhile = [&] {
    ++early;
    EXPECT_FALSE(early == listing.end());
    EXPECT_EQ(code_of(*early), noun::Errc::invalid_argument);
    EXPECT_EQ(code_of(*early), noun::Errc::invalid_argument) << "as often as it is read";
    ++early;
    EXPECT_TRUE(early == listing.end());
  };
  EXPECT_THAT(all_of(listing), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
}

TEST(Listing, threads_that_take_pages_at_once_get_each_item_once) {
  for (int round = 0; round < 50; ++round) {
    ThreePages bench;
    auto listing = bench.numbers.list();
    std::mutex mutex;
    std::vector<int> taken;
    const auto take = [&] {
      for (bool refused = true; refused;) {
        refused = false;
        for (auto& page : listing.pages()) {
          refused = code_of(page) == noun::Errc::invalid_argument;
          const std::lock_guard lock(mutex);
          if (page) taken.insert(taken.end(), page->items.begin(), page->items.end());
        }
      }
    };
    std::thread other(take);
    take();
    other.join();
    EXPECT_THAT(taken, UnorderedElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
  }
}

}  // namespace listing_pages_test
}  // namespace resource_test
