#pragma once
/// @file
/// Which descriptors are ready, as the operating system says: by epoll, kqueue or poll (CMake: NOUN_LOOP).

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include <noun/version.hpp>

namespace noun { inline namespace v0 {

/// What happens on a socket, or is waited for, as bits.
namespace socket_events {

inline constexpr std::uint32_t readable = 1;
inline constexpr std::uint32_t writable = 2;
inline constexpr std::uint32_t ended = 4;   ///< the peer sends nothing more
inline constexpr std::uint32_t broken = 8;  ///< an error, or the connection is over; always waited for

}  // namespace socket_events

/// Descriptors and what is waited for there. Used by one thread at a time.
class Poller {
 public:
  struct Ready {
    int descriptor;
    /// As passed to add().
    std::uint32_t number;
    std::uint32_t events;
  };

  Poller();
  Poller(const Poller&) = delete;
  Poller& operator=(const Poller&) = delete;
  ~Poller();

  /// Forgets all descriptors. Returns false if descriptors or memory ran out.
  bool open() noexcept;
  /// Waits for these events from now on. Returns false if memory ran out, or the descriptor is none.
  /// @param number  tells the descriptor from another with its value, which was closed without remove(). If a copy of
  ///                that is still open, the system may report it as ready; open() ends that.
  bool add(int descriptor, std::uint32_t number, std::uint32_t events) noexcept;
  /// As add(). Returns false if it was not added, or was closed since.
  bool change(int descriptor, std::uint32_t number, std::uint32_t events) noexcept;
  void remove(int descriptor) noexcept;
  /// Waits until descriptors are ready. Reports as many as there is room for; others by the next calls.
  /// @returns  how many it reports.
  std::size_t wait(std::span<Ready> ready, std::chrono::milliseconds at_most) noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}}  // namespace noun
