// Processes that share a quota of 50 requests in 2 seconds, over real sockets, files and a real Redis server: how many
// requests are rejected, how many calls fail, how long 400 requests take beside the least possible time, and how often
// a process goes to the store.
//
//   fleet [--quick|--full] [--starts N] [--seed N] [--npm FOLDER] [PATTERN...]
//
// The patterns are as a shell's, over the names in the first column. The rows take turns, --starts times; the figures
// are medians of ratios, and sums of what must not be. In the folder are bottleneck and ioredis, and
// fleet_bottleneck.mjs. The bound is the one of makespan_main.cpp; the makespan is from the first request's arrival at
// the server to its last response. The status is 1 if a row has more rejections or failed calls than its bar.
#include <fnmatch.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <atlas_service.hpp>
#include <fmt/format.h>

#include "integration/fleet_process.hpp"
#include "makespan_service.hpp"
#include "os/temporary_folder.hpp"
#include "redis/redis_server.hpp"
#include "test_paths.hpp"

namespace {

using namespace std::chrono_literals;
using integration::ChildProgram;
using integration::FleetCounts;
using Seconds = std::chrono::duration<double>;
using Processes = std::vector<std::unique_ptr<ChildProgram>>;

enum class Sharing { none, file, redis, redis_far, bottleneck };
enum class Mishap { none, kill, lose_redis, pause_redis, slow_redis };

struct Row {
  std::string name;
  Sharing sharing = Sharing::file;
  std::size_t processes = 8;
  bool pages = false;
  Mishap mishap = Mishap::none;
  double bar = 0;                         ///< of makespan / bound; 0: none
  std::optional<std::size_t> rejections = {};  ///< at most, in each start; nothing for what is compared with
  bool in_turn = false;                   ///< one process after the other, with 3 requests each
  bool plenty = false;                    ///< the quota is 5,000 in an hour
};

const std::vector<Row> all_rows{
    {.name = "items-4-file", .processes = 4, .bar = 1.04, .rejections = 0},
    {.name = "items-8-file", .bar = 1.04, .rejections = 0},
    {.name = "pages-4-file", .processes = 4, .pages = true, .bar = 1.06, .rejections = 0},
    {.name = "pages-8-file", .pages = true, .bar = 1.06, .rejections = 0},
    {.name = "items-4-redis", .sharing = Sharing::redis, .processes = 4, .bar = 1.06, .rejections = 0},
    {.name = "items-8-redis", .sharing = Sharing::redis, .bar = 1.06, .rejections = 0},
    {.name = "pages-4-redis", .sharing = Sharing::redis, .processes = 4, .pages = true, .bar = 1.08, .rejections = 0},
    {.name = "pages-8-redis", .sharing = Sharing::redis, .pages = true, .bar = 1.08, .rejections = 0},
    {.name = "items-4-bottleneck", .sharing = Sharing::bottleneck, .processes = 4},
    {.name = "items-8-bottleneck", .sharing = Sharing::bottleneck},
    {.name = "items-4-alone", .sharing = Sharing::none, .processes = 4},
    {.name = "in-turn-100-file", .processes = 100, .bar = 1.1, .rejections = 0, .in_turn = true},
    {.name = "killed-8-file", .mishap = Mishap::kill, .rejections = 0},
    {.name = "lost-8-redis", .sharing = Sharing::redis, .mishap = Mishap::lose_redis, .rejections = 8},
    {.name = "paused-8-redis", .sharing = Sharing::redis, .mishap = Mishap::pause_redis, .rejections = 8},
    {.name = "slowed-8-redis", .sharing = Sharing::redis_far, .mishap = Mishap::slow_redis, .rejections = 8},
    {.name = "far-8-redis", .sharing = Sharing::redis_far, .rejections = 8},
    {.name = "plenty-8-file", .rejections = 0, .plenty = true},
    {.name = "plenty-8-redis", .sharing = Sharing::redis, .rejections = 0, .plenty = true},
};

struct Settings {
  std::size_t starts = 3;
  std::size_t kills = 5;
  std::size_t requests = 400;
  unsigned seed = std::random_device()();
  std::string npm = {};
  std::vector<std::string> patterns = {};
};

/// What one start of a row gave.
struct Run {
  double ratio = 0;
  std::size_t rejected = 0;
  std::size_t failed = 0;
  double operations = 0;  ///< of the store, for each request
  std::string first_error = {};
};

/// The server of a row, from which the figures come.
struct Server {
  Server(const Row& row, std::size_t things) {
    if (row.plenty)
      plenty = std::make_unique<atlas::Service>(atlas::Options{.limit = 5000, .period = 1h, .latency = 5ms});
    else
      counting = std::make_unique<makespan::CountingService>(makespan::Conventions{.things = things});
  }
  std::string url() const { return counting ? counting->base_url() : plenty->base_url(); }
  std::string item() const { return counting ? "things/1" : "languages/deu"; }
  void fill(Run& run) const {
    if (plenty) {
      run.rejected = plenty->stats().rejected;
      return;
    }
    const auto counts = counting->counts();
    const auto bound = makespan::bound(makespan::Mode::aligned, counts.requests - counts.rejected, 1, makespan::latency,
                                       counts.to_turn);
    run.rejected = counts.rejected;
    run.ratio = Seconds(counts.last - counts.first) / Seconds(bound);
  }
  /// Waits until the window is so far through, 0 to 1.
  void wait_for_phase(double phase) const {
    if (!counting) return;
    const auto wanted = std::chrono::duration_cast<makespan::Span>(makespan::window * phase);
    const auto now = counting->now().time_since_epoch() % makespan::window;
    std::this_thread::sleep_for((wanted - now + makespan::window) % makespan::window);
  }

  std::unique_ptr<makespan::CountingService> counting;
  std::unique_ptr<atlas::Service> plenty;
};

/// The store of a row: a folder or a Redis server, maybe behind a proxy that delays it.
class Store {
 public:
  explicit Store(Sharing sharing) : sharing_(sharing) {
    if (sharing == Sharing::none || sharing == Sharing::file) return;
    redis_ = std::make_unique<noun_test::RedisServer>();
    port_ = std::to_string(redis_->port());
    if (sharing != Sharing::redis_far) return;
    const auto own_port = std::to_string(integration::free_port());
    proxy_ = std::make_unique<ChildProgram>(std::vector<std::string>{
        "python3", noun_test::source_dir + std::string("/tests/benchmark/fleet_proxy.py"), own_port, port_, "0.1"});
    proxy_->wait_for_output("ready");
    port_ = own_port;
  }
  /// A Redis server behind a proxy responds after 200 ms from now on.
  void slow_down() { proxy_->signal(SIGUSR1); }
  std::string ledger() const {
    if (sharing_ == Sharing::none) return "none";
    return sharing_ == Sharing::file ? folder_.path("quotas") : "redis://127.0.0.1:" + port_;
  }
  const std::string& port() const { return port_; }
  noun_test::RedisServer& redis() { return *redis_; }

 private:
  Sharing sharing_;
  noun_test::TemporaryFolder folder_;
  std::unique_ptr<noun_test::RedisServer> redis_;
  std::unique_ptr<ChildProgram> proxy_;
  std::string port_;
};

class Fleet {
 public:
  Fleet(const Row& row, const Settings& settings, std::mt19937& chance)
      : row_(row),
        each_(row.in_turn ? 3 : settings.requests / row.processes),
        npm_(settings.npm),
        chance_(chance),
        server_(row, each_),
        store_(row.sharing) {
    if (row.sharing == Sharing::redis_far && row.mishap == Mishap::none) store_.slow_down();
  }

  /// @param phase  how far through its window the first process starts, 0 to 1.
  Run run(double phase) {
    Run run;
    server_.wait_for_phase(phase);
    FleetCounts all;
    if (row_.in_turn)
      for (std::size_t i = 0; i < row_.processes; ++i) all += integration::counts_of(start()->wait());
    else
      all = run_together();
    server_.fill(run);
    run.failed = all.failed;
    run.first_error = all.first_error;
    run.operations =
        static_cast<double>(all.reads + all.swaps) / static_cast<double>(std::max<std::size_t>(all.sent, 1));
    return run;
  }

 private:
  std::unique_ptr<ChildProgram> start() const {
    const std::string count = std::to_string(each_);
    if (row_.sharing == Sharing::bottleneck)
      return std::make_unique<ChildProgram>(std::vector<std::string>{"node", npm_ + "/fleet_bottleneck.mjs",
                                                                     server_.url() + '/' + server_.item(),
                                                                     store_.port(), count, "4"});
    return std::make_unique<ChildProgram>(integration::fleet_worker(
        {server_.url(), store_.ledger(), row_.pages ? "pages" : "items", row_.pages ? "things" : server_.item(), count,
         "4"}));
  }

  FleetCounts run_together() {
    Processes processes;
    for (std::size_t i = 0; i < row_.processes; ++i) processes.push_back(start());
    // The least time of 100 requests is some 3 s, of 400 some 14 s.
    const double most = static_cast<double>(each_ * row_.processes) / 33;
    const Seconds moment(std::uniform_real_distribution<double>(0.1, most)(chance_));
    if (row_.mishap != Mishap::none) std::this_thread::sleep_for(moment);
    if (row_.mishap == Mishap::kill) {
      const auto victim = std::uniform_int_distribution<std::size_t>(0, processes.size() - 1)(chance_);
      processes[victim]->end(SIGKILL);
      processes.erase(processes.begin() + static_cast<std::ptrdiff_t>(victim));
    } else if (row_.mishap == Mishap::lose_redis) {
      store_.redis().kill();
      store_.redis().start();
    } else if (row_.mishap == Mishap::pause_redis) {
      store_.redis()({"CLIENT", "PAUSE", "10000"});
    } else if (row_.mishap == Mishap::slow_redis) {
      store_.slow_down();
    }
    FleetCounts all;
    for (const auto& process : processes) all += integration::counts_of(process->wait());
    return all;
  }

  const Row& row_;
  const std::size_t each_;  // requests of a process
  const std::string npm_;
  std::mt19937& chance_;
  Server server_;
  Store store_;
};

double load() {
  double average = 0;
  return getloadavg(&average, 1) == 1 ? average : 0;
}

/// From the least to the greatest, with the median first.
std::string spread(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return fmt::format("{:.3f} ({:.3f} to {:.3f})", values[values.size() / 2], values.front(), values.back());
}

/// @returns  whether the row's rejections and failed calls are within its bar.
bool print(const Row& row, const std::vector<Run>& runs) {
  std::size_t rejected = 0;
  std::size_t most = 0;
  std::size_t failed = 0;
  std::vector<double> ratios;
  std::vector<double> operations;
  std::string error;
  for (const Run& run : runs) {
    rejected += run.rejected;
    most = std::max(most, run.rejected);
    failed += run.failed;
    ratios.push_back(run.ratio);
    operations.push_back(run.operations);
    if (error.empty()) error = run.first_error;
  }
  std::sort(ratios.begin(), ratios.end());
  const bool met = !row.rejections || (most <= *row.rejections && failed == 0);
  std::string bar = row.rejections ? fmt::format("{} rejected, 0 failed: {}", *row.rejections, met ? "met" : "NOT MET")
                                   : "compared with";
  if (row.bar > 0)
    bar += fmt::format("; {:.2f}: {}", row.bar, ratios[ratios.size() / 2] <= row.bar ? "met" : "not met");
  if (row.plenty) {
    std::sort(operations.begin(), operations.end());
    bar += fmt::format("; 0.25 operations: {}", operations[operations.size() / 2] <= 0.25 ? "met" : "not met");
  }
  const bool has_store = row.sharing != Sharing::none && row.sharing != Sharing::bottleneck;
  fmt::print("| {:<18} | {:>6} | {:>8} | {:>6} | {:<24} | {:<24} | {} |\n", row.name, runs.size(), rejected, failed,
             row.plenty ? "" : spread(ratios), has_store ? spread(operations) : "", bar);
  if (failed > 0) fmt::print(stderr, "{}: {}\n", row.name, error);
  return met;
}

bool measure(const std::vector<Row>& rows, const Settings& settings) {
  std::mt19937 chance(settings.seed);
  std::vector<std::vector<Run>> runs(rows.size());
  const double load_before = load();
  const auto starts_of = [&](const Row& row) { return row.mishap == Mishap::kill ? settings.kills : settings.starts; };
  for (std::size_t round = 0; round < std::max(settings.starts, settings.kills); ++round)
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (round >= starts_of(rows[i])) continue;
      fmt::print(stderr, "{}: start {} of {}\n", rows[i].name, round + 1, starts_of(rows[i]));
      runs[i].push_back(
          Fleet(rows[i], settings, chance).run(std::uniform_real_distribution<double>(0.05, 0.75)(chance)));
    }
  fmt::print("{} requests in all, 50 in 2 s; seed {}, load {:.1f} at the beginning and {:.1f} at the end\n\n",
             settings.requests, settings.seed, load_before, load());
  fmt::print("| {:<18} | starts | rejected | failed | {:<24} | {:<24} | bars |\n|---|--:|--:|--:|---|---|---|\n", "row",
             "makespan / bound", "store operations");
  bool met = true;
  for (std::size_t i = 0; i < rows.size(); ++i) met = print(rows[i], runs[i]) && met;
  return met;
}

template <class T>
T number(std::string_view text) {
  T value{};
  const auto* const end = text.data() + text.size();
  if (std::from_chars(text.data(), end, value).ptr != end)
    throw std::runtime_error(fmt::format("\"{}\" is not a number", text));
  return value;
}

Settings read_settings(const std::vector<std::string>& words) {
  Settings settings;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool has_value = i + 1 < words.size();
    if (words[i] == "--quick")
      settings.starts = settings.kills = 1, settings.requests = 80;
    else if (words[i] == "--full")
      settings.kills = 20;
    else if (words[i] == "--starts" && has_value)
      settings.starts = std::clamp<std::size_t>(number<std::size_t>(words[++i]), 1, 100);
    else if (words[i] == "--seed" && has_value)
      settings.seed = number<unsigned>(words[++i]);
    else if (words[i] == "--npm" && has_value)
      settings.npm = words[++i];
    else if (words[i].starts_with("-"))
      throw std::runtime_error("usage: fleet [--quick|--full] [--starts N] [--seed N] [--npm FOLDER] [PATTERN...]");
    else
      settings.patterns.push_back(words[i]);
  }
  return settings;
}

bool is_wanted(const Row& row, const Settings& settings) {
  if (row.sharing == Sharing::bottleneck && settings.npm.empty()) return false;
  return settings.patterns.empty() ||
         std::any_of(settings.patterns.begin(), settings.patterns.end(), [&](const auto& pattern) {
           return fnmatch(pattern.c_str(), row.name.c_str(), 0) == 0;
         });
}

}  // namespace

int main(int argc, char** argv) try {
  const auto settings = read_settings({argv + 1, argv + argc});
  auto rows = all_rows;
  std::erase_if(rows, [&](const Row& row) { return !is_wanted(row, settings); });
  if (rows.empty()) throw std::runtime_error("no row has such a name");
  return measure(rows, settings) ? 0 : 1;
} catch (const std::exception& failure) {
  return fmt::print(stderr, "{}\n", failure.what()), 1;
}
