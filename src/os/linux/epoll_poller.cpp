#include "os/poller.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <sys/epoll.h>
#include <unistd.h>

#include "os/descriptor.hpp"

namespace noun { inline namespace v0 {
namespace {

struct Pair {
  std::uint32_t event;
  std::uint32_t flag;
};
constexpr std::array<Pair, 5> pairs{
    {{socket_events::readable, EPOLLIN},
     {socket_events::writable, EPOLLOUT},
     {socket_events::ended, EPOLLRDHUP},
     {socket_events::broken, EPOLLERR},
     {socket_events::broken, EPOLLHUP}}};

std::uint32_t flags_of(std::uint32_t events) noexcept {
  std::uint32_t flags = 0;
  for (const auto& [event, flag] : pairs) flags |= (events & event) != 0 ? flag : 0;
  return flags;
}

std::uint32_t events_of(std::uint32_t flags) noexcept {
  std::uint32_t events = 0;
  for (const auto& [event, flag] : pairs) events |= (flags & flag) != 0 ? event : 0;
  return events;
}

}  // namespace

struct Poller::State {
  Descriptor epoll;

  bool control(int operation, int descriptor, std::uint32_t number, std::uint32_t events) const noexcept {
    epoll_event change{};
    change.events = flags_of(events);
    change.data.u64 = std::uint64_t{number} << 32U | static_cast<std::uint32_t>(descriptor);
    return ::epoll_ctl(*epoll, operation, descriptor, &change) == 0;
  }
};

Poller::Poller() : state_(std::make_unique<State>()) {}
Poller::~Poller() = default;

bool Poller::open() noexcept {
  Descriptor fresh(::epoll_create1(EPOLL_CLOEXEC));
  if (!fresh) return false;
  state_->epoll = std::move(fresh);
  return true;
}

bool Poller::add(int descriptor, std::uint32_t number, std::uint32_t events) noexcept {
  return state_->control(EPOLL_CTL_ADD, descriptor, number, events);
}

bool Poller::change(int descriptor, std::uint32_t number, std::uint32_t events) noexcept {
  return state_->control(EPOLL_CTL_MOD, descriptor, number, events);
}

void Poller::remove(int descriptor) noexcept { state_->control(EPOLL_CTL_DEL, descriptor, 0, 0); }

std::size_t Poller::wait(std::span<Ready> ready, std::chrono::milliseconds at_most) noexcept {
  std::array<epoll_event, 32> events;
  const int count = ::epoll_wait(*state_->epoll, events.data(), static_cast<int>(std::min(ready.size(), events.size())),
                                 static_cast<int>(at_most.count()));
  const auto found = static_cast<std::size_t>(std::max(count, 0));
  for (std::size_t i = 0; i < found; ++i) {
    const auto tag = events[i].data.u64;
    ready[i] = {static_cast<int>(tag & 0xFFFF'FFFFU), static_cast<std::uint32_t>(tag >> 32U),
                events_of(events[i].events)};
  }
  return found;
}

}}  // namespace noun
