// The listing machine against random servers: faults, resumes, and pages that arrive in any order lose no item and
// deliver none twice, whatever is read ahead.
#include "paging/listing_machine.hpp"

#include <algorithm>
#include <deque>
#include <numeric>
#include <random>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "wire/json_scan.hpp"
#include "wire/page_url.hpp"

namespace noun::paging_tests { namespace listing_machine_test {

using namespace noun::detail;

const std::string list = "https://api.example.com/things";

enum class Kind { automatic, link, number, offset, cursor, next_url, last_item, range };
constexpr Kind kinds[] = {Kind::automatic, Kind::link,     Kind::number,    Kind::offset,
                          Kind::cursor,    Kind::next_url, Kind::last_item, Kind::range};

/// A list of the numbers from 1 to `size`, which never changes.
struct Server {
  Kind kind = Kind::link;
  std::size_t size = 0;
  std::size_t page_size = 1;
  bool counts = false;  ///< reports X-Total-Count, or the total in Content-Range

  Paging paging() const {
    Paging paging{.items = kind == Kind::range || kind == Kind::automatic ? "" : "/items"};
    switch (kind) {
      case Kind::automatic: break;
      case Kind::link: paging.style = paging::LinkHeader{}; break;
      case Kind::number: paging.style = paging::PageNumber{}; break;
      case Kind::offset: paging.style = paging::Offset{}; break;
      case Kind::cursor: paging.style = paging::Cursor{.parameter = "cursor", .from = "/next"}; break;
      case Kind::next_url: paging.style = paging::NextUrl{.from = "/next"}; break;
      case Kind::last_item: paging.style = paging::LastItem{.parameter = "after", .key = ""}; break;
      case Kind::range: paging.style = paging::ItemRange{}; break;
    }
    return paging;
  }

  PagePlace first() const {
    const auto size_parameter = fmt::format("{}?per_page={}", list, page_size);
    return {.url = size_parameter, .range = first_range(paging().style, page_size)};
  }

  static std::size_t number_in(const std::string& url, const char* name, std::size_t otherwise) {
    const auto text = wire::parameter_of(url, name);
    return text ? std::stoul(std::string(*text)) : otherwise;
  }

  std::size_t begin_of(const paging::PageRequest& request) const {
    switch (kind) {
      case Kind::automatic:
      case Kind::link:
      case Kind::number: return (number_in(request.url, "page", 1) - 1) * page_size;
      case Kind::offset: return number_in(request.url, "offset", 0);
      case Kind::cursor:
      case Kind::next_url: return number_in(request.url, "cursor", 0);
      case Kind::last_item: return number_in(request.url, "after", 0);
      case Kind::range: return std::stoul(request.range);
    }
    return 0;
  }

  FetchedPage answer(const paging::PageRequest& request) const {
    const auto begin = std::min(begin_of(request), size);
    const auto end = std::min(begin + page_size, size);
    auto response = std::make_shared<Response>(Response{.status = 200, .url = request.url});
    std::vector<std::size_t> numbers(end - begin);
    std::iota(numbers.begin(), numbers.end(), begin + 1);
    const auto items = fmt::format("[{}]", fmt::join(numbers, ","));
    const auto page = begin / page_size + 1;
    const auto next = [&](const char* name, std::size_t value) {
      return wire::with_parameter(request.url, name, std::to_string(value));
    };
    response->body = items;
    if (kind == Kind::link && end < size)
      response->headers.add("Link", fmt::format("<{}>; rel=next, <{}>; rel=last", next("page", page + 1),
                                                next("page", (size + page_size - 1) / page_size)));
    if (kind == Kind::cursor || kind == Kind::next_url) {
      const auto where = kind == Kind::cursor ? std::to_string(end) : '"' + next("cursor", end) + '"';
      response->body = fmt::format(R"({{"items":{},"next":{}}})", items, end < size ? where : "null");
    } else if (!paging().items.empty()) {
      response->body = fmt::format(R"({{"items":{}}})", items);
    }
    if (kind == Kind::range) {
      const auto span = end > begin ? fmt::format("{}-{}", begin, end - 1) : std::string("*");
      response->headers.add("Content-Range", fmt::format("{}/{}", span, counts ? std::to_string(size) : "*"));
    } else if (counts) {
      response->headers.add("X-Total-Count", std::to_string(size));
    }
    FetchedPage fetched{.response = response};
    fetched.items = wire::json_elements(response->body, paging().items).elements;
    return fetched;
  }
};

struct Trial {
  Server server;
  std::size_t prefetch = 0;
  bool has_key = false;
  double faults = 0;
  double resumes = 0;
};

/// Drives one machine after another until the listing ends, and collects what a consumer took.
class Consumer {
 public:
  Consumer(const Trial& trial, std::uint64_t seed) : trial_(trial), random_(seed) { open({}); }

  std::vector<int> drain() {
    for (int steps = 0; steps < 100'000; ++steps) {
      auto step = machine_->next();
      if (auto* fetch = std::get_if<Fetch>(&step)) {
        start(std::move(*fetch));
      } else if (std::holds_alternative<Await>(step)) {
        EXPECT_FALSE(in_flight_.empty()) << "nothing to wait for";
        if (in_flight_.empty()) return {};
        arrive();
      } else if (auto* deliver = std::get_if<Deliver>(&step)) {
        if (take(*deliver)) continue;
        open(machine_->bookmark(taken_of_page_));
      } else if (const auto* fail = std::get_if<Fail>(&step)) {
        const auto* refuse = std::get_if<Refuse>(&fail->why);
        if (refuse == nullptr) continue;
        ADD_FAILURE() << to_string(refuse->code) << ": " << refuse->what;
        return {};
      } else {
        EXPECT_FALSE(std::get<End>(step).is_short);
        return taken_;
      }
      read_ahead();
    }
    ADD_FAILURE() << "the listing does not end";
    return {};
  }

  std::size_t most_in_flight() const { return most_in_flight_; }

 private:
  bool happens(double chance) { return std::uniform_real_distribution<>(0, 1)(random_) < chance; }
  std::size_t below(std::size_t end) { return std::uniform_int_distribution<std::size_t>(0, end - 1)(random_); }

  void open(std::optional<Bookmark> resume) {
    in_flight_.clear();
    // As it would be read in another process.
    if (resume) resume = read_bookmark(write_bookmark(*resume));
    machine_.emplace(ListingSettings{.paging = trial_.server.paging(),
                                     .origins = {*wire::origin_of(list)},
                                     .first = trial_.server.first(),
                                     .resume = std::move(resume),
                                     .key = trial_.has_key ? "/id" : "",
                                     .prefetch = trial_.prefetch});
  }

  void start(Fetch fetch) {
    in_flight_.push_back(std::move(fetch));
    std::erase_if(in_flight_, [&](const Fetch& each) { return !machine_->is_wanted(each.id); });
    most_in_flight_ = std::max(most_in_flight_, in_flight_.size());
  }

  void read_ahead() {
    while (auto fetch = machine_->read_ahead()) start(*std::move(fetch));
    if (!in_flight_.empty() && happens(0.3)) arrive();
  }

  void arrive() {
    const auto at = in_flight_.begin() + static_cast<std::ptrdiff_t>(below(in_flight_.size()));
    const auto fetch = std::move(*at);
    in_flight_.erase(at);
    if (happens(trial_.faults))
      machine_->on_error(fetch.id, Error(Errc::timeout, "a fault"));
    else
      machine_->on_page(fetch.id, trial_.server.answer(fetch.request));
  }

  /// Takes the page, or some of its items; false if the consumer stops there.
  bool take(const Deliver& page) {
    taken_of_page_ = page.skip;
    const bool stops = happens(trial_.resumes);
    const auto end = stops && page.items.size() > page.skip ? page.skip + below(page.items.size() - page.skip + 1)
                                                            : page.items.size();
    for (; taken_of_page_ < end; ++taken_of_page_) taken_.push_back(std::stoi(std::string(page.items[taken_of_page_])));
    return !stops;
  }

  Trial trial_;
  std::mt19937_64 random_;
  std::optional<ListingMachine> machine_;
  std::deque<Fetch> in_flight_;
  std::vector<int> taken_;
  std::size_t taken_of_page_ = 0;
  std::size_t most_in_flight_ = 0;
};

std::vector<int> all_of(std::size_t size) {
  std::vector<int> all(size);
  std::iota(all.begin(), all.end(), 1);
  return all;
}

std::string shown(const Trial& trial) {
  return fmt::format("kind {}, {} items, pages of {}, counts {}, prefetch {}, key {}",
                     static_cast<int>(trial.server.kind), trial.server.size, trial.server.page_size,
                     trial.server.counts, trial.prefetch, trial.has_key);
}

TEST(ListingMachine, loses_nothing_and_doubles_nothing_whatever_happens) {
  std::mt19937_64 random(20261123);
  const auto below = [&](std::size_t end) { return std::uniform_int_distribution<std::size_t>(0, end - 1)(random); };
  for (int round = 0; round < 4000; ++round) {
    const Trial trial{.server = {.kind = kinds[below(std::size(kinds))],
                                 .size = below(60),
                                 .page_size = 1 + below(12),
                                 .counts = below(2) == 0},
                      .prefetch = below(3) == 0 ? 0 : below(9),
                      .has_key = below(3) == 0,
                      .faults = static_cast<double>(below(4)) / 10,
                      .resumes = static_cast<double>(below(4)) / 10};
    Consumer consumer(trial, static_cast<std::uint64_t>(round));
    ASSERT_EQ(consumer.drain(), all_of(trial.server.size)) << shown(trial) << ", seed " << round;
    EXPECT_LE(consumer.most_in_flight(), std::max<std::size_t>(trial.prefetch, 1)) << shown(trial);
  }
}

TEST(ListingMachine, delivers_the_same_items_for_every_depth) {
  for (const auto kind : kinds)
    for (const std::size_t prefetch : {0U, 1U, 2U, 7U, 100U}) {
      const Trial trial{.server = {.kind = kind, .size = 97, .page_size = 5, .counts = true}, .prefetch = prefetch};
      Consumer consumer(trial, prefetch);
      EXPECT_EQ(consumer.drain(), all_of(97)) << shown(trial);
      const bool counted = kind == Kind::link || kind == Kind::number || kind == Kind::offset;
      if (counted && prefetch == 7) EXPECT_GE(consumer.most_in_flight(), 6U) << "known pages are read ahead";
    }
}

/// A machine for the first `size` numbers by links, in the test's hand.
struct Bench {
  Server server = {.kind = Kind::number, .size = 20, .page_size = 5, .counts = true};
  ListingMachine machine;

  explicit Bench(std::size_t prefetch, std::optional<std::size_t> max_items = {})
      : machine({.paging = server.paging(),
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
