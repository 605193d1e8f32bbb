#pragma once
/// @file
/// Search for the length in seconds of a window that opens with its first request. A reset in whole seconds leaves one
/// or two lengths possible, and one early request decides. It is sent when the window is used up. If the windows may be
/// aligned to the server's clock, it would be rejected then, so one of the last permits is held back for it. Admits
/// nothing itself.

#include <chrono>
#include <cstdint>
#include <optional>

#include "quota/account.hpp"
#include "quota/observation.hpp"

namespace noun { inline namespace v0 { namespace quota {

/// The search, over all windows.
class PeriodSearch {
 public:
  /// Handles a served response, which must report limit and remaining.
  void on_response(const Observation& seen, const RequestLog& log) noexcept;
  /// A request sent by the guess was rejected: nothing more is tried.
  void on_refuted() noexcept;
  /// Handles a rejection. If it moved the reset, each request extends the window.
  void on_rejected(const Observation& seen) noexcept;
  /// When the last request that extended the window was counted; nothing if requests do not extend it.
  std::optional<Instant> extended_at() const noexcept { return extends_ ? std::optional(last_) : std::nullopt; }

  /// The period, if an early request showed that the first request of its window is no longer counted.
  std::optional<Duration> found() const noexcept { return found_; }
  /// The period that was found, or the one to try.
  std::optional<Duration> guess() const noexcept;
  /// Whether windows that are a second longer, and aligned to the server's clock, also explain all resets.
  bool may_be_aligned(Duration tried) const noexcept;
  /// When to send one of the last `room` permits to learn more than now; nothing if enough permits are left, or if it
  /// would show nothing.
  std::optional<Instant> due(Instant now, std::int64_t room) const noexcept;

  static void fields(auto& self, auto& archive) {
    archive(self.first_, self.possible_, self.over_, self.reset_, self.divisor_, self.found_, self.refuted_,
            self.rounded_down_, self.windows_, self.moves_, self.extends_, self.last_);
  }

 private:
  // The request that opened the window.
  struct First {
    Instant sent = {};
    Instant received = {};
    WallTime reset = {};

    static void fields(auto& self, auto& archive) { archive(self.sent, self.received, self.reset); }
  };

  void bound(const Observation& seen) noexcept;
  void on_end(const Observation& seen) noexcept;
  std::optional<Duration> to_try() const noexcept;
  bool is_possible(Duration length) const noexcept { return length > possible_.over && length <= possible_.up_to; }

  std::optional<First> first_ = {};
  DurationSpan possible_ = {{}, Duration::max()};  // of the period, from all resets; empty if windows open otherwise
  Duration over_ = {};                             // the period is longer: the first request was still counted
  Instant reset_ = {};                             // when this window has certainly ended
  std::int64_t divisor_ = 0;                       // greatest common divisor of all resets, in seconds
  std::optional<Duration> found_ = {};
  bool refuted_ = false;       // the search may cause only one rejection
  bool rounded_down_ = false;  // resets are known to be rounded down
  bool moves_ = false;         // each request moves the reset
  bool extends_ = false;       // each request extends the window
  Instant last_ = {};          // when the last request was received
  std::int32_t windows_ = 0;   // at most 2: in the first window the server's clock is not known well
};

}}}  // namespace noun::quota
