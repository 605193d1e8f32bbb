#include "os/poller.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include <sys/event.h>
#include <sys/time.h>
#include <sys/types.h>

#include "os/descriptor.hpp"

namespace noun { inline namespace v0 {
namespace {

using namespace socket_events;

/// What a report of one of the two filters of a socket means.
std::uint32_t meaning_of(const struct kevent& report) noexcept {
  const bool is_over = (report.flags & EV_EOF) != 0;
  if (report.filter == EVFILT_WRITE) return writable | (is_over ? broken : 0);
  if (!is_over) return readable;
  return readable | ended | (report.fflags != 0 ? broken : 0);
}

}  // namespace

struct Poller::State {
  Descriptor queue;

  bool control(int descriptor, int filter, int flags, std::uint32_t number) const noexcept {
    struct kevent change;
    // The number is no address: the system returns it as it is.
    EV_SET(&change, static_cast<std::uintptr_t>(descriptor), static_cast<short>(filter),
           static_cast<unsigned short>(flags), 0, 0, reinterpret_cast<void*>(std::uintptr_t{number}));
    return ::kevent(*queue, &change, 1, nullptr, 0, nullptr) == 0;
  }
};

Poller::Poller() : state_(std::make_unique<State>()) {}
Poller::~Poller() = default;

bool Poller::open() noexcept {
  Descriptor fresh(::kqueue());
  if (!fresh) return false;
  state_->queue = std::move(fresh);
  return true;
}

bool Poller::add(int descriptor, std::uint32_t number, std::uint32_t events) noexcept {
  // With `ended` alone the system reports each arrival once (EV_CLEAR), and wait() leaves it out.
  const bool reads = (events & (readable | ended)) != 0;
  const int once = (events & readable) == 0 ? EV_CLEAR : 0;
  return (!reads || state_->control(descriptor, EVFILT_READ, EV_ADD | once, number)) &&
         ((events & writable) == 0 || state_->control(descriptor, EVFILT_WRITE, EV_ADD, number));
}

/// EV_CLEAR cannot be changed.
bool Poller::change(int descriptor, std::uint32_t number, std::uint32_t events) noexcept {
  remove(descriptor);
  return add(descriptor, number, events);
}

void Poller::remove(int descriptor) noexcept {
  state_->control(descriptor, EVFILT_READ, EV_DELETE, 0);
  state_->control(descriptor, EVFILT_WRITE, EV_DELETE, 0);
}

std::size_t Poller::wait(std::span<Ready> ready, std::chrono::milliseconds at_most) noexcept {
  std::array<struct kevent, 32> reports;
  const auto most = static_cast<int>(std::min(ready.size(), reports.size()));
  timespec time{};
  time.tv_sec = static_cast<decltype(time.tv_sec)>(at_most.count() / 1000);
  time.tv_nsec = static_cast<decltype(time.tv_nsec)>(at_most.count() % 1000 * 1'000'000);
  const int count = ::kevent(*state_->queue, nullptr, 0, reports.data(), most, &time);
  std::size_t found = 0;
  for (int i = 0; i < count; ++i) {
    const auto& report = reports[static_cast<std::size_t>(i)];
    const auto descriptor = static_cast<int>(report.ident);
    const bool is_arrival = report.filter == EVFILT_READ && (report.flags & EV_CLEAR) != 0;
    if (is_arrival && (report.flags & EV_EOF) == 0) continue;
    // Both filters of a socket may report.
    const auto known = ready.first(found);
    const auto same = std::find_if(known.begin(), known.end(),
                                   [&](const Ready& one) { return one.descriptor == descriptor; });
    if (same != known.end())
      same->events |= meaning_of(report);
    else
      ready[found++] = {descriptor, static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(report.udata)),
                        meaning_of(report)};
  }
  return found;
}

}}  // namespace noun
