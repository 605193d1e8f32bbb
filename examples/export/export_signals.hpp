#pragma once
// Ctrl-C and SIGTERM as a stop token.

#include <atomic>
#include <stop_token>
#include <thread>

namespace noun_export {

/// Made before any other thread is, which then does not see the signals; one at a time in a process.
class Signals {
 public:
  Signals();
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  /// Stops at the first signal; the second one ends the process, at once.
  std::stop_token stop() const { return stop_.get_token(); }
  /// The first signal; 0 before.
  int caught() const { return caught_; }

 private:
  void wait();

  std::stop_source stop_;
  std::atomic<int> caught_ = 0;
  std::atomic<bool> over_ = false;
  std::jthread waiter_;
};

}  // namespace noun_export
