#include "quota/account.hpp"

namespace noun { inline namespace v0 { namespace quota {
namespace {

/// Requests to keep beyond `limit`, since that many may be in flight. The more are kept, the coarser are the groups.
constexpr std::int64_t more_than(std::int64_t limit) noexcept {
  return limit == 0 ? 64 : std::clamp<std::int64_t>(limit / 4, 8, 64);
}

}  // namespace

void RequestLog::record(Instant sent, Instant received, std::int64_t requests) {
  requests = std::min(requests, most_kept);
  auto at = groups_.end();
  while (at != groups_.begin() && std::prev(at)->received > received) --at;
  groups_.insert(at, {sent, received, requests});
  size_ += requests;
  while (size_ - groups_.front().requests >= kept_ + more_than(kept_)) {
    size_ -= groups_.front().requests;
    groups_.pop_front();
  }
  if (groups_.size() > most_) compact();
}

/// Merges neighbors into groups that are small compared with the log, so that the oldest can be dropped. The newest
/// groups are not merged.
void RequestLog::compact() {
  const std::int64_t largest = 4 * (kept_ + more_than(kept_)) / static_cast<std::int64_t>(most_) + 1;
  const std::size_t untouched = most_ / 4;
  std::deque<Group> groups;
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    const Group& next = groups_[i];
    const bool joins =
        !groups.empty() && i + untouched < groups_.size() && groups.back().requests + next.requests <= largest;
    if (!joins) {
      groups.push_back(next);
      continue;
    }
    groups.back().sent = std::min(groups.back().sent, next.sent);
    groups.back().received = next.received;
    groups.back().requests += next.requests;
  }
  groups_ = std::move(groups);
}

const RequestLog::Group& RequestLog::nth_last(std::int64_t n) const noexcept {
  if (size_ == static_cast<std::int64_t>(groups_.size())) return groups_[static_cast<std::size_t>(size_ - n)];
  auto at = groups_.rbegin();
  for (; n > at->requests; ++at) n -= at->requests;
  return *at;
}

std::int64_t RequestLog::received_since(Instant when) const noexcept {
  std::int64_t requests = 0;
  for (auto at = groups_.rbegin(); at != groups_.rend() && at->received >= when; ++at)
    requests += at->sent >= when ? at->requests : 1;
  return requests;
}

std::int64_t RequestLog::within(Instant from, Instant until) const noexcept {
  std::int64_t requests = 0;
  for (const Group& group : groups_)
    if (group.sent > from && group.received <= until) requests += group.requests;
  return requests;
}

bool RequestLog::is_whole() const noexcept {
  std::int64_t requests = 0;
  for (const Group& group : groups_) {
    if (group.requests < 1 || group.requests > most_kept) return false;
    requests += group.requests;
  }
  return requests == size_ && most_ >= 8 && kept_ >= 0 && kept_ <= most_kept;
}

void Account::record(const Sending& sending, Outcome outcome, Instant received) {
  if (outcome == Outcome::served) served_ += {1, sending.cost};
  if (outcome != Outcome::rejected) log_.record(sending.at, received);
}

}}}  // namespace noun::quota
