#pragma once
/// @file
/// A leaky bucket with a burst, of a server that reports nothing but its rejections: how many requests it takes at once,
/// and how fast they leak out, by what was served between two rejections.

#include <algorithm>
#include <cstdint>
#include <optional>

#include "quota/estimators/estimator.hpp"

namespace noun { inline namespace v0 { namespace quota {

/// The estimator of such buckets.
class LeakyBucket {
 public:
  static constexpr Effect effect = Effect::replaces;
  static constexpr bool needs_report = false;

  void on_sent(Instant now, const Ask& ask) noexcept {
    level_ = level_at(now) + static_cast<double>(ask.cost);
    at_ = std::max(at_, now);
  }
  void on_unsent(const Ask& ask) noexcept { level_ = std::max(level_ - static_cast<double>(ask.cost), 0.0); }
  void on_response(const Observation& seen, const Account&) noexcept {
    if (seen.remaining) reported_ = true;
    if (seen.outcome == Outcome::served) ++served_;
    if (seen.outcome != Outcome::rejected || reported_) return;
    // Between two rejections as much leaked out as was let in; the first of them ended a burst.
    if (rejected_at_ && served_ > 0 && seen.received_at > *rejected_at_)
      per_second_ = static_cast<double>(served_) / seconds_of(seen.received_at - *rejected_at_);
    if (!rejected_at_) burst_ = served_;
    level_ = static_cast<double>(burst_);
    at_ = seen.received_at;
    rejected_at_ = seen.received_at;
    served_ = 0;
  }
  void on_refuted() noexcept { per_second_ *= 0.8; }
  bool is_doubtful() const noexcept { return false; }
  std::optional<Claim> claim(Instant now, const Ask& ask, const Account&) const noexcept {
    if (reported_ || per_second_ <= 0 || burst_ < 3) return std::nullopt;
    const double too_many = level_at(now) + static_cast<double>(ask.wanted()) - static_cast<double>(burst_);
    if (too_many <= 0) return Claim{now};
    return Claim{after(now, std::chrono::ceil<Duration>(std::chrono::duration<double>(too_many / per_second_)))};
  }

  template <class Self, class Archive>
  static void fields(Self& self, Archive& archive) {
    archive(self.level_, self.at_, self.burst_, self.per_second_, self.served_, self.rejected_at_, self.reported_);
  }

 private:
  double level_at(Instant now) const noexcept {
    return std::max(level_ - per_second_ * seconds_of(std::max(now - at_, Duration::zero())), 0.0);
  }

  double level_ = 0;  // at `at_`
  Instant at_ = {};
  std::int64_t burst_ = 0;
  double per_second_ = 0;
  std::int64_t served_ = 0;  // since the last rejection
  std::optional<Instant> rejected_at_ = {};
  bool reported_ = false;  // another estimator knows better
};

static_assert(Estimator<LeakyBucket>);

}}}  // namespace noun::quota
