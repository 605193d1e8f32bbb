#include "quota/waiting_calls.hpp"

#include <chrono>
#include <limits>

namespace noun { inline namespace v0 { namespace quota {
namespace {

constexpr Duration long_ago = std::chrono::milliseconds(250);
/// Of a longer queue only this is counted: it is a matter of when to look again.
constexpr std::int64_t most_counted = 64;

}  // namespace

std::int64_t WaitingCalls::before(const Waiter::Place& place) const noexcept {
  std::int64_t count = 0;
  for (const Queue* queue : {&offered_, &waiting_})
    for (auto at = queue->begin(); at != queue->end() && at->first < place && count < most_counted; ++at) ++count;
  return count;
}

std::int64_t WaitingCalls::before(Priority priority) const noexcept {
  const bool all = waiting_.empty() || std::prev(waiting_.end())->first.rank <= -static_cast<int>(priority);
  if (all) return static_cast<std::int64_t>(waiting_.size() + offered_.size());
  return before({-static_cast<int>(priority), std::numeric_limits<std::uint64_t>::max()});
}

void WaitingCalls::insert(const std::shared_ptr<Waiter>& waiter) { waiting_.emplace(waiter->place, waiter); }

bool WaitingCalls::erase(const Waiter& waiter) noexcept {
  return waiting_.erase(waiter.place) == 0 && offered_.erase(waiter.place) > 0;
}

const std::shared_ptr<Waiter>& WaitingCalls::offer_first(Instant now) noexcept {
  auto node = waiting_.extract(waiting_.begin());
  node.mapped()->offered_at = now;
  return offered_.insert(std::move(node)).position->second;
}

void WaitingCalls::forget_late(Instant now) noexcept {
  while (!offered_.empty() && now - offered_.begin()->second->offered_at > long_ago) offered_.erase(offered_.begin());
}

}}}  // namespace noun::quota
