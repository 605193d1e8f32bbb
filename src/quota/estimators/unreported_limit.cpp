#include "quota/estimators/unreported_limit.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "quota/time/round_period.hpp"

namespace noun { inline namespace v0 { namespace quota {
namespace {

using std::chrono::seconds;

constexpr std::int64_t longest_patience = 64;
/// Where fewer are served, one rejection may have another reason.
constexpr std::int64_t enough = 5;
/// So few in a period leave gaps that are worth measuring in parts of a second.
constexpr std::int64_t few = 2;

}  // namespace

void UnreportedLimit::on_sent(Instant now, const Ask&) noexcept {
  if (!begun_) begun_ = now;
}

void UnreportedLimit::on_response(const Observation& seen, const Account&) {
  if (seen.remaining) reported_ = true;
  trying_ = seen.guessed && period_ && !reported_;
  if (reported_) return;
  if (seen.outcome == Outcome::rejected) on_rejected(seen);
  if (seen.outcome == Outcome::served && seen.healthy) on_served(seen);
}

void UnreportedLimit::on_served(const Observation& seen) {
  if (trying_) on_try(true, seen.received_at);
  const bool again = rejected_at_ && seen.sent_at > *rejected_at_;
  if (again && !period_) learn(seen.received_at);
  if (again || (period_ && seen.sent_at >= after(*begun_, *period_))) {
    rejected_at_.reset();
    begun_ = seen.sent_at;
    served_ = 0;
  }
  ++served_;
}

/// As many were served, and the period has passed since the first of them.
void UnreportedLimit::learn(Instant now) noexcept {
  small_cycles_ = served_ < enough ? small_cycles_ + 1 : 0;
  const Duration length = now - *begun_;
  if (length > longest_period || small_cycles_ == 1) return;
  count_ = std::max<std::int64_t>(served_, 1);
  period_ = length;
  next_growth_ = after(now, length * patience_);
}

void UnreportedLimit::on_rejected(const Observation& seen) {
  if (trying_) return on_try(false, seen.received_at);
  const bool again = rejected_at_ && seen.sent_at > *rejected_at_;
  if (again) over_ = std::max(over_, seen.sent_at - *begun_);
  const bool first = !std::exchange(rejected_at_, again ? seen.received_at : rejected_at_.value_or(seen.received_at));
  // More than was thought is not served: a tenth to a half less, by what was served in this cycle.
  if (first && period_) count_ = std::max<std::int64_t>(std::clamp(served_, count_ / 2, count_ - count_ / 10 - 1), 1);
}

void UnreportedLimit::on_try(bool served, Instant now) noexcept {
  if (const auto length = shorter()) {
    if (served)
      period_ = length;
    else
      over_ = *length;
    return;
  }
  if (!served) {
    patience_ = std::min(patience_ * 2, longest_patience);
    step_ = 1;
    grown_ = 0;
  } else {
    ++count_;
    if (++grown_ < step_) return;
    patience_ = 1;
    step_ *= 2;
    grown_ = 0;
  }
  next_growth_ = after(now, *period_ * patience_);
}

/// The next period to try: whole seconds, for servers count in them.
std::optional<Duration> UnreportedLimit::shorter() const noexcept {
  const Duration rest = *period_ - over_;
  Duration length = std::chrono::floor<seconds>(*period_);
  if (length == *period_) length = std::chrono::floor<seconds>(*period_ - std::max<Duration>(seconds(1), rest / 3));
  if (length < seconds(1) && count_ <= few && rest > *period_ / 8) length = over_ + rest / 2;
  return length > over_ && length < *period_ ? std::optional(length) : std::nullopt;
}

std::optional<Instant> UnreportedLimit::when(const Ask& ask, const Account& account) const noexcept {
  if (reported_ || !period_) return std::nullopt;
  const std::int64_t back = count_ - ask.wanted() - account.in_flight().cost + 1;
  if (back > account.log().size() || account.log().size() == 0) return Instant::min();
  return after(account.log().nth_last(std::max<std::int64_t>(back, 1)).received, *period_);
}

std::optional<Claim> UnreportedLimit::claim(Instant now, const Ask& ask, const Account& account) const noexcept {
  const auto known = when(ask, account);
  if (!known) return std::nullopt;
  if (*known <= now) return Claim{.earliest = now, .trust = Trust::proven};
  if (const auto length = shorter())
    return Claim{.earliest = std::max(after(*known, *length - *period_), now), .conclusive = false};
  if (next_growth_ < *known) return Claim{.earliest = std::max(next_growth_, now), .conclusive = false};
  return Claim{.earliest = *known, .trust = Trust::proven};
}

}}}  // namespace noun::quota
