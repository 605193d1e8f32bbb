#include "quota/estimators/window_count.hpp"

#include <algorithm>
#include <utility>

namespace noun { inline namespace v0 { namespace quota {
namespace {

constexpr std::size_t most_unseen = 16;

}  // namespace

bool WindowCount::take_limit(const Observation& seen) noexcept {
  if (!seen.limit) return false;
  const auto before = std::exchange(limit_, seen.limit);
  return before && before != limit_;
}

void WindowCount::restart(const Observation& seen, const Account& account, bool may_be_same, bool current) {
  const auto left_before = may_be_same ? remaining_ : std::nullopt;
  count_from(seen, account);
  set_remaining(seen, seen.remaining, account);
  if (left_before && remaining_) remaining_ = std::min(*left_before, *remaining_);
  // If both are the same window, what it may have counted before still counts.
  may_be_same ? forget_counted(seen) : forget_unseen();
  distrusted_ = distrusted_ && !current;
}

void WindowCount::merge(const Observation& seen, const Account& account, bool current) {
  if (seen.outcome == Outcome::rejected) {
    if (seen.remaining == 0) merge_remaining(seen, 0, account);
  } else if (current && distrusted_) {
    set_remaining(seen, seen.remaining, account);
    forget_unseen();
    distrusted_ = false;
  } else if (seen.remaining) {
    merge_remaining(seen, *seen.remaining, account);
  } else {
    spend_unseen(seen);
  }
}

bool WindowCount::rises(const Observation& seen, bool is_over) const noexcept {
  if (!seen.remaining || !remaining_) return false;
  if (is_over && *seen.remaining >= *remaining_) return true;
  return seen.is_after(known_since_) && *seen.remaining > *remaining_;
}

bool WindowCount::could_be_new(const Observation& seen, const Account& account) const noexcept {
  if (!seen.remaining || !limit_) return false;
  const std::int64_t counted_since = others_ + account.sent().requests - known_since_.sent;
  return *seen.remaining >= *limit_ - counted_since;
}

/// Starts our own count with a request that was in flight alone and is the only one that the window counts.
void WindowCount::count_from(const Observation& seen, const Account& account) noexcept {
  const bool alone = seen.perhaps_after.requests == 0;
  const std::int64_t own = seen.counted ? 1 : 0;
  const bool first = limit_ && seen.remaining == *limit_ - own;
  ours_from_ = alone && first ? std::optional(account.sent().cost - own) : std::nullopt;
}

void WindowCount::merge_remaining(const Observation& seen, std::int64_t reported, const Account& account) {
  if (ours_from_ && limit_ && left_by_count(account) > reported) ours_from_.reset();
  forget_counted(seen);
  if (!remaining_) count_from(seen, account);
  if (remaining_ && *remaining_ <= reported) return;
  set_remaining(seen, reported, account);
}

void WindowCount::set_remaining(const Observation& seen, std::optional<std::int64_t> reported,
                                const Account& account) noexcept {
  remaining_ = reported;
  known_since_ = {seen.received_at, account.sent().requests};
  others_ = account.in_flight().cost;
}

void WindowCount::spend_unseen(const Observation& seen) {
  if (!remaining_ || seen.cost == 0) return;
  unseen_cost_ += seen.cost;
  Moment noted{seen.received_at, seen.sent.requests};
  if (!unseen_.empty()) noted.at = std::max(noted.at, unseen_.back().noted.at);
  if (unseen_.size() < most_unseen) return unseen_.push_back({noted, seen.cost});
  unseen_.back() = {noted, unseen_.back().cost + seen.cost};
}

void WindowCount::forget_counted(const Observation& seen) noexcept {
  const auto counted = std::partition_point(unseen_.begin(), unseen_.end(),
                                            [&](const Unseen& unseen) { return seen.is_after(unseen.noted); });
  for (auto at = unseen_.begin(); at != counted; ++at) unseen_cost_ -= at->cost;
  unseen_.erase(unseen_.begin(), counted);
}

std::int64_t WindowCount::room(const Account& account) const noexcept {
  const std::int64_t in_flight = account.in_flight().cost;
  const std::int64_t reported = *left() - in_flight;
  if (!ours_from_ || !limit_) return reported;
  return std::max(reported, std::min(left_by_count(account), *remaining_ - in_flight));
}

}}}  // namespace noun::quota
