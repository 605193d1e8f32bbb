#pragma once
/// @file
/// Estimator of a limit that the server does not report: how many requests it serves per period. Learned from what was
/// served between two rejections and when requests were served again. The result is a safe rate for fixed windows and
/// sliding windows alike. The count grows slowly, by single requests, since the learned one may be too low. If a permit
/// is free again long before the others, the limit is a leaky bucket, and requests are paced (PermitPace).

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

#include "quota/estimators/estimator.hpp"
#include "quota/estimators/permit_pace.hpp"

namespace noun { inline namespace v0 { namespace quota {

class UnreportedLimit : public EstimatorDefaults {
 public:
  static constexpr Effect effect = Effect::binds;
  static constexpr bool needs_report = false;

  void on_sent(Instant now, const PermitRequest&) noexcept {
    if (!started_) started_ = now;
    if (pace_) pace_->on_sent(now);
  }
  void on_response(const Observation& seen, const Account& account);
  bool is_doubtful() const noexcept { return true; }
  std::optional<Claim> claim(Instant now, const PermitRequest& request, const Account& account) const noexcept;

  bool is_whole() const noexcept;

  std::optional<std::int64_t> count() const noexcept {
    return period_ && !reported_ ? std::optional(count_) : std::nullopt;
  }
  bool is_trying() const noexcept { return trying_ || is_paced(); }
  bool is_paced() const noexcept { return pace_.has_value() && !reported_; }
  std::optional<Instant> admits_at(const PermitRequest& request, const Account& account) const noexcept;

  static void fields(auto& self, auto& archive) {
    archive(self.reported_, self.started_, self.served_, self.rejected_at_, self.count_, self.period_, self.over_,
            self.growth_, self.small_cycles_, self.trying_, self.limited_at_, self.refilled_at_once_, self.capacity_,
            self.pace_);
  }

 private:
  struct Growth {
    std::int64_t step = 1;      // by how many the count may grow at a time
    std::int64_t grown = 0;     // by how many it has grown this time
    std::int64_t patience = 2;  // periods, of at least five seconds, until it may grow again
    Instant next = {};

    static void fields(auto& self, auto& archive) { archive(self.step, self.grown, self.patience, self.next); }
  };

  void on_served(const Observation& seen, const Account& account);
  void learn(Instant now) noexcept;
  /// Lowers the count by a tenth to a half, according to what was served in this cycle.
  void lower() noexcept {
    count_ = std::max<std::int64_t>(std::clamp(served_, count_ / 2, count_ - count_ / 10 - 1), 1);
  }
  bool may_be_bucket() const noexcept { return period_ && !refilled_at_once_; }
  void end_pace(Instant now) noexcept;
  bool starts_pace(const Observation& seen, const Account& account) noexcept;
  /// How soon a bucket that was used up has a permit again.
  Duration refill_wait() const noexcept { return std::min(2 * *period_ / count_, 5 * *period_ / 8); }
  void on_rejected(const Observation& seen, const Account& account);
  void on_try(bool served, Duration span, Instant now) noexcept;
  std::optional<Duration> shorter() const noexcept;
  /// How long before its known time a request must be sent to be a try: at most half of the gap between evenly spread
  /// requests.
  Duration least_lead() const noexcept {
    return std::min<Duration>(*period_ / (2 * count_), std::chrono::milliseconds(100));
  }

  bool reported_ = false;                    // by the server: other estimators are more exact
  std::optional<Instant> started_ = {};      // when the first request of this cycle was sent
  std::int64_t served_ = 0;                  // in this cycle
  std::optional<Instant> rejected_at_ = {};  // when the cycle ended
  std::int64_t count_ = 0;                   // requests served per period
  std::optional<Duration> period_ = {};      // upper bound of the period
  Duration over_ = {};                       // lower bound of the period
  Growth growth_;                            // of the count
  std::uint32_t small_cycles_ = 0;  // in a row, with hardly any request served
  bool trying_ = false;             // the last response was that of a try
  std::optional<Instant> limited_at_ = {};  // the last rejection that was not a try
  bool refilled_at_once_ = true;            // no bucket: permits do not come back one by one
  std::int64_t capacity_ = 0;               // most served in a cycle until the limit was learned; zero: no bucket
  std::optional<PermitPace> pace_ = {};     // on a bucket
};

}}}  // namespace noun::quota
