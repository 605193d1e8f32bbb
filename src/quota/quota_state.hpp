#pragma once
/// @file
/// What is known of one quota, and every decision about it, as a plain value: no lock, no clock, no wait.

#include <cstddef>
#include <cstdint>

#include <noun/event.hpp>
#include <noun/quota.hpp>
#include <noun/time.hpp>

#include "quota/quota_forecast.hpp"
#include "quota/quota_refill.hpp"
#include "quota/quota_tally.hpp"
#include "quota/quota_window.hpp"
#include "quota/route_costs.hpp"
#include "quota/server_clock.hpp"
#include "quota/spend_log.hpp"
#include "wire/rate_limit.hpp"

namespace noun { inline namespace v0 {

/// The answer to one admitted request, as far as the quota is concerned.
struct QuotaAnswer {
  wire::RateLimitReading reading = {};
  /// 429, or the dialect's spelling of it. Where it is false, `reading.retry_after` concerns the call alone.
  bool rejected = false;
  /// False for a transport fault: nothing was learned, but the service may have counted the request.
  bool answered = true;
  /// The first wait after a rejection that says nothing of how long; zero is a second.
  Duration default_wait = Duration::zero();
  /// How long a success asks everybody to wait.
  std::optional<Duration> pause = {};
};

/// Who asks for a permit.
struct QuotaAsk {
  Priority priority = Priority::normal;
  /// Until when the caller could wait without failing (its deadline, or what is left of `max_wait`, whichever is
  /// first). In a window that will be used up anyway one of the last permits may be kept back, for less than a second
  /// and never beyond this instant, to learn from its answer when the window turns. By default none that exists is kept
  /// back.
  Instant patient_until = Instant::min();
  /// How many requests the caller still has, this one included, where that is known.
  std::optional<std::int64_t> demand = {};
  /// What kind of request it is; 0 for none in particular.
  std::uint32_t route = 0;
};

/// What an answer had that a person should know.
enum class QuotaNote { none, implausible_reset, no_date };

/// Whether a hold for this reason ends at its instant and not before, as far as can be told.
constexpr bool is_definite(WaitReason reason) noexcept {
  return reason == WaitReason::quota || reason == WaitReason::rejected || reason == WaitReason::retry_after;
}

/// Where a quota stands.
enum class QuotaPhase {
  learning,  ///< nothing is known: one request at a time, until the first answer
  open,      ///< admits what is left; without a word of the service, as many in flight as the policy says
  closed,    ///< nobody, until an instant
  probing,   ///< one request at a time, until its answer tells how it goes on
};

/// What holders look at; when it changes they should ask again.
struct QuotaOutlook {
  QuotaPhase phase;
  std::size_t trials;
  std::int64_t room;
  Instant until;
  bool within_bound;

  friend bool operator==(const QuotaOutlook&, const QuotaOutlook&) = default;
};

/// One quota of one bucket. Not safe to use from many threads: its gate locks.
class QuotaState {
 public:
  /// Either `admitted`, with a ticket, or a reason and a later instant.
  struct Decision {
    bool admitted = false;
    PermitTicket ticket = {};
    Instant until = {};
    WaitReason reason = WaitReason::none;
  };

  /// See QuotaGate::admit.
  Decision admit(Instant now, const QuotaPolicy& policy, const QuotaAsk& ask);
  /// The ticket of a request that was admitted elsewhere, but turns out to be counted here too.
  PermitTicket adopt(Instant now, std::uint32_t route) noexcept;
  /// Requests that are under way elsewhere and will turn out to be counted here; negative once they have.
  void expect(std::int64_t requests) noexcept { in_flight_cost_ += requests; }
  /// The service rejected something, and said that it concerns this quota too.
  void hold_until(Instant until) noexcept;
  /// See QuotaGate::settle.
  QuotaNote settle(const PermitTicket& ticket, Now sent, Now received, const QuotaAnswer& answer);
  /// The request was never sent.
  void give_back(const PermitTicket& ticket) noexcept;

  /// Everything of a snapshot but its names and what is held.
  QuotaSnapshot snapshot(Instant now) const;
  QuotaReading reading(Instant now) const;
  QuotaOutlook outlook() const noexcept;
  /// How long so many calls of a route have to wait.
  QuotaForecast forecast(Instant now, std::int64_t calls, std::int64_t reserve, std::uint32_t route) const;
  /// Whether the service tells how much is left.
  bool told() const noexcept { return window_.left().has_value(); }

 private:
  void advance(Instant now) noexcept;
  Decision grant(Instant now, const QuotaAsk& ask, bool trial,
                 PermitTicket::Guess guess = PermitTicket::Guess::none) noexcept;
  Decision admit_trial(Instant now, const QuotaPolicy& policy, const QuotaAsk& ask) noexcept;
  Decision admit_unlimited(Instant now, const QuotaPolicy& policy, const QuotaAsk& ask) noexcept;
  Decision admit_counted(Instant now, const QuotaPolicy& policy, const QuotaAsk& ask);
  Decision admit_flowing(Instant now, std::int64_t reserve, const QuotaAsk& ask) noexcept;
  Decision grant_by_log(Instant now, const QuotaAsk& ask) noexcept;
  Decision admit_sliding(Instant now, std::int64_t reserve, const QuotaAsk& ask);
  Decision admit_exhausted(Instant now, std::int64_t reserve, const QuotaAsk& ask);
  Decision hold_exhausted(Instant now, std::int64_t left, std::int64_t cost);
  bool slides() const noexcept;
  void release(const PermitTicket& ticket) noexcept;
  void on_served(const QuotaExchange& exchange, const QuotaAnswer& answer);
  void on_rejected(const QuotaExchange& exchange, const QuotaAnswer& answer);
  void learn_spending(const QuotaExchange& exchange, const wire::RateLimitReading& reading, WindowNews news);
  void tally_renewal(const QuotaExchange& exchange);
  bool leaves_permits(const wire::RateLimitReading& reading) const noexcept;
  Instant end_of_rejection(const QuotaExchange& exchange, const QuotaAnswer& answer);
  void close(Instant until, WaitReason reason) noexcept;
  Duration next_doubling(Duration first = Duration::zero()) noexcept;
  QuotaNote note_of(const wire::RateLimitReading& reading) noexcept;

  QuotaPhase phase_ = QuotaPhase::learning;
  QuotaWindow window_;
  ServerClock clock_;
  Instant closed_until_ = {};
  WaitReason closed_for_ = WaitReason::none;
  Instant trial_at_ = {};   // when the last of the trials went
  std::size_t trials_ = 0;  // requests that went first and are unanswered, of this generation
  std::size_t in_flight_ = 0;
  std::int64_t in_flight_cost_ = 0;
  std::uint64_t sequence_ = 0;       // of the next permit
  std::uint64_t admitted_cost_ = 0;  // what all requests so far were thought to take
  std::uint64_t served_cost_ = 0;    // and what those took that were served
  std::uint64_t served_ = 0;         // requests that were answered, and not with a rejection
  std::uint32_t generation_ = 0;     // how often the gate closed: older tickets cannot open it, nor close it again
  unsigned doublings_ = 0;           // waits of 1, 2, 4 s since it last went well
  bool was_told_ = false;            // the service has told what is left
  unsigned silent_trials_ = 0;       // requests that went first, were served, and whose answers did not tell
  bool zero_wait_taken_ = false;     // a Retry-After of 0 was obeyed since it last went well
  QuotaNote last_note_ = QuotaNote::none;
  SpendLog log_;
  QuotaRefill refill_;
  RouteCosts costs_;
  ConcurrencyBound bound_;
  QuotaTally tally_;
  std::uint64_t opened_from_ = 0;             // the first ticket of the told window
  std::size_t guesses_ = 0;                   // requests in flight that went by a guess alone
  std::optional<Duration> told_window_ = {};  // how long the service says that its windows are
  std::optional<InstantSpan> passed_ = {};    // when the window that is over ended
  bool begun_at_once_ = false;                // the window was begun by us as soon as the one before had ended
};

}}  // namespace noun
