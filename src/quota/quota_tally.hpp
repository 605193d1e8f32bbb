#pragma once
/// @file
/// What one quota has cost and yielded so far: the counters of its snapshot, and how many requests at once a service
/// bears that rejects some with permits left.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <noun/quota.hpp>
#include <noun/time.hpp>

namespace noun { inline namespace v0 {

/// Counts; decides nothing.
class QuotaTally {
 public:
  void sent() noexcept { ++sent_; }
  void rejected() noexcept { ++rejected_; }
  void foreign(std::int64_t requests) noexcept { foreign_ += static_cast<std::uint64_t>(requests); }
  void served() noexcept { ++in_window_; }
  /// The window was renewed.
  /// @param demand  what its limit was, if it was used up or waited for.
  void renewed(std::optional<std::int64_t> demand) noexcept {
    // Of the first window a part may have been gone.
    if (demand && whole_) {
      demanded_limit_ += static_cast<std::uint64_t>(*demand);
      demanded_sent_ += std::min(in_window_, static_cast<std::uint64_t>(*demand));
    }
    whole_ = true;
    in_window_ = 0;
  }
  /// The first request behind a reset went out so late at the most.
  void probed(Duration late) noexcept {
    probe_error_ = std::max(late, Duration::zero());
    worst_probe_error_ = std::max(worst_probe_error_, probe_error_);
  }

  void fill(QuotaSnapshot& snapshot) const noexcept {
    snapshot.sent = sent_;
    snapshot.rejected = rejected_;
    snapshot.foreign = foreign_;
    snapshot.demanded_limit = demanded_limit_;
    snapshot.demanded_sent = demanded_sent_;
    snapshot.probe_error = probe_error_;
    snapshot.worst_probe_error = worst_probe_error_;
  }

 private:
  std::uint64_t sent_ = 0;
  std::uint64_t rejected_ = 0;
  std::uint64_t foreign_ = 0;
  std::uint64_t demanded_limit_ = 0;
  std::uint64_t demanded_sent_ = 0;
  std::uint64_t in_window_ = 0;
  bool whole_ = false;
  Duration probe_error_ = Duration::zero();
  Duration worst_probe_error_ = Duration::zero();
};

/// A bound on requests in flight that a rejection with permits left sets, and that good windows lift again.
class ConcurrencyBound {
 public:
  bool allows(std::size_t in_flight) const noexcept { return !most_ || in_flight < *most_; }
  /// @param in_flight  with the rejected one.
  void halve(std::size_t in_flight, Instant now) noexcept {
    most_ = std::max<std::size_t>(std::min(in_flight, most_.value_or(in_flight)) / 2, 1);
    since_ = now;
  }
  /// An answer that was no rejection; `renewed` if it opened a window.
  void served(bool renewed, Instant now) noexcept {
    if (!most_ || (!renewed && now - since_ < period_without_windows)) return;
    ++*most_;
    since_ = now;
  }

 private:
  static constexpr Duration period_without_windows = std::chrono::minutes(1);

  std::optional<std::size_t> most_ = {};
  Instant since_ = {};
};

}}  // namespace noun
