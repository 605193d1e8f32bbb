// How much of a limit was used in each window, and how late its renewals were noticed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "laboratory/simulated_limit.hpp"

namespace laboratory {

/// Observes every request as the API counts it.
class WindowWatch {
 public:
  /// @param sendable_per_second  how many requests the workload can send.
  WindowWatch(const LimitOptions& limit, double sendable_per_second)
      : limit_(limit), sendable_per_second_(sendable_per_second) {}

  void see(const LimitVerdict& verdict, noun::WallTime at);
  /// Of each window but the last, in order, 0 to 1. A log, a sliding counter and a bucket have no windows: for the end
  /// of each period, it is the part used since the first request of what could have been used.
  std::vector<double> utilisation() const;
  noun::Duration probe_error() const { return probe_error_; }

 private:
  bool has_windows() const;
  std::int64_t number_of(const LimitVerdict& verdict, noun::WallTime at);

  LimitOptions limit_;
  double sendable_per_second_;
  std::optional<noun::WallTime> first_;
  noun::Duration first_window_ = {};
  std::map<std::int64_t, std::int64_t> admitted_;  // by the number of the window
  noun::WallTime end_ = noun::WallTime::min();
  std::int64_t number_ = -1;
  std::optional<noun::WallTime> renewal_;
  noun::Duration probe_error_ = {};
};

}  // namespace laboratory
