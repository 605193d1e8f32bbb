// The listing machine against random servers: faults, resumes, and pages that arrive in any order lose no item and
// deliver none twice, whatever is read ahead.
#include <random>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "paging/listing_trial.hpp"

namespace noun::paging_tests { namespace listing_machine_test {

/// Choices at random.
Choose random_choices(std::uint64_t seed) {
  return [random = std::mt19937_64(seed)](std::size_t end) mutable {
    return std::uniform_int_distribution<std::size_t>(0, end - 1)(random);
  };
}

std::string shown(const Trial& trial) {
  return fmt::format("kind {}, {} items, pages of {}, counts {}, prefetch {}, key {}",
                     static_cast<int>(trial.server.kind), trial.server.size, trial.server.page_size,
                     trial.server.counts, trial.prefetch, trial.has_key);
}

TEST(ListingMachine, loses_nothing_and_doubles_nothing_whatever_happens) {
  const auto below = random_choices(20261123);
  for (int round = 0; round < 4000; ++round) {
    const Trial trial{.server = {.kind = kinds[below(std::size(kinds))],
                                 .size = below(60),
                                 .page_size = 1 + below(12),
                                 .counts = below(2) == 0},
                      .prefetch = below(3) == 0 ? 0 : below(9),
                      .has_key = below(3) == 0,
                      .faults = below(4),
                      .resumes = below(4),
                      .budget = below(2) == 0 ? Limits().body : 1 + below(300)};
    Consumer consumer(trial, random_choices(static_cast<std::uint64_t>(round)));
    ASSERT_EQ(consumer.drain(), "") << shown(trial) << ", seed " << round;
    ASSERT_EQ(consumer.taken(), all_of(trial.server.size)) << shown(trial) << ", seed " << round;
    EXPECT_LE(consumer.most_in_flight(), std::max<std::size_t>(trial.prefetch, 1)) << shown(trial);
  }
}

TEST(ListingMachine, delivers_the_same_items_for_every_depth) {
  for (const auto kind : kinds)
    for (const std::size_t prefetch : {0U, 1U, 2U, 7U, 100U}) {
      const Trial trial{.server = {.kind = kind, .size = 97, .page_size = 5, .counts = true}, .prefetch = prefetch};
      Consumer consumer(trial, random_choices(prefetch));
      EXPECT_EQ(consumer.drain(), "") << shown(trial);
      EXPECT_EQ(consumer.taken(), all_of(97)) << shown(trial);
      const bool counted = kind == Kind::link || kind == Kind::number || kind == Kind::offset;
      if (counted && prefetch == 7) EXPECT_GE(consumer.most_in_flight(), 6U) << "known pages are read ahead";
    }
}

/// A machine for the first `size` numbers by links, in the test's hand.
struct Bench {
  Server server = {.kind = Kind::number, .size = 20, .page_size = 5, .counts = true};
  ListingMachine machine;

  explicit Bench(std::size_t prefetch, std::optional<std::size_t> max_items = {},
                 std::size_t budget = Limits().body)
      : machine({.paging = server.paging(),
                 .limits = {.body = budget},
                 .origins = {*wire::origin_of(list)},
                 .first = server.first(),
                 .prefetch = prefetch,
                 .max_items = max_items}) {}

  Fetch fetch() {
    auto step = machine.next();
    EXPECT_TRUE(std::holds_alternative<Fetch>(step));
    return std::get<Fetch>(std::move(step));
  }
  void deliver() { EXPECT_TRUE(std::holds_alternative<Deliver>(machine.next())); }
  std::size_t ahead() {
    std::size_t count = 0;
    while (auto fetch = machine.read_ahead()) fetches.push_back(*std::move(fetch)), ++count;
    return count;
  }
  std::vector<Fetch> fetches;
};

TEST(ListingMachine, reads_ahead_after_the_first_page_and_stops_at_max_items) {
  Bench bench(8, 12);
  const auto first = bench.fetch();
  EXPECT_EQ(bench.ahead(), 0U) << "nothing is known yet";
  EXPECT_TRUE(std::holds_alternative<Await>(bench.machine.next()));
  bench.machine.on_page(first.id, bench.server.answer(first.request));
  EXPECT_EQ(bench.ahead(), 2U) << "12 items are on three pages of 5";
  EXPECT_EQ(bench.fetches.front().demand, 2);
  EXPECT_EQ(bench.machine.pages_to_fetch(), 0U);
}

TEST(ListingMachine, knows_the_url_of_the_page_that_it_fetches_next) {
  Bench bench(0);
  std::size_t fetched = 0;
  for (;;) {
    const auto url = bench.machine.next_url();
    const auto step = bench.machine.next();
    if (const auto* fetch = std::get_if<Fetch>(&step)) {
      EXPECT_EQ(url, fetch->request.url);
      bench.machine.on_page(fetch->id, bench.server.answer(fetch->request));
      ++fetched;
    } else if (!std::holds_alternative<Deliver>(step)) {
      EXPECT_FALSE(url) << "nothing follows";
      break;
    }
  }
  EXPECT_GE(fetched, 4U);
}

/// A page with one item, its number.
FetchedPage big_page(const Fetch& fetch, std::size_t bytes) {
  auto response = std::make_shared<Response>(
      Response{.status = 200, .headers = {{"X-Total-Count", "320"}}, .body = fmt::format("[{}]", fetch.number)});
  response->body.resize(bytes, ' ');
  return {.response = response, .items = wire::json_elements(response->body, "").elements};
}

/// A listing of big pages by number, of which the first one is delivered.
struct BigPages {
  ListingMachine machine;
  std::vector<Fetch> ahead;

  BigPages(std::size_t prefetch, std::size_t budget, std::size_t first)
      : machine({.paging = {.style = paging::PageNumber{}},
                 .limits = {.body = budget},
                 .origins = {*wire::origin_of(list)},
                 .first = {.url = list},
                 .prefetch = prefetch}) {
    arrive(std::get<Fetch>(machine.next()), first);
    EXPECT_TRUE(std::holds_alternative<Deliver>(machine.next()));
    read_ahead();
  }
  void arrive(const Fetch& fetch, std::size_t bytes) { machine.on_page(fetch.id, big_page(fetch, bytes)); }
  void read_ahead() {
    while (auto fetch = machine.read_ahead()) ahead.push_back(*std::move(fetch));
  }
};

TEST(ListingMachine, the_pages_read_ahead_share_one_budget) {
  BigPages bench(64, 1'000'000, 100'000);
  ASSERT_EQ(bench.ahead.size(), 4U) << "each may be twice as large as the first";
  for (std::size_t i = 0; i < bench.ahead.size(); ++i) {
    EXPECT_LE(bench.ahead[i].largest, 250'000U);
    bench.arrive(bench.ahead[i], 100'000);
    bench.read_ahead();
  }
  EXPECT_EQ(bench.ahead.size(), 8U) << "the rest waits until pages are delivered";
  EXPECT_TRUE(std::holds_alternative<Deliver>(bench.machine.next()));
  EXPECT_TRUE(std::holds_alternative<Deliver>(bench.machine.next()));
  bench.read_ahead();
  EXPECT_GT(bench.ahead.size(), 8U);
}

TEST(ListingMachine, small_pages_are_read_ahead_in_full) {
  EXPECT_EQ(BigPages(64, 1'000'000, 1000).ahead.size(), 64U);
}

TEST(ListingMachine, a_page_larger_than_its_share_is_fetched_again_when_it_is_needed) {
  BigPages bench(4, 1'000'000, 100);
  ASSERT_EQ(bench.ahead.size(), 4U);
  EXPECT_EQ(bench.ahead[1].largest, 250'000U);
  bench.machine.on_error(bench.ahead[1].id, Error(Errc::too_large, "the body is too long"));
  bench.arrive(bench.ahead[2], 300'000);
  bench.arrive(bench.ahead[3], 100);
  bench.arrive(bench.ahead[0], 100);
  EXPECT_TRUE(std::holds_alternative<Deliver>(bench.machine.next()));
  for (const std::size_t page : {1U, 2U}) {
    const auto step = bench.machine.next();
    ASSERT_TRUE(std::holds_alternative<Fetch>(step)) << page;
    const auto& again = std::get<Fetch>(step);
    EXPECT_EQ(again.request.url, bench.ahead[page].request.url);
    EXPECT_EQ(again.largest, std::nullopt) << "the page that is needed has no share";
    EXPECT_TRUE(std::holds_alternative<Await>(bench.machine.next()));
    bench.arrive(again, 900'000);
    EXPECT_TRUE(std::holds_alternative<Deliver>(bench.machine.next()));
  }
  EXPECT_TRUE(std::holds_alternative<Deliver>(bench.machine.next())) << "the last one was kept";
}

TEST(ListingMachine, an_error_stops_reading_ahead_until_the_consumer_wants_more) {
  Bench bench(3);
  const auto first = bench.fetch();
  bench.machine.on_page(first.id, bench.server.answer(first.request));
  ASSERT_EQ(bench.ahead(), 2U) << "one page is ready, two are fetched";
  bench.machine.on_page(bench.fetches[1].id, bench.server.answer(bench.fetches[1].request));
  bench.machine.on_error(bench.fetches[0].id, Error(Errc::timeout, "a fault"));
  EXPECT_FALSE(bench.machine.is_wanted(bench.fetches[1].id)) << "it is fetched again after the failed one";
  EXPECT_EQ(bench.ahead(), 0U);
  bench.deliver();
  const auto failed = bench.machine.next();
  ASSERT_TRUE(std::holds_alternative<Fail>(failed));
  EXPECT_EQ(std::get<Error>(std::get<Fail>(failed).why).code(), Errc::timeout);
  EXPECT_EQ(bench.ahead(), 0U);
  EXPECT_EQ(bench.fetch().request.url, bench.fetches[0].request.url);
  EXPECT_EQ(bench.ahead(), 2U);
}

/// How many empty pages are delivered before the listing ends or is refused; an item is on every `filled` page.
std::size_t empty_pages(std::size_t filled, std::size_t last, std::size_t limit) {
  ListingMachine machine({.paging = {.style = paging::LinkHeader{}},
                          .limits = {.empty_pages = limit},
                          .origins = {*wire::origin_of(list)},
                          .first = {.url = list}});
  for (std::size_t page = 1;; ++page) {
    const auto step = machine.next();
    if (!std::holds_alternative<Fetch>(step)) return std::holds_alternative<Fail>(step) ? page - 1 : 0;
    auto response = std::make_shared<Response>(Response{.status = 200, .url = list});
    if (page < last) response->headers.add("Link", fmt::format("<?page={}>; rel=next", page + 1));
    response->body = page % filled == 0 ? fmt::format("[{}]", page) : "[]";
    machine.on_page(std::get<Fetch>(step).id,
                    {.response = response, .items = wire::json_elements(response->body, "").elements});
    EXPECT_TRUE(std::holds_alternative<Deliver>(machine.next()));
  }
}

TEST(ListingMachine, empty_pages_are_followed_up_to_the_limit) {
  EXPECT_EQ(empty_pages(100, 50, 3), 4U);
  EXPECT_EQ(empty_pages(4, 50, 3), 0U) << "an item in between";
  EXPECT_EQ(empty_pages(100, 4, 3), 0U) << "an empty last page is not an error";
}

TEST(ListingMachine, nothing_follows_a_refusal_even_if_it_was_read_ahead) {
  ListingMachine machine({.paging = {.style = paging::PageNumber{}},
                          .limits = {.empty_pages = 1},
                          .origins = {*wire::origin_of(list)},
                          .first = {.url = list},
                          .key = "/id",
                          .prefetch = 8});
  std::deque<Fetch> fetches = {std::get<Fetch>(machine.next())};
  for (int page = 1; page <= 4; ++page) {
    const auto fetch = std::move(fetches.front());
    fetches.pop_front();
    auto response = std::make_shared<Response>(Response{
        .status = 200, .headers = {{"X-Total-Count", "12"}}, .body = page % 2 == 1 ? "[1,2]" : "[2,1]", .url = list});
    machine.on_page(fetch.id, {.response = response, .items = wire::json_elements(response->body, "").elements});
    while (auto ahead = machine.read_ahead()) fetches.push_back(*std::move(ahead));
  }
  EXPECT_FALSE(fetches.empty()) << "pages 5 and 6 are in flight";
  for (int page = 1; page <= 3; ++page) EXPECT_TRUE(std::holds_alternative<Deliver>(machine.next())) << page;
  for (int times = 0; times < 2; ++times) {
    const auto step = machine.next();
    ASSERT_TRUE(std::holds_alternative<Fail>(step)) << "page 4 is there, but two pages had only duplicates";
    EXPECT_EQ(std::get<Refuse>(std::get<Fail>(step).why).code, Errc::refused);
    EXPECT_FALSE(machine.read_ahead());
    for (const auto& fetch : fetches) EXPECT_FALSE(machine.is_wanted(fetch.id));
    EXPECT_EQ(machine.pages_to_fetch(), 0U);
  }
}

TEST(ListingMachine, what_is_not_wanted_any_more_is_ignored) {
  Bench bench(2);
  const auto first = bench.fetch();
  bench.machine.drop_fetches();
  bench.machine.on_page(first.id, bench.server.answer(first.request));
  EXPECT_FALSE(bench.machine.is_wanted(first.id));
  EXPECT_EQ(bench.fetch().request, first.request);
}

}  // namespace listing_machine_test
}  // namespace noun::paging_tests
