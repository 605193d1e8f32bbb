#pragma once
/// @file
/// How many seconds is a window long that opens with its first request? A reset in whole seconds leaves one or two
/// lengths open, and one early request decides. It goes when the window is used up; or, where the windows may be aligned
/// to the server's clock, so that it would be rejected, as one of the last permits, kept for it. Admits nothing itself.

#include <chrono>
#include <cstdint>
#include <optional>

#include "quota/account.hpp"
#include "quota/observation.hpp"

namespace noun { inline namespace v0 { namespace quota {

/// The search, over all windows.
class PeriodSearch {
 public:
  /// Takes in what a served request reported. Its limit and remaining must be there.
  void on_response(const Observation& seen, const RequestLog& log) noexcept;
  /// A request that went by the guess was rejected: nothing more is tried.
  void on_refuted() noexcept;
  /// A request was rejected. If that moved the reset, each request extends the window.
  void on_rejected(const Observation& seen) noexcept;
  /// When the last request was counted that extended the window; nothing if none does.
  std::optional<Instant> extended_at() const noexcept { return extends_ ? std::optional(last_) : std::nullopt; }

  /// The period, if an early request found the first one of its window no longer counted.
  std::optional<Duration> found() const noexcept { return found_; }
  /// The period that was found, or the one to try.
  std::optional<Duration> guess() const noexcept;
  /// When one of the last `room` permits tells more than it does now; nothing if there are permits to spare, or it
  /// tells nothing.
  std::optional<Instant> due(Instant now, std::int64_t room) const noexcept;

  template <class Self, class Archive>
  static void fields(Self& self, Archive& archive) {
    archive(self.first_, self.possible_, self.over_, self.reset_, self.divisor_, self.found_, self.refuted_,
            self.rounded_down_, self.windows_, self.moves_, self.extends_, self.last_);
  }

 private:
  // The request that opened the window.
  struct First {
    Instant sent = {};
    Instant received = {};
    WallTime reset = {};

    template <class Self, class Archive>
    static void fields(Self& self, Archive& archive) {
      archive(self.sent, self.received, self.reset);
    }
  };

  void bound(const Observation& seen) noexcept;
  void on_end(const Observation& seen) noexcept;
  std::optional<Duration> to_try() const noexcept;
  bool is_possible(Duration length) const noexcept { return length > possible_.over && length <= possible_.up_to; }
  bool may_be_aligned(Duration tried) const noexcept;

  std::optional<First> first_ = {};
  DurationSpan possible_ = {{}, Duration::max()};  // of the period, by all resets; empty if windows open otherwise
  Duration over_ = {};                             // the period is longer, by what was still counted
  Instant reset_ = {};                             // when this window has certainly ended
  std::int64_t divisor_ = 0;                       // the greatest common one of all resets, in seconds
  std::optional<Duration> found_ = {};
  bool refuted_ = false;       // one rejection is the most that the search may cost
  bool rounded_down_ = false;  // resets are known to be
  bool moves_ = false;         // the reset, with each request
  bool extends_ = false;       // each request extends the window
  Instant last_ = {};          // when the last request was received
  std::int32_t windows_ = 0;   // up to 2: in the first one little is known of the server's clock
};

}}}  // namespace noun::quota
