#pragma once
/// @file
/// Over which multi handles the connections to one origin are spread. When a transfer begins and when it ends, libcurl
/// searches a list of the connections that its multi handle has to the host.

#include <cstddef>
#include <deque>

#include <noun/version.hpp>

namespace noun { inline namespace v0 { namespace curl {

/// What each multi handle has of one origin, by the number of the handle. Each part stays where it is.
class Spread {
 public:
  struct Part {
    /// Attempts that have begun and not ended.
    std::size_t attempts = 0;
    /// Those of them that may take an idle connection, and whose requests are not being sent yet.
    std::size_t unsent = 0;
    /// Connections without a request.
    std::size_t idle = 0;

    /// How many idle connections are left for other attempts.
    std::size_t spare() const noexcept { return idle > unsent ? idle - unsent : 0; }
  };

  /// Whether attempts share connections (HTTP/2): then all have the first handle.
  enum class Use { alone, shared };
  /// The handle for the next attempt: the first with an idle connection left, or else the first with room for another
  /// one. So the last handles are the first that are not needed any more. Throws std::bad_alloc.
  /// @param fresh  whether the attempt takes no idle connection.
  std::size_t choose(Use use, bool fresh);
  /// Throws std::bad_alloc if choose() did not return it before.
  Part& part(std::size_t number);
  /// How many idle connections a handle has.
  std::size_t idle_at(std::size_t number) const noexcept { return number < parts_.size() ? parts_[number].idle : 0; }

 private:
  std::deque<Part> parts_;
};

}}}  // namespace noun::curl
