#pragma once
/// @file
/// Admission for one quota policy. Combines reported values with the claims of the estimators and decides whether a
/// request may be sent now. Only this class decides how far a claim is trusted. A plain value: no lock, no clock, no
/// waiting.

#include <cstdint>
#include <optional>
#include <tuple>

#include <noun/event.hpp>
#include <noun/quota.hpp>

#include "quota/account.hpp"
#include "quota/ask.hpp"
#include "quota/estimators/concurrency.hpp"
#include "quota/estimators/estimator.hpp"
#include "quota/estimators/first_request_window.hpp"
#include "quota/estimators/reported_window.hpp"
#include "quota/estimators/route_cost.hpp"
#include "quota/estimators/sliding_counter.hpp"
#include "quota/estimators/sliding_window.hpp"
#include "quota/estimators/token_bucket.hpp"
#include "quota/estimators/unreported_limit.hpp"
#include "quota/forecast.hpp"
#include "quota/phase.hpp"

namespace noun { inline namespace v0 { namespace quota {

template <Estimator... E>
using InOrder = std::tuple<E...>;
/// The estimators, in the order in which they are queried. Of the claims that replace the reset, the latest is used;
/// without one, the first that relaxes it.
using Estimators = InOrder<SlidingWindow, SlidingCounter, TokenBucket, FirstRequestWindow, UnreportedLimit>;

/// Admission for one quota policy of one partition. Not safe to use from many threads: the gate locks.
class Admission {
 public:
  /// Decides whether a request may be sent. Has no side effects.
  Decision decide(Instant now, const QuotaPolicy& policy, const Ask& ask, const Allowance& allowance) const;
  /// Applies the decision to hold a request, or all.
  void hold(Instant now, const Decision& decision) noexcept;
  /// Applies the decision about a request that is now sent.
  Sending send(Instant now, const Go& go);
  /// Advances to `now`: ends a hold or a window that is over.
  void advance(Instant now, Inference inference) noexcept;

  /// Records a request that was admitted elsewhere, as was recorded there, but is counted here too.
  Sending adopt(const Sending& sending) noexcept;
  /// Leases permits to a process.
  void lease(Instant now, std::int64_t permits) noexcept;
  /// Takes leased permits back: unspent, or because their requests are recorded now.
  void end_lease(std::int64_t permits) noexcept;
  /// Counts leased permits as spent.
  void lose_lease(Instant now, std::int64_t permits);
  /// Whether permits are counted or limited, so that processes must share them.
  bool is_counted() const noexcept {
    return phase_.phase() != Phase::open || is_reported() || knows_unreported_limit() || !concurrency_.is_unlimited();
  }
  /// Whether a permit is free again when its response arrives.
  bool limits_in_flight() const noexcept { return !concurrency_.is_unlimited(); }
  Account& account() noexcept { return account_; }
  const Account& account() const noexcept { return account_; }
  /// Holds requests after a rejection that, as the server reported, concerns this policy too.
  void hold_until(Instant now, Instant until) noexcept;
  /// Records that a request got a response or was lost: it is no longer in flight.
  void finish(const Sending& sending, bool counted) noexcept;
  /// Records the result of a finished request.
  /// @param seen   the reported values; the fields about our other requests are filled in here.
  /// @param clock  has already observed the Date of the response.
  /// @param moved  whether that Date contradicts earlier ones.
  void record(const Sending& sending, Observation seen, const ServerClock& clock, bool moved);
  /// Counts the requests in flight as lost: they belong to the process that saved the state.
  void abandon_in_flight(Instant now);
  bool is_whole() const noexcept;
  /// Cost of one request of the route.
  std::int64_t cost_of(RouteKey route) const noexcept { return costs_.of(route); }
  /// Releases a request that was never sent.
  void release(const Sending& sending) noexcept;

  QuotaReading reading(Instant now) const;
  /// All of a snapshot except the names and the waiting calls.
  QuotaSnapshot snapshot(Instant now) const;
  /// How long so many calls of a route wait.
  Forecast forecast(Instant now, std::int64_t calls, std::int64_t reserve, RouteKey route) const;
  /// Whether the server reports the remaining count.
  bool is_reported() const noexcept { return window_.left().has_value(); }
  std::optional<std::int64_t> limit() const noexcept { return window_.limit(); }
  /// Whether permits are left, as the server reports.
  bool has_permits() const noexcept { return window_.left().value_or(0) > 0; }
  /// Whether rejections revealed a limit that the server does not report.
  bool knows_unreported_limit() const noexcept { return concurrency_.is_proven() || unreported_count(); }
  Phase phase() const noexcept { return phase_.phase(); }

  static void fields(auto& self, auto& archive) {
    archive(self.phase_, self.account_, self.window_, self.estimators_, self.costs_, self.concurrency_, self.proven_,
            self.guesses_, self.doublings_, self.silence_, self.reported_period_, self.done_, self.unexplained_);
  }

 private:
  struct Found {
    Claim claim;
    Effect effect;
  };
  // Waits of 1, 2, 4 s since the last success.
  struct Doublings {
    std::int32_t count = 0;
    bool obeyed = false;  // a Retry-After

    static void fields(auto& self, auto& archive) { archive(self.count, self.obeyed); }
  };
  // Responses without remaining.
  struct Silence {
    bool was_reported = false;  // remaining, at least once
    std::uint32_t probes = 0;   // served in a row, without it

    static void fields(auto& self, auto& archive) { archive(self.was_reported, self.probes); }
  };
  // The last rejection, if it reported nothing.
  struct Unexplained {
    bool holds = false;
    bool probes = false;           // a probe is due, or in flight, before the end of the hold
    std::uint32_t rejections = 0;  // of such probes

    static void fields(auto& self, auto& archive) { archive(self.holds, self.probes, self.rejections); }
  };
  // Requests with a response or lost.
  struct Done {
    std::int64_t requests = 0;
    std::int64_t rejected = 0;

    static void fields(auto& self, auto& archive) { archive(self.requests, self.rejected); }
  };

  void give_back(const Sending& sending) noexcept;
  std::optional<Found> claimed(Instant now, const PermitRequest& request, Inference inference,
                               bool replacing_only) const;
  Decision decide(Instant now, const QuotaPolicy& policy, const Ask& ask, const Allowance& allowance,
                  const PermitRequest& request) const;
  Decision decide_probe(Instant now, const QuotaPolicy& policy, std::int64_t ahead) const noexcept;
  Decision decide_covered(Instant now, const QuotaPolicy& policy, const Ask& ask, const Allowance& allowance,
                          std::int64_t room) const;
  Decision decide_exhausted(Instant now, const PermitRequest& request, std::int64_t ahead) const noexcept;
  Decision decide_by_claim(Instant now, const PermitRequest& request, const Found& found, std::int64_t ahead) const;
  void on_served(const Sending& sending, Observation& seen, const ServerClock& clock);
  void on_rejected(const Sending& sending, Observation& seen, const ServerClock& clock);
  void update_trust(const Sending& sending, const Observation& seen);
  /// Whether the rejection is due to another limit than this policy's.
  bool leaves_permits(const Observation& seen) const noexcept {
    return seen.remaining ? *seen.remaining > 0 : window_.left().value_or(0) > 0;
  }
  bool is_unreported(const Observation& seen) const noexcept { return !window_.left() && !seen.remaining; }
  std::optional<std::int64_t> unreported_count() const noexcept;
  void on_sent(Instant at, const PermitRequest& request) noexcept;
  void lose(Instant now, std::int64_t cost);
  void on_served_unreported(const Sending& sending, const Observation& seen, bool current);
  bool on_rejected_unreported(const Sending& sending, const Observation& seen);
  Instant end_of_rejection(const Observation& seen, bool infers) noexcept;
  std::optional<Instant> freed_at(const Observation& seen, bool infers, Duration least) const noexcept;
  Duration next_doubling() noexcept;
  Moment moment(Instant now) const noexcept { return {now, account_.sent().requests}; }

  PhaseMachine phase_;
  Account account_;
  ReportedWindow window_;
  Estimators estimators_;
  RouteCost costs_;
  Concurrency concurrency_;
  std::uint8_t proven_ = 0;    // one bit for each estimator whose claim is proven
  std::uint32_t guesses_ = 0;  // requests in flight that were admitted by a claim alone
  Doublings doublings_;
  Silence silence_;
  std::optional<Duration> reported_period_ = {};  // window length that the server reports
  Done done_;
  Unexplained unexplained_;
};

}}}  // namespace noun::quota
