#pragma once
/// @file
/// Pace of single requests on a leaky bucket that the server does not report. At a rejection the bucket has less than
/// one permit, so what is served between two rejections is what was refilled, unless the bucket was full in between.
/// The pace rises until a rejection, ever less, and stays at what was served.

#include <cstdint>

#include <noun/time.hpp>

namespace noun { inline namespace v0 { namespace quota {

class PermitPace {
 public:
  PermitPace() noexcept = default;
  /// @param interval  in which a permit is refilled, at most.
  /// @param capacity  requests served at once.
  PermitPace(Instant now, Duration interval, std::int64_t capacity) noexcept;
  /// When the next request may be sent.
  Instant next() const noexcept { return next_; }

  void on_sent(Instant now) noexcept;
  void on_served(Instant sent, Instant now) noexcept;
  void on_rejected(Instant sent, Instant now) noexcept;

  /// Whether the limit is no bucket after all: permits stay away after a rejection.
  bool is_refuted() const noexcept;

  bool is_whole() const noexcept;

  static void fields(auto& self, auto& archive) {
    archive(self.base_, self.interval_, self.next_, self.sent_, self.rejected_sent_, self.rejected_at_, self.trial_,
            self.capacity_, self.shortest_, self.damping_, self.patience_, self.next_rise_, self.vain_);
  }

 private:
  /// What happened since the last rejection.
  struct Trial {
    Duration spent = {};             // without idle time
    Duration sustained = {};         // shortest interval that lasted; zero if unknown
    std::int64_t served = 0;
    std::int64_t raised = 0;         // number of rises
    std::int64_t served_raised = 0;  // since the last rise

    static void fields(auto& self, auto& archive) {
      archive(self.spent, self.sustained, self.served, self.raised, self.served_raised);
    }
  };

  bool is_steady(Instant now) const noexcept;
  void rise(Instant now) noexcept;

  Duration base_ = {};              // interval after the last rejection
  Duration interval_ = {};          // the present one
  Instant next_ = {};               // when a request is due
  Instant sent_ = {};               // the last request
  Instant rejected_sent_ = {};      // the last request whose rejection changed the pace
  Instant rejected_at_ = {};        // when that was known
  Trial trial_ = {};
  std::int64_t capacity_ = 1;       // of the bucket
  Duration shortest_ = {};          // shorter ones are refuted; shortens after a while
  std::int64_t damping_ = 0;        // the pace rises by 1/2^n
  std::int64_t patience_ = 1;       // multiple of the requests and time until a refuted pace is tried again
  Instant next_rise_ = {};
  std::int64_t vain_ = 0;           // rejections right after a rejection, weighted
};

}}}  // namespace noun::quota
