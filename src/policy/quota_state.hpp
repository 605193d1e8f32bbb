#pragma once
/// @file
/// What is known of one quota, and every decision about it, as a plain value: no lock, no clock, no wait.

#include <cstddef>
#include <cstdint>

#include <noun/event.hpp>
#include <noun/quota.hpp>
#include <noun/time.hpp>

#include "policy/quota_window.hpp"
#include "policy/server_clock.hpp"
#include "wire/rate_limit.hpp"

namespace noun::inline v0 {

/// The answer to one admitted request, as far as the quota is concerned.
struct QuotaAnswer {
  wire::RateLimitReading reading = {};
  /// 429, or the dialect's spelling of it. Where it is false, `reading.retry_after` concerns the call alone.
  bool rejected = false;
  /// False for a transport fault: nothing was learned, but the service may have counted the request.
  bool answered = true;
};

/// What an answer had that a person should know.
enum class QuotaNote { none, implausible_reset, no_date };

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

  friend bool operator==(const QuotaOutlook&, const QuotaOutlook&) = default;
};

/// One bucket of a quota. Not safe to use from many threads: its gate locks.
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
  Decision admit(Instant now, const QuotaPolicy& policy, Priority priority, Instant patient_until);
  /// See QuotaGate::settle.
  QuotaNote settle(const PermitTicket& ticket, Now sent, Now received, const QuotaAnswer& answer);
  /// The request was never sent.
  void give_back(const PermitTicket& ticket) noexcept;

  /// Everything of a snapshot but `held`.
  QuotaSnapshot snapshot(Instant now) const;
  QuotaReading reading(Instant now) const;
  QuotaOutlook outlook() const noexcept;

 private:
  void advance(Instant now) noexcept;
  Decision grant(Instant now, bool trial) noexcept;
  Decision admit_trial(Instant now, const QuotaPolicy& policy) noexcept;
  Decision admit_unlimited(Instant now, const QuotaPolicy& policy) noexcept;
  Decision admit_counted(Instant now, const QuotaPolicy& policy, Priority priority, Instant patient_until);
  Decision hold_exhausted(Instant now, std::int64_t left);
  void release(const PermitTicket& ticket) noexcept;
  void on_served(const QuotaExchange& exchange, const wire::RateLimitReading& reading);
  void on_rejected(const QuotaExchange& exchange, const wire::RateLimitReading& reading);
  Instant end_of_rejection(const QuotaExchange& exchange, const wire::RateLimitReading& reading);
  void close(Instant until, WaitReason reason) noexcept;
  Duration next_doubling() noexcept;
  QuotaNote note_of(const wire::RateLimitReading& reading) noexcept;

  QuotaPhase phase_ = QuotaPhase::learning;
  QuotaWindow window_;
  ServerClock clock_;
  Instant closed_until_ = {};
  WaitReason closed_for_ = WaitReason::none;
  Instant trial_at_ = {};   // when the last of the trials went
  std::size_t trials_ = 0;  // requests that went first and are unanswered, of this generation
  std::size_t in_flight_ = 0;
  std::uint64_t sequence_ = 0;    // of the next permit
  std::uint32_t generation_ = 0;  // how often the gate closed: older tickets cannot open it, nor close it again
  unsigned doublings_ = 0;        // waits of 1, 2, 4 s since it last went well
  bool zero_wait_taken_ = false;  // a Retry-After of 0 was obeyed since it last went well
  QuotaNote last_note_ = QuotaNote::none;
  std::uint64_t sent_ = 0;
  std::uint64_t rejected_ = 0;
};

}  // namespace noun::inline v0
