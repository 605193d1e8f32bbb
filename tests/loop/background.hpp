#pragma once
/// @file
/// Runs calls of the concurrent driver in the background of a test, on the system's clock.

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>

#include <noun/stop.hpp>

#include "loop/call_bench.hpp"
#include "loop/concurrent.hpp"

namespace noun_test {

/// A driver, and the results of its calls by their numbers, from 1.
class Background {
 public:
  explicit Background(std::shared_ptr<noun::Transport> transport = noun::libcurl_transport({}).value())
      : bench_(std::move(transport)) {
    bench_.driver_context.clock = noun::system_clock();
    bench_.call_context.quota.in_flight_unknown = 1000;
    driver_.emplace(bench_.driver_context);
    there_ = &*driver_;
  }

  CallBench& bench() { return bench_; }
  noun::ConcurrentDriver& driver() { return *there_; }
  void end_driver() { driver_.reset(); }

  /// Calls `then` on each such event. Use it before the first call.
  void observe(noun::EventKind kind, std::function<void()> then) {
    bench_.call_context.observed = true;
    bench_.driver_context.observer = [kind, then = std::move(then)](const noun::Event& event) {
      if (event.kind == kind) then();
    };
  }
  std::unique_ptr<noun::CallJob> job(const std::string& url) {
    auto request = bench_.request;
    request.url = url;
    return std::make_unique<noun::CallJob>(bench_.call_context, std::move(request), 1, 7);
  }
  /// Starts a call. Calls `then` when it has ended, before it counts as ended.
  std::size_t start(const std::string& url, noun::StopToken stop = {}, std::function<void()> then = {}) {
    std::size_t number = 0;
    {
      const std::lock_guard lock(mutex_);
      number = ++started_;
    }
    there_->start({.job = job(url),
                   .stop = std::move(stop),
                   .finished = [this, number, then = std::move(then)](noun::Done done, const auto& job) {
                     done.error = job->call().error_of(done);
                     const Ender ender(*this, number, std::move(done));
                     if (then) then();
                   }});
    return number;
  }
  /// Waits until `count` calls have ended.
  void await(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return ended_.size() >= count; });
  }
  /// Runs one call and returns its result.
  noun::Done run(const std::string& url) {
    const auto number = start(url);
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return ended_.contains(number); });
    return ended_.at(number);
  }
  std::map<std::size_t, noun::Done> ended() const {
    const std::lock_guard lock(mutex_);
    return ended_;
  }
  /// The threads on which calls ended.
  std::set<std::thread::id> threads() const {
    const std::lock_guard lock(mutex_);
    return threads_;
  }

 private:
  /// Records the end even if `then` throws.
  struct Ender {
    Ender(Background& to, std::size_t called, noun::Done what) : calls(to), number(called), done(std::move(what)) {}
    ~Ender() {
      const std::lock_guard lock(calls.mutex_);
      EXPECT_TRUE(calls.ended_.emplace(number, done).second) << "ended twice";
      calls.threads_.insert(std::this_thread::get_id());
      calls.changed_.notify_all();
    }
    Background& calls;
    std::size_t number;
    noun::Done done;
  };

  CallBench bench_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t started_ = 0;
  std::map<std::size_t, noun::Done> ended_;
  std::set<std::thread::id> threads_;
  std::optional<noun::ConcurrentDriver> driver_;
  /// Valid while the driver is destroyed, because its calls may still start others.
  noun::ConcurrentDriver* there_ = nullptr;
};

}  // namespace noun_test
