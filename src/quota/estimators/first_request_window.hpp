#pragma once
/// @file
/// Estimator of a window that opens with its first request. It ends one period after that request, whatever the
/// rounding of the reported reset. The period is reported, or found by a search, or a guess: the only round length that
/// fits resets that are durations. A request may be sent as soon as one of ours was counted a period ago.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

#include "quota/estimators/estimator.hpp"
#include "quota/estimators/period_search.hpp"

namespace noun { inline namespace v0 { namespace quota {

class FirstRequestWindow : public EstimatorDefaults {
 public:
  static constexpr Effect effect = Effect::relaxes;
  static constexpr bool needs_report = true;

  void on_response(const Observation& seen, const Account& account);
  void on_refuted() noexcept {
    if (const auto wrong = period()) refuted_ = std::max(refuted_, *wrong);
    search_.on_refuted();
  }
  bool is_doubtful() const noexcept { return !reported_ && search_.found(); }
  std::optional<Claim> claim(Instant now, const PermitRequest& request, const Account& account) const noexcept;

  /// The period, reported or guessed. Nothing if it is longer than two minutes: rounding matters little then.
  std::optional<Duration> period() const noexcept;
  bool outruns_resets() const noexcept { return search_.found() && period() == search_.found(); }
  std::optional<Instant> searches_at(Instant now, std::int64_t room) const noexcept { return search_.due(now, room); }

  static void fields(auto& self, auto& archive) {
    archive(self.limit_, self.span_, self.oldest_, self.before_, self.reported_, self.refuted_, self.explained_,
            self.opened_with_, self.search_);
  }

 private:
  void bound_period(const Observation& seen, const RequestLog& log) noexcept;
  std::optional<Duration> by_spans() const noexcept;

  std::int64_t limit_ = 0;
  DurationSpan span_ = {};                 // of the period, from the responses of this window
  Instant oldest_ = {};                    // when the oldest request that was counted was sent
  std::optional<Duration> before_ = {};    // the guess of the previous window
  std::optional<Duration> reported_ = {};  // the period that the server reports
  Duration refuted_ = {};                  // the period is longer than this
  bool explained_ = false;                 // all requests that the server counts are ours
  std::int64_t opened_with_ = 0;           // number of the request that opened the reported window
  PeriodSearch search_;
};

}}}  // namespace noun::quota
