#include "os/readiness.hpp"

#include <algorithm>
#include <chrono>
#include <new>
#include <utility>

#include <sys/eventfd.h>
#include <unistd.h>

namespace noun { inline namespace v0 {

Readiness::~Readiness() {
  if (wakes_ >= 0) ::close(wakes_);
  if (epoll_ >= 0) ::close(epoll_);
}

bool Readiness::open() noexcept {
  epoll_ = ::epoll_create1(EPOLL_CLOEXEC);
  wakes_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  return epoll_ >= 0 && wakes_ >= 0 && watch(wakes_, EPOLLIN);
}

bool Readiness::watch(int descriptor, std::uint32_t events) noexcept try {
  const auto place = static_cast<std::size_t>(descriptor);
  if (place >= interests_.size()) interests_.resize(place + 1);
  interests_[place].watched = true;
  return set(descriptor, events);
} catch (const std::bad_alloc&) {
  return false;
}

void Readiness::rest(int descriptor) noexcept {
  if (!is_watched(descriptor)) return;
  interests_[static_cast<std::size_t>(descriptor)].watched = false;
  set(descriptor, EPOLLIN);
}

void Readiness::await_end(int descriptor) noexcept {
  if (static_cast<std::size_t>(descriptor) < interests_.size()) set(descriptor, EPOLLRDHUP);
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

bool Readiness::set(int descriptor, std::uint32_t events) noexcept {
  auto& interest = interests_[static_cast<std::size_t>(descriptor)];
  if (interest.registered == events) return true;
  epoll_event change{};
  change.events = events;
  const auto control = [&](int operation) {
    if (operation == EPOLL_CTL_ADD) ++interest.number;
    change.data.u64 = std::uint64_t{interest.number} << 32U | static_cast<std::uint32_t>(descriptor);
    return ::epoll_ctl(epoll_, operation, descriptor, &change) == 0;
  };
  // Without a registration the socket was closed meanwhile, and the descriptor may be that of another.
  bool done = interest.registered != 0 && control(events == 0 ? EPOLL_CTL_DEL : EPOLL_CTL_MOD);
  if (!done && events != 0) done = control(EPOLL_CTL_ADD);
  interest.registered = done ? events : 0;
  return done;
}

/// A child of fork() keeps the sockets of its parent open, and with them the registrations of those that the parent has
/// closed. They can be removed only together.
void Readiness::register_again() noexcept {
  const int fresh = ::epoll_create1(EPOLL_CLOEXEC);
  if (fresh < 0) return;
  ::close(std::exchange(epoll_, fresh));
  for (std::size_t place = 0; place < interests_.size(); ++place)
    if (const auto events = std::exchange(interests_[place].registered, 0); events != 0)
      set(static_cast<int>(place), events);
}

std::span<const Readiness::Ready> Readiness::wait(Duration at_most) noexcept {
  using std::chrono::milliseconds;
  // In this order: either wake() sees the sleeper, or the sleeper sees that it was woken.
  sleeps_ = true;
  const auto most = woken_ ? Duration::zero() : std::clamp<Duration>(at_most, Duration::zero(), std::chrono::hours(1));
  const auto time = std::chrono::ceil<milliseconds>(most);
  std::array<epoll_event, std::tuple_size_v<decltype(ready_)>> events;
  const int count =
      ::epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), static_cast<int>(time.count()));
  sleeps_ = false;
  std::size_t found = 0;
  bool stale = false;
  for (int i = 0; i < count; ++i) {
    const auto& event = events[static_cast<std::size_t>(i)];
    const auto descriptor = static_cast<int>(event.data.u64 & 0xFFFF'FFFFU);
    const auto& interest = interests_[static_cast<std::size_t>(descriptor)];
    if (interest.registered == 0 || interest.number != event.data.u64 >> 32U) {
      stale = true;
    } else if (descriptor != wakes_) {
      ready_[found++] = {descriptor, event.events};
    } else {
      std::uint64_t drained = 0;
      [[maybe_unused]] const auto size = ::read(wakes_, &drained, sizeof drained);
    }
  }
  if (stale) register_again();
  return {ready_.data(), found};
}

void Readiness::wake() noexcept {
  if (woken_.exchange(true) || !sleeps_) return;
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto size = ::write(wakes_, &one, sizeof one);
}

}}  // namespace noun
