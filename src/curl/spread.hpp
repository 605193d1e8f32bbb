#pragma once
/// @file
/// Over which multi handles the connections to one origin are spread. When a transfer begins and when it ends, libcurl
/// searches a list of the connections that its multi handle has to the host.

#include <cstddef>
#include <deque>

#include <noun/time.hpp>

namespace noun { inline namespace v0 { namespace curl {

/// What each multi handle has of one origin, by the number of the handle. Each part stays where it is.
class Spread {
 public:
  struct Part {
    /// Attempts that have begun and not ended; and those of them whose requests are not being sent yet.
    std::size_t attempts = 0;
    std::size_t unsent = 0;
    /// Connections without a request, and when there was last one more of them.
    std::size_t idle = 0;
    Instant idle_since = Instant::min();

    /// Whether an idle connection is left for another attempt.
    bool has_idle() const noexcept { return idle > unsent; }
  };

  /// The handle for the next attempt: of those with an idle connection left the one that was used last, or else the
  /// first with room for another connection. Throws std::bad_alloc.
  /// @param shares  whether attempts share connections (HTTP/2): then all have the first handle.
  std::size_t choose(bool shares);
  /// Throws std::bad_alloc if choose() did not return it before.
  Part& part(std::size_t number);
  /// How many idle connections a handle has.
  std::size_t idle_at(std::size_t number) const noexcept { return number < parts_.size() ? parts_[number].idle : 0; }

 private:
  std::deque<Part> parts_;
};

}}}  // namespace noun::curl
