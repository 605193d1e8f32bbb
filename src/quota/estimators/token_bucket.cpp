#include "quota/estimators/token_bucket.hpp"

#include <chrono>
#include <cmath>

namespace noun { inline namespace v0 { namespace quota {
namespace {

/// Slower refills are waited for, not calculated.
constexpr double longest_per_permit = 3600;
/// A single rise may be the end of a window.
constexpr std::uint32_t enough_proofs = 3;
constexpr double least_rise = 2;
/// A reset that is always this near may be the next permit's, and not the end of a window.
constexpr auto near_reset = std::chrono::seconds(3);
constexpr double tolerance = 3;

}  // namespace

/// Whether the reported remaining cannot be that of a new window.
bool TokenBucket::Landmark::has_same_window(const Observation& seen) const noexcept {
  if (reset && seen.received_at < reset->earliest) return true;
  // A new window counts no more than we sent since, if it counts only that. Other clients may have used it, so long
  // windows are excluded.
  const bool near = !falls_unexplained && (!reset || reset->latest - received < near_reset);
  return near && seen.limit && seen.used() > taken_at_most(seen);
}

TokenBucket::Landmark TokenBucket::landmark_of(const Observation& seen) noexcept {
  Landmark landmark{.sent = seen.sent_at,
                    .received = seen.received_at,
                    .remaining = *seen.remaining,
                    .sent_cost = seen.sent.cost,
                    .served_cost = seen.served.cost,
                    .in_flight_cost = seen.in_flight.cost,
                    .perhaps_after_cost = seen.perhaps_after.cost};
  if (const auto reset = seen.near_reset()) landmark.reset = reset->if_rounded_up();
  return landmark;
}

void TokenBucket::on_response(const Observation& seen, const Account&) {
  if (seen.outcome == Outcome::rejected) return;
  if (!seen.remaining) {
    level_.miss(seen.cost);
    return;
  }
  if (seen.refill_per_second && *seen.refill_per_second > 0) {
    reported_ = true;
    per_permit_ = 1 / *seen.refill_per_second;
  } else if (!refuted_) {
    bound_by_reset(seen);
    if (seen.limit && *seen.remaining <= *seen.limit && seen.near_reset()) {
      slope_.on_response(seen);
      if (const auto each = slope_.seconds_each()) found(*each);
    }
    compare(seen);
  }
  on_uncounted(seen);
}

/// Only the level follows from it.
void TokenBucket::on_uncounted(const Observation& seen) noexcept {
  if (!seen.remaining) return;
  std::optional<PermitLevel::Refill> refill;
  if (per_permit_)
    refill = {.since = refilled_in(level_.is_known() ? std::max(seen.received_at - level_.at(), {}) : Duration{}),
              .during = refilled_in(seen.received_at - seen.sent_at)};
  level_.on_response(seen, refill);
}

void TokenBucket::on_refuted() noexcept {
  refuted_ = true;
  level_.empty();
  if (!reported_) per_permit_.reset();
}

/// @param seconds_each  upper bound of the seconds per permit.
void TokenBucket::found(double seconds_each) noexcept {
  if (seconds_each > longest_per_permit || seconds_each <= 0 || contradicted(seconds_each)) return;
  per_permit_ = std::min(per_permit_.value_or(seconds_each), seconds_each);
}

/// At the reset all used permits are refilled, or just the next one: no refill is faster than all of them until then.
void TokenBucket::bound_by_reset(const Observation& seen) noexcept {
  const auto reset = seen.near_reset();
  if (!seen.limit || !reset || *seen.remaining >= *seen.limit) return;
  const double ahead = seconds_of(reset->if_rounded_up().earliest - seen.received_at);
  least_each_ = std::max(least_each_, ahead / as_double(seen.used()));
  if (per_permit_ && contradicted(*per_permit_)) per_permit_.reset();
}

void TokenBucket::compare(const Observation& seen) noexcept {
  if (landmark_ && seen.sent_at < landmark_->received) return;
  if (landmark_ && landmark_->remaining - *seen.remaining > landmark_->taken_at_most(seen))
    landmark_->falls_unexplained = true;
  if (!landmark_ || !landmark_->has_same_window(seen)) {
    landmark_ = landmark_of(seen);
    origin_.reset();
    return;
  }
  if (const double rise = landmark_->rise_to(seen); rise >= least_rise)
    prove(seconds_of(seen.received_at - landmark_->sent) / rise, seen);
  if (!per_permit_ || !origin_ || proofs_ < enough_proofs) return;
  if (const double rise = origin_->rise_to(seen); rise >= least_rise)
    found(seconds_of(seen.received_at - origin_->sent) / rise);
}

/// One rise may have another cause. Several in a row at a similar rate are a refill.
void TokenBucket::prove(double seconds_each, const Observation& seen) noexcept {
  const bool agrees = proofs_ > 0 && seconds_each < fastest_ * tolerance && seconds_each * tolerance > slowest_;
  slowest_ = agrees ? std::max(slowest_, seconds_each) : seconds_each;
  fastest_ = agrees ? std::min(fastest_, seconds_each) : seconds_each;
  proofs_ = agrees ? proofs_ + 1 : 1;
  if (!agrees || !origin_) origin_ = landmark_;
  landmark_ = landmark_of(seen);
  if (proofs_ >= enough_proofs) found(slowest_);
}

bool TokenBucket::is_whole() const noexcept {
  return level_.is_whole() && is_number(slowest_) && is_number(fastest_) && is_number(least_each_) &&
         (!per_permit_ || (is_number(*per_permit_) && *per_permit_ > 0 && level_.is_known()));
}

std::optional<Instant> TokenBucket::refilled_at(std::int64_t permits) const noexcept {
  if (!per_permit_) return std::nullopt;
  const double missing = as_double(permits) - level_.permits();
  if (missing <= 0) return level_.at();
  const double wait = std::min(missing * *per_permit_, 1e9);
  return after(level_.at(), std::chrono::ceil<Duration>(std::chrono::duration<double>(wait)));
}

std::optional<std::int64_t> TokenBucket::level(Instant now) const noexcept {
  if (!per_permit_) return std::nullopt;
  // A nanosecond more, so that the permits are there at the instant that refilled_at() returns.
  return level_.with(refilled_in(now - level_.at() + Duration(1)));
}

std::optional<Claim> TokenBucket::claim(Instant now, const PermitRequest& request, const Account&) const noexcept {
  const auto there = level(now);
  if (!there) return std::nullopt;
  const Trust trust = reported_ ? Trust::reported : Trust::guessed;
  if (*there >= request.wanted()) return Claim{now, trust};
  if (request.wanted() > static_cast<std::int64_t>(level_.capacity()))
    return Claim{after(now, recheck_interval), trust};
  return Claim{std::max(*refilled_at(request.wanted()), after(now, Duration(1))), trust};
}

}}}  // namespace noun::quota
