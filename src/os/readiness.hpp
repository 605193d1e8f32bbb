#pragma once
/// @file
/// Which sockets are ready, and a wake-up. With epoll, what a wait costs does not depend on how many sockets there are.

#include <array>
#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include <noun/time.hpp>

#include "os/poller.hpp"
#include "os/wakeup.hpp"

namespace noun { inline namespace v0 {

/// The sockets that one thread waits for. Used by one thread at a time, except for wake().
class Readiness {
 public:
  /// A socket that is ready.
  struct Ready {
    int descriptor;
    /// Of socket_events.
    std::uint32_t events;
  };

  Readiness() = default;
  Readiness(const Readiness&) = delete;
  Readiness& operator=(const Readiness&) = delete;

  /// Returns false if descriptors ran out.
  bool open() noexcept;
  /// Waits for these events of the socket (readable, writable) from now on. Returns false if that cannot
  /// be: the descriptor is none, or there are too many. Where memory ran out it is tried again.
  /// @param group  what group_of() returns for the socket.
  bool watch(int descriptor, std::uint32_t events, std::uint16_t group = 0) noexcept;
  /// The descriptor is that of a new socket. If it is watched, the new one is.
  bool renew(int descriptor) noexcept;
  /// The socket stays open, but is not used: reports that something arrives.
  void rest(int descriptor) noexcept;
  /// As rest(), but reports only that the peer ends the connection.
  void await_end(int descriptor) noexcept;
  /// Waits for nothing of the socket any more. Call it before the socket is closed.
  void forget(int descriptor) noexcept;
  /// Whether watch() was the last to be called for the socket.
  bool is_watched(int descriptor) const noexcept;
  /// As passed to watch(), of a socket that is watched.
  std::uint16_t group_of(int descriptor) const noexcept {
    return interests_[static_cast<std::size_t>(descriptor)].group;
  }

  /// Waits until sockets are ready, wake() is called or the time is over. May return earlier; some sockets are reported
  /// by the next call only.
  /// @param at_most  zero or less does not wait; more than an hour counts as an hour.
  /// @returns        the ready sockets, until the next call.
  std::span<const Ready> wait(Duration at_most) noexcept;
  /// Ends the current wait(), or else those until take_wake(). From any thread; a system call only if somebody sleeps.
  void wake() noexcept;
  /// Whether wake() was called since the last call of this function.
  bool take_wake() noexcept { return woken_.exchange(false); }

 private:
  struct Interest {
    std::uint32_t registered = 0;
    /// Counts the registrations of this descriptor.
    std::uint32_t number = 0;
    bool watched = false;
    std::uint16_t group = 0;
  };

  bool set(int descriptor, std::uint32_t events, bool was_registered = false) noexcept;
  void register_again() noexcept;

  Poller poller_;
  Wakeup wakeup_;
  std::atomic<bool> woken_ = false;
  std::atomic<bool> sleeps_ = false;
  /// Whether all descriptors must be registered again, before the next wait.
  bool is_stale_ = false;
  /// By descriptor.
  std::vector<Interest> interests_;
  /// Few at a time, so that what one round touches stays in the processor's cache.
  std::array<Ready, 16> ready_;
};

}}  // namespace noun
