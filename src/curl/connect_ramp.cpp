#include "curl/connect_ramp.hpp"

#include <algorithm>
#include <chrono>

namespace noun { inline namespace v0 {
namespace {

/// A little less than the age at which libcurl forgets an address.
constexpr auto address_is_known = std::chrono::seconds(55);
constexpr auto growth_period = std::chrono::seconds(1);
/// At once, to an origin whose address has to be looked up again.
constexpr std::size_t most_again = 16;
constexpr std::size_t most_sharing = 4;

/// More than any client has connections.
constexpr std::size_t unlimited = 1'000'000;

std::size_t doubled(std::size_t most) noexcept { return std::min(2 * most, unlimited); }

}  // namespace

ConnectRamp::Origin& ConnectRamp::origin(std::string_view name) {
  const auto found = origins_.find(name);
  return found != origins_.end() ? found->second : origins_.try_emplace(std::string(name)).first->second;
}

bool ConnectRamp::may_start(Origin& origin, Instant now) noexcept {
  if (now < origin.known_until) return true;
  if (origin.started > 0 && now >= after(origin.grown, growth_period)) {
    origin.most = doubled(origin.most);
    origin.grown = now;
  }
  return origin.started < origin.most;
}

bool ConnectRamp::start(Origin& origin, Id id, Instant now) {
  if (origin.started == 0) origin.grown = now;
  if (!origin.waiting.empty() || !may_start(origin, now)) {
    std::list<Origin*> first;
    if (origin.waiting.empty()) first.push_back(&origin);
    origin.waiting.push_back(id);
    waiting_.splice(waiting_.end(), first);
    return false;
  }
  ++origin.started;
  return true;
}

void ConnectRamp::connected(Origin& origin, Connection connection, Instant now) noexcept {
  --origin.started;
  origin.grown = now;
  if (connection != Connection::kept) {
    origin.shares = connection == Connection::opened_to_share;
    origin.known_until = origin.shares ? now : after(now, address_is_known);
  }
  origin.most = origin.shares ? most_sharing : most_again;
}

void ConnectRamp::failed(Origin& origin) noexcept {
  --origin.started;
  origin.most = doubled(origin.most);
}

std::optional<ConnectRamp::Id> ConnectRamp::next(Instant now) noexcept {
  const auto found =
      std::find_if(waiting_.begin(), waiting_.end(), [now](Origin* origin) { return may_start(*origin, now); });
  if (found == waiting_.end()) return std::nullopt;
  auto& waiting = (*found)->waiting;
  const auto id = waiting.front();
  waiting.pop_front();
  if (waiting.empty()) waiting_.erase(found);
  return id;
}

void ConnectRamp::forget_unused(Instant now) noexcept {
  std::erase_if(origins_, [now](const auto& one) {
    const auto& origin = one.second;
    return origin.started == 0 && origin.waiting.empty() && now >= origin.known_until && origin.spread.is_empty() &&
           origin.persistence.is_forgettable(now);
  });
}

bool ConnectRamp::has_idle(std::size_t handle) const noexcept {
  return std::any_of(origins_.begin(), origins_.end(),
                     [&](const auto& one) { return one.second.spread.idle_at(handle) > 0; });
}

Instant ConnectRamp::next_at() const noexcept {
  auto at = Instant::max();
  for (const auto* origin : waiting_) at = std::min(at, after(origin->grown, growth_period));
  return at;
}

}}  // namespace noun
