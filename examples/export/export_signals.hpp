#pragma once
// Converts SIGINT and SIGTERM to a stop token.

#include <atomic>
#include <thread>

#include <noun/stop.hpp>

namespace noun_export {

/// Construct it before any other thread: later threads block the signals. At most one exists in a process.
class Signals {
 public:
  Signals();
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  /// Stop is requested at the first signal; the second one ends the process at once. A signal that the process ignores
  /// stays ignored.
  noun::StopToken stop() const { return stop_.get_token(); }
  /// The first signal received; 0 if none.
  int caught() const { return caught_; }

 private:
  void wait();

  noun::StopSource stop_;
  std::atomic<int> caught_ = 0;
  std::atomic<bool> over_ = false;
  std::thread waiter_;
};

}  // namespace noun_export
