// Makes every allocation and every system call of a journey through noun fail, one after the other: nothing may leak,
// hang, end the process, or lie.
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <deque>
#include <exception>
#include <functional>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <netdb.h>
#include <sys/wait.h>
#include <unistd.h>

#include "curl/certificates.hpp"
#include "os/temporary_folder.hpp"
#include "server_settings.hpp"
#include "torture/torture_journey.hpp"
#include "torture/torture_server.hpp"
#include "torture/torture_trial.hpp"

namespace {

using torture::Fault;
using torture::Trial;
using torture::Verdict;

struct Settings {
  std::size_t jobs = 2;
  std::size_t every = 1;
  std::string step;
  std::string call;
  std::size_t number = 0;
  int error = 0;
  std::optional<bool> lasts = {};
};

constexpr const char* usage = R"(usage: torture [--quick] [--name value]...

Runs each step of a journey through noun in a process of its own, once for each allocation and each system call that
it makes, which then fails, alone or with all that follow for 100 ms. Then all must succeed again. The status is 1 if
a process took too long, ended, hung, leaked or lied. Other columns: steps that ended with a value, with an error, or
with an exception (std::bad_alloc; of noun::start() without an executor also std::system_error), and what is known, of
which the reasons follow the table: known gaps, and crashes of a library below noun after a call of its own failed.

  --quick        every 29th
  --every N      every Nth
  --jobs N       that run side by side (2)
  --step NAME    only this step
  --call NAME    only calls of this function of libc; malloc stands for all allocations
  --number N     only this call: with the options above and below it repeats one trial, and prints the stack
  --error N      only with this error
  --lasts 0|1    only alone, or only with all that follow
)";

bool set(Settings& settings, std::string_view name, std::string_view value) {
  if (name == "--quick") return settings.every = 29, true;
  if (name == "--step") return settings.step = value, true;
  if (name == "--call") return settings.call = value, true;
  if (name == "--every") return soak::set_number(settings.every, value), true;
  if (name == "--jobs") return soak::set_number(settings.jobs, value), true;
  if (name == "--number") return soak::set_number(settings.number, value), true;
  if (name == "--error") return soak::set_number(settings.error, value), true;
  if (name == "--lasts") return settings.lasts = value == "1", true;
  return false;
}

/// What fails in a trial: the columns of the table are how the trials of each ended.
enum What { an_allocation, allocations, a_call, all_calls, what_count };
constexpr std::array<std::string_view, what_count> names{"one allocation", "all from one on", "one system call",
                                                         "all from one on"};
constexpr std::array<std::string_view, Verdict::lie + 1> endings{"uncalled", "value", "error", "thrown", "known",
                                                                 "slow",     "crash", "hang",  "leak",   "lie"};

/// What was looked into, and stays.
struct KnownGap {
  std::string_view step, call, about, reason;
};
constexpr std::array known_gaps{
    KnownGap{"tls", "malloc", "Insufficient randomness",
             "OpenSSL does not at once seed again a random generator that it could not seed"},
    KnownGap{"tls", "malloc", "took",
             "libcurl waits for a handshake for which OpenSSL has no buffer, until its time is over"},
    KnownGap{"shared_quota", "malloc", "took",
             "a store that failed is tried again within 5 s; a call that had no memory to be woken waits so long"},
};

struct Tally {
  std::array<std::array<std::size_t, endings.size()>, what_count> ended{};
  std::array<std::size_t, known_gaps.size()> gaps{};  ///< how often each was met
};

What what_fails(const Fault& fault) {
  return static_cast<What>((fault.function == 0 ? an_allocation : a_call) + (fault.lasts ? 1 : 0));
}

bool may_last(int error) { return error != EINTR && error != EAGAIN && error != EAI_AGAIN; }

/// The trials of a step that are wanted.
/// @param calls  how often it calls each function.
void add_trials(std::vector<Trial>& trials, const Settings& settings, const Trial& without_fault,
                const std::vector<std::size_t>& calls) {
  const auto& functions = torture::failing_functions();
  for (std::size_t function = 0; function < functions.size(); ++function) {
    if (!settings.call.empty() && settings.call != functions[function].name) continue;
    const auto first = settings.number > 0 ? settings.number : 1;
    const auto last = settings.number > 0 ? settings.number : calls[function];
    for (auto number = first; number <= last; ++number)
      for (const int error : functions[function].errors)
        for (const bool lasts : {false, true}) {
          if (settings.error != 0 ? settings.error != error : lasts && !may_last(error)) continue;
          if (lasts != settings.lasts.value_or(lasts)) continue;
          auto trial = without_fault;
          trial.fault = {.function = function, .number = number, .error = error, .lasts = lasts};
          trials.push_back(trial);
        }
  }
}

/// The trials of all wanted steps, with what is usual in each.
std::vector<Trial> all_trials(const Settings& settings, const torture::Stage::Place& place) {
  std::vector<Trial> trials;
  for (std::size_t step = 0; step < torture::journey().size(); ++step) {
    if (!settings.step.empty() && settings.step != torture::journey()[step].name) continue;
    Trial without_fault{.step = step};
    std::vector<std::size_t> calls(torture::failing_functions().size());
    for (int again = 0; again < 10; ++again) {
      const auto verdict = torture::run({.step = step}, place, true);
      if (verdict.kind != Verdict::value && verdict.kind != Verdict::error)
        throw std::runtime_error(fmt::format("without a fault: {}: {}", without_fault.options(), verdict.about));
      auto& usual = without_fault.usual ? *without_fault.usual : without_fault.usual.emplace(verdict.growth);
      usual.blocks = std::max(usual.blocks, verdict.growth.blocks);
      usual.descriptors = std::max(usual.descriptors, verdict.growth.descriptors);
      usual.threads = std::max(usual.threads, verdict.growth.threads);
      for (std::size_t each = 0; each < calls.size(); ++each) calls[each] = std::max(calls[each], verdict.calls[each]);
    }
    add_trials(trials, settings, without_fault, calls);
  }
  return trials;
}

/// The gap that a verdict shows, if it is a known one.
const KnownGap* known_gap(const Trial& trial, const Verdict& verdict) {
  const auto* const found = std::find_if(known_gaps.begin(), known_gaps.end(), [&](const KnownGap& gap) {
    return gap.step == torture::journey()[trial.step].name &&
           gap.call == torture::failing_functions()[trial.fault.function].name &&
           verdict.about.find(gap.about) != std::string::npos;
  });
  return found == known_gaps.end() ? nullptr : found;
}

/// Threads do not always keep the same, and the machine may be busy: these count if they are repeated.
bool may_be_chance(const Verdict& verdict) {
  return verdict.kind == Verdict::slow || verdict.kind == Verdict::hang || verdict.kind == Verdict::leak;
}

/// Runs a job's share of the trials.
/// @param first  of them; the next is `every` later.
Tally run_some(const std::vector<Trial>& trials, std::size_t first, std::size_t every,
               const torture::Stage::Place& place) {
  Tally tally{};
  int shown = 0;
  for (std::size_t i = first; i < trials.size(); i += every) {
    auto trial = trials[i];
    trial.fault.is_shown = trials.size() == 1;
    auto verdict = torture::run(trial, place, trial.fault.is_shown);
    for (int again = 0; again < 3 && may_be_chance(verdict) && !known_gap(trial, verdict); ++again)
      verdict = torture::run(trial, place);
    if (const auto* const gap = known_gap(trial, verdict))
      verdict.kind = Verdict::known, ++tally.gaps[static_cast<std::size_t>(gap - known_gaps.data())];
    else if (!verdict.has_failed && verdict.kind < Verdict::known)
      verdict.kind = Verdict::uncalled;
    ++tally.ended[what_fails(trial.fault)][verdict.kind];
    if ((verdict.kind >= Verdict::slow && ++shown <= 20) || trial.fault.is_shown)
      fmt::print("{}: torture {}: {}\n", endings[verdict.kind], trial.options(), verdict.about);
    std::fflush(stdout);
  }
  return tally;
}

/// Runs a function in a process of its own.
/// @returns  where its tally can be read.
template <class Work>
int start_job(const Work& work) {
  int ends[2];
  if (::pipe(ends) != 0) throw std::runtime_error("there is no pipe");
  if (::fork() == 0) {
    const Tally tally = work();
    ::_exit(::write(ends[1], &tally, sizeof tally) == sizeof tally ? 0 : 1);
  }
  ::close(ends[1]);
  return ends[0];
}

template <std::size_t size>
void add(std::array<std::size_t, size>& sum, const std::array<std::size_t, size>& more) {
  std::transform(sum.begin(), sum.end(), more.begin(), sum.begin(), std::plus<>());
}

void print(const Tally& tally) {
  fmt::print("{:<18}{:>8}", "", "runs");
  for (std::size_t ending = Verdict::value; ending < endings.size(); ++ending) fmt::print("{:>8}", endings[ending]);
  std::size_t uncalled = 0;
  std::size_t known = 0;
  for (std::size_t what = 0; what < what_count; ++what) {
    const auto& ended = tally.ended[what];
    const auto* const first = ended.begin() + Verdict::value;
    fmt::print("\n{:<18}{:>8}", names[what], std::accumulate(first, ended.end(), std::size_t{0}));
    std::for_each(first, ended.end(), [](std::size_t count) { fmt::print("{:>8}", count); });
    uncalled += ended[Verdict::uncalled];
    known += ended[Verdict::known];
  }
  fmt::print("\nnot among the runs: {} in which the call that was to fail was not made\nknown:\n", uncalled);
  fmt::print("{:>8} a library below noun crashed after a call of its own failed\n",
             known - std::accumulate(tally.gaps.begin(), tally.gaps.end(), std::size_t{0}));
  for (std::size_t gap = 0; gap < known_gaps.size(); ++gap)
    fmt::print("{:>8} {}: {}\n", tally.gaps[gap], known_gaps[gap].step, known_gaps[gap].reason);
}

/// Returns whether nothing is wrong.
bool run(const Settings& settings) {
  noun_test::Certificates certificates;
  certificates.make("torture");
  const noun_test::TemporaryFolder folder;
  std::deque<torture::Server> servers;
  for (std::size_t job = 0; job < settings.jobs; ++job) servers.emplace_back(certificates);
  const auto place_of = [&](const torture::Server& server) {
    return torture::Stage::Place{server.url(), server.tls_url(), certificates.path("torture.pem"), folder.path("")};
  };
  torture::warm_up(place_of(servers[0]));
  const auto trials = all_trials(settings, place_of(servers[0]));
  fmt::print("{} trials, each {} of them\n", trials.size(), settings.every);
  std::fflush(stdout);
  std::vector<int> jobs;
  for (std::size_t job = 0; job < settings.jobs; ++job)
    jobs.push_back(start_job([&] {
      return run_some(trials, job * settings.every, settings.jobs * settings.every, place_of(servers[job]));
    }));
  Tally sum{};
  for (const int job : jobs) {
    Tally tally{};
    if (::read(job, &tally, sizeof tally) != sizeof tally) throw std::runtime_error("a job has no result");
    for (std::size_t what = 0; what < what_count; ++what) add(sum.ended[what], tally.ended[what]);
    add(sum.gaps, tally.gaps);
  }
  print(sum);
  return std::all_of(sum.ended.begin(), sum.ended.end(), [](const auto& ended) {
    return std::all_of(ended.begin() + Verdict::slow, ended.end(), [](std::size_t count) { return count == 0; });
  });
}

}  // namespace

int main(int argc, char** argv) try {
  const std::vector<std::string_view> words(argv + 1, argv + argc);
  if (words == std::vector<std::string_view>{"--help"}) return fmt::print("{}", usage), 0;
  Settings settings;
  soak::read_options(words, usage, [&](auto name, auto value) { return set(settings, name, value); });
  if (settings.jobs == 0 || settings.every == 0) throw std::runtime_error("--jobs and --every are at least 1");
  return run(settings) ? 0 : 1;
} catch (const std::exception& failure) {
  return fmt::print(stderr, "{}\n", failure.what()), 1;
}
