// Kills noun-export at random moments and resumes it, under faults, and compares the final file with the collection.
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <atlas_service.hpp>
#include <nlohmann/json.hpp>

#include "competing_client.hpp"
#include "delivery_count.hpp"
#include "export/export_process.hpp"
#include "language_folder.hpp"
#include "sanitized.hpp"
#include "server_settings.hpp"

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

struct Settings {
  std::size_t items = 1'000'000;
  std::size_t kills = 20;
  std::size_t concurrency = 16;
  bool is_quick = false;
  soak::ServerSettings server;
};

constexpr const char* usage_begin = R"(usage: killed_export [--quick] [--name value]...

Runs noun-export with the sample server, kills it (SIGKILL) at random moments, resumes it, and compares the
file with the collection. The status is 1 if an item was lost, repeated or out of order, if there was a file
before the end, if the program needed more than 64 MiB (which a sanitizer does), and also if it met no fault, no
429 or fewer kills: then the run is not conclusive. With --kills 0 the memory is that of one complete run.

  --items N          in the collection, 100 on a page (1000000)
  --kills N          (20)
  --concurrency N    pages read ahead (16)
)";

constexpr const char* usage_end =
    "  --quick            8000 items, 4 kills, 40 requests in 200 ms, no competing client; a 429 is not needed\n";

std::string usage() { return usage_begin + soak::server_usage(Settings().server) + usage_end; }

bool set(Settings& settings, std::string_view name, std::string_view value) {
  if (name == "--quick") {
    settings = {.items = 8000, .kills = 4, .is_quick = true, .server = {.limit = 40, .period = 200ms}};
    return true;
  }
  if (name == "--items") return soak::set_number(settings.items, value), true;
  if (name == "--kills") return soak::set_number(settings.kills, value), true;
  if (name == "--concurrency") return soak::set_number(settings.concurrency, value), true;
  return soak::set(settings.server, name, value);
}

Settings read_settings(const std::vector<std::string_view>& words) {
  Settings settings;
  soak::read_options(words, usage(), [&](auto name, auto value) { return set(settings, name, value); });
  if (settings.items == 0 || settings.items > 5'000'000) throw std::runtime_error("--items is not in 1 to 5,000,000");
  return settings;
}

/// The export of a collection to one file by several processes.
class KilledExport {
 public:
  KilledExport(const Settings& settings, const atlas::Service& service)
      : settings_(settings), chance_(settings.server.seed) {
    words_ = {service.base_url(), "/languages", "--resume", "--quiet"};
    words_.insert(words_.end(), {"--out", "all.jsonl", "--page-size", "100", "--key", "alpha_3", "--concurrency",
                                 std::to_string(settings.concurrency)});
  }

  void run() {
    for (const auto bytes : moments()) kill_at(bytes);
    // An export that ends because of faults or the quota is resumed, as a user would do.
    for (int tries = 0; tries < 1000 && !finish(); ++tries) {
    }
  }
  std::vector<std::string> problems() const {
    std::vector<std::string> all = problems_;
    soak::DeliveryCount delivered(settings_.items);
    std::ifstream lines(folder_ / "all.jsonl");
    for (std::string line; std::getline(lines, line);) {
      const auto item = nlohmann::json::parse(line, nullptr, false);
      delivered.add(item.is_object() ? item.value("alpha_3", "") : "");
    }
    fmt::print("{} items, {} lost, {} repeated, {} out of order, {} unknown\n", delivered.present(), delivered.lost(),
               delivered.doubled(), delivered.misplaced(), delivered.strange());
    if (!delivered.is_perfect()) all.emplace_back("the file differs from the collection");
    constexpr long most_kib = 64L * 1024;
    if (!noun_test::sanitized && peak_kib_ > most_kib) all.emplace_back("the program needed more than 64 MiB");
    if (killed_ < settings_.kills) all.emplace_back("too few kills: the run is not conclusive");
    return all;
  }
  std::size_t killed() const { return killed_; }
  std::size_t gave_up() const { return gave_up_; }
  long peak_kib() const { return peak_kib_; }

 private:
  /// Sizes of the file at which the export is killed, in order; less than the size of the complete file.
  std::vector<std::uintmax_t> moments() {
    constexpr std::uintmax_t bytes_per_item = 45;
    std::uniform_int_distribution<std::uintmax_t> any(0, settings_.items * bytes_per_item);
    std::vector<std::uintmax_t> all(settings_.kills);
    for (auto& bytes : all) bytes = any(chance_);
    std::sort(all.begin(), all.end());
    return all;
  }

  /// Kills the export when the file has this many bytes. If it ends before, it is resumed, as a user would do.
  void kill_at(std::uintmax_t bytes) {
    for (int tries = 0; tries < 100; ++tries) {
      export_test::Process process(folder_.path, words_);
      std::error_code missing;
      while (watch(process)) {
        const auto size = std::filesystem::file_size(folder_ / "all.jsonl.part", missing);
        if (!missing && size >= bytes) break;
      }
      process.send(SIGKILL);
      const auto status = process.wait();
      note(process, status);
      constexpr int by_kill = 128 + SIGKILL;
      if (status == 0) return;
      if (status != by_kill) continue;
      ++killed_;
      if (std::filesystem::exists(folder_ / "all.jsonl"))
        problems_.emplace_back("the file existed before the end of the export");
      return;
    }
  }

  bool finish() {
    export_test::Process process(folder_.path, words_);
    while (watch(process)) {
    }
    const auto status = process.wait();
    note(process, status);
    return status == 0;
  }

  /// Whether the process still runs after 2 ms.
  bool watch(const export_test::Process& process) {
    peak_kib_ = std::max(peak_kib_, process.peak_kib());
    return !process.ends_within(2ms);
  }

  void note(const export_test::Process& process, int status) {
    constexpr std::array resumable{69, 75};
    const bool gave_up = std::find(resumable.begin(), resumable.end(), status) != resumable.end();
    gave_up_ += gave_up ? 1 : 0;
    if (!gave_up && status != 0 && status != 128 + SIGKILL)
      problems_.push_back(fmt::format("the program ended with {}: {}", status, process.err()));
  }

  const Settings& settings_;
  std::minstd_rand chance_;
  export_test::Folder folder_;
  std::vector<std::string> words_;
  std::vector<std::string> problems_;
  std::size_t killed_ = 0;
  std::size_t gave_up_ = 0;
  long peak_kib_ = 0;
};

int run(const Settings& settings) {
  const soak::LanguageFolder data(settings.items);
  const atlas::Service service(soak::server_options(settings.server, data.path()));
  // Beside windows of 200 ms, the doubling waits after its rejections take minutes at times.
  std::optional<soak::CompetingClient> competing;
  if (!settings.is_quick) competing.emplace(service.port(), settings.server.limit, settings.server.period);
  const auto begin = Clock::now();
  KilledExport exported(settings, service);
  exported.run();
  const std::chrono::duration<double> took = Clock::now() - begin;
  const auto stats = service.stats();
  const std::uint64_t others = competing ? competing->rejected() : 0;
  const auto rejected = stats.rejected - std::min(stats.rejected, others);
  const auto faults = stats.dropped + stats.unavailable + stats.truncated;
  fmt::print(
      "{} items in {} pages, {:.0f} s, killed {} times, gave up and resumed {} times; {} requests, {} faults, {} 429s "
      "for it and {} for the competing client; at most {:.1f} MiB\n",
      settings.items, (settings.items + 99) / 100, took.count(), exported.killed(), exported.gave_up(), stats.requests,
      faults, rejected, others, static_cast<double>(exported.peak_kib()) / 1024);
  auto problems = exported.problems();
  if (faults == 0) problems.emplace_back("no fault: the run is not conclusive");
  if (rejected == 0 && !settings.is_quick) problems.emplace_back("no 429: the run is not conclusive");
  for (const auto& problem : problems) fmt::print("{}\n", problem);
  return problems.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) try {
  const std::vector<std::string_view> words(argv + 1, argv + argc);
  if (words == std::vector<std::string_view>{"--help"}) return fmt::print("{}", usage()), 0;
  return run(read_settings(words));
} catch (const std::exception& failure) {
  return fmt::print(stderr, "{}\n", failure.what()), 1;
}
