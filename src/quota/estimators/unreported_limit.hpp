#pragma once
/// @file
/// A limit that the server does not report: how many requests it serves in how long, by what was served between two
/// rejections, and when a request was served again. Whether it counts in windows, slides, or leaks, so many in so long
/// keep below it. Grows slowly by single requests, for what was learned may be too little.

#include <cstdint>
#include <optional>

#include "quota/estimators/estimator.hpp"

namespace noun { inline namespace v0 { namespace quota {

/// The estimator of such limits.
class UnreportedLimit {
 public:
  static constexpr Effect effect = Effect::binds;
  static constexpr bool needs_report = false;

  void on_sent(Instant now, const Ask& ask) noexcept;
  void on_unsent(const Ask&) noexcept {}
  void on_response(const Observation& seen, const Account& account);
  /// It learns from the rejection itself.
  void on_refuted() noexcept {}
  bool is_doubtful() const noexcept { return true; }
  std::optional<Claim> claim(Instant now, const Ask& ask, const Account& account) const noexcept;

  /// Whether what was read from bytes fits together.
  bool is_whole() const noexcept;

  /// How many requests are served in one period; nothing if that is not known.
  std::optional<std::int64_t> count() const noexcept {
    return period_ && !reported_ ? std::optional(count_) : std::nullopt;
  }

  /// Whether a request was sent to try more than is known to be served.
  bool is_trying() const noexcept { return trying_; }
  /// When as many are served again as is known; nothing if nothing is known.
  std::optional<Instant> when(const Ask& ask, const Account& account) const noexcept;

  template <class Self, class Archive>
  static void fields(Self& self, Archive& archive) {
    archive(self.reported_, self.begun_, self.served_, self.rejected_at_, self.count_, self.period_, self.over_,
            self.step_, self.grown_, self.patience_, self.next_growth_, self.small_cycles_, self.trying_);
  }

 private:
  void on_served(const Observation& seen, const Account& account);
  void learn(Instant now) noexcept;
  void lower() noexcept;
  void on_rejected(const Observation& seen, const Account& account);
  void on_try(bool served, Duration span, Instant now) noexcept;
  std::optional<Duration> shorter() const noexcept;
  Duration least_lead() const noexcept;

  bool reported_ = false;                    // by the server: others know better
  std::optional<Instant> begun_ = {};        // when the first request of this cycle was sent
  std::int64_t served_ = 0;                  // in this cycle
  std::optional<Instant> rejected_at_ = {};  // the cycle has ended
  std::int64_t count_ = 0;                   // so many are served ...
  std::optional<Duration> period_ = {};      // ... in so long, at the most
  Duration over_ = {};                       // it takes longer
  std::int64_t step_ = 1;                    // by how many the count may grow at a time
  std::int64_t grown_ = 0;                   // by how many it has grown this time
  std::int64_t patience_ = 2;                // periods, of five seconds at the least, until it may grow again
  Instant next_growth_ = {};
  std::uint32_t small_cycles_ = 0;  // in a row, in which hardly anything was served
  bool trying_ = false;             // the last response was that of a request that tried more
};

static_assert(Estimator<UnreportedLimit>);

}}}  // namespace noun::quota
