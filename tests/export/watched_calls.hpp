#pragma once
// The calls by which this process changes files, counted, and made to fail.

#include <cstddef>
#include <string>
#include <vector>

namespace export_test {

/// Calls are counted from 1; 0 is none of them.
struct Watch {
  std::size_t end_at = 0;   ///< this one and all behind it do nothing, as if the process had been killed before
  bool half = false;        ///< but if that one writes, half of it is written
  bool power_lost = false;  ///< and zeros are in place of all that was written and not made durable
  std::size_t fail_at = 0;
  int error = 0;                                    ///< errno of that
  std::size_t most = static_cast<std::size_t>(-1);  ///< bytes that are written at a time
  bool interrupts = false;                          ///< every second call that can be is interrupted by a signal
};

/// While it lives, calls do as the watch says, and nothing waits for the disk. One at a time.
class WatchedCalls {
 public:
  explicit WatchedCalls(const Watch& watch);
  WatchedCalls(const WatchedCalls&) = delete;
  WatchedCalls& operator=(const WatchedCalls&) = delete;
  ~WatchedCalls();

  /// `write big.jsonl.part`, in order.
  static const std::vector<std::string>& calls();
  /// Whether there was a call at `end_at`.
  static bool has_ended();
};

}  // namespace export_test
