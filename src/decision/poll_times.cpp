#include "decision/poll_times.hpp"

namespace noun { inline namespace v0 {

Instant PollTimes::claim(std::string_view url, Instant now) {
  const std::lock_guard lock(mutex_);
  const auto found = polls_.find(url);
  if (found == polls_.end()) return now;
  auto& [next, interval] = found->second;
  if (next > now) return next;
  next = after(now, interval);
  return now;
}

void PollTimes::record(std::string_view url, Instant now, Duration interval) {
  constexpr std::size_t most = 256;
  const std::lock_guard lock(mutex_);
  const auto found = polls_.find(url);
  if (found != polls_.end()) {
    found->second = {after(now, interval), interval};
    return;
  }
  std::erase_if(polls_, [&](const auto& poll) { return after(poll.second.next, poll.second.interval) <= now; });
  if (polls_.size() < most) polls_.emplace(url, Poll{after(now, interval), interval});
}

}}  // namespace noun
