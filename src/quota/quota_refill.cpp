#include "quota/quota_refill.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace noun { inline namespace v0 {
namespace {

/// What flows less often than this is better waited for than reckoned with.
constexpr double longest_per_permit = 3600;
/// Once it may be a window that has turned.
constexpr unsigned enough_proofs = 3;
constexpr double least_rise = 2;
/// A reset that is always so near may be the next permit's, and not a window's end.
constexpr auto near_reset = std::chrono::seconds(3);
constexpr double tolerance = 3;

double seconds_of(Duration span) noexcept { return std::chrono::duration<double>(span).count(); }

double as_double(std::int64_t count) noexcept { return static_cast<double>(count); }

/// What our own requests between two answers took, by what was certainly counted and what may have been.
struct Taken {
  std::int64_t at_least;
  std::int64_t at_most;
};

Taken taken_between(const LevelReport& then, const LevelReport& now) noexcept {
  const auto admitted = static_cast<std::int64_t>(now.admitted - then.admitted);
  const auto answered = static_cast<std::int64_t>(now.served_before) - static_cast<std::int64_t>(then.served);
  return {std::max(answered - then.others, std::int64_t{0}) + now.cost, admitted + then.perhaps_after};
}

/// What cannot be explained by a window that turned between the two.
bool same_window(const LevelReport& then, const LevelReport& now, const Taken& taken) noexcept {
  if (then.reset && now.received < then.reset->earliest) return true;
  // Just behind a turn no more is used than we sent since; others may have used it, so long windows are left to their
  // word.
  const bool near = !then.reset || then.reset->latest - then.received < near_reset;
  return near && now.limit && *now.limit - now.remaining > taken.at_most;
}

}  // namespace

void QuotaRefill::learn(const LevelReport& report) {
  if (report.per_second && *report.per_second > 0) {
    told_ = true;
    per_permit_ = 1 / *report.per_second;
  } else if (!refuted_) {
    bound_by_reset(report);
    learn_from_reset(report);
    compare(report);
  }
  reckon(report);
}

void QuotaRefill::refute() noexcept {
  refuted_ = true;
  confirmed_ = false;
  level_ = std::min(level_, 0.0);
  if (!told_) per_permit_.reset();
}

/// Seconds per permit, at the most.
void QuotaRefill::found(double seconds_each) noexcept {
  if (seconds_each > longest_per_permit || seconds_each <= 0 || contradicted(seconds_each)) return;
  per_permit_ = std::min(per_permit_.value_or(seconds_each), seconds_each);
}

/// What was used is back at the reset at the latest, and the next permit not later: no flow is faster than that.
void QuotaRefill::bound_by_reset(const LevelReport& report) noexcept {
  if (!report.limit || !report.reset || report.remaining >= *report.limit) return;
  const double ahead = seconds_of(report.reset->earliest - report.received);
  least_each_ = std::max(least_each_, ahead / as_double(*report.limit - report.remaining));
  if (per_permit_ && contradicted(*per_permit_)) per_permit_.reset();
}

void QuotaRefill::learn_from_reset(const LevelReport& report) {
  if (!report.limit || !report.told || report.remaining > *report.limit) return;
  slope_.learn({.sent = report.sent,
                .received = report.received,
                .used = *report.limit - report.remaining,
                .told = *report.told,
                .perhaps_after = report.perhaps_after},
               *report.limit);
  if (const auto each = slope_.seconds_each()) found(*each);
}

/// More is left than was, less what our own requests have taken since.
void QuotaRefill::compare(const LevelReport& report) noexcept {
  if (landmark_ && report.sent < landmark_->received) return;
  if (!landmark_ || !same_window(*landmark_, report, taken_between(*landmark_, report))) {
    landmark_ = report;
    origin_.reset();
    return;
  }
  const auto risen_since = [&](const LevelReport& then) {
    return as_double(report.remaining - then.remaining - 1 + taken_between(then, report).at_least);
  };
  if (const double rose = risen_since(*landmark_); rose >= least_rise)
    prove(seconds_of(report.received - landmark_->sent) / rose, report);
  if (!per_permit_ || !origin_) return;
  if (const double rose = risen_since(*origin_); rose >= least_rise)
    found(seconds_of(report.received - origin_->sent) / rose);
}

/// One rise may have another reason; so many in a row, as fast as each other, are a flow.
void QuotaRefill::prove(double seconds_each, const LevelReport& report) noexcept {
  const bool agrees = proofs_ > 0 && seconds_each < fastest_ * tolerance && seconds_each * tolerance > slowest_;
  slowest_ = agrees ? std::max(slowest_, seconds_each) : seconds_each;
  fastest_ = agrees ? std::min(fastest_, seconds_each) : seconds_each;
  proofs_ = agrees ? proofs_ + 1 : 1;
  if (!agrees || !origin_) origin_ = landmark_;
  landmark_ = report;
  if (proofs_ >= enough_proofs) found(slowest_);
}

double QuotaRefill::flowed(Duration span) const noexcept { return seconds_of(span) / *per_permit_; }

void QuotaRefill::reckon(const LevelReport& report) noexcept {
  if (report.limit) capacity_ = as_double(*report.limit);
  lowest_ = std::min(lowest_, report.remaining);
  const std::int64_t known = lowest_ - missed_ - report.others;
  if (report.others == 0) {
    lowest_ = std::numeric_limits<std::int64_t>::max();
    missed_ = 0;
  }
  if (!per_permit_) return;
  // Whichever of the answered ones was counted last has told no less than the lowest; what is in flight may come on
  // top.
  const double at_least = as_double(std::max(report.remaining - report.perhaps_after, known));
  const double at_most = as_double(report.remaining) + 1 + 2 * flowed(report.received - report.sent);
  const double now = at_ != Instant{} ? std::min(level_ + flowed(report.received - at_), capacity_) : at_least;
  // More than can be there has been taken by others: the answer alone counts.
  level_ = now > at_most ? at_least : std::max(now, at_least);
  at_ = report.received;
}

Instant QuotaRefill::when(std::int64_t permits) const noexcept {
  const double missing = as_double(permits) - level_;
  if (missing <= 0) return at_;
  const double wait = std::min(missing * *per_permit_, 1e9);
  return after(at_, std::chrono::ceil<Duration>(std::chrono::duration<double>(wait)));
}

std::int64_t QuotaRefill::level(Instant now) const noexcept {
  // A nanosecond more, so that what is waited for is there.
  const double there = level_ + flowed(now - at_ + Duration(1));
  return static_cast<std::int64_t>(std::floor(std::clamp(there, -capacity_, capacity_)));
}

}}  // namespace noun
