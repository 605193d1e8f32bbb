// What operations that are started cost, and what they cost each other. Run by tests/benchmark/async_cost.
//
//   async_cost latency           small calls beside a completion that sleeps, and beside a large body
//   async_cost cancel            from stop() to the completion
//   async_cost waiting           10,000 calls that wait for the quota
//   async_cost start|run_all N   prints the number of heap allocations of N operations, without a network
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <noun/noun.hpp>
#include <noun/start.hpp>

#include "benchmark/allocations.hpp"
#include "curl/raw_server.hpp"

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::duration<double, std::milli>;
using noun_test::RawServer;

constexpr auto patience = 60s;

/// Functions that one thread runs. It keeps its memory.
class Queue {
 public:
  noun::Executor executor() {
    return [this](std::function<void()> function) {
      const std::lock_guard lock(mutex_);
      posted_.push_back(std::move(function));
      changed_.notify_one();
    };
  }
  /// Waits until functions were posted, and runs them.
  void run_some() {
    {
      std::unique_lock lock(mutex_);
      if (!changed_.wait_for(lock, patience, [this] { return !posted_.empty(); }))
        throw std::runtime_error("nothing completes");
      std::swap(posted_, taken_);
    }
    for (auto& function : taken_) std::exchange(function, nullptr)();
    taken_.clear();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::function<void()>> posted_;
  std::vector<std::function<void()>> taken_;
};

/// A thread that runs functions.
class Worker {
 public:
  Worker() : thread_([this] { while (!closed_) queue_.run_some(); }) {}
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker() {
    queue_.executor()([this] { closed_ = true; });
    thread_.join();
  }
  noun::Executor executor() { return queue_.executor(); }

 private:
  Queue queue_;
  bool closed_ = false;
  std::thread thread_;
};

/// Sorted durations.
class Distribution {
 public:
  explicit Distribution(std::vector<Milliseconds> all) : all_(std::move(all)) { std::sort(all_.begin(), all_.end()); }
  double at(double share) const {
    const auto before = static_cast<std::size_t>(share * static_cast<double>(all_.size()));
    return all_.at(std::min(before, all_.size() - 1)).count();
  }
  void print(std::string_view name) const {
    fmt::print("{:<34}{:>7}{:>9.2f}{:>9.2f}{:>9.2f}{:>9.2f}\n", name, all_.size(), at(0.5), at(0.9), at(0.99), at(1));
  }
  static void print_heading(std::string_view name) {
    fmt::print("{:<34}{:>7}{:>9}{:>9}{:>9}{:>9}\n", name, "calls", "50 %", "90 %", "99 %", "max");
  }

 private:
  std::vector<Milliseconds> all_;
};

/// 50 MB: an array of small objects.
std::string large_body() {
  constexpr std::size_t size = 50'000'000;
  std::string body = "[";
  while (body.size() < size) body += R"({"name": "a language", "speakers": 1234567, "living": true}, )";
  return body + "0]";
}

/// One small call after the other while `condition` holds, from start() until it completes on an executor of its own.
template <class Condition>
Distribution small_calls(const noun::Client& api, Condition condition) {
  std::atomic<bool> ended = false;
  Milliseconds took{};
  Worker own;
  const auto small = noun::op::get(api.collection<int>("numbers")[1]);
  std::vector<Milliseconds> all;
  while (condition()) {
    ended = false;
    const auto begin = Clock::now();
    noun::start(small, own.executor(), [&](const noun::Result<int>& result) {
      if (!result) std::abort();
      took = Clock::now() - begin;
      ended = true;
      ended.notify_one();
    });
    ended.wait(false);
    all.push_back(took);
    std::this_thread::sleep_for(1ms);
  }
  return Distribution(std::move(all));
}

auto until(Clock::time_point end) {
  return [end] { return Clock::now() < end; };
}

/// Times at the 99th percentile, which one pause of the machine does not change.
bool measure_latency() {
  const auto body = std::make_shared<const std::string>(noun_test::http_response(large_body()));
  RawServer server([body](RawServer::Peer& peer) {
    while (const auto request = peer.request())
      if (!peer.send(request->starts_with("GET /large") ? *body : noun_test::http_response("7"))) return;
  });
  const noun::Client api(server.url(""), {.limits = {.json_values = 10'000'000}});
  Worker busy;
  small_calls(api, until(Clock::now() + 200ms));
  const auto alone = small_calls(api, until(Clock::now() + 2s));

  std::atomic<bool> sleeps = false;
  std::atomic<bool> slept = false;
  noun::start(noun::op::get(api.collection<int>("numbers")[2]), busy.executor(), [&](const noun::Result<int>&) {
    sleeps = true;
    std::this_thread::sleep_for(1s);
    slept = true;
  });
  while (!sleeps) std::this_thread::yield();
  const auto beside_sleep = small_calls(api, [&] { return !slept; });

  // The transfer itself, without decoding; then all of it.
  const auto beside_large = [&](auto operation) {
    std::atomic<bool> ended = false;
    noun::start(operation, busy.executor(), [&](const auto& result) {
      if (!result) std::abort();
      ended = true;
    });
    return small_calls(api, [&] { return !ended; });
  };
  const auto beside_bytes = beside_large(noun::op::send(api, {.path = "large"}));
  const auto beside_decoding = beside_large(noun::op::get(api.singleton("large")));

  Distribution::print_heading("latency of small calls, ms");
  alone.print("alone");
  beside_sleep.print("a completion sleeps 1 s");
  beside_bytes.print("50 MB are received");
  beside_decoding.print("50 MB are received and decoded");
  const auto more = std::max(beside_sleep.at(0.99), beside_decoding.at(0.99)) - alone.at(0.99);
  fmt::print("99 %: {:+.2f} ms (bar +5)\n\n", more);
  return more <= 5;
}

/// Requests that got no response and calls that wait for the quota, each stopped alone.
bool measure_cancel() {
  constexpr std::size_t count = 1000;
  std::atomic<std::size_t> held = 0;
  std::vector<std::atomic<Clock::rep>> ended(count);
  RawServer server([&](RawServer::Peer& peer) {
    while (const auto request = peer.request()) {
      if (request->starts_with("GET /limited")) {
        peer.send(noun_test::http_response("", "Retry-After: 3600\r\n", "429 Too Many Requests"));
        continue;
      }
      ++held;
      peer.until_closed();
    }
  });
  Worker own;
  const auto stopped = [](const noun::Started& call, const std::atomic<Clock::rep>& end) {
    const auto begin = Clock::now();
    call.stop();
    end.wait(0);
    return Milliseconds(Clock::duration(end.load()) - begin.time_since_epoch());
  };
  const auto start = [&](const noun::Operation<int>& operation, std::atomic<Clock::rep>& end) {
    return noun::start(operation, own.executor(), [&](const noun::Result<int>& result) {
      if (result || result.error().code() != noun::Errc::cancelled) std::abort();
      end = Clock::now().time_since_epoch().count();
      end.notify_one();
    });
  };

  std::vector<Milliseconds> in_flight;
  {
    const noun::Client api(server.url(""));
    const auto operation = noun::op::get(api.collection<int>("numbers")[1]);
    for (std::size_t i = 0; i < count; ++i) {
      const auto call = start(operation, ended[i]);
      while (held <= i) std::this_thread::sleep_for(100us);
      in_flight.push_back(stopped(call, ended[i]));
    }
  }

  std::vector<Milliseconds> waiting;
  {
    const noun::Client api(server.url(""));
    const auto operation = noun::op::get(api.collection<int>("limited")[1]);
    std::vector<noun::Started> calls;
    for (auto& end : ended) end = 0, calls.push_back(start(operation, end));
    while (api.quota_snapshot().held < count - 1) std::this_thread::sleep_for(1ms);
    for (std::size_t i = 0; i < count; ++i) waiting.push_back(stopped(calls[i], ended[i]));
  }

  Distribution::print_heading("from stop() to the completion, ms");
  const Distribution without_response(std::move(in_flight));
  const Distribution for_quota(std::move(waiting));
  without_response.print("without a response");
  for_quota.print("waiting for the quota");
  const auto most = std::max(without_response.at(1), for_quota.at(1));
  fmt::print("max {:.2f} ms (bar 50)\n\n", most);
  return most <= 50;
}

std::size_t status_number(std::string_view name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(name)) return std::strtoull(line.c_str() + name.size(), nullptr, 10);
  throw std::runtime_error("/proc/self/status is not as expected");
}

double processor_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// 10,000 calls on one thread of noun.
bool measure_waiting() {
  constexpr std::size_t count = 10'000;
  constexpr double seconds = 5;
  RawServer server([](RawServer::Peer& peer) {
    while (peer.request()) peer.send(noun_test::http_response("", "Retry-After: 3600\r\n", "429 Too Many Requests"));
  });
  Queue queue;
  const noun::Client api(server.url(""));
  const auto operation = noun::op::get(api.collection<int>("limited")[1]);
  std::size_t ended = 0;
  std::vector<noun::Started> calls;
  calls.reserve(count);
  const auto start = [&] {
    calls.push_back(noun::start(operation, queue.executor(), [&](const noun::Result<int>&) { ++ended; }));
  };
  start();
  while (api.quota_snapshot().rejected == 0) std::this_thread::sleep_for(1ms);
  const auto threads_before = status_number("Threads:");
  const auto before = status_number("VmRSS:");
  const auto begin = Clock::now();
  while (calls.size() < count) start();
  // The first call waits because of its own rejection.
  while (api.quota_snapshot().held < count - 1) std::this_thread::sleep_for(1ms);
  const Milliseconds starting = Clock::now() - begin;
  const auto memory = status_number("VmRSS:") - before;

  const auto processor = processor_seconds();
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  const auto share = (processor_seconds() - processor) / seconds;
  const auto threads = status_number("Threads:");

  const auto stopping = Clock::now();
  for (const auto& call : calls) call.stop();
  while (ended < count) queue.run_some();
  const Milliseconds stopped = Clock::now() - stopping;
  fmt::print("{} calls wait: {:.4f} processor seconds a second (bar 0.01), {:.1f} KiB a call\n", count, share,
             static_cast<double>(memory) / count);
  fmt::print("  {} threads, {} with the first call; started in {:.0f} ms, all cancelled in {:.0f} ms\n\n", threads,
             threads_before, starting.count(), stopped.count());
  return share <= 0.01;
}

/// Responds at once.
class InstantTransport final : public noun::Transport {
 public:
  noun::Result<noun::Response> send(const noun::Attempt&, const noun::StopToken&) override { return response(); }
  std::unique_ptr<noun::Multiplexer> multiplexer() override { return std::make_unique<Instant>(); }

 private:
  static noun::Response response() { return {.status = 200, .body = "7"}; }

  class Instant final : public noun::Multiplexer {
   public:
    void start(Id id, const noun::Attempt&) override { ended_.push_back({id, response()}); }
    void cancel(Id) override {}
    std::vector<Ended> wait(noun::Duration at_most) override {
      std::unique_lock lock(mutex_);
      const auto has_news = [this] { return woken_ || !ended_.empty(); };
      changed_.wait_for(lock, std::min<noun::Duration>(at_most, 1h), has_news);
      woken_ = false;
      return std::exchange(ended_, {});
    }
    void wake() noexcept override {
      const std::lock_guard lock(mutex_);
      woken_ = true;
      changed_.notify_one();
    }

   private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool woken_ = false;
    std::vector<Ended> ended_;
  };
};

constexpr std::size_t at_once = 16;

/// The same operations, as many at once, each decoded on this thread.
void run(std::string_view way, std::size_t count) {
  const noun::Client api("https://api.example.com", {.transport = std::make_shared<InstantTransport>()});
  const auto numbers = api.collection<int>("numbers");
  const std::vector operations(count, noun::op::get(numbers[1]));
  std::size_t ended = 0;
  if (way == "run_all") {
    for (const auto& result : api.run_all(operations, {.in_flight = at_once})) ended += result ? 1 : 0;
  } else {
    Queue queue;
    const auto executor = queue.executor();
    std::size_t started = 0;
    const std::function<void()> start_next = [&] {
      if (started < count)
        noun::start(operations[started++], executor, [&](const noun::Result<int>& result) {
          ended += result ? 1 : 0;
          start_next();
        });
    };
    while (started < std::min(at_once, count)) start_next();
    while (ended < count) queue.run_some();
  }
  if (ended != count) throw std::runtime_error("an operation failed");
}

}  // namespace

int main(int argc, char** argv) try {
  const std::string_view part = argc > 1 ? argv[1] : "";
  if (argc == 2 && part == "latency") return measure_latency() ? 0 : 1;
  if (argc == 2 && part == "cancel") return measure_cancel() ? 0 : 1;
  if (argc == 2 && part == "waiting") return measure_waiting() ? 0 : 1;
  if (argc != 3 || (part != "start" && part != "run_all"))
    return std::fputs("usage: async_cost latency|cancel|waiting, or start|run_all COUNT\n", stderr), 2;
  run(part, std::strtoull(argv[2], nullptr, 10));
  std::printf("%zu\n", noun_benchmark::allocations());
} catch (const std::exception& failure) {
  return std::fprintf(stderr, "%s\n", failure.what()), 1;
}
