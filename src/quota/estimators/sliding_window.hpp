#pragma once
/// @file
/// A window that slides: each request is counted for a period, and none of them is freed by a reset. Seen in more
/// permits coming back at once than a window, or a steady refill, can have brought.

#include <chrono>
#include <cstdint>
#include <optional>

#include "quota/estimators/estimator.hpp"

namespace noun { inline namespace v0 { namespace quota {

/// The estimator of such windows.
class SlidingWindow {
 public:
  static constexpr Effect effect = Effect::binds;
  static constexpr bool needs_report = true;

  void on_sent(Instant, const Ask&) noexcept {}
  void on_unsent(const Ask&) noexcept {}
  void on_response(const Observation& seen, const Account& account);
  void on_refuted() noexcept;
  bool is_doubtful() const noexcept { return false; }
  std::optional<Claim> claim(Instant now, const Ask& ask, const Account& account) const noexcept;

  /// How long each request is counted, once the responses have no other explanation.
  std::optional<Duration> period() const noexcept;

  template <class Self, class Archive>
  static void fields(Self& self, Archive& archive) {
    archive(self.limit_, self.first_ahead_, self.before_, self.perhaps_since_, self.perhaps_at_, self.period_,
            self.reported_, self.closest_, self.explained_, self.contradicted_, self.spans_, self.agree_since_);
  }

 private:
  struct Count {
    Instant sent = {};
    Instant received = {};
    std::int64_t used = 0;

    template <class Self, class Archive>
    static void fields(Self& self, Archive& archive) {
      archive(self.sent, self.received, self.used);
    }
  };

  void compare_counts(const Observation& seen, const RequestLog& log) noexcept;
  void compare_spans(const Observation& seen, const RequestLog& log) noexcept;

  std::int64_t limit_ = 0;
  std::optional<DurationSpan> first_ahead_ = {};  // the reset of the last response that counted its own request alone
  std::optional<Count> before_ = {};              // the response before
  std::int64_t perhaps_since_ = 0;                // responses that may be those of a new window
  Instant perhaps_at_ = {};                       // when the last of them was received
  DurationSpan spans_ = {};                       // of the period, by the last responses that agree
  std::optional<Instant> agree_since_ = {};
  std::optional<Duration> period_ = {};
  std::optional<Duration> reported_ = {};
  Duration closest_ = Duration::max();  // more than the limit was served within so long
  bool explained_ = false;              // all that the server counts is ours
  bool contradicted_ = false;           // it does not slide: nothing is concluded any more
};

static_assert(Estimator<SlidingWindow>);

}}}  // namespace noun::quota
