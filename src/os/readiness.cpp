#include "os/readiness.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <new>
#include <utility>

namespace noun { inline namespace v0 {

bool Readiness::open() noexcept {
  return poller_.open() && wakeup_.open() && watch(wakeup_.descriptor(), socket_events::readable);
}

bool Readiness::watch(int descriptor, std::uint32_t events, std::uint16_t group) noexcept try {
  const auto place = static_cast<std::size_t>(descriptor);
  if (place >= interests_.size()) interests_.resize(place + 1);
  interests_[place].watched = true;
  interests_[place].group = group;
  return set(descriptor, events);
} catch (const std::bad_alloc&) {
  return false;
}

void Readiness::rest(int descriptor) noexcept {
  if (!is_watched(descriptor)) return;
  interests_[static_cast<std::size_t>(descriptor)].watched = false;
  set(descriptor, socket_events::readable);
}

void Readiness::await_end(int descriptor) noexcept {
  if (static_cast<std::size_t>(descriptor) < interests_.size()) set(descriptor, socket_events::ended);
}

void Readiness::forget(int descriptor) noexcept {
  const auto place = static_cast<std::size_t>(descriptor);
  if (place >= interests_.size()) return;
  if (interests_[place].registered != 0) set(descriptor, 0);
  interests_[place].watched = false;
}

bool Readiness::renew(int descriptor) noexcept {
  const auto place = static_cast<std::size_t>(descriptor);
  if (place >= interests_.size()) return true;
  const auto events = std::exchange(interests_[place].registered, 0);
  return !interests_[place].watched || set(descriptor, events);
}

bool Readiness::is_watched(int descriptor) const noexcept {
  const auto place = static_cast<std::size_t>(descriptor);
  return place < interests_.size() && interests_[place].watched;
}

bool Readiness::set(int descriptor, std::uint32_t events, bool was_registered) noexcept {
  auto& interest = interests_[static_cast<std::size_t>(descriptor)];
  if (interest.registered == events) return true;
  if (events == 0) {
    poller_.remove(descriptor);
    interest.registered = 0;
    return true;
  }
  // Without a registration the socket was closed meanwhile, and the descriptor may be that of another.
  const bool done = (interest.registered != 0 && poller_.change(descriptor, interest.number, events)) ||
                    poller_.add(descriptor, ++interest.number, events);
  // Memory may return, and so may the room for what was registered before: then all are registered again.
  const bool is_wanted = done || errno == ENOMEM || (was_registered && errno == ENOSPC);
  is_stale_ = is_stale_ || is_wanted != done;
  interest.registered = is_wanted ? events : 0;
  return is_wanted;
}

/// A child of fork() keeps the sockets of its parent open, and with them the registrations of those that the parent has
/// closed. They can be removed only together.
void Readiness::register_again() noexcept {
  if (!poller_.open()) return;
  is_stale_ = false;
  for (std::size_t place = 0; place < interests_.size(); ++place)
    if (const auto events = std::exchange(interests_[place].registered, 0); events != 0)
      set(static_cast<int>(place), events, true);
}

std::span<const Readiness::Ready> Readiness::wait(Duration at_most) noexcept {
  using std::chrono::milliseconds;
  if (is_stale_) register_again();
  const Duration longest = is_stale_ ? Duration(milliseconds(10)) : std::chrono::hours(1);
  // In this order: either wake() sees the sleeper, or the sleeper sees that it was woken.
  sleeps_ = true;
  const auto most = woken_ ? Duration::zero() : std::clamp<Duration>(at_most, Duration::zero(), longest);
  std::array<Poller::Ready, std::tuple_size_v<decltype(ready_)>> reported;
  const auto count = poller_.wait(reported, std::chrono::ceil<milliseconds>(most));
  sleeps_ = false;
  std::size_t found = 0;
  for (const auto& [descriptor, number, events] : std::span(reported).first(count)) {
    const auto& interest = interests_[static_cast<std::size_t>(descriptor)];
    if (interest.registered == 0 || interest.number != number)
      is_stale_ = true;
    else if (descriptor != wakeup_.descriptor())
      ready_[found++] = {descriptor, events};
    else
      wakeup_.drain();
  }
  return {ready_.data(), found};
}

void Readiness::wake() noexcept {
  if (woken_.exchange(true) || !sleeps_) return;
  Wakeup::raise(wakeup_.handle());
}

}}  // namespace noun
