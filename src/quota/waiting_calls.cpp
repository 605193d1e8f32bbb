#include "quota/waiting_calls.hpp"

#include <chrono>
#include <limits>

namespace noun { inline namespace v0 { namespace quota {
namespace {

constexpr Duration late = std::chrono::milliseconds(250);
/// Calls counted at most: the number only affects when to check again.
constexpr std::int64_t most_counted = 64;

Sums sums_of(const Waiter& waiter) noexcept { return {1, waiter.cost}; }

}  // namespace

Sums WaitingCalls::before(const Waiter::Place& place) const noexcept {
  Sums count;
  for (const Queue* queue : {&offered_, &waiting_})
    for (auto at = queue->begin(); at != queue->end() && at->first < place && count.requests < most_counted; ++at)
      count += sums_of(*at->second);
  return count;
}

Sums WaitingCalls::before(Priority priority) const noexcept {
  const int rank = -static_cast<int>(priority);
  const auto all_before = [&](const Queue& queue) {
    return queue.empty() || std::prev(queue.end())->first.rank <= rank;
  };
  if (all_before(waiting_) && all_before(offered_)) return waiting_sums_ + offered_sums_;
  return before({rank, std::numeric_limits<std::uint64_t>::max()});
}

void WaitingCalls::insert(const std::shared_ptr<Waiter>& waiter) {
  waiting_.emplace(waiter->place, waiter);
  waiting_sums_ += sums_of(*waiter);
}

bool WaitingCalls::erase(const Waiter& waiter) noexcept {
  if (waiting_.erase(waiter.place) > 0) {
    waiting_sums_ -= sums_of(waiter);
    return false;
  }
  if (offered_.erase(waiter.place) == 0) return false;
  offered_sums_ -= sums_of(waiter);
  return true;
}

const std::shared_ptr<Waiter>& WaitingCalls::offer_first(Instant now) {
  offers_.emplace_back(now, waiting_.begin()->first);
  auto node = waiting_.extract(waiting_.begin());
  waiting_sums_ -= sums_of(*node.mapped());
  offered_sums_ += sums_of(*node.mapped());
  node.mapped()->offered_at = now;
  return offered_.insert(std::move(node)).position->second;
}

bool WaitingCalls::forget_late(Instant now) noexcept {
  bool any = false;
  for (; !offers_.empty() && now - offers_.front().first > late; offers_.pop_front()) {
    const auto found = offered_.find(offers_.front().second);
    if (found == offered_.end() || found->second->offered_at != offers_.front().first) continue;
    const auto waiter = found->second;
    any = erase(*waiter);
  }
  while (!waiting_.empty() && now > after(waiting_.begin()->second->until, late)) {
    const auto waiter = waiting_.begin()->second;
    erase(*waiter);
    any = true;
  }
  return any;
}

}}}  // namespace noun::quota
