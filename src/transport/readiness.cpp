#include "transport/readiness.hpp"

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

void Readiness::forget(int descriptor) noexcept {
  const auto place = static_cast<std::size_t>(descriptor);
  if (place >= interests_.size()) return;
  if (interests_[place].registered != 0) set(descriptor, 0);
  interests_[place] = {};
}

bool Readiness::renew(int descriptor) noexcept {
  if (!is_watched(descriptor)) return true;
  auto& registered = interests_[static_cast<std::size_t>(descriptor)].registered;
  return set(descriptor, std::exchange(registered, 0));
}

bool Readiness::is_watched(int descriptor) const noexcept {
  const auto place = static_cast<std::size_t>(descriptor);
  return place < interests_.size() && interests_[place].watched;
}

bool Readiness::set(int descriptor, std::uint32_t events) noexcept {
  auto& registered = interests_[static_cast<std::size_t>(descriptor)].registered;
  if (registered == events) return true;
  epoll_event change{};
  change.events = events;
  change.data.fd = descriptor;
  const auto control = [&](int operation) { return ::epoll_ctl(epoll_, operation, descriptor, &change) == 0; };
  // Without a registration the socket was closed meanwhile, and the descriptor may be that of another.
  bool done = registered != 0 && control(events == 0 ? EPOLL_CTL_DEL : EPOLL_CTL_MOD);
  if (!done && events != 0) done = control(EPOLL_CTL_ADD);
  registered = done ? events : 0;
  return done;
}

std::span<const Readiness::Ready> Readiness::wait(Duration at_most) noexcept {
  using std::chrono::milliseconds;
  const auto time =
      std::chrono::ceil<milliseconds>(std::clamp<Duration>(at_most, Duration::zero(), std::chrono::hours(1)));
  std::array<epoll_event, std::tuple_size_v<decltype(ready_)>> events;
  const int count =
      ::epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), static_cast<int>(time.count()));
  std::size_t found = 0;
  for (int i = 0; i < count; ++i) {
    const auto& event = events[static_cast<std::size_t>(i)];
    if (event.data.fd != wakes_) {
      ready_[found++] = {event.data.fd, event.events};
      continue;
    }
    std::uint64_t drained = 0;
    [[maybe_unused]] const auto size = ::read(wakes_, &drained, sizeof drained);
  }
  return {ready_.data(), found};
}

void Readiness::wake() noexcept {
  if (woken_.exchange(true)) return;
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto size = ::write(wakes_, &one, sizeof one);
}

}}  // namespace noun
