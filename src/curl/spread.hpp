#pragma once
/// @file
/// Over which multi handles the connections to one origin are spread. When a transfer begins and when it ends, libcurl
/// searches a list of the connections that its multi handle has to the host.

#include <cstddef>
#include <deque>

#include <noun/version.hpp>

namespace noun { inline namespace v0 { namespace curl {

/// What each multi handle has of one origin, by the number of the handle. References to parts stay valid.
class Spread {
 public:
  struct Part {
    /// Attempts in progress.
    std::size_t attempts = 0;
    /// Attempts in progress that may use an idle connection, and have not started to send their requests.
    std::size_t unsent = 0;
    /// Connections without a request.
    std::size_t idle = 0;
    /// Connections in use that may be dead.
    std::size_t silent = 0;
    /// Connections that were used and are not closed.
    std::size_t open = 0;

    /// Idle connections that no attempt in progress will use.
    std::size_t spare() const noexcept { return idle > unsent ? idle - unsent : 0; }
  };

  /// Whether attempts share connections (HTTP/2). Then all use the first handle.
  enum class Use { alone, shared };
  /// Chooses the handle of the next attempt: the first with a spare connection, or else the first with fewer than 64
  /// connections, or else one more. The lowest numbers first, so that the last handles become unused.
  /// @param fresh  whether the attempt uses no idle connection.
  std::size_t choose(Use use, bool fresh) const;
  /// Throws std::bad_alloc the first time that it is called for a number.
  Part& part(std::size_t number);
  /// Whether a connection in use may be dead, so that a new request should use another one.
  bool any_silent() const noexcept;
  /// Whether there is neither an attempt nor a connection.
  bool is_empty() const noexcept;
  /// How many idle connections a handle has.
  std::size_t idle_at(std::size_t number) const noexcept { return number < parts_.size() ? parts_[number].idle : 0; }

 private:
  std::deque<Part> parts_;
};

}}}  // namespace noun::curl
