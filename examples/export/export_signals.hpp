#pragma once
// Converts SIGINT and SIGTERM to a stop token.

#include <atomic>
#include <stop_token>
#include <thread>

namespace noun_export {

/// Construct it before any other thread: later threads block the signals. At most one exists in a process.
class Signals {
 public:
  Signals();
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  /// Stop is requested at the first signal; the second one ends the process at once.
  std::stop_token stop() const { return stop_.get_token(); }
  /// The first signal received; 0 if none.
  int caught() const { return caught_; }

 private:
  void wait();

  std::stop_source stop_;
  std::atomic<int> caught_ = 0;
  std::atomic<bool> over_ = false;
  std::jthread waiter_;
};

}  // namespace noun_export
