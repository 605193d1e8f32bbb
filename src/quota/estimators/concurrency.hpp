#pragma once
/// @file
/// How many requests in flight a server bears that rejects some although permits are left, or without a reason: halved by
/// such a rejection; raised by one with each window, or each minute, without one, and by successes where no window is
/// reported.

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

  /// A request was rejected, and the server reports no limit.
  /// @param in_flight  with the rejected one.
  void on_unexplained(std::int64_t in_flight) noexcept {
    if (in_flight == 1) proven_ = false;  // it was alone: it is not the number in flight that the server limits
    if (raised_) {
      most_ = std::max<std::int64_t>(*most_ - 1, 1);
      patience_ = std::min(patience_ * 2, longest_patience);
    } else {
      most_ = std::max<std::int64_t>(std::min(in_flight, most_.value_or(in_flight)) / 2, 1);
    }
    raised_ = false;
    served_ = 0;
  }
  /// A request was served, and the server reports no limit.
  void on_served_unexplained() noexcept {
    if (!most_ || ++served_ < *most_ * patience_) return;
    ++*most_;
    raised_ = true;
    served_ = 0;
  }
  /// It is the number in flight that the server limits: while others were rejected, one more than these was served.
  void prove(std::int64_t in_flight) noexcept {
    most_ = in_flight;
    proven_ = true;
    raised_ = false;
    served_ = 0;
  }
  bool is_proven() const noexcept { return proven_; }
  /// Whether what was read from bytes fits together.
  bool is_whole() const noexcept {
    const std::int64_t most = most_.value_or(1);
    return most > 0 && most <= largest && served_ >= 0 && served_ <= largest && (most_ || !raised_) && patience_ > 0 &&
           patience_ <= longest_patience;
  }

  template <class Self, class Archive>
  static void fields(Self& self, Archive& archive) {
    archive(self.most_, self.since_, self.served_, self.patience_, self.raised_, self.proven_);
  }

 private:
  static constexpr Duration period_without_windows = std::chrono::minutes(1);
  static constexpr std::int64_t longest_patience = 1024;
  static constexpr std::int64_t largest = 1'000'000'000'000;  // as was read

  std::optional<std::int64_t> most_ = {};
  Instant since_ = {};
  std::int64_t served_ = 0;    // since it was changed, by a server that reports no limit
  std::int64_t patience_ = 4;  // how often as many must be served before there may be one more
  bool raised_ = false;        // by one, the last time it was changed
  bool proven_ = false;
};

}}}  // namespace noun::quota
