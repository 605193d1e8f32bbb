#pragma once
// Counts the calls of this process that change files, and makes them fail.

#include <cstddef>
#include <string>
#include <vector>

namespace export_test {

/// Calls are counted from 1; 0 is no call.
struct Watch {
  std::size_t end_at = 0;   ///< this call and all after it do nothing, as if the process had been killed
  bool half = false;        ///< if that call is a write, half of the data is written
  bool power_lost = false;  ///< data that was not synchronized is replaced by zeros
  std::size_t fail_at = 0;
  int error = 0;                                    ///< errno of the call `fail_at`
  std::size_t most = static_cast<std::size_t>(-1);  ///< maximum bytes of one write
  bool interrupts = false;                          ///< every second interruptible call fails with EINTR
};

/// During its lifetime, calls follow `watch`, and nothing waits for the disk. Only one may exist at a time.
class WatchedCalls {
 public:
  explicit WatchedCalls(const Watch& watch);
  WatchedCalls(const WatchedCalls&) = delete;
  WatchedCalls& operator=(const WatchedCalls&) = delete;
  ~WatchedCalls();

  /// The calls in order, for example `write big.jsonl.part`.
  static const std::vector<std::string>& calls();
  /// Whether there was a call at `end_at`.
  static bool has_ended();
};

}  // namespace export_test
