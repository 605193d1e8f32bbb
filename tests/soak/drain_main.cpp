// Lists a collection with many interruptions, under faults, and counts the items: none may be lost, repeated or out of
// order.
#include <array>
#include <chrono>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <atlas_service.hpp>

#include "competing_client.hpp"
#include "drain_legs.hpp"
#include "language_folder.hpp"
#include "peak_memory.hpp"
#include "server_settings.hpp"

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
  soak::ServerSettings server;
  std::string way = "all";
};

constexpr const char* usage_begin = R"(usage: drain_soak [--quick] [--name value]...

Lists a collection of the sample server, in legs. Each leg is a new client with a new quota ledger and a
listing that resumes the bookmark of the leg before; it ends at a random place, or by an error. The status is
1 if an item was lost, repeated or out of order, and also if the clients met no fault or no 429: then the run
is not conclusive.

  --items N          in the collection (100000)
  --page-size N      1 to 100 (100)
  --interruptions N  interrupted legs (50)
)";

constexpr const char* usage_end = R"(  --way WAY          serial, prefetch (2 pages), concurrent (16 pages) or all (all)
  --quick            6000 items, 12 interruptions, 0.2 faults, 12 requests in 250 ms

The clients try twice, 5 to 50 ms apart, so that now and then a leg ends by an error; their retry budget does
not run out. Another client uses part of each window.
)";

std::string usage() { return usage_begin + soak::server_usage(Settings().server) + usage_end; }

bool set(Settings& settings, std::string_view name, std::string_view value) {
  if (name == "--quick") {
    settings = {.items = 6000, .interruptions = 12, .server = {.faults = 0.2, .limit = 12, .period = 250ms}};
    return true;
  }
  if (name == "--items") return soak::set_number(settings.items, value), true;
  if (name == "--page-size") return soak::set_number(settings.page_size, value), true;
  if (name == "--interruptions") return soak::set_number(settings.interruptions, value), true;
  if (name == "--way") return settings.way = value, true;
  return soak::set(settings.server, name, value);
}

Settings read_settings(const std::vector<std::string_view>& words) {
  Settings settings;
  soak::read_options(words, usage(), [&](auto name, auto value) { return set(settings, name, value); });
  if (settings.items == 0 || settings.items > 5'000'000) throw std::runtime_error("--items is not in 1 to 5,000,000");
  if (settings.page_size == 0 || settings.page_size > 100) throw std::runtime_error("--page-size is not in 1 to 100");
  return settings;
}

/// What is wrong, or why the run is not conclusive.
std::vector<std::string> problems(const soak::Drain& drain) {
  std::vector<std::string> all;
  const auto& delivered = drain.delivered();
  if (!delivered.is_perfect())
    all.push_back(fmt::format("{} items lost, {} repeated, {} out of order, {} unknown", delivered.lost(),
                              delivered.doubled(), delivered.misplaced(), delivered.strange()));
  if (drain.tallied() != delivered.items())
    all.push_back(fmt::format("the tally has {} of {} items", drain.tallied(), delivered.items()));
  if (drain.counts().rejected == 0) all.emplace_back("no 429: the run is not conclusive");
  if (drain.counts().faults() == 0) all.emplace_back("no fault: the run is not conclusive");
  return all;
}

void print_heading(const Settings& settings) {
  fmt::print("{} items in pages of {}, {} interruptions, faults {}, {} requests in {} ms, seed {}\n", settings.items,
             settings.page_size, settings.interruptions, settings.server.faults, settings.server.limit,
             settings.server.period.count(), settings.server.seed);
  fmt::print("{:<12}{:>8}{:>7}{:>9}{:>6}{:>11}{:>6}{:>6}{:>11}{:>8}{:>6}{:>8}{:>10}{:>9}{:>7}\n", "", "items", "pages",
             "requests", "429s", "no reply", "503s", "cut", "stopped", "failed", "lost", "twice", "unordered",
             "seconds", "MiB");
}

void print_drain(std::string_view name, const soak::Drain& drain, double seconds, std::size_t kibibytes) {
  const auto& counts = drain.counts();
  const auto& delivered = drain.delivered();
  fmt::print("{:<12}{:>8}{:>7}{:>9}{:>6}{:>11}{:>6}{:>6}{:>11}{:>8}{:>6}{:>8}{:>10}{:>9.1f}{:>7.1f}\n", name,
             delivered.present(), drain.pages(), counts.requests.load(), counts.rejected.load(),
             counts.no_response.load(), counts.unavailable.load(), counts.truncated.load(), drain.interrupted(),
             drain.failed(), delivered.lost(), delivered.doubled(), delivered.misplaced(), seconds,
             static_cast<double>(kibibytes) / 1024);
}

void print_server(const atlas::Stats& stats, const soak::CompetingClient& competing) {
  fmt::print(
      "{:<12}server: {} requests, {} 429s, {} without response, {} 503s, {} cut; competing client: {}, {} 429s\n", "",
      stats.requests, stats.rejected, stats.dropped, stats.unavailable, stats.truncated, competing.requests(),
      competing.rejected());
}

/// Returns whether no item was lost or repeated, and the run is conclusive.
bool run(const Settings& settings, const Way& way, const std::string& data) {
  const atlas::Service service(soak::server_options(settings.server, data));
  const soak::CompetingClient competing(service.port(), settings.server.limit, settings.server.period);
  const soak::PeakMemory memory;
  const auto begin = std::chrono::steady_clock::now();
  soak::Drain drain({.base_url = service.base_url(),
                     .items = settings.items,
                     .page_size = settings.page_size,
                     .prefetch = way.prefetch,
                     .interruptions = settings.interruptions,
                     .patience = 120s + std::chrono::ceil<std::chrono::seconds>(3 * settings.server.period),
                     .seed = settings.server.seed});
  drain.run();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  print_drain(way.name, drain, took.count(), memory.growth());
  print_server(service.stats(), competing);
  const auto all = problems(drain);
  for (const auto& problem : all) fmt::print("{:<12}{}\n", "", problem);
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
  std::size_t selected = 0;
  std::size_t passed = 0;
  for (const auto& way : ways) {
    if (settings.way != "all" && settings.way != way.name) continue;
    ++selected;
    passed += run(settings, way, data.path()) ? 1 : 0;
  }
  if (selected == 0) throw std::runtime_error(fmt::format("--way '{}' is unknown", settings.way));
  fmt::print("passed {} of {}\n", passed, selected);
  return passed == selected ? 0 : 1;
} catch (const std::exception& failure) {
  return fmt::print(stderr, "{}\n", failure.what()), 1;
}
