#pragma once
/// @file
/// Estimator of a window that opens with its first request. It ends one period after that request, whatever the
/// rounding of the reported reset. The period is a guess: the only round length that fits the responses. A request may
/// be sent as soon as one of ours was counted a period ago.

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
  bool is_doubtful() const noexcept {
    const bool searched = !reported_ && search_.guess() && by_resets_ != search_.guess();
    return doubtful_ || searched;
  }
  std::optional<Claim> claim(Instant now, const PermitRequest& request, const Account& account) const noexcept;

  /// The period, reported or guessed. Nothing if it is longer than two minutes: rounding matters little then.
  std::optional<Duration> period() const noexcept;
  bool outruns_resets() const noexcept {
    return (explained_ && by_resets_ && period() == by_resets_) || (search_.guess() && period() == search_.guess());
  }
  std::optional<Instant> searches_at(Instant now, std::int64_t room) const noexcept { return search_.due(now, room); }

  static void fields(auto& self, auto& archive) {
    archive(self.limit_, self.span_, self.absolute_, self.oldest_, self.before_, self.reported_, self.last_opening_,
            self.one_reset_, self.used_up_, self.by_resets_, self.closest_, self.refuted_, self.explained_,
            self.doubtful_, self.opened_with_, self.search_);
  }

 private:
  // A response that counted only its own request: the request opened a window.
  struct Opening {
    Instant sent = {};
    DurationSpan ahead = {};
    std::optional<std::chrono::sys_seconds> reset = {};

    static void fields(auto& self, auto& archive) { archive(self.sent, self.ahead, self.reset); }
  };

  void bound_period(const Observation& seen, const RequestLog& log) noexcept;
  void compare_resets(const Observation& seen, const DurationSpan& ahead) noexcept;
  std::optional<Duration> by_spans() const noexcept;

  std::int64_t limit_ = 0;
  DurationSpan span_ = {};                 // of the period, from the responses of this window
  bool absolute_ = false;                  // resets are instants on the server's clock
  Instant oldest_ = {};                    // when the oldest request that was counted was sent
  std::optional<Duration> before_ = {};    // the guess of the previous window
  std::optional<Duration> reported_ = {};  // the period that the server reports
  std::optional<Opening> last_opening_ = {};
  bool one_reset_ = false;                  // all responses since then reported its reset
  bool used_up_ = false;                    // a response since then reported that nothing remains
  std::optional<Duration> by_resets_ = {};  // the period, from the distance between the resets of two openings
  Duration closest_ = Duration::max();      // more requests than the limit were served in this time
  Duration refuted_ = {};                   // the period is longer than this
  bool explained_ = false;                  // all requests that the server counts are ours
  bool doubtful_ = false;                   // the last opening may be a late first request in an aligned window
  std::int64_t opened_with_ = 0;            // number of the request that opened the reported window
  PeriodSearch search_;
};

}}}  // namespace noun::quota
