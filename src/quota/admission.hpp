#pragma once
/// @file
/// One quota policy: combines what was reported with what the estimators claim, and decides whether a request may go
/// now. The only place that knows how far a claim is trusted. A plain value: no lock, no clock, no wait.

#include <cstdint>
#include <optional>
#include <tuple>

#include <noun/event.hpp>
#include <noun/quota.hpp>
#include <noun/retry.hpp>

#include "quota/account.hpp"
#include "quota/estimators/concurrency.hpp"
#include "quota/estimators/estimator.hpp"
#include "quota/estimators/first_request_window.hpp"
#include "quota/estimators/reported_window.hpp"
#include "quota/estimators/route_cost.hpp"
#include "quota/estimators/sliding_window.hpp"
#include "quota/estimators/token_bucket.hpp"
#include "quota/estimators/unreported_limit.hpp"
#include "quota/forecast.hpp"
#include "quota/phase.hpp"

namespace noun { inline namespace v0 { namespace quota {

/// The estimators, in the order in which they are asked: the first that has a claim counts.
using Estimators = std::tuple<SlidingWindow, TokenBucket, FirstRequestWindow, UnreportedLimit>;

/// A rejection of one call, whose wait is the call's own.
struct Rejection {
  Instant at = {};                           ///< when the response was received
  std::optional<Duration> retry_after = {};  ///< as it was reported
  int count = 1;  ///< how often the call was rejected without a wait that it could obey, this time included
  bool zero_believed = false;  ///< it was rejected before: another Retry-After of 0 is not believed
  double spread = 0;           ///< drawn by the call, uniform in [0, 1)
  RetryPolicy retry = {};      ///< the call's backoff
};

/// Who wants a permit.
struct AcquireOptions {
  Priority priority = Priority::normal;
  /// Until when the caller could wait without failing: its deadline, or what is left of `max_wait`, whichever is first.
  /// In a window that will be used up anyway one of the last permits may be kept back, for less than a second and never
  /// beyond this instant, to measure when the window ends. By default none is kept back.
  Instant patient_until = Instant::min();
  /// How many requests the caller still has, this one included, where that is known.
  std::optional<std::int64_t> demand = {};
  RouteKey route = 0;
  /// The last rejection, for a call that was rejected. Only Gate::earliest() reads it.
  std::optional<Rejection> rejection = {};
  /// Requests that asked before, and that a permit must be left for. Set by the gate.
  Sums ahead = {};
};

/// What a person should know of a response.
enum class QuotaNote : std::uint8_t { none, implausible_reset, no_date, end_of_values };

/// Whether a hold for this reason ends at its instant and not before, as far as is known.
constexpr bool is_definite(WaitReason reason) noexcept {
  return reason == WaitReason::quota || reason == WaitReason::rejected || reason == WaitReason::retry_after;
}

/// The wait after a rejection, and whether the server reported it.
struct RejectionWait {
  Duration wait;
  bool reported;
};

/// The rule of every wait after a rejection: Retry-After, of which a zero is believed once; else 1 s, 2 s, 4 s …
/// @param zero_believed  whether a zero may have been believed before.
/// @param count          1 for the first wait.
RejectionWait wait_after_rejection(std::optional<Duration> retry_after, bool zero_believed, const RetryPolicy& retry,
                                   int count, double spread) noexcept;

/// Whether a request may go, and what follows if it does. Changes nothing by itself.
struct Decision {
  bool admitted = false;
  std::int64_t cost = 1;                 ///< of the request, where it is admitted
  Instant until = {};                    ///< if not: when to ask again; later than now
  WaitReason reason = WaitReason::none;  ///< and why
  bool probe = false;                    ///< it is sent alone
  bool guessed = false;                  ///< by a guess that nothing has proven
  std::uint8_t guesses = 0;              ///< as in Sending
  std::uint8_t conclusive = 0;
  bool exhausted = false;                         ///< more was asked for than is left
  bool closes = false;                            ///< nothing is known of when more is left: closed until `until`
  std::optional<ResetProbe::Question> kept = {};  ///< a permit is kept for this question
  bool spends_kept = false;                       ///< the permit that was kept is spent
};

/// One quota policy of one partition. Not safe to use from many threads: its gate locks.
class Admission {
 public:
  /// Decides; the same at any later call with the same arguments.
  Decision decide(Instant now, const QuotaPolicy& policy, const AcquireOptions& options) const;
  /// Carries out what a decision changes although no request is sent.
  void hold(Instant now, const Decision& decision) noexcept;
  /// Carries out an admission: the request is sent.
  Sending send(Instant now, RouteKey route, const Decision& decision);
  /// Time passes: a hold ends, a window is over.
  void advance(Instant now, Inference inference) noexcept;

  /// A request that was admitted elsewhere turns out to be counted here too.
  Sending adopt(Instant sent, RouteKey route);
  /// By how many policies the memory of their partition is shared.
  void share_memory(std::size_t policies) noexcept { sharers_ = policies; }
  /// Requests that are under way elsewhere and will turn out to be counted here; negative once they have.
  void expect(std::int64_t requests) noexcept { account_.expect(requests); }
  /// The server rejected something, and said that it concerns this policy too.
  void hold_until(Instant now, Instant until) noexcept;
  /// Takes in what came of a request.
  /// @param seen   as it was reported; what is known of our other requests is filled in here.
  /// @param clock  has seen the response's Date already.
  /// @param moved  whether the Date contradicted those before.
  void record(const Sending& sending, Observation seen, const ServerClock& clock, bool moved);
  /// Requests in flight when this was saved are another process's: taken as lost.
  void abandon_in_flight(Instant now);
  /// Whether what was read from bytes fits together.
  bool is_whole() const noexcept;
  /// What one request of the route costs.
  std::int64_t cost_of(RouteKey route) const noexcept { return costs_.of(route); }
  /// The request was never sent.
  void release(const Sending& sending) noexcept;

  QuotaReading reading(Instant now) const;
  /// Everything of a snapshot but its names and what is waiting.
  QuotaSnapshot snapshot(Instant now) const;
  /// How long so many calls of a route have to wait.
  Forecast forecast(Instant now, std::int64_t calls, std::int64_t reserve, RouteKey route) const;
  /// Whether the server reports how much is left.
  bool is_reported() const noexcept { return window_.left().has_value(); }
  /// Whether the server limits requests that it does not report, as far as its rejections tell.
  bool knows_unreported_limit() const noexcept {
    return concurrency_.is_proven() || std::get<UnreportedLimit>(estimators_).count();
  }
  Phase phase() const noexcept { return phase_.phase(); }

  template <class Self, class Archive>
  static void fields(Self& self, Archive& archive) {
    archive(self.phase_, self.account_, self.window_, self.estimators_, self.costs_, self.concurrency_, self.proven_,
            self.guesses_, self.doublings_, self.zero_believed_, self.was_reported_, self.silent_probes_,
            self.reported_period_, self.sharers_, self.finished_, self.rejected_, self.unexplained_, self.early_probe_,
            self.early_probes_);
  }

 private:
  struct Found {
    Claim claim;
    Effect effect;
  };

  std::optional<Found> claimed(Instant now, const Ask& ask, Inference inference, bool replacing_only) const;
  Decision decide(Instant now, const QuotaPolicy& policy, const AcquireOptions& options, const Ask& ask) const;
  Decision decide_probe(Instant now, const QuotaPolicy& policy, std::int64_t ahead) const noexcept;
  Decision decide_covered(Instant now, const QuotaPolicy& policy, const AcquireOptions& options,
                          std::int64_t room) const;
  Decision decide_exhausted(Instant now, const Ask& ask) const noexcept;
  Decision decide_by_claim(Instant now, const Ask& ask, const Found& found) const;
  void on_served(const Sending& sending, Observation& seen, const ServerClock& clock);
  void on_rejected(const Sending& sending, Observation& seen, const ServerClock& clock);
  void update_trust(const Sending& sending, Outcome outcome);
  bool leaves_permits(const Observation& seen) const noexcept;
  bool is_unreported(const Observation& seen) const noexcept { return !window_.left() && !seen.remaining; }
  void on_served_unreported(const Sending& sending, Instant now, bool current);
  bool on_rejected_unreported(const Sending& sending, const Observation& seen);
  Instant end_of_rejection(const Observation& seen) noexcept;
  Duration next_doubling() noexcept;
  Moment moment(Instant now) const noexcept { return {now, account_.sent().requests}; }

  PhaseMachine phase_;
  Account account_;
  ReportedWindow window_;
  Estimators estimators_;
  RouteCost costs_;
  Concurrency concurrency_;
  std::uint8_t proven_ = 0;                       // a bit for each estimator, set when its claim is proven
  std::uint32_t guesses_ = 0;                     // requests in flight that went by a claim alone
  std::int32_t doublings_ = 0;                    // waits of 1, 2, 4 s since it last went well
  bool zero_believed_ = false;                    // a Retry-After of 0, since it last went well
  bool was_reported_ = false;                     // what is left, once
  std::uint32_t silent_probes_ = 0;               // that were served, and whose responses did not report it
  std::optional<Duration> reported_period_ = {};  // how long the server says that its windows are
  bool unexplained_ = false;                      // the last rejection reported nothing
  bool early_probe_ = false;                      // a probe is due, or under way, before the end of such a hold
  std::uint32_t early_probes_ = 0;                // that were sent before the end of such a hold, and rejected
  std::size_t sharers_ = 1;
  std::int64_t finished_ = 0;  // requests with a response, or lost
  std::int64_t rejected_ = 0;
};

}}}  // namespace noun::quota
