#include "torture/torture_trial.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <exception>
#include <filesystem>
#include <new>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <thread>

#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/crypto.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "curl/raw_server.hpp"
#include "joining_thread.hpp"

namespace torture {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using noun::Json;

constexpr auto time_limit = 8s;

int entries_of(const char* folder) {
  int count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder)) ++count;
  return count;
}

Growth in_use() {
  // What OpenSSL keeps for a thread, such as its errors.
  OPENSSL_thread_stop();
  return {
      .blocks = blocks_in_use(), .descriptors = entries_of("/proc/self/fd"), .threads = entries_of("/proc/self/task")};
}

/// A thread that libcurl has detached ends when it likes: waits until there are as many as usual.
Growth growth_since(const Growth& before, const std::optional<Growth>& usual) {
  auto now = in_use();
  for (const auto until = Clock::now() + (usual ? 1s : 10ms);
       (!usual || now.threads - before.threads > usual->threads) && Clock::now() < until; now = in_use())
    std::this_thread::sleep_for(1ms);
  return {now.blocks - before.blocks, now.descriptors - before.descriptors, now.threads - before.threads};
}

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

/// What a step did that is not an error: the lies, and how it ended.
struct Run {
  std::string lies;
  Verdict::Kind kind = Verdict::value;
  bool has_failed = false;
  double seconds = 0;
};

/// Whether a step may throw what the documentation of noun::start() says.
bool starts_without_executor(const Step& step) { return step.name == "future" || step.name == "stop"; }

/// The part of the URL and of the folder is this run's own.
Run run_step(const Step& step, Stage::Place place, const std::string& part, const Fault* fault) {
  place.url += "/" + part;
  place.tls_url += "/" + part;
  place.folder += "/" + part;
  std::filesystem::create_directory(place.folder);
  Run run;
  Stage stage(place, fault == nullptr);
  const auto begin = Clock::now();
  if (fault != nullptr) start_failing(*fault);
  try {
    step.run(stage);
  } catch (const Ended&) {
  } catch (const std::bad_alloc&) {
    run.kind = Verdict::exception;
    const Unharmed own;
    stage.is_true(fault != nullptr && fault->function == 0, step.name, "ran out of memory");
  } catch (const std::system_error& thrown) {
    run.kind = Verdict::exception;
    const Unharmed own;
    stage.is_true(fault != nullptr && starts_without_executor(step), step.name, fmt::format("threw {}", thrown.what()));
  } catch (const noun::Exception& thrown) {
    stage.failed("", thrown.error());
  } catch (const std::exception& thrown) {
    run.kind = Verdict::exception;
    const Unharmed own;
    stage.is_true(false, step.name, fmt::format("threw {}", thrown.what()));
  }
  if (fault != nullptr) stop_failing();
  run.has_failed = fault != nullptr && has_failed();
  run.seconds = seconds_since(begin);
  if (run.kind == Verdict::value && stage.has_errors()) run.kind = Verdict::error;
  const auto seen = noun::Client(place.url).singleton<Json>("seen").get();
  if (!seen)
    stage.is_true(false, "the server", "does not say what it has seen: " + seen.error().message());
  else if (seen->is_null())
    stage.is_true(false, "a connection", "stays open");
  else
    stage.compare(seen->get<std::map<std::string, int>>());
  std::filesystem::remove_all(place.folder);
  for (const auto& lie : stage.lies()) run.lies += (run.lies.empty() ? "" : "; ") + lie;
  return run;
}

/// glibc keeps some stacks of threads that have ended, each with a block of memory.
void fill_stacks() {
  noun_test::Gate all;
  std::vector<noun_test::JoiningThread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([&all] { all.wait(); });
  all.open();
}

Json report_of(const Trial& trial, const Stage::Place& place) {
  const auto& step = journey()[trial.step];
  const auto part = std::to_string(::getpid());
  fill_stacks();
  const auto before = in_use();
  auto run = run_step(step, place, part, &trial.fault);
  Json calls = Json::array();
  const auto blocks_of_calls = [&, without = blocks_in_use()] { return blocks_in_use() - without; };
  for (std::size_t i = 0; i < failing_functions().size(); ++i) calls.push_back(calls_of(i));
  const auto own = blocks_of_calls();
  const auto after = run_step(step, place, part + "-again", nullptr);
  if (!after.lies.empty()) run.lies += (run.lies.empty() ? "afterwards: " : "; afterwards: ") + after.lies;
  const auto growth = growth_since(before, trial.usual);
  return {{"kind", run.kind},
          {"has_failed", run.has_failed},
          {"lies", run.lies},
          {"seconds", run.seconds},
          {"calls", calls},
          {"blocks", growth.blocks - own},
          {"descriptors", growth.descriptors},
          {"threads", growth.threads}};
}

/// The status of a child that crashed in a library below noun, after a call that this library made failed.
constexpr int crashed_below = 3;

/// The name of the library, or the program, that an address is in.
std::string_view place_of(const void* address) {
  Dl_info place{};
  return ::dladdr(address, &place) != 0 ? place.dli_fname : "";
}

/// The libraries of C++ are not: they end the program in std::terminate, because of an exception that noun did not catch.
bool is_below_noun(std::string_view place) {
  const auto is = [&](std::string_view name) { return place.find(name) != std::string_view::npos; };
  return is(".so") && !is("/libstdc++.so") && !is("/libc++") && !is("/libnoun");
}

void on_crash(int signal) {
  const Unharmed looking;
  std::array<void*, 32> frames{};
  const auto count = static_cast<std::size_t>(::backtrace(frames.data(), static_cast<int>(frames.size())));
  // The first is this function's, and libc's are between it and what crashed.
  const auto* const crashed = std::find_if(frames.begin() + 1, frames.begin() + count, [](const void* frame) {
    return place_of(frame).find("/libc.so") == std::string_view::npos;
  });
  const auto place = crashed == frames.end() ? "" : place_of(*crashed);
  ::backtrace_symbols_fd(frames.data(), static_cast<int>(count), STDERR_FILENO);
  if (is_below_noun(place) && place == failed_in()) ::_exit(crashed_below);
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

[[noreturn]] void be_the_child(const Trial& trial, const Stage::Place& place, int to, bool is_loud) {
  const int nowhere = is_loud ? -1 : ::open("/dev/null", O_WRONLY);
  if (nowhere >= 0) ::dup2(nowhere, STDERR_FILENO), ::close(nowhere);
  for (const int crash : {SIGSEGV, SIGBUS, SIGFPE, SIGABRT}) ::signal(crash, on_crash);
  const auto text = report_of(trial, place).dump();
  if (::write(to, text.data(), text.size()) < 0) ::_exit(1);
  std::exit(0);
}

/// All that is written until the end; false if it does not come in time.
bool read_all(int from, std::string& all) {
  const auto until = Clock::now() + time_limit;
  for (std::array<char, 4096> bytes;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
    pollfd readable{.fd = from, .events = POLLIN, .revents = 0};
    if (left <= 0 || ::poll(&readable, 1, static_cast<int>(left)) <= 0) return false;
    const auto size = ::read(from, bytes.data(), bytes.size());
    if (size <= 0) return true;
    all.append(bytes.data(), static_cast<std::size_t>(size));
  }
}

Verdict verdict_of(const Trial& trial, const Json& report) {
  Verdict verdict{.kind = report.at("kind").get<Verdict::Kind>(),
                  .has_failed = report.at("has_failed"),
                  .about = report.at("lies"),
                  .seconds = report.at("seconds"),
                  .growth = {report.at("blocks"), report.at("descriptors"), report.at("threads")},
                  .calls = report.at("calls")};
  const auto& [blocks, descriptors, threads] = verdict.growth;
  const auto usual = trial.usual.value_or(verdict.growth);
  if (!verdict.about.empty()) {
    verdict.kind = Verdict::lie;
  } else if (blocks > usual.blocks || descriptors > usual.descriptors || threads > usual.threads) {
    verdict.kind = Verdict::leak;
    verdict.about = fmt::format("{} blocks, {} descriptors, {} threads more", blocks - usual.blocks,
                                descriptors - usual.descriptors, threads - usual.threads);
  } else if (verdict.seconds > 2) {
    verdict.kind = Verdict::slow;
    verdict.about = fmt::format("took {:.1f} s", verdict.seconds);
  }
  return verdict;
}

}  // namespace

std::string Trial::options() const {
  return fmt::format("--step {} --call {} --number {} --error {}{}", journey()[step].name,
                     failing_functions()[fault.function].name, fault.number, fault.error,
                     fault.lasts ? " --lasts 1" : "");
}

Verdict run(const Trial& trial, const Stage::Place& place, bool is_loud) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("there is no pipe");
  const auto child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    be_the_child(trial, place, ends[1], is_loud);
  }
  ::close(ends[1]);
  std::string text;
  const bool ended = read_all(ends[0], text);
  ::close(ends[0]);
  if (!ended) ::kill(child, SIGKILL);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (!ended) return {.kind = Verdict::hang, .about = "does not end"};
  if (WIFSIGNALED(status))
    return {.kind = Verdict::crash, .about = fmt::format("ended by signal {}", WTERMSIG(status))};
  if (WEXITSTATUS(status) == crashed_below) return {.kind = Verdict::known};
  if (WEXITSTATUS(status) != 0 || text.empty()) return {.kind = Verdict::crash, .about = "ended without a report"};
  return verdict_of(trial, Json::parse(text));
}

void warm_up(const Stage::Place& place) {
  // The first stack loads a library.
  std::array<void*, 1> frame{};
  ::backtrace(frame.data(), 1);
  for (const auto& step : journey())
    if (const auto run = run_step(step, place, "warm-up", nullptr); !run.lies.empty())
      throw std::runtime_error(fmt::format("{}: {}", step.name, run.lies));
}

}  // namespace torture
