#pragma once
/// @file
/// Sockets that libcurl or noun has open, by their descriptors.

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "os/descriptor.hpp"

namespace noun { inline namespace v0 {

/// A new socket, which programs that this process starts do not inherit; -1 after a fault.
/// @param exhausted  whether it failed because descriptors or memory ran out.
int open_socket(int family, int type, int protocol, bool& exhausted) noexcept;
/// An error of a socket in words: on Windows those of POSIX, in English.
std::string socket_error_text(int error);
/// @{
/// What such an error says: that descriptors ran out, or that the peer has ended the connection.
bool is_lack_of_descriptors(int error) noexcept;
bool is_broken_connection(int error) noexcept;
/// @}
/// Whether no more descriptors can be opened now.
bool descriptors_ran_out() noexcept;

/// What there is to receive.
enum class Incoming { nothing, bytes, end };
/// Does not receive it. An error is an end.
Incoming incoming(int socket) noexcept;
/// Whether receiving would not wait.
bool is_readable(int socket) noexcept;
/// Waits until one of the sockets is readable (-1: none), or longer. May return earlier.
/// @param sockets  two at most.
/// @returns        the first that is readable; -1 if none is.
NOUN_API int wait_until_readable(std::span<const int> sockets, std::chrono::milliseconds at_most) noexcept;
/// Shuts a socket in both directions and discards what has arrived.
void shut_down(int socket) noexcept;

/// The longest path of a socket on this machine, in bytes.
NOUN_API std::size_t longest_socket_path() noexcept;

/// One end of a connection.
struct SocketEnd {
  /// Before the socket is connected.
  static constexpr int unknown_port = 0;
  /// Of a Unix socket.
  static constexpr int no_port = -1;

  /// The IP address as text, with a NUL at its end.
  std::array<char, 65> address{};
  int port = unknown_port;
};
SocketEnd local_end(int socket) noexcept;
SocketEnd remote_end(int socket) noexcept;

/// An IP address in network order, with the number of its bytes.
struct IpAddress {
  std::array<std::uint8_t, 16> bytes = {};
  std::size_t size = 0;
};
/// Reads it from a text without brackets.
std::optional<IpAddress> read_ip_address(const std::string& text) noexcept;

}}  // namespace noun
