#pragma once
/// @file
/// The open sockets of one multi handle. libcurl chooses a connection for each request. This knows which ones are in
/// use, so that a connection that broke while idle is detected before a request is sent on it.

#include <cstddef>
#include <string_view>
#include <unordered_map>

#include <curl/curl.h>

#include <noun/time.hpp>

namespace noun { inline namespace v0 { namespace curl {

/// Sockets by their descriptor. Used by one thread at a time.
class Sockets {
 public:
  /// Adds the socket of a new connection. Throws std::bad_alloc.
  void opened(curl_socket_t socket) { open_.try_emplace(socket); }
  void closed(curl_socket_t socket) noexcept { open_.erase(socket); }

  /// The socket with these endpoints, or CURL_SOCKET_BAD. Unix sockets have no ports and are never found.
  curl_socket_t find(std::string_view remote_address, int remote_port, int local_port) const noexcept;
  /// Whether a request may be sent there: on an idle connection, neither unsolicited bytes nor the end may have
  /// arrived.
  bool good(curl_socket_t socket) const noexcept;
  /// Records that a request is sent there.
  void take(curl_socket_t socket) noexcept;
  /// Records the protocol that a response shows. On HTTP/2 the server may send at any time, and libcurl reads it.
  void set_protocol(curl_socket_t socket, bool http2) noexcept;
  /// Records that a request is over.
  /// @param silent  whether no response arrived in time: the connection may be dead, and is shut when its last request
  ///                is over.
  void release(curl_socket_t socket, Instant now, bool silent) noexcept;

  /// Whether a connection in use may be dead, so that a new request should use another one.
  bool any_silent() const noexcept;
  /// Shuts the connections that are idle for longest until at most `left` idle ones remain. libcurl closes a shut
  /// connection when it next looks for one.
  void trim(std::size_t left) noexcept;
  /// The number of sockets that are shut but not closed yet.
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
