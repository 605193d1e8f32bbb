#pragma once
/// @file
/// The open sockets of one multi handle. libcurl keeps the connections and picks one for each request; here is known
/// which of them are in use, so that one that went bad while it was idle is found out before a request goes there.

#include <cstddef>
#include <string_view>
#include <unordered_map>

#include <curl/curl.h>

#include <noun/time.hpp>

namespace noun { inline namespace v0 { namespace curl {

/// Sockets by their descriptor. Used by one thread at a time.
class Sockets {
 public:
  /// A socket was opened for a new connection. Throws std::bad_alloc.
  void opened(curl_socket_t socket) { open_.try_emplace(socket); }
  void closed(curl_socket_t socket) noexcept { open_.erase(socket); }

  /// The one between these two, or CURL_SOCKET_BAD. Unix sockets have no ports: none of them is found.
  curl_socket_t find(std::string_view remote_address, int remote_port, int local_port) const noexcept;
  /// Whether a request may go out there: on a connection that was kept, nothing may have come that nobody asked for,
  /// nor its end.
  bool good(curl_socket_t socket) const noexcept;
  /// A request goes out there.
  void take(curl_socket_t socket) noexcept;
  /// An answer says what is spoken there. On HTTP/2 the server may speak at any time, and libcurl listens.
  void learn(curl_socket_t socket, bool http2) noexcept;
  /// A request is over.
  /// @param silent  whether no answer came in time: the connection may be a dead one, and is shut when its last request
  ///                is over.
  void release(curl_socket_t socket, Instant now, bool silent) noexcept;

  /// Whether one in use may be dead: a new request should not go there.
  bool any_silent() const noexcept;
  /// Shuts those that have been idle for longest until so many idle ones are left. libcurl closes what is shut when it
  /// looks for a connection.
  void trim(std::size_t left) noexcept;
  /// How many are shut and not closed yet.
  std::size_t shut() const noexcept;

 private:
  enum class Protocol { unknown, http1, http2 };
  struct Socket {
    int users = 0;
    bool used = false;
    Protocol protocol = Protocol::unknown;
    bool silent = false;
    bool is_shut = false;
    Instant idle_since{};

    bool idle() const noexcept { return used && users == 0 && !is_shut; }
  };
  static void shut_down(curl_socket_t descriptor, Socket& socket) noexcept;

  std::unordered_map<curl_socket_t, Socket> open_;
};

}}}  // namespace noun::curl
