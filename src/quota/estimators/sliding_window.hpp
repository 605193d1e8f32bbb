#pragma once
/// @file
/// Estimator of a sliding window: each request is counted for a period, and no reset frees any. There are two signs of
/// it: more permits are freed at once than a fixed window or a steady refill can free, or a new window already counts
/// requests of the window before.

#include <chrono>
#include <cstdint>
#include <optional>

#include "quota/estimators/estimator.hpp"

namespace noun { inline namespace v0 { namespace quota {

class SlidingWindow : public EstimatorDefaults {
 public:
  static constexpr Effect effect = Effect::binds;
  static constexpr bool needs_report = true;

  void on_response(const Observation& seen, const Account& account);
  void on_refuted() noexcept {
    contradicted_ = true;
    period_.reset();
  }
  std::optional<Claim> claim(Instant now, const PermitRequest& request, const Account& account) const noexcept;

  /// How long each request is counted, if nothing else explains the responses.
  std::optional<Duration> period() const noexcept {
    const bool possible = period_ && *period_ <= closest_ && *period_ <= longest_period;
    return possible && (!reported_ || reported_ == period_) ? period_ : std::nullopt;
  }

  static void fields(auto& self, auto& archive) {
    archive(self.limit_, self.first_ahead_, self.before_, self.perhaps_since_, self.perhaps_at_, self.period_,
            self.reported_, self.closest_, self.explained_, self.contradicted_, self.spans_, self.agree_since_,
            self.outlived_, self.tentative_until_);
  }

 private:
  struct Count {
    Instant sent = {};
    Instant received = {};
    std::int64_t used = 0;

    static void fields(auto& self, auto& archive) { archive(self.sent, self.received, self.used); }
  };

  void compare_counts(const Observation& seen, const RequestLog& log) noexcept;
  void compare_spans(const Observation& seen, const RequestLog& log) noexcept;
  void compare_opening(const Observation& seen, const RequestLog& log) noexcept;
  void settle(const Observation& seen, const RequestLog& log) noexcept;

  std::int64_t limit_ = 0;
  std::optional<DurationSpan> first_ahead_ = {};  // reset of the last response that counted only its own request
  std::optional<Count> before_ = {};              // the previous response
  std::int64_t perhaps_since_ = 0;                // responses that may belong to a new window
  Instant perhaps_at_ = {};                       // when the last of them was received
  DurationSpan spans_ = {};                       // of the period, from the last responses that agree
  std::optional<Instant> agree_since_ = {};
  bool outlived_ = false;  // one of them shows that what a window counted outlived it; a sliding counter may look so
  std::optional<Duration> period_ = {};
  /// The period is that of one response, which a sliding counter may also give; later ones tell the two apart.
  std::optional<Instant> tentative_until_ = {};
  std::optional<Duration> reported_ = {};
  Duration closest_ = Duration::max();  // more requests than the limit were served in this time
  bool explained_ = false;              // all requests that the server counts are ours
  bool contradicted_ = false;           // it does not slide: nothing more is inferred
};

}}}  // namespace noun::quota
