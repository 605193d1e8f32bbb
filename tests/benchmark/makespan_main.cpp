// How long 400 requests take through noun's client over real sockets, beside the least time that any client could need,
// and how many are rejected. The service allows 50 requests in 2 seconds and answers each 5 ms after it was counted.
//
//   makespan [--starts N] [--seed N] [--record FOLDER] [--list] [PATTERN...]
//
// The patterns are as a shell's, over the names that --list shows. With a folder, each run is recorded there for
// `example_08_recorder --draw`.
//
// The bound runs from the first request's arrival at the service; the makespan, from there to the client's last answer.
//   aligned  Requests 1 to 50 pass in the window that is open, so that request 400 can pass when the eighth one opens:
//            at the next turn and six windows on; its answer takes one latency more.
//   first    The windows open with requests 1, 51, 101 ..., each at the earliest 2 s after the one before: the eighth
//            14 s after the first.
//   sliding  Request i can come at max(a[i - c] + d, a[i - 50] + 2 s), with c in flight and latency d: the last at
//            14 s + floor(49 / c) d, answered d later.
//   bucket   50 permits are there, 350 flow back in 14 s, and the last is answered d later; or c in flight at d each,
//            if that is longer.
// The first request comes while a window has room for a serial listing's first 50: 5 % to 75 % into the window, at a
// random instant of as many equal parts as there are starts.
#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <noun/noun.hpp>

#include "joining_thread.hpp"
#include "makespan_service.hpp"
#include "run_recorder.hpp"

namespace {

using namespace std::chrono_literals;
using makespan::Mode;
using makespan::ResetSpelling;
using Seconds = std::chrono::duration<double>;

constexpr std::size_t requests = 400;
constexpr std::size_t threads = 16;
constexpr auto patience = 60s;

struct Target {
  double ratio;
  std::size_t rejected;
};

struct Case {
  std::string name;
  makespan::Conventions conventions;
  bool serial = true;
  Target target{};
};

Target target_of(Mode mode, bool serial) {
  if (mode == Mode::bucket) return {1.03, 0};
  if (mode == Mode::aligned) return {serial ? 1.04 : 1.01, 0};
  return {1.15, 2};
}

template <class T>
struct Named {
  std::string_view name;
  T value;
};

template <class T>
Named(std::string_view, T) -> Named<T>;

constexpr std::array modes{Named{"aligned", Mode::aligned}, Named{"first", Mode::first},
                           Named{"sliding", Mode::sliding}, Named{"bucket", Mode::bucket}};
constexpr std::array spellings{Named{"epoch", ResetSpelling::epoch}, Named{"delta", ResetSpelling::delta},
                               Named{"fractional", ResetSpelling::fractional}};
constexpr std::array retries{Named{"told", true}, Named{"untold", false}};
constexpr std::array clocks{Named{"true", std::chrono::milliseconds(0)}, Named{"hour", std::chrono::milliseconds(1h)}};
constexpr std::array shapes{Named{"serial", true}, Named{"threads", false}};

/// What is run when nothing is asked for: what has targets, once each.
const std::vector<std::string> usual{
    "aligned-*-told-true-*",   "aligned-epoch-untold-true-*", "aligned-epoch-told-hour-*", "first-epoch-told-true-*",
    "first-delta-told-true-*", "sliding-epoch-told-true-*",   "sliding-delta-told-true-*", "bucket-*-told-true-*"};

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const auto& mode : modes)
    for (const auto& spelling : spellings)
      for (const auto& retry : retries)
        for (const auto& clock : clocks)
          for (const auto& shape : shapes)
            cases.push_back(
                {.name = fmt::format("{}-{}-{}-{}-{}", mode.name, spelling.name, retry.name, clock.name, shape.name),
                 .conventions = {.mode = mode.value,
                                 .reset = spelling.value,
                                 .retry_after = retry.value,
                                 .offset = clock.value,
                                 .things = requests},
                 .serial = shape.value,
                 .target = target_of(mode.value, shape.value)});
  return cases;
}

bool is_wanted(const std::string& name, const std::vector<std::string>& patterns) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const auto& pattern) { return fnmatch(pattern.c_str(), name.c_str(), 0) == 0; });
}

std::size_t list_all(const noun::Client& api) {
  std::size_t items = 0;
  for (const auto& thing : api.collection("things").list({.page_size = 1, .deadline = api.now().steady + patience})) {
    thing.value();
    ++items;
  }
  return items;
}

std::size_t read_all(const noun::Client& api) {
  std::atomic<std::size_t> next = 1;
  std::atomic<std::size_t> good = 0;
  {
    const auto deadline = api.now().steady + patience;
    std::vector<noun_test::JoiningThread> all;
    for (std::size_t i = 0; i < threads; ++i)
      all.emplace_back([&] {
        const auto things = api.collection("things");
        for (auto id = next++; id <= requests; id = next++) good += things[id].get({.deadline = deadline}) ? 1 : 0;
      });
  }
  return good;
}

struct Run {
  double took = 0;
  double bound = 0;
  std::size_t rejected = 0;

  double ratio() const { return took / bound; }
};

/// Waits until the window is so far through, 0 to 1, by the service's clock.
void wait_for_phase(const makespan::CountingService& service, double phase) {
  const auto wanted = std::chrono::duration_cast<makespan::Span>(makespan::window * phase);
  const auto now = service.now().time_since_epoch() % makespan::window;
  std::this_thread::sleep_for((wanted - now + makespan::window) % makespan::window);
}

/// `record` may be null.
Run run(const Case& wanted, double phase, recorder::RunRecorder* record) {
  makespan::CountingService service(wanted.conventions);
  noun::ClientOptions options{.quota_ledger = noun::make_quota_ledger()};
  if (record != nullptr) options.observer = [record](const noun::Event& event) { record->record(event); };
  const noun::Client api{service.base_url(), std::move(options)};
  wait_for_phase(service, phase);
  const auto good = wanted.serial ? list_all(api) : read_all(api);
  const auto end = std::chrono::steady_clock::now();
  if (good != requests) throw std::runtime_error(fmt::format("{}: only {} of {} came", wanted.name, good, requests));
  const auto counts = service.counts();
  const auto least = makespan::bound(wanted.conventions.mode, requests, wanted.serial ? 1 : threads, makespan::latency,
                                     counts.to_turn);
  return {Seconds(end - counts.first).count(), Seconds(least).count(), counts.rejected};
}

struct Settings {
  std::size_t starts = 3;
  unsigned seed = std::random_device()();
  bool list = false;
  std::string folder = {};
  std::vector<std::string> patterns = {};
};

/// The worst and the median of the starts, and whether the worst meets the target.
bool report(const Case& wanted, std::vector<Run> runs) {
  std::sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) { return a.ratio() < b.ratio(); });
  const auto& worst = runs.back();
  const auto rejected = std::max_element(runs.begin(), runs.end(), [](const Run& a, const Run& b) {
                          return a.rejected < b.rejected;
                        })->rejected;
  const bool met = worst.ratio() <= wanted.target.ratio && rejected <= wanted.target.rejected;
  fmt::print("{:<34}{:>9.3f}{:>9.3f}{:>8.3f}{:>8.3f}{:>10}   {:.2f}, {}   {}\n", wanted.name, worst.took, worst.bound,
             runs[runs.size() / 2].ratio(), worst.ratio(), rejected, wanted.target.ratio, wanted.target.rejected,
             met ? "met" : "not met");
  std::fflush(stdout);
  return met;
}

double load() {
  double average = 0;
  return getloadavg(&average, 1) == 1 ? average : 0;
}

void measure(const std::vector<Case>& cases, const Settings& settings) {
  std::mt19937 chance(settings.seed);
  std::uniform_real_distribution<double> part(0, 1);
  std::size_t met = 0;
  fmt::print("{} cases, {} starts each, seed {}, load {:.2f} at the begin\n", cases.size(), settings.starts,
             settings.seed, load());
  fmt::print("{:<34}{:>9}{:>9}{:>8}{:>8}{:>10}   target\n", "case", "took s", "bound s", "median", "worst", "rejected");
  for (const auto& wanted : cases) {
    std::vector<Run> runs;
    for (std::size_t i = 0; i < settings.starts; ++i) {
      fmt::print(stderr, "{}: start {} of {}\n", wanted.name, i + 1, settings.starts);
      const double share = (static_cast<double>(i) + part(chance)) / static_cast<double>(settings.starts);
      std::optional<recorder::RunRecorder> record;
      if (!settings.folder.empty()) record.emplace(fmt::format("{}/{}-{}.jsonl", settings.folder, wanted.name, i + 1));
      runs.push_back(run(wanted, 0.05 + 0.7 * share, record ? &*record : nullptr));
    }
    met += report(wanted, std::move(runs)) ? 1 : 0;
  }
  fmt::print("met {} of {}, load {:.2f} at the end\n", met, cases.size(), load());
}

template <class T>
T number(std::string_view text) {
  T value{};
  const auto* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  if (read.ec != std::errc{} || read.ptr != end) throw std::runtime_error(fmt::format("'{}' is not a number", text));
  return value;
}

Settings read_settings(const std::vector<std::string>& words) {
  Settings settings;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool has_value = i + 1 < words.size();
    if (words[i] == "--list")
      settings.list = true;
    else if (words[i] == "--starts" && has_value)
      settings.starts = std::clamp<std::size_t>(number<std::size_t>(words[++i]), 1, 100);
    else if (words[i] == "--seed" && has_value)
      settings.seed = number<unsigned>(words[++i]);
    else if (words[i] == "--record" && has_value)
      settings.folder = words[++i];
    else if (words[i].starts_with("-"))
      throw std::runtime_error("usage: makespan [--starts N] [--seed N] [--record FOLDER] [--list] [PATTERN...]");
    else
      settings.patterns.push_back(words[i]);
  }
  return settings;
}

}  // namespace

int main(int argc, char** argv) try {
  const auto settings = read_settings({argv + 1, argv + argc});
  auto cases = all_cases();
  if (settings.list) {
    for (const auto& each : cases) fmt::print("{}\n", each.name);
    return 0;
  }
  const auto& patterns = settings.patterns.empty() ? usual : settings.patterns;
  std::erase_if(cases, [&](const Case& each) { return !is_wanted(each.name, patterns); });
  if (cases.empty()) throw std::runtime_error("no case has such a name: see --list");
  measure(cases, settings);
} catch (const std::exception& failure) {
  return fmt::print(stderr, "{}\n", failure.what()), 1;
}
