#pragma once
/// @file
/// A common interface to all drivers, so that one test suite runs on each of them, in virtual time.

#include <condition_variable>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <ostream>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "loop/blocking.hpp"
#include "loop/call_bench.hpp"
#include "loop/workers.hpp"
#include "loop/concurrent.hpp"
#include "loop/played_multiplexer.hpp"
#include "loop/simulation.hpp"

namespace noun_test {

/// The drivers. `concurrent` has a transport that supports send() only, `multiplexed` one with a multiplexer.
/// `executor` is as multiplexed; credentials functions and completions run on another thread.
enum class Driver { blocking, concurrent, multiplexed, executor, simulated };

inline void PrintTo(Driver driver, std::ostream* out) {
  switch (driver) {
    case Driver::blocking: *out << "blocking"; break;
    case Driver::concurrent: *out << "concurrent"; break;
    case Driver::multiplexed: *out << "multiplexed"; break;
    case Driver::executor: *out << "executor"; break;
    case Driver::simulated: *out << "simulated"; break;
  }
}

/// Collects the results of background calls; each call must end once.
class Endings {
 public:
  void add(std::size_t number, noun::Done done) {
    const std::lock_guard lock(mutex_);
    EXPECT_TRUE(ended_.emplace(number, std::move(done)).second) << number;
    changed_.notify_all();
  }
  /// Waits for `count` results and returns them in the order of their numbers.
  std::vector<noun::Done> take(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return ended_.size() >= count; });
    std::vector<noun::Done> taken;
    for (auto& [number, done] : ended_) taken.push_back(std::move(done));
    return taken;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::size_t, noun::Done> ended_;
};

/// Runs calls with a driver. Fill in the bench before the first call.
class DrivenCalls {
 public:
  DrivenCalls(Driver driver, CallBench& bench) : driver_(driver), bench_(bench) {}

  /// The result of one call.
  noun::Done run(noun::StopToken stop = {}) { return run_all(1, std::move(stop)).at(0); }

  /// The results of `count` calls, with as much concurrency as the driver supports.
  std::vector<noun::Done> run_all(std::size_t count, noun::StopToken stop = {}) {
    if (driver_ == Driver::blocking) return run_in_turn(count, stop);
    if (driver_ == Driver::simulated) return simulate(count);
    if (driver_ == Driver::multiplexed || driver_ == Driver::executor)
      bench_.driver_context.transport =
          std::make_shared<MultiplexedTransport>(bench_.driver_context.transport, bench_.clock);
    Endings endings;
    noun::ConcurrentDriver driver(bench_.driver_context);
    for (std::size_t i = 0; i < count; ++i) {
      noun::CallStart start{.job = std::make_unique<noun::CallJob>(bench_.call_context, bench_.request, i + 1, 7),
                            .stop = stop,
                            .finished = [&, i](noun::Done done, const auto& job) {
                              done.error = job->call().error_of(done);
                              endings.add(i, std::move(done));
                            }};
      if (driver_ == Driver::executor) {
        start.run_credentials = noun::post_completion;
        start.finished = [&, i](noun::Done done, std::shared_ptr<noun::CallJob> job) {
          done.error = job->call().error_of(done);
          noun::post_completion([&, i, done, job = std::move(job)] { endings.add(i, done); });
        };
      }
      driver.start(std::move(start));
    }
    return endings.take(count);
  }

 private:
  std::vector<noun::Done> run_in_turn(std::size_t count, const noun::StopToken& stop) {
    std::vector<noun::Done> all;
    for (std::size_t i = 0; i < count; ++i) {
      noun::Call call(bench_.call_context, bench_.request, i + 1, 7);
      all.push_back(run_blocking(call, bench_.driver_context, stop));
      all.back().error = call.error_of(all.back());
    }
    return all;
  }

  std::vector<noun::Done> simulate(std::size_t count) {
    Endings endings;
    noun::Simulation simulation(bench_.driver_context, *bench_.clock, [](std::uint64_t) { return noun::Duration(0); });
    for (std::size_t i = 0; i < count; ++i)
      simulation.start(std::make_unique<noun::CallJob>(bench_.call_context, bench_.request, i + 1, 7),
                       [&, i](noun::Done done) { endings.add(i, std::move(done)); });
    simulation.run();
    return endings.take(count);
  }

  Driver driver_;
  CallBench& bench_;
};

}  // namespace noun_test
