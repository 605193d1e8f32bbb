// Reads, creates and changes items in the background, in a process that is killed at random moments and started again,
// under faults and a quota, and compares what each call reported with what the server did.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <random>
#include <ranges>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <atlas_service.hpp>
#include <noun/noun.hpp>

#include "delivery_count.hpp"
#include "language_folder.hpp"
#include "server_settings.hpp"

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

/// Items that exist from the start.
constexpr std::size_t known_items = 1000;
constexpr std::size_t in_flight = 32;

struct Settings {
  std::size_t calls = 1'000'000;
  std::size_t kills = 20;
  bool is_quick = false;
  soak::ServerSettings server = {.faults = 0.01, .limit = 5000, .period = 500ms};
};

std::string usage() {
  return R"(usage: killed_calls [--quick] [--name value]...

Makes calls, a third of them each GET, POST and PATCH, in a process that is killed (SIGKILL) at random moments and
started again, and compares what each reported with what the sample server did. The status is 1 if a result is wrong,
if a POST was applied again, if other writes were applied than reported, or if the server rejected a request; and
also if it met no fault or fewer kills: then the run is not conclusive.

  --calls N          (1000000)
  --kills N          (20)
)" + soak::server_usage(Settings().server) +
         "  --quick            6000 calls and 4 kills\n";
}

bool set(Settings& settings, std::string_view name, std::string_view value) {
  if (name == "--quick") {
    settings = {.calls = 6000, .kills = 4, .is_quick = true, .server = {.faults = 0.05, .limit = 300, .period = 100ms}};
    return true;
  }
  if (name == "--calls") return soak::set_number(settings.calls, value), true;
  if (name == "--kills") return soak::set_number(settings.kills, value), true;
  return soak::set(settings.server, name, value);
}

enum class Verb { get, post, patch };
Verb verb_of(std::size_t call) { return static_cast<Verb>(call % 3); }

/// What a call reported, as one letter.
enum class Reported : char {
  nothing = '-',  ///< the process was killed before
  success = 's',
  not_sent = 'n',
  maybe = 'm',
  refused = 'r',
  applied = 'a',  ///< the response was cut, and had the status of a success
  wrong = 'w',    ///< a success with another item
};

std::string created_id(std::size_t call) { return fmt::format("c{}", call); }
std::string read_id(std::size_t call) { return soak::id_of(call % known_items); }

noun::Request request_of(std::size_t call) {
  const auto body = [](noun::Json json) { return noun::body::bytes(json.dump(), "application/json"); };
  switch (verb_of(call)) {
    case Verb::get: return {.method = noun::Method::get, .path = "languages/" + read_id(call)};
    case Verb::post:
      return {.method = noun::Method::post, .path = "languages", .body = body({{"alpha_3", created_id(call)}})};
    default:
      return {.method = noun::Method::patch, .path = "languages/" + read_id(call), .body = body({{"scope", "I"}})};
  }
}

Reported reported(std::size_t call, const noun::Result<noun::Response>& result) {
  if (result) {
    const auto id = verb_of(call) == Verb::post ? created_id(call) : read_id(call);
    const auto item = noun::Json::parse(result->body, nullptr, false);
    return item.is_object() && item.value("alpha_3", "") == id ? Reported::success : Reported::wrong;
  }
  switch (result.error().sent()) {
    case noun::Sent::no: return Reported::not_sent;
    case noun::Sent::maybe: return Reported::maybe;
    default: return result.error().status() < 300 ? Reported::applied : Reported::refused;
  }
}

/// The process that is killed: makes the calls from `first` on, and appends a line to the file for each.
int work(const std::string& base_url, const std::string& file, std::size_t first, std::size_t end) {
  std::FILE* const lines = std::fopen(file.c_str(), "a");
  if (lines == nullptr) throw std::runtime_error("cannot write " + file);
  // After a fault, the results of the calls behind it wait too.
  const noun::Client api(base_url, {.retry = {.initial_backoff = 1ms}});
  auto operations = std::views::iota(first, end) |
                    std::views::transform([&api](std::size_t call) { return noun::op::send(api, request_of(call)); });
  std::size_t call = first;
  for (const auto& result : api.run_all(operations, {.in_flight = in_flight})) {
    fmt::print(lines, "{} {}\n", call, static_cast<char>(reported(call, result)));
    std::fflush(lines);
    ++call;
  }
  return 0;
}

class KilledCalls {
 public:
  KilledCalls(const Settings& settings, const atlas::Service& service, std::string file)
      : settings_(settings), service_(service), file_(std::move(file)), chance_(settings.server.seed) {}

  void run() {
    std::uniform_int_distribution<std::size_t> any(settings_.calls / 10, settings_.calls * 8 / 10);
    std::vector<std::size_t> moments(settings_.kills);
    for (auto& moment : moments) moment = any(chance_);
    std::sort(moments.begin(), moments.end());
    for (const auto moment : moments) run_until(moment);
    run_until(settings_.calls);
    reports_.resize(std::max(ended(), settings_.calls), Reported::nothing);
  }
  std::size_t killed() const { return killed_; }
  const std::vector<Reported>& reports() const { return reports_; }

 private:
  /// Starts a process, and kills it when so many calls have ended.
  void run_until(std::size_t calls) {
    const auto first = ended();
    if (first >= settings_.calls) return;
    const pid_t child = ::fork();
    if (child == 0) {
      const std::array words = {std::string("killed_calls"), std::string("--worker"),        service_.base_url(), file_,
                                std::to_string(first),       std::to_string(settings_.calls)};
      std::vector<char*> arguments;
      for (const auto& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
      arguments.push_back(nullptr);
      ::execv("/proc/self/exe", arguments.data());
      ::_exit(127);
    }
    int status = 0;
    while (::waitpid(child, &status, WNOHANG) == 0) {
      if (calls < settings_.calls && ended() >= calls) ::kill(child, SIGKILL);
      ::usleep(2000);
    }
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) {
      ++killed_;
      let_arrive();
      // What was in flight is not repeated: it may have been applied.
      reports_.resize(std::max(ended(), first) + in_flight, Reported::nothing);
    } else if (status != 0) {
      throw std::runtime_error(fmt::format("the process that makes the calls ended with {}", status));
    }
  }

  /// Waits until the server has counted what was in flight: the next process would not know of it.
  void let_arrive() const {
    for (std::uint64_t before = 0, now = service_.stats().requests; before != now;) {
      before = now;
      std::this_thread::sleep_for(2 * settings_.server.period);
      now = service_.stats().requests;
    }
  }

  /// Reads what was appended to the file.
  /// @returns  the number of the first call that has not ended.
  std::size_t ended() {
    std::ifstream lines(file_);
    lines.seekg(read_);
    for (std::string line; std::getline(lines, line) && !lines.eof();
         read_ += static_cast<std::streamoff>(line.size() + 1)) {
      std::size_t call = 0;
      std::from_chars(line.data(), line.data() + line.size(), call);
      reports_.resize(std::max(reports_.size(), call), Reported::nothing);
      reports_.push_back(static_cast<Reported>(line.back()));
    }
    return reports_.size();
  }

  const Settings& settings_;
  const atlas::Service& service_;
  const std::string file_;
  std::minstd_rand chance_;
  std::streamoff read_ = 0;
  std::vector<Reported> reports_;
  std::size_t killed_ = 0;
};

/// Whether each item that a POST may have created exists.
std::vector<bool> created(const atlas::Service& service, std::size_t calls) {
  std::vector<bool> exists(calls);
  const noun::Client api(service.base_url());
  for (const auto& item : api.collection("languages").list({.page_size = 100, .prefetch = 4})) {
    const auto id = item.value().value("alpha_3", "");
    std::size_t call = calls;
    if (id.starts_with('c')) std::from_chars(id.data() + 1, id.data() + id.size(), call);
    if (call < calls) exists[call] = true;
  }
  return exists;
}

bool is_wrong(Verb verb, Reported report, bool exists) {
  switch (report) {
    case Reported::nothing: return false;
    case Reported::wrong: return true;
    case Reported::maybe: return verb == Verb::get;
    case Reported::not_sent:
    case Reported::refused: return verb == Verb::get || (verb == Verb::post && exists);
    default: return verb == Verb::post && !exists;
  }
}

std::vector<std::string> problems_of(const Settings& settings, const KilledCalls& calls,
                                     const atlas::Service& service) {
  std::vector<std::string> problems;
  const auto before = service.stats();
  const auto exists = created(service, settings.calls);
  std::array<std::array<std::size_t, 256>, 3> counts = {};
  for (std::size_t call = 0; call < calls.reports().size(); ++call) {
    const auto report = calls.reports()[call];
    const auto verb = verb_of(call);
    ++counts[static_cast<std::size_t>(verb)][static_cast<unsigned char>(report)];
    if (is_wrong(verb, report, exists[call]) && problems.size() < 10)
      problems.push_back(fmt::format("call {} reported {}", call, static_cast<char>(report)));
  }
  std::size_t least = 0;
  std::size_t most = 0;
  for (std::size_t verb = 0; verb < counts.size(); ++verb) {
    const auto of = [&](Reported report) { return counts[verb][static_cast<unsigned char>(report)]; };
    fmt::print(
        "{:<5} {:>8} succeeded, {} not sent, {} may have been applied, {} refused, {} applied with a cut response, {} "
        "unknown after a kill\n",
        std::array{"GET", "POST", "PATCH"}[verb], of(Reported::success), of(Reported::not_sent), of(Reported::maybe),
        of(Reported::refused), of(Reported::applied), of(Reported::nothing));
    if (static_cast<Verb>(verb) == Verb::get) continue;
    least += of(Reported::success) + of(Reported::applied);
    most += of(Reported::maybe) + of(Reported::nothing);
  }
  const auto faults = before.dropped + before.unavailable + before.truncated;
  most += least;
  fmt::print("{} requests, {} faults, {} rejected; {} writes applied, {} to {} reported\n", before.requests, faults,
             before.rejected, before.applied_writes, least, most);
  if (before.applied_writes < least || before.applied_writes > most)
    problems.emplace_back("a write was lost or applied again");
  if (before.rejected > 0) problems.emplace_back("requests were rejected");
  if (faults == 0) problems.emplace_back("no fault: the run is not conclusive");
  if (calls.killed() < settings.kills) problems.emplace_back("too few kills: the run is not conclusive");
  return problems;
}

int run(const Settings& settings) {
  const soak::LanguageFolder data(known_items);
  const atlas::Service service(soak::server_options(settings.server, data.path()));
  const auto begin = Clock::now();
  KilledCalls calls(settings, service, data.path() + "/calls");
  calls.run();
  fmt::print("{} calls in {:.0f} s, killed {} times\n", settings.calls,
             std::chrono::duration<double>(Clock::now() - begin).count(), calls.killed());
  const auto problems = problems_of(settings, calls, service);
  for (const auto& problem : problems) fmt::print("{}\n", problem);
  return problems.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) try {
  const std::vector<std::string_view> words(argv + 1, argv + argc);
  if (words == std::vector<std::string_view>{"--help"}) return fmt::print("{}", usage()), 0;
  if (words.size() == 5 && words[0] == "--worker") {
    std::size_t first = 0;
    std::size_t end = 0;
    soak::set_number(first, words[3]);
    soak::set_number(end, words[4]);
    return work(std::string(words[1]), std::string(words[2]), first, end);
  }
  Settings settings;
  soak::read_options(words, usage(), [&](auto name, auto value) { return set(settings, name, value); });
  return run(settings);
} catch (const std::exception& failure) {
  return fmt::print(stderr, "{}\n", failure.what()), 1;
}
