#pragma once
/// @file
/// How many requests in flight a server bears that rejects some although permits are left: halved by such a rejection,
/// and raised by one with each window, or each minute, without one.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

#include <noun/time.hpp>

namespace noun { inline namespace v0 { namespace quota {

/// The bound of one quota policy.
class Concurrency {
 public:
  bool allows(std::int64_t in_flight) const noexcept { return !most_ || in_flight < *most_; }
  /// A request was rejected although permits were left.
  /// @param in_flight  with the rejected one.
  void on_rejected(std::int64_t in_flight, Instant now) noexcept {
    most_ = std::max<std::int64_t>(std::min(in_flight, most_.value_or(in_flight)) / 2, 1);
    since_ = now;
  }
  /// @param opened  whether the response opened a window.
  void on_served(bool opened, Instant now) noexcept {
    if (!most_ || (!opened && now - since_ < period_without_windows)) return;
    ++*most_;
    since_ = now;
  }

  template <class Self, class Archive>
  static void fields(Self& self, Archive& archive) {
    archive(self.most_, self.since_);
  }

 private:
  static constexpr Duration period_without_windows = std::chrono::minutes(1);

  std::optional<std::int64_t> most_ = {};
  Instant since_ = {};
};

}}}  // namespace noun::quota
