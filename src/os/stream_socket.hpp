#pragma once
/// @file
/// A connection of bytes to a server, on this machine or another.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

#include <noun/time.hpp>

#include "os/descriptor.hpp"

namespace noun { inline namespace v0 {

/// A connected socket, or none. No call blocks but those that say so, and none raises SIGPIPE. Used by one thread at a
/// time.
class NOUN_API StreamSocket {
 public:
  /// Why it is not connected.
  struct Fault {
    /// Whether the host was not found.
    bool is_of_host;
    /// The system's words.
    std::string why;
  };

  /// Whether it is connected, and the peer has not closed it.
  bool is_open() const noexcept;
  void close() noexcept { socket_ = SocketDescriptor(); }
  /// @{
  /// Blocks until it is connected, to a host by TCP or to a socket of this machine, or until `until`; an earlier
  /// connection is closed. Finding the addresses of a host can take longer. A host that is gone without a word is noticed
  /// in half a minute.
  /// @param path  at most longest_socket_path() bytes.
  std::optional<Fault> connect(const std::string& host, int port, Instant until);
  std::optional<Fault> connect_to(const std::string& path, Instant until);
  /// @}
  /// @returns  how many bytes were sent: 0 if it must wait before, or after a fault.
  std::size_t send(std::string_view bytes, std::error_code& fault) noexcept;
  /// @returns  how many bytes were received, 0 at their end; nothing if it must wait before, or after a fault.
  std::optional<std::size_t> receive(std::span<char> bytes, std::error_code& fault) noexcept;
  /// @{
  /// Blocks until send() or receive() need not wait. Returns false at `until`.
  bool wait_to_send(Instant until) const noexcept;
  bool wait_to_receive(Instant until) const noexcept;
  /// @}
  /// For an Interrupt, which waits for it too.
  int descriptor() const noexcept { return *socket_; }

 private:
  SocketDescriptor socket_;
};

}}  // namespace noun
