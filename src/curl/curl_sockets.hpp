#pragma once
/// @file
/// The open sockets of one multiplexer. libcurl chooses a connection for each request. This knows which ones are in
/// use, so that a connection that broke while idle is detected before a request is sent on it.

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <curl/curl.h>

#include <noun/time.hpp>

#include "curl/curl_persistence.hpp"
#include "curl/spread.hpp"
#include "os/sockets.hpp"

namespace noun { inline namespace v0 { namespace curl {

/// As src/os takes it.
inline int descriptor_of(curl_socket_t socket) noexcept { return static_cast<int>(socket); }

/// The use of a socket by a request. Descriptors are reused: the number tells a socket from a later one.
struct SocketUse {
  curl_socket_t socket = CURL_SOCKET_BAD;
  std::uint64_t number = 0;
  /// If it is the second on a connection of HTTP/1: how long that was idle after the first.
  std::optional<Duration> idle_after_first = {};
};

/// Sockets by their descriptor. What a request costs here does not depend on how many there are. Used by one thread at
/// a time.
class Sockets {
 public:
  /// Adds the socket of a new connection. Throws std::bad_alloc.
  void opened(curl_socket_t socket);
  /// Removes a socket. If it is idle, libcurl has found that the server ended the connection.
  void closed(curl_socket_t socket, Instant now) noexcept;
  /// Whether a request was ever sent there: libcurl 7.88 closes other sockets without a callback.
  bool was_used(curl_socket_t socket) const noexcept;

  /// Whether it is still open.
  bool has(const SocketUse& use) const noexcept;

  /// The socket with these endpoints, or CURL_SOCKET_BAD. Unix sockets have no ports and are never found.
  curl_socket_t find(std::string_view remote_address, int remote_port, int local_port) noexcept;
  /// Whether a request may be sent there: on an idle connection, neither unsolicited bytes nor the end may have
  /// arrived, and the server must not be about to close it.
  /// @param http1  whether it is known to be a connection of HTTP/1, which has one request at a time.
  bool good(curl_socket_t socket, bool http1, Instant now) const noexcept;
  /// Records that a request is sent there. What it returns is for the functions below; they ignore a socket that was
  /// closed meanwhile.
  /// @param persistence  that of its origin; it must outlive the socket.
  /// @param part         that of its origin and its multi handle; it must outlive the socket.
  SocketUse take(curl_socket_t socket, Persistence& persistence, Spread::Part& part, Instant now) noexcept;
  /// Records that the head of a response arrived, so that the connection is not dead, and its protocol: on HTTP/2 the
  /// server may send at any time, and libcurl reads it.
  /// @param reusable_for  how long after the response another request may be sent there.
  void responded(const SocketUse& use, bool http2, Duration reusable_for, Instant now) noexcept;
  /// Records that a request is over.
  /// @param kept  false if libcurl closes the connection after its last request. It may first wait for the server to
  ///              close the TLS session.
  void release(const SocketUse& use, Instant now, bool kept = true) noexcept;
  /// As release(), of a request that was sent at `sent` and had no response in time. If no other request had one since,
  /// the connection may be dead; it is shut when its last request is over.
  void release_silent(const SocketUse& use, Instant sent, Instant now) noexcept;
  /// Something arrived on an idle connection. Shuts it, unless HTTP/2 allows that, or it was a false alarm.
  /// @param has_ended  whether the server ended the connection.
  /// @returns          whether it is still kept.
  bool keep_idle(curl_socket_t socket, bool has_ended, Instant now) noexcept;

  /// The number of sockets with requests that are not over.
  std::size_t in_use() const noexcept { return in_use_; }
  /// The most that were in use at once since the last call of this function; at least in_use().
  std::size_t take_most_in_use() noexcept { return std::exchange(most_in_use_, in_use_); }
  /// Shuts the connections that are idle for longest until at most `left` idle ones remain, and those that are idle
  /// since `oldest` or longer. libcurl closes a shut connection when it next looks for one.
  void trim(std::size_t left, Instant oldest) noexcept;
  /// The number of idle sockets.
  std::size_t idle() const noexcept { return idle_.size(); }
  /// Since when the socket is idle that is idle for longest; Instant::max() if none is.
  Instant idle_since() const noexcept;
  /// The number of sockets that are shut but not closed yet.
  std::size_t shut() const noexcept { return shut_.size(); }

 private:
  enum class Protocol { unknown, http1, http2 };
  using Descriptors = std::list<curl_socket_t>;
  using ByPort = std::multimap<int, curl_socket_t>;
  struct Socket {
    std::uint64_t number = 0;
    int users = 0;
    /// How many requests were sent there.
    std::uint64_t requests = 0;
    /// Whether no head of a response has arrived since the last one.
    bool unanswered = false;
    Persistence* persistence = nullptr;
    Spread::Part* part = nullptr;
    Protocol protocol = Protocol::unknown;
    bool silent = false;
    /// When the head of a response last arrived.
    Instant responded = Instant::min();
    /// Since when it is idle, if it is.
    Instant idle_since = {};
    Duration reusable_for = Duration::max();
    /// That of busy_, idle_ or shut_ in which it is.
    Descriptors* list = nullptr;
    Descriptors::iterator in_list = {};
    ByPort::iterator by_port = {};
    /// Once it is known.
    SocketEnd remote = {};
  };

  Socket* socket_of(const SocketUse& use) noexcept;
  void learn_ports() noexcept;
  static void ended(const Socket& idle, Instant now) noexcept;
  static void set_silent(Socket& socket, bool silent) noexcept;
  void move_to(Descriptors& list, Socket& socket) noexcept;
  void shut_down(curl_socket_t descriptor, Socket& socket) noexcept;

  std::uint64_t opened_ = 0;
  std::size_t in_use_ = 0;
  std::size_t most_in_use_ = 0;
  std::unordered_map<curl_socket_t, Socket> open_;
  ByPort by_local_port_;
  /// Each is in one of them: in use, connecting, or being closed by libcurl; idle, for longest first; shut, but not
  /// closed yet.
  Descriptors busy_;
  Descriptors idle_;
  Descriptors shut_;
};

}}}  // namespace noun::curl
