// Processes that share one quota through a store in memory, in virtual time: the gates and synchronizers of the library,
// against a simulated API.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "laboratory/contender.hpp"
#include "laboratory/limit_fields.hpp"
#include "laboratory/simulated_limit.hpp"

namespace laboratory {

/// The processes, their work, their store, and the API.
struct HerdSetup {
  LimitOptions limit = {};
  LimitFieldOptions fields = {};
  std::size_t processes = 4;
  std::size_t in_flight = 1;    ///< calls at a time, of each process
  std::int64_t requests = 400;  ///< of all processes together
  bool uneven = false;          ///< some processes have less to do, and leave early
  bool reports_demand = false;  ///< each call says how many follow
  Duration starts_at = {};      ///< on the server's clock, after a whole minute
  Duration latency = std::chrono::milliseconds(20);      ///< of a round trip to the API
  Duration store_latency = std::chrono::microseconds(200);  ///< of a round trip to the store
  bool jitter = false;                                   ///< of both: 0.5 to 1.5 times as much
  Duration late = {};                                    ///< how long after an instant a driver wakes
  Duration apart = {};                                   ///< between the starts of two processes
  bool one_after_another = false;                        ///< a process starts when the one before has left
  Duration lease = std::chrono::seconds(10);
  std::optional<std::size_t> killed = {};                ///< this process ends without leaving, ...
  Duration killed_at = {};                               ///< ... at this time
  Duration store_stops_at = Duration::max();             ///< operations fail ...
  Duration store_is_back_at = Duration::max();           ///< ... until then
  Duration store_slows_at = {};                          ///< `store_latency` is 200 us until then
  Duration slow_after = std::chrono::milliseconds(50);   ///< SharingOptions::slow_after
  bool store_forgets = false;                            ///< what was stored before is gone then
  Duration clock_offset = {};                            ///< of the processes' wall clocks
  Duration ends_at = std::chrono::hours(48);  ///< whatever is left to do
  std::uint64_t seed = 1;
  std::function<void(Duration, const std::string&)> trace = {};
};

struct HerdReport {
  bool finished = false;
  std::int64_t requests = 0;
  std::int64_t rejected = 0;
  std::int64_t operations = 0;  ///< of the store: reads and swaps, also refused ones
  std::int64_t refused = 0;     ///< swaps that another process was faster than
  Duration elapsed = {};
  Duration idle = {};                ///< longest time without a request although permits were left
  std::vector<std::int64_t> served;  ///< by process
  std::size_t largest_state = 0;     ///< bytes stored
  double utilisation = 1;            ///< mean of all windows but the last
  std::string broken;                ///< the first invariant that a stored state did not keep

  /// Jain's index of what the processes received: 1 if all received the same.
  double fairness() const;
};

HerdReport run_herd(const HerdSetup& setup);

}  // namespace laboratory
