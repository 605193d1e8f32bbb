#pragma once
/// @file
/// A window that opens with its first request ends a period after it, whatever the rounding of the reported reset says.
/// The period is a guess: the only round length that the responses allow. A request may go as soon as one of ours was
/// counted a period ago.

#include <chrono>
#include <cstdint>
#include <optional>

#include "quota/estimators/estimator.hpp"
#include "quota/estimators/period_search.hpp"

namespace noun { inline namespace v0 { namespace quota {

/// The estimator of such windows.
class FirstRequestWindow {
 public:
  static constexpr Effect effect = Effect::relaxes;
  static constexpr bool needs_report = true;

  void on_sent(Instant, const Ask&) noexcept {}
  void on_unsent(const Ask&) noexcept {}
  void on_response(const Observation& seen, const Account& account);
  void on_refuted() noexcept;
  bool is_doubtful() const noexcept {
    const bool searched = !reported_ && search_.guess() && by_resets_ != search_.guess();
    return doubtful_ || searched;
  }
  std::optional<Claim> claim(Instant now, const Ask& ask, const Account& account) const noexcept;

  /// The period: reported, or the guess; nothing where it is longer than two minutes, which no rounding makes worth it.
  std::optional<Duration> period() const noexcept;
  /// Whether our own requests tell better than any reported reset when windows end.
  bool outruns_resets() const noexcept {
    return (explained_ && by_resets_ && period() == by_resets_) || (search_.guess() && period() == search_.guess());
  }
  const PeriodSearch& search() const noexcept { return search_; }

  template <class Self, class Archive>
  static void fields(Self& self, Archive& archive) {
    archive(self.limit_, self.span_, self.absolute_, self.oldest_, self.before_, self.reported_, self.last_opening_,
            self.one_reset_, self.used_up_, self.by_resets_, self.closest_, self.refuted_, self.explained_,
            self.doubtful_, self.opened_with_, self.search_);
  }

 private:
  // A response that counted its own request alone: it opened a window.
  struct Opening {
    Instant sent = {};
    DurationSpan ahead = {};
    std::optional<std::chrono::sys_seconds> reset = {};

    template <class Self, class Archive>
    static void fields(Self& self, Archive& archive) {
      archive(self.sent, self.ahead, self.reset);
    }
  };

  void bound_period(const Observation& seen, const RequestLog& log) noexcept;
  void compare_resets(const Observation& seen, const DurationSpan& ahead) noexcept;
  std::optional<Duration> by_spans() const noexcept;

  std::int64_t limit_ = 0;
  DurationSpan span_ = {};                 // of the period, by the responses of this window
  bool absolute_ = false;                  // resets are instants on the server's clock
  Instant oldest_ = {};                    // the first request that the last response counted
  std::optional<Duration> before_ = {};    // the guess of the window before
  std::optional<Duration> reported_ = {};  // the period, by the server
  std::optional<Opening> last_opening_ = {};
  bool one_reset_ = false;                  // all responses since reported its reset
  bool used_up_ = false;                    // a response since then reported that nothing is left
  std::optional<Duration> by_resets_ = {};  // the period, by how far apart the resets of two openings are
  Duration closest_ = Duration::max();      // more than the limit was served within so long
  Duration refuted_ = {};                   // the period is longer
  bool explained_ = false;                  // all that the server counts is ours
  bool doubtful_ = false;                   // the last opening may be that of an aligned window, met late
  std::int64_t opened_with_ = 0;            // the number of the request that opened the reported window
  PeriodSearch search_;
};

static_assert(Estimator<FirstRequestWindow>);

}}}  // namespace noun::quota
