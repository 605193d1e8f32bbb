#pragma once
/// @file
/// The sockets of the system, for the sources of this room.

#include <cerrno>
#include <cstddef>
#include <system_error>

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <noun/version.hpp>

#include "os/socket_settings.hpp"

namespace noun { inline namespace v0 {

inline int last_socket_error() noexcept { return errno; }
inline std::error_code socket_error(int number) noexcept { return {number, std::generic_category()}; }
/// @{
/// What an error means.
inline bool must_wait(int error) noexcept { return error == EAGAIN || error == EINTR; }
inline bool is_connecting(int error) noexcept { return error == EINPROGRESS; }
inline bool ran_out_of_descriptors(int error) noexcept { return error == EMFILE || error == ENFILE; }
inline bool ran_out_of_memory(int error) noexcept { return error == ENOBUFS || error == ENOMEM; }
inline bool connection_broke(int error) noexcept { return error == ECONNRESET || error == EPIPE; }
/// @}
/// That of send() and recv().
using SocketSize = std::size_t;
constexpr int timed_out_error = ETIMEDOUT;
constexpr int shut_both = SHUT_RDWR;

inline int poll_sockets(pollfd* sockets, std::size_t count, int milliseconds) noexcept {
  return ::poll(sockets, static_cast<nfds_t>(count), milliseconds);
}

/// Before any other of these; false after a fault.
constexpr bool start_sockets() noexcept { return true; }
/// The flag of send() that raises no SIGPIPE; 0 where new_socket() sees to that.
extern const int without_sigpipe;
/// The option for KeepAlive::idle.
extern const int keep_alive_idle;

}}  // namespace noun
