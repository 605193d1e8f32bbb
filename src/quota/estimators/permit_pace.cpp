#include "quota/estimators/permit_pace.hpp"

#include <algorithm>
#include <chrono>

#include "quota/observation.hpp"
#include "wire/state_bytes.hpp"

namespace noun { inline namespace v0 { namespace quota {
namespace {

using std::chrono::seconds;

constexpr Duration longest_interval = std::chrono::minutes(2);
constexpr std::int64_t largest_capacity = 1024;
constexpr std::int64_t most_damping = 5;
constexpr std::int64_t longest_rise_patience = 64;
/// Requests at a pace before it rises.
constexpr std::int64_t least_at_a_pace = 4;
constexpr std::int64_t most_at_a_pace = 16;
/// A pace lasts if this multiple of the bucket was served at it.
constexpr std::int64_t times_capacity = 3;
/// Requests without a rejection, and the time, before a pace that has lasted is raised; both times the patience.
constexpr std::int64_t steady = 32;
constexpr Duration least_steady = seconds(5);
/// With a smaller bucket, two requests in an interval may be one too many.
constexpr std::int64_t least_spare = 2;
/// A bucket has a permit again two intervals after a rejection. A rejection then adds two; a success takes one back.
constexpr std::int64_t most_vain = 4;
/// After this many rises without a rejection the next ones are larger.
constexpr std::int64_t many_rises = 4;

}  // namespace

PermitPace::PermitPace(Instant now, Duration interval, std::int64_t capacity) noexcept
    : base_(std::clamp<Duration>(interval, Duration(1), longest_interval)),
      interval_(base_),
      next_(after(now, interval_)),
      sent_(now),
      rejected_sent_(now),
      rejected_at_(now),
      capacity_(std::clamp<std::int64_t>(capacity, 1, largest_capacity)) {}

void PermitPace::on_sent(Instant now) noexcept {
  trial_.spent += std::clamp<Duration>(now - sent_, Duration::zero(), 2 * interval_);
  sent_ = std::max(sent_, now);
  // If a request is late, the next may be in time.
  const Duration late = capacity_ > least_spare ? interval_ : Duration::zero();
  next_ = after(std::max(next_, after(now, -late)), interval_);
}

void PermitPace::on_served(Instant sent, Instant now) noexcept {
  if (sent <= rejected_sent_) return;
  ++trial_.served;
  ++trial_.served_raised;
  const std::int64_t enough = std::clamp(times_capacity * capacity_, least_at_a_pace, most_at_a_pace);
  const bool waits = damping_ == most_damping && trial_.raised == 0 && !is_steady(now);
  if (trial_.served_raised >= enough && !waits) rise(now);
}

/// Whether enough was served to try more than what is known well.
bool PermitPace::is_steady(Instant now) const noexcept { return trial_.served >= steady * patience_ && now >= next_rise_; }

void PermitPace::rise(Instant now) noexcept {
  const std::int64_t parts = std::int64_t(1) << damping_;
  Duration shorter = std::max(interval_ * parts / (parts + 1), Duration(1));
  if (is_steady(now)) shortest_ = std::min(shortest_, shorter);
  shorter = std::max(shorter, shortest_);
  if (shorter >= interval_) return;
  if (trial_.served_raised >= times_capacity * capacity_) trial_.sustained = interval_;
  if (++trial_.raised % many_rises == 0 && damping_ > 0) --damping_;
  interval_ = shorter;
  trial_.served_raised = 0;
}

void PermitPace::on_rejected(Instant sent, Instant now) noexcept {
  if (sent <= rejected_at_) return;
  vain_ = trial_.served > 0 ? std::max<std::int64_t>(vain_ - 1, 0) : vain_ + 2;
  Duration found = trial_.served > 0 ? trial_.spent / trial_.served : base_ * 2;
  if (trial_.sustained > Duration::zero()) found = std::min(found, trial_.sustained);
  const Duration slower = base_ + base_ / (trial_.served < least_at_a_pace ? 4 : 32);
  found = trial_.raised > 0 ? std::min(found, base_) : std::clamp<Duration>(found, slower, 2 * base_);
  const bool faster = found < base_ - base_ / 32;
  const bool lowered = trial_.raised == 0;
  patience_ = faster ? 1 : lowered ? patience_ : std::min(patience_ * 2, longest_rise_patience);
  if (lowered) shortest_ = base_ + base_ / 32;
  found = std::max(found, shortest_);
  damping_ = lowered ? std::min(damping_, most_damping - 1) : std::min(damping_ + 1, most_damping);
  base_ = interval_ = std::clamp<Duration>(found, Duration(1), longest_interval);
  rejected_sent_ = sent;
  rejected_at_ = now;
  trial_ = {};
  next_ = after(now, 2 * interval_);
  next_rise_ = after(now, least_steady * patience_);
}

bool PermitPace::is_refuted() const noexcept { return vain_ >= most_vain; }

bool PermitPace::is_whole() const noexcept {
  const auto is_interval = [](Duration value) { return value > Duration::zero() && value <= longest_interval; };
  const auto is_time = [](Duration value) {
    return value >= Duration::zero() && value <= std::chrono::hours(100'000);
  };
  return is_interval(base_) && is_interval(interval_) &&
         is_time(trial_.spent) && is_time(trial_.sustained) && is_time(shortest_) && is_count(trial_.served) && is_count(trial_.raised) &&
         is_count(vain_) && is_count(trial_.served_raised) && capacity_ > 0 && capacity_ <= largest_capacity &&
         damping_ >= 0 && damping_ <= most_damping && patience_ > 0 && patience_ <= longest_rise_patience;
}

}}}  // namespace noun::quota
