#pragma once
/// @file
/// A condition variable whose waits end when stop is requested, too.

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>

#include <noun/stop.hpp>
#include <noun/time.hpp>

namespace noun { inline namespace v0 {

/// std::condition_variable_any can do this only where there is a std::stop_token.
class StoppableCondition {
 public:
  void notify_one() noexcept {
    const std::lock_guard lock(mutex_);
    condition_.notify_one();
  }
  void notify_all() noexcept {
    const std::lock_guard lock(mutex_);
    condition_.notify_all();
  }

  /// Waits until `ready` is true, until stop is requested or until that time. Returns what `ready` returns then.
  template <class Ready>
  bool wait_until(std::unique_lock<std::mutex>& lock, const StopToken& stop, Instant until, Ready ready) {
    const auto wake = [this] { notify_all(); };
    const StopCallback<decltype(wake)&> on_stop(stop, wake);
    while (!ready()) {
      // A stop request after this check waits for the mutex, and so notifies a waiter.
      std::unique_lock waiting(mutex_);
      if (stop.stop_requested() || std::chrono::steady_clock::now() >= until) return false;
      lock.unlock();
      // The standard library may add to a time, and where it has 32 bits for the seconds, take one beyond them for past.
      condition_.wait_until(waiting, std::min(until, std::chrono::steady_clock::now() + std::chrono::hours(1)));
      // Never locked while the other is: who notifies may hold the other.
      waiting.unlock();
      lock.lock();
    }
    return true;
  }

 private:
  // A stop request must not wait for the caller's mutex, which the destructor of its callback may hold.
  std::mutex mutex_;
  std::condition_variable condition_;
};

}}  // namespace noun
