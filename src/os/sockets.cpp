#include "os/sockets.hpp"

#include <algorithm>
#include <utility>

#include "system_sockets.hpp"

namespace noun { inline namespace v0 {
namespace {

/// What `name` (getsockname or getpeername) returns for the socket.
template <class Name>
SocketEnd end_of(int socket, Name name) noexcept {
  SocketEnd end;
  sockaddr_storage raw{};
  socklen_t size = sizeof raw;
  if (name(socket, reinterpret_cast<sockaddr*>(&raw), &size) != 0) return end;
  const void* bytes = nullptr;
  if (raw.ss_family == AF_INET) {
    const auto& ip = reinterpret_cast<const sockaddr_in&>(raw);
    bytes = &ip.sin_addr;
    end.port = ntohs(ip.sin_port);
  } else if (raw.ss_family == AF_INET6) {
    const auto& ip = reinterpret_cast<const sockaddr_in6&>(raw);
    bytes = &ip.sin6_addr;
    end.port = ntohs(ip.sin6_port);
  } else {
    end.port = SocketEnd::no_port;
  }
  if (bytes != nullptr) ::inet_ntop(raw.ss_family, bytes, end.address.data(), end.address.size());
  return end;
}

}  // namespace

static_assert(sizeof(SocketEnd::address) >= INET6_ADDRSTRLEN);

int open_socket(int family, int type, int protocol, bool& exhausted) noexcept {
  const int socket = new_socket(family, type, protocol);
  const int error = socket < 0 ? last_socket_error() : 0;
  exhausted = ran_out_of_descriptors(error) || ran_out_of_memory(error);
  return socket;
}

bool is_lack_of_descriptors(int error) noexcept { return ran_out_of_descriptors(error); }
bool is_broken_connection(int error) noexcept { return connection_broke(error); }

bool descriptors_ran_out() noexcept {
  const SocketDescriptor probe(new_socket(AF_UNIX, SOCK_STREAM, 0));
  return !probe && ran_out_of_descriptors(last_socket_error());
}

Incoming incoming(int socket) noexcept {
  if (!is_readable(socket)) return Incoming::nothing;
  char byte = 0;
  const auto size = ::recv(socket, &byte, 1, MSG_PEEK);
  if (size > 0) return Incoming::bytes;
  return size < 0 && must_wait(last_socket_error()) ? Incoming::nothing : Incoming::end;
}

bool is_readable(int socket) noexcept {
  return wait_until_readable(std::array{socket}, std::chrono::milliseconds::zero()) >= 0;
}

int wait_until_readable(std::span<const int> sockets, std::chrono::milliseconds at_most) noexcept {
  std::array<pollfd, 2> looks{};
  std::size_t count = 0;
  for (const int socket : sockets)
    if (socket >= 0) {
      looks[count].fd = static_cast<decltype(pollfd::fd)>(socket);
      looks[count++].events = POLLIN;
    }
  if (poll_sockets(looks.data(), count, static_cast<int>(at_most.count())) <= 0) return -1;
  const auto ready = std::find_if(looks.begin(), looks.end(), [](const pollfd& look) { return look.revents != 0; });
  return ready == looks.end() ? -1 : static_cast<int>(ready->fd);
}

void shut_down(int socket) noexcept {
  ::shutdown(socket, shut_both);
  // libcurl takes a socket with unread bytes for a live one.
  std::array<char, 4096> rest;
  while (is_readable(socket) && ::recv(socket, rest.data(), rest.size(), 0) > 0) {
  }
}

std::size_t longest_socket_path() noexcept { return sizeof(sockaddr_un::sun_path) - 1; }

SocketEnd local_end(int socket) noexcept { return end_of(socket, &::getsockname); }
SocketEnd remote_end(int socket) noexcept { return end_of(socket, &::getpeername); }

std::optional<IpAddress> read_ip_address(const std::string& text) noexcept {
  IpAddress address;
  for (const auto& [family, size] : {std::pair{AF_INET, 4U}, std::pair{AF_INET6, 16U}})
    if (::inet_pton(family, text.c_str(), address.bytes.data()) == 1) {
      address.size = size;
      return address;
    }
  return std::nullopt;
}

}}  // namespace noun
