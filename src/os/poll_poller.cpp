#include "os/poller.hpp"

#include <array>
#include <new>
#include <utility>
#include <vector>

#include "system_sockets.hpp"

namespace noun { inline namespace v0 {
namespace {

struct Pair {
  std::uint32_t event;
  short flag;
};
/// Where there is no POLLRDHUP, the end of a connection with unread bytes is found when it is used again.
constexpr std::array pairs{
    Pair{socket_events::readable, POLLIN}, Pair{socket_events::writable, POLLOUT},
    Pair{socket_events::broken, POLLERR},  Pair{socket_events::broken, POLLHUP},
#ifdef POLLRDHUP
    Pair{socket_events::ended, POLLRDHUP},
#endif
};

short flags_of(std::uint32_t events) noexcept {
  int flags = 0;
  for (const auto& [event, flag] : pairs) flags |= (events & event) != 0 ? flag : 0;
  return static_cast<short>(flags & ~(POLLERR | POLLHUP));
}

std::uint32_t events_of(short flags) noexcept {
  std::uint32_t events = 0;
  for (const auto& [event, flag] : pairs) events |= (flags & flag) != 0 ? event : 0;
  return events;
}

}  // namespace

struct Poller::State {
  struct Place {
    std::size_t index = nowhere;
    std::uint32_t number = 0;
  };

  std::vector<pollfd> added;
  /// Where each descriptor is in `added`, by descriptor.
  std::vector<Place> places;
  /// Where the next report begins, so that all have their turn.
  std::size_t next = 0;

  static constexpr auto nowhere = static_cast<std::size_t>(-1);

  Place& place_of(int descriptor) noexcept { return places[static_cast<std::size_t>(descriptor)]; }
  bool has(int descriptor) noexcept {
    return descriptor >= 0 && static_cast<std::size_t>(descriptor) < places.size() &&
           place_of(descriptor).index != nowhere;
  }
};

Poller::Poller() : state_(std::make_unique<State>()) {}
Poller::~Poller() = default;

bool Poller::open() noexcept {
  *state_ = {};
  return true;
}

bool Poller::add(int descriptor, std::uint32_t number, std::uint32_t events) noexcept try {
  auto& own = *state_;
  if (descriptor < 0) return false;
  if (own.has(descriptor)) return change(descriptor, number, events);
  const auto index = static_cast<std::size_t>(descriptor);
  if (index >= own.places.size()) own.places.resize(index + 1);
  pollfd added{};
  added.fd = static_cast<decltype(pollfd::fd)>(descriptor);
  added.events = flags_of(events);
  own.added.push_back(added);
  own.places[index] = {own.added.size() - 1, number};
  return true;
} catch (const std::bad_alloc&) {
  return false;
}

bool Poller::change(int descriptor, std::uint32_t number, std::uint32_t events) noexcept {
  if (!state_->has(descriptor)) return false;
  auto& place = state_->place_of(descriptor);
  state_->added[place.index].events = flags_of(events);
  place.number = number;
  return true;
}

void Poller::remove(int descriptor) noexcept {
  auto& own = *state_;
  if (!own.has(descriptor)) return;
  const auto index = std::exchange(own.place_of(descriptor).index, State::nowhere);
  if (index + 1 < own.added.size()) {
    own.added[index] = own.added.back();
    own.place_of(static_cast<int>(own.added[index].fd)).index = index;
  }
  own.added.pop_back();
}

std::size_t Poller::wait(std::span<Ready> ready, std::chrono::milliseconds at_most) noexcept {
  auto& own = *state_;
  auto left = poll_sockets(own.added.data(), own.added.size(), static_cast<int>(at_most.count()));
  std::size_t found = 0;
  while (left > 0 && found < ready.size()) {
    if (own.next >= own.added.size()) own.next = 0;
    const int descriptor = static_cast<int>(own.added[own.next].fd);
    const auto happened = own.added[own.next].revents;
    if (happened != 0) --left;
    // One that was closed is nobody's any more; another takes its place.
    if ((happened & POLLNVAL) != 0) {
      remove(descriptor);
      continue;
    }
    if (happened != 0) ready[found++] = {descriptor, own.place_of(descriptor).number, events_of(happened)};
    ++own.next;
  }
  return found;
}

}}  // namespace noun
