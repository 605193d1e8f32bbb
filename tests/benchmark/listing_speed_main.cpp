// What reading ahead saves: 200 pages, and 200 members, of a service that answers each request after 20 ms, read in
// several ways. The ways take turns, so that what else the machine does falls on all alike; the medians are compared.
//
//   listing_speed [--rounds N]
//
// The status is 0 whether or not the bars are met, and 1 where an item is lost, doubled or out of order.
#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <atlas_service.hpp>
#include <noun/noun.hpp>

#include "listing_stop.hpp"

namespace paging_speed {

struct Language {
  std::string alpha_3;
  std::string name;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Language, alpha_3, name)

}  // namespace paging_speed

namespace {

using namespace std::chrono_literals;
using paging_speed::Language;
using Seconds = std::chrono::duration<double>;
using Names = std::vector<std::string>;

constexpr auto latency = 20ms;
constexpr std::size_t pages = 200;
constexpr std::size_t page_size = 39;
constexpr std::size_t in_flight = 16;
constexpr std::size_t stops = 21;
constexpr auto usage = "usage: listing_speed [--rounds N], with N from 1 to 100";

using Languages = noun::Collection<Language>;

/// Reads every page, and works so long on each.
Names list_pages(const Languages& languages, std::size_t prefetch, std::chrono::milliseconds work) {
  Names names;
  auto listing = languages.list({.page_size = page_size, .max_items = pages * page_size, .prefetch = prefetch});
  for (const auto& page : listing.pages()) {
    for (const auto& language : page.value().items) names.push_back(language.alpha_3);
    if (work > 0ms) std::this_thread::sleep_for(work);
  }
  return names;
}

Names get_each(const Languages& languages, const Names& ids) {
  Names names;
  for (const auto& id : ids) names.push_back(languages[id].get().value().alpha_3);
  return names;
}

Names names_of(noun::Outcomes<Language>&& outcomes) {
  Names names;
  for (const auto& language : outcomes) names.push_back(language.value().alpha_3);
  return names;
}

Names run_each(const noun::Client& api, const Names& ids) {
  std::vector<noun::Operation<Language>> operations;
  for (const auto& id : ids) operations.push_back(noun::op::get(api.collection<Language>("languages")[id]));
  return names_of(api.run_all(std::move(operations), {.in_flight = in_flight}));
}

struct Way {
  std::string name;
  std::function<Names()> read;
  const Names& expected;
  std::vector<double> took = {};

  double median() const {
    auto sorted = took;
    std::sort(sorted.begin(), sorted.end());
    return sorted[sorted.size() / 2];
  }
};

/// Most requests at once, by what the client tells.
class InFlight {
 public:
  void note(const noun::Event& event) {
    if (event.kind == noun::EventKind::sent) most_ = std::max(most_.load(), ++now_);
    if (event.kind == noun::EventKind::attempt_ended) --now_;
  }
  std::size_t most() const { return most_; }

 private:
  std::atomic<std::size_t> now_ = 0;
  std::atomic<std::size_t> most_ = 0;
};

void measure(std::vector<Way>& ways, std::size_t rounds) {
  for (std::size_t round = 0; round < rounds; ++round)
    for (auto& way : ways) {
      const auto began = std::chrono::steady_clock::now();
      const auto names = way.read();
      way.took.push_back(Seconds(std::chrono::steady_clock::now() - began).count());
      if (names != way.expected)
        throw std::runtime_error(fmt::format("{}: the items are not those of the collection in its order", way.name));
    }
}

double load() {
  double average = 0;
  return getloadavg(&average, 1) == 1 ? average : 0;
}

void print_times(const std::vector<Way>& ways) {
  fmt::print("{:<44}{:>9}{:>9}{:>9}\n", "", "median s", "best", "worst");
  for (const auto& way : ways) {
    const auto [best, worst] = std::minmax_element(way.took.begin(), way.took.end());
    fmt::print("{:<44}{:>9.3f}{:>9.3f}{:>9.3f}\n", way.name, way.median(), *best, *worst);
  }
}

void print_faster(std::string_view what, const Way& slow, const Way& fast) {
  constexpr double bar = 12;
  const double ratio = slow.median() / fast.median();
  fmt::print("{:<44}{:>9.2f} times faster (bar {}): {}\n", what, ratio, bar, ratio >= bar ? "met" : "NOT met");
}

/// @param pages_alone  how long the pages take without work.
void print_hidden(std::string_view what, const Way& ahead, const Way& pages_alone, double work) {
  constexpr double bar = 1.05;
  const double longer = std::max(pages_alone.median(), work);
  const double ratio = ahead.median() / longer;
  fmt::print("{:<44}{:>9.2f} times the longer of pages and work (bar {}): {}\n", what, ratio, bar,
             ratio <= bar ? "met" : "NOT met");
}

void print_stopping() {
  const auto median = [](std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
  };
  fmt::print("\nbroken off with {} in flight, {} times each: ms\n{:<44}{:>9}{:>9}{:>9}\n", in_flight, stops, "",
             "median", "worst", "closed");
  for (const auto& each : paging_speed::measure_stopping(in_flight, stops))
    fmt::print("{:<44}{:>9.3f}{:>9.3f}{:>9.3f}\n", each.name, median(each.returned),
               *std::max_element(each.returned.begin(), each.returned.end()), median(each.closed));
}

std::size_t read_rounds(const std::vector<std::string_view>& words) {
  if (words.empty()) return 5;
  std::size_t rounds = 0;
  if (words.size() != 2 || words[0] != "--rounds") throw std::runtime_error(usage);
  const auto* end = words[1].data() + words[1].size();
  const auto read = std::from_chars(words[1].data(), end, rounds);
  if (read.ec != std::errc{} || read.ptr != end || rounds < 1 || rounds > 100) throw std::runtime_error(usage);
  return rounds;
}

void compare(std::size_t rounds) {
  atlas::Service service{{.latency = latency}};
  InFlight seen;
  const noun::Client watched{service.base_url(), {.observer = [&](const noun::Event& event) { seen.note(event); }}};
  const auto all = list_pages(watched.collection<Language>("languages"), in_flight, 0ms);
  if (std::set(all.begin(), all.end()).size() != pages * page_size)
    throw std::runtime_error("items are lost or doubled");
  const Names some(all.begin(), all.begin() + pages);

  const noun::Client api{service.base_url()};
  const auto languages = api.collection<Language>("languages");
  std::vector<Way> ways{
      {"pages one after the other", [&] { return list_pages(languages, 0, 0ms); }, all},
      {"the same, and 20 ms of work on each", [&] { return list_pages(languages, 0, latency); }, all},
      {"the same work, prefetch 1", [&] { return list_pages(languages, 1, latency); }, all},
      {"the same work, prefetch 2", [&] { return list_pages(languages, 2, latency); }, all},
      {"pages, prefetch 16", [&] { return list_pages(languages, in_flight, 0ms); }, all},
      {"members one after the other", [&] { return get_each(languages, some); }, some},
      {"get_all, 16 in flight", [&] { return names_of(languages.get_all(some, {.in_flight = in_flight})); }, some},
      {"run_all, 16 in flight", [&] { return run_each(api, some); }, some}};
  measure(ways, rounds);

  fmt::print("{} pages of {} items, {} members, {} ms each, {} rounds; at the most {} requests at once; load {:.2f}\n",
             pages, page_size, pages, latency.count(), rounds, seen.most(), load());
  print_times(ways);
  const double work = Seconds(latency).count() * pages;
  print_hidden("prefetch 1 beside work", ways[2], ways[0], work);
  print_hidden("prefetch 2 beside work", ways[3], ways[0], work);
  print_faster("prefetch 16", ways[0], ways[4]);
  print_faster("get_all", ways[5], ways[6]);
  print_faster("run_all", ways[5], ways[7]);
}

}  // namespace

int main(int argc, char** argv) try {
  compare(read_rounds({argv + 1, argv + argc}));
  print_stopping();
} catch (const std::exception& failure) {
  return fmt::print(stderr, "{}\n", failure.what()), 1;
}
