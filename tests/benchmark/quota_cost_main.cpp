// What the quota gate costs. Run by tests/benchmark/quota_cost, which takes slopes between two counts of instructions.
//
//   quota_cost gate COUNT            so many requests of one caller, each acquired and recorded
//   quota_cost lease COUNT           the same, by permits leased from a quota that processes share
//   quota_cost queue COUNT WAITING   so many, while others wait for one of 16 permits
//   quota_cost loop COUNT            so many calls at once on the concurrent driver, 16 of them in flight
//   quota_cost threads THREADS       threads on 16 permits of 5 ms each: the longest call beside a fair one, and context
//                                    switches for each call
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <sys/resource.h>

#include <noun/noun.hpp>
#include <noun/transport.hpp>

#include "joining_thread.hpp"
#include "quota/gate.hpp"

namespace {

using namespace std::chrono_literals;
using noun::Duration;
using noun::Instant;
namespace quota = noun::quota;

noun::Now at(Duration since) { return {Instant(1000s) + since, noun::WallTime(1'700'000'000s) + since}; }

/// A gate that has leased a million permits, and what it has stored.
struct LeasedGate {
  std::shared_ptr<quota::Gate> gate = std::make_shared<quota::Gate>();
  std::string bytes = {};

  /// What the ledger's thread does now and then: it stores what was sent and recorded.
  void swap(noun::Now now) {
    std::int64_t expired = 0;
    bytes = gate->propose(bytes, now, {}, expired).value();
    gate->committed(now);
  }
};

LeasedGate gate_with_lease() {
  constexpr std::int64_t permits = 1'000'000;
  quota::SharedState state;
  auto& partition = state.quota.partitions.front();
  quota::PartitionSending sending;
  std::size_t index = 0;
  partition.acquire(at(0s).steady, {}, {}, sending);
  quota::Report report;
  report.limit = 100'000'000;
  report.remaining = 90'000'001;
  report.reset = noun::wire::ResetReading{.in = 3600s, .at = {}};
  state.quota.record(index, sending, at(0s), report);
  auto& holder = state.join(1);
  holder.until = Instant::max();
  holder.lease_of(0).permits = permits;
  partition.lease(at(0s).steady, permits);
  LeasedGate leased{.bytes = state.write(at(0s), {})};
  leased.gate->share({.id = 1, .lease = 1h});
  leased.gate->observe(leased.bytes, at(0s), {});
  return leased;
}

/// The requests of one caller. Of a run, only what this function does is counted.
class Requests {
 public:
  explicit Requests(std::shared_ptr<quota::Gate> gate) : gate_(std::move(gate)) {}
  [[gnu::noinline]] void send_measured(int count);
  noun::Now now() const { return at(now_); }

 private:
  std::shared_ptr<quota::Gate> gate_;
  std::int64_t left_ = 90'000'000;
  Duration now_ = 0s;
};

void Requests::send_measured(int count) {
  for (int i = 0; i < count; ++i) {
    auto permit = gate_->acquire(now(), {}, {.patient_until = Instant::max(), .route = 7});
    now_ += 1ms;
    quota::Report report;
    report.limit = 100'000'000;
    report.remaining = --left_;
    report.reset = noun::wire::ResetReading{.in = 3600s - now_, .at = {}};
    report.date = std::chrono::floor<std::chrono::seconds>(now().wall);
    gate_->record(std::get<quota::Permit>(std::move(permit)), now(), std::move(report));
  }
}

/// The ledger's thread stores what was sent before it is 512 steps, and forgets it.
void run_lease(int count) {
  constexpr int between_swaps = 250;
  auto leased = gate_with_lease();
  Requests requests(leased.gate);
  for (int sent = 0; sent < count; sent += between_swaps) {
    requests.send_measured(std::min(between_swaps, count - sent));
    leased.swap(requests.now());
  }
}

void run_queue(int count, int waiting) {
  const auto gate = std::make_shared<quota::Gate>();
  Duration now = 0s;
  const auto acquire = [&](quota::Place place = {}) { return gate->acquire(at(now), {}, {}, std::move(place)); };
  gate->record(std::get<quota::Permit>(acquire()), at(now), {});
  std::deque<quota::Permit> permits;
  std::deque<quota::Place> places;
  for (int i = 0; i < 16; ++i) permits.push_back(std::get<quota::Permit>(acquire()));
  for (int i = 0; i < waiting; ++i) places.push_back(std::move(std::get<quota::Hold>(acquire()).place));
  for (int i = 0; i < count; ++i) {
    now += 1ms;
    gate->record(std::move(permits.front()), at(now), {});
    permits.pop_front();
    if (gate->take_woken().size() != 1) throw std::logic_error("not one was woken");
    permits.push_back(std::get<quota::Permit>(acquire(std::move(places.front()))));
    places.pop_front();
    places.push_back(std::move(std::get<quota::Hold>(acquire()).place));
  }
}

noun::Response empty_response() {
  noun::Response response;
  response.status = 200;
  response.body = "{}";
  return response;
}

/// Responds to everything as soon as it is waited for, or after 5 ms to one that sends by itself.
class Echo final : public noun::Transport {
 public:
  noun::Result<noun::Response> send(const noun::Attempt&, const noun::StopToken&) override {
    std::this_thread::sleep_for(5ms);
    return empty_response();
  }
  std::unique_ptr<noun::Multiplexer> multiplexer() override {
    class Lines final : public noun::Multiplexer {
     public:
      void start(Id id, const noun::Attempt&) override { started_.push_back(id); }
      void cancel(Id) override {}
      std::vector<Ended> wait(Duration at_most) override {
        std::unique_lock lock(mutex_);
        if (started_.empty())
          woken_.wait_for(lock, std::min<Duration>(at_most, 1s), [&] { return std::exchange(awake_, false); });
        std::vector<Ended> ended;
        for (const Id id : std::exchange(started_, {})) ended.push_back({id, empty_response()});
        return ended;
      }
      void wake() noexcept override {
        const std::lock_guard lock(mutex_);
        awake_ = true;
        woken_.notify_one();
      }

     private:
      std::vector<Id> started_;
      std::mutex mutex_;
      std::condition_variable woken_;
      bool awake_ = false;
    };
    return std::make_unique<Lines>();
  }
};

void run_loop(std::size_t count) {
  noun::Client api{"https://api.example.com", {.transport = std::make_shared<Echo>()}};
  std::vector<noun::Operation<noun::Json>> operations;
  for (std::size_t i = 0; i < count; ++i) operations.push_back(noun::op::get(api.collection("items")[i]));
  std::size_t done = 0;
  for (auto& outcome : api.run_all(std::move(operations), {.in_flight = count})) done += outcome.has_value() ? 1U : 0U;
  if (done != count) throw std::logic_error("not all were served");
}

void run_threads(int count) {
  constexpr int calls = 20;
  noun::Client api{"https://api.example.com", {.transport = std::make_shared<Echo>()}};
  const auto items = api.collection("items");
  items[0].get().value();
  std::atomic<Duration::rep> longest = 0;
  rusage before{};
  getrusage(RUSAGE_SELF, &before);
  std::vector<noun_test::JoiningThread> threads;
  for (int i = 0; i < count; ++i)
    threads.emplace_back([&] {
      for (int call = 0; call < calls; ++call) {
        const auto began = std::chrono::steady_clock::now();
        items[call].get().value();
        const auto took = Duration(std::chrono::steady_clock::now() - began).count();
        for (auto known = longest.load(); known < took && !longest.compare_exchange_weak(known, took);) continue;
      }
    });
  threads.clear();
  rusage after{};
  getrusage(RUSAGE_SELF, &after);
  const double fair = 5.0 * count / 16;
  const auto switches = after.ru_nvcsw + after.ru_nivcsw - before.ru_nvcsw - before.ru_nivcsw;
  const double worst = std::chrono::duration<double, std::milli>(Duration(longest)).count();
  std::printf(
      "%d threads on 16 permits: longest call %.1f ms, %.2f of a fair one (bar 2); %.1f context switches a call\n",
      count, worst, worst / fair, static_cast<double>(switches) / (count * calls));
  if (worst > 2 * fair) throw std::runtime_error("not fair");
}

}  // namespace

int main(int argc, char** argv) try {
  const std::string_view mode = argc > 2 ? argv[1] : "";
  const int count = argc > 2 ? std::atoi(argv[2]) : 0;
  if (mode == "gate")
    Requests(std::make_shared<quota::Gate>()).send_measured(count);
  else if (mode == "lease")
    run_lease(count);
  else if (mode == "queue" && argc == 4)
    run_queue(count, std::atoi(argv[3]));
  else if (mode == "loop")
    run_loop(static_cast<std::size_t>(count));
  else if (mode == "threads")
    run_threads(count);
  else
    return std::fputs(
               "usage: quota_cost gate COUNT | lease COUNT | queue COUNT WAITING | loop COUNT | threads THREADS\n",
               stderr),
           2;
} catch (const std::exception& failure) {
  return std::fprintf(stderr, "%s\n", failure.what()), 1;
}
