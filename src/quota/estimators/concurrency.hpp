#pragma once
/// @file
/// Limit on the requests in flight for a server that rejects some although permits are left, or without a reason. Such
/// a rejection halves it. Each window, or each minute, without one raises it by one. Where no window is reported,
/// successes raise it.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

#include <noun/time.hpp>

namespace noun { inline namespace v0 { namespace quota {

class Concurrency {
 public:
  bool allows(std::int64_t in_flight) const noexcept { return !most_ || in_flight < *most_; }
  /// Handles a rejection although permits were left.
  /// @param in_flight  including the rejected request.
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

  /// Handles a rejection by a server that reports no limit.
  /// @param in_flight  including the rejected request.
  void on_unexplained(std::int64_t in_flight) noexcept {
    if (in_flight == 1) proven_ = false;  // it was alone: the server does not limit the number in flight
    if (raised_) {
      most_ = std::max<std::int64_t>(*most_ - 1, 1);
      patience_ = std::min(patience_ * 2, longest_patience);
    } else {
      most_ = std::max<std::int64_t>(std::min(in_flight, most_.value_or(in_flight)) / 2, 1);
    }
    raised_ = false;
    served_ = 0;
  }
  /// Handles a success of a server that reports no limit.
  void on_served_unexplained() noexcept {
    if (!most_ || ++served_ < *most_ * patience_) return;
    ++*most_;
    raised_ = true;
    served_ = 0;
  }
  /// The server is known to limit the number in flight: while others were rejected, a request was served with so many.
  void prove(std::int64_t in_flight) noexcept {
    most_ = in_flight;
    proven_ = true;
    raised_ = false;
    served_ = 0;
  }
  bool is_proven() const noexcept { return proven_; }
  bool is_unlimited() const noexcept { return !most_; }
  bool is_whole() const noexcept {
    const std::int64_t most = most_.value_or(1);
    return most > 0 && most <= largest && served_ >= 0 && served_ <= largest && (most_ || !raised_) && patience_ > 0 &&
           patience_ <= longest_patience;
  }

  static void fields(auto& self, auto& archive) {
    archive(self.most_, self.since_, self.served_, self.patience_, self.raised_, self.proven_);
  }

 private:
  static constexpr Duration period_without_windows = std::chrono::minutes(1);
  static constexpr std::int64_t longest_patience = 1024;
  static constexpr std::int64_t largest = 1'000'000'000'000;  // in deserialized state

  std::optional<std::int64_t> most_ = {};
  Instant since_ = {};
  std::int64_t served_ = 0;    // since the last change, by a server that reports no limit
  std::int64_t patience_ = 4;  // the limit is raised after this many times as many successes
  bool raised_ = false;        // the last change raised it by one
  bool proven_ = false;
};

}}}  // namespace noun::quota
