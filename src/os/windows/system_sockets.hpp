#pragma once
/// @file
/// The sockets of the system, for the sources of this room.

#include <cstddef>
#include <system_error>

#include <winsock2.h>
#include <ws2tcpip.h>
#include <afunix.h>

#include <noun/version.hpp>

#include "os/socket_settings.hpp"

namespace noun { inline namespace v0 {

inline int last_socket_error() noexcept { return ::WSAGetLastError(); }
inline std::error_code socket_error(int number) noexcept { return {number, std::system_category()}; }
/// @{
/// What an error means.
inline bool must_wait(int error) noexcept { return error == WSAEWOULDBLOCK || error == WSAEINTR; }
inline bool is_connecting(int error) noexcept { return error == WSAEWOULDBLOCK; }
inline bool ran_out_of_descriptors(int error) noexcept { return error == WSAEMFILE; }
inline bool ran_out_of_memory(int error) noexcept { return error == WSAENOBUFS || error == WSA_NOT_ENOUGH_MEMORY; }
inline bool connection_broke(int error) noexcept { return error == WSAECONNRESET || error == WSAECONNABORTED; }
/// @}
/// That of send() and recv().
using SocketSize = int;
constexpr int timed_out_error = WSAETIMEDOUT;
constexpr int shut_both = SD_BOTH;

int poll_sockets(pollfd* sockets, std::size_t count, int milliseconds) noexcept;

/// Before any other of these; false after a fault.
bool start_sockets() noexcept;
/// The flag of send() that raises no SIGPIPE: there is none.
constexpr int without_sigpipe = 0;

}}  // namespace noun
