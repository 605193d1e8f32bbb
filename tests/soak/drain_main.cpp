// Drains a collection again and again broken off and resumed, in rough weather, and counts what came: nothing may be
// lost, doubled or out of order.
#include <array>
#include <chrono>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <atlas_service.hpp>

#include "drain_legs.hpp"
#include "language_folder.hpp"
#include "neighbour.hpp"
#include "peak_memory.hpp"
#include "weather.hpp"

namespace {

using namespace std::chrono_literals;

struct Way {
  std::string_view name;
  std::size_t prefetch;
};
constexpr std::array ways{Way{"serial", 0}, Way{"prefetch", 2}, Way{"concurrent", 16}};

struct Settings {
  std::size_t items = 100'000;
  std::size_t page_size = 100;
  std::size_t interruptions = 50;
  soak::Weather weather;
  std::string way = "all";
};

constexpr const char* usage_begin = R"(usage: drain_soak [--quick] [--name value]...

Drains a collection of the sample service, in legs. Each leg is a new client with a new quota ledger and a
listing that resumes the bookmark of the leg before; it ends at a random place, or by an error. The status is
1 if an item was lost, doubled or out of order, and also if the clients met no fault or no rejection for the
quota (429): then nothing is proven.

  --items N          in the collection (100000)
  --page-size N      1 to 100 (100)
  --interruptions N  legs that are broken off (50)
)";

constexpr const char* usage_end = R"(  --way WAY          serial, prefetch (2 pages), concurrent (16 pages) or all (all)
  --quick            6000 items, 12 interruptions, 0.2 faults, 12 requests in 250 ms

The clients try twice, 5 to 50 ms apart, so that now and then a leg ends by an error; their retry budget does
not run out. Another client, which minds nobody, takes part of each window.
)";

std::string usage() { return usage_begin + soak::weather_usage(Settings().weather) + usage_end; }

bool set(Settings& settings, std::string_view name, std::string_view value) {
  if (name == "--quick") {
    settings = {.items = 6000, .interruptions = 12, .weather = {.faults = 0.2, .limit = 12, .period = 250ms}};
    return true;
  }
  if (name == "--items") return soak::set_number(settings.items, value), true;
  if (name == "--page-size") return soak::set_number(settings.page_size, value), true;
  if (name == "--interruptions") return soak::set_number(settings.interruptions, value), true;
  if (name == "--way") return settings.way = value, true;
  return soak::set(settings.weather, name, value);
}

Settings read_settings(const std::vector<std::string_view>& words) {
  Settings settings;
  soak::read_options(words, usage(), [&](auto name, auto value) { return set(settings, name, value); });
  if (settings.items == 0 || settings.items > 5'000'000) throw std::runtime_error("--items is not in 1 to 5,000,000");
  if (settings.page_size == 0 || settings.page_size > 100) throw std::runtime_error("--page-size is not in 1 to 100");
  return settings;
}

/// Why the drain proves nothing, or what it proves to be wrong.
std::vector<std::string> complaints(const soak::Drain& drain) {
  std::vector<std::string> all;
  const auto& roll = drain.roll();
  if (!roll.is_perfect())
    all.push_back(fmt::format("{} items lost, {} doubled, {} misplaced, {} that there are none of", roll.lost(),
                              roll.doubled(), roll.misplaced(), roll.strange()));
  if (drain.tallied() != roll.items())
    all.push_back(fmt::format("its tally has {} of {} items", drain.tallied(), roll.items()));
  if (drain.encounters().rejected == 0) all.emplace_back("it met no 429, which proves nothing");
  if (drain.encounters().faults() == 0) all.emplace_back("it met no fault, which proves nothing");
  return all;
}

void print_heading(const Settings& settings) {
  fmt::print("{} items in pages of {}, {} interruptions, faults {}, {} requests in {} ms, seed {}\n", settings.items,
             settings.page_size, settings.interruptions, settings.weather.faults, settings.weather.limit,
             settings.weather.period.count(), settings.weather.seed);
  fmt::print("{:<12}{:>8}{:>7}{:>9}{:>6}{:>11}{:>6}{:>6}{:>11}{:>8}{:>6}{:>8}{:>10}{:>9}{:>7}\n", "", "items", "pages",
             "requests", "429s", "unanswered", "503s", "cut", "broken off", "failed", "lost", "doubled", "misplaced",
             "seconds", "MiB");
}

void print_drain(std::string_view name, const soak::Drain& drain, double seconds, std::size_t kibibytes) {
  const auto& met = drain.encounters();
  const auto& roll = drain.roll();
  fmt::print("{:<12}{:>8}{:>7}{:>9}{:>6}{:>11}{:>6}{:>6}{:>11}{:>8}{:>6}{:>8}{:>10}{:>9.1f}{:>7.1f}\n", name,
             roll.present(), drain.pages(), met.requests.load(), met.rejected.load(), met.unanswered.load(),
             met.unavailable.load(), met.truncated.load(), drain.broken_off(), drain.failed(), roll.lost(),
             roll.doubled(), roll.misplaced(), seconds, static_cast<double>(kibibytes) / 1024);
}

void print_service(const atlas::Stats& stats, const soak::Neighbour& neighbour) {
  fmt::print(
      "{:<12}of the service: {} requests, {} 429s, {} unanswered, {} 503s, {} cut; the neighbour's: {}, {} 429s\n", "",
      stats.requests, stats.rejected, stats.dropped, stats.unavailable, stats.truncated, neighbour.requests(),
      neighbour.rejected());
}

/// Whether it proved that nothing is lost or doubled.
bool run(const Settings& settings, const Way& way, const std::string& data) {
  const atlas::Service service(soak::service_options(settings.weather, data));
  const soak::Neighbour neighbour(service.port(), settings.weather.limit, settings.weather.period);
  const soak::PeakMemory memory;
  const auto begin = std::chrono::steady_clock::now();
  soak::Drain drain({.base_url = service.base_url(),
                     .items = settings.items,
                     .page_size = settings.page_size,
                     .prefetch = way.prefetch,
                     .interruptions = settings.interruptions,
                     .patience = 120s + std::chrono::ceil<std::chrono::seconds>(3 * settings.weather.period),
                     .seed = settings.weather.seed});
  drain.run();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  print_drain(way.name, drain, took.count(), memory.growth());
  print_service(service.stats(), neighbour);
  const auto all = complaints(drain);
  for (const auto& complaint : all) fmt::print("{:<12}{}\n", "", complaint);
  if (!all.empty() && drain.failed() > 0) fmt::print("{:<12}last error: {}\n", "", drain.last_error());
  std::fflush(stdout);
  return all.empty();
}

}  // namespace

int main(int argc, char** argv) try {
  const std::vector<std::string_view> words(argv + 1, argv + argc);
  if (words == std::vector<std::string_view>{"--help"}) return fmt::print("{}", usage()), 0;
  const auto settings = read_settings(words);
  const soak::LanguageFolder data(settings.items);
  print_heading(settings);
  std::size_t asked = 0;
  std::size_t passed = 0;
  for (const auto& way : ways) {
    if (settings.way != "all" && settings.way != way.name) continue;
    ++asked;
    passed += run(settings, way, data.path()) ? 1 : 0;
  }
  if (asked == 0) throw std::runtime_error(fmt::format("there is no way '{}'", settings.way));
  fmt::print("passed {} of {}\n", passed, asked);
  return passed == asked ? 0 : 1;
} catch (const std::exception& failure) {
  return fmt::print(stderr, "{}\n", failure.what()), 1;
}
