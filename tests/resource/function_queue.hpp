#pragma once
/// @file
/// An executor whose functions the test runs, on its own thread.

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <utility>

#include <noun/options.hpp>
#include <noun/result.hpp>

namespace resource_test {

/// Functions to be run by run_one() or run_until().
class FunctionQueue {
 public:
  /// Posts to this queue, which must outlive it.
  noun::Executor executor() {
    return [this](std::function<void()> function) { post(std::move(function)); };
  }
  void post(std::function<void()> function) {
    const std::lock_guard lock(mutex_);
    functions_.push_back(std::move(function));
    changed_.notify_all();
  }
  /// Waits for a function and runs it.
  void run_one() { take()(); }
  /// Waits for a function and removes it.
  std::function<void()> take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !functions_.empty(); });
    auto function = std::move(functions_.front());
    functions_.pop_front();
    return function;
  }
  template <class Done>
  void run_until(Done done) {
    while (!done()) run_one();
  }
  std::size_t size() {
    const std::lock_guard lock(mutex_);
    return functions_.size();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> functions_;
};

/// A result that is written on one thread and awaited on another.
template <class T>
class Awaited {
 public:
  void set(T value) {
    const std::lock_guard lock(mutex_);
    if (value_) throw std::logic_error("set twice");
    value_.emplace(std::move(value));
    changed_.notify_all();
  }
  bool is_set() {
    const std::lock_guard lock(mutex_);
    return value_.has_value();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return value_.has_value(); });
  }
  T get() {
    wait();
    return *std::move(value_);
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<T> value_;
};

}  // namespace resource_test
