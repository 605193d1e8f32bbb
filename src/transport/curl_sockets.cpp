#include "transport/curl_sockets.hpp"

#include <algorithm>
#include <array>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

namespace noun { inline namespace v0 { namespace curl {
namespace {

struct Place {
  std::array<char, INET6_ADDRSTRLEN> address{};
  int port = -1;
};

// The address and port that `name` (getsockname or getpeername) returns for the socket.
template <class Name>
Place place_of(curl_socket_t socket, Name name) noexcept {
  Place place;
  sockaddr_storage raw{};
  socklen_t size = sizeof raw;
  if (name(socket, reinterpret_cast<sockaddr*>(&raw), &size) != 0) return place;
  const void* bytes = nullptr;
  if (raw.ss_family == AF_INET) {
    const auto& ip = reinterpret_cast<const sockaddr_in&>(raw);
    bytes = &ip.sin_addr;
    place.port = ntohs(ip.sin_port);
  } else if (raw.ss_family == AF_INET6) {
    const auto& ip = reinterpret_cast<const sockaddr_in6&>(raw);
    bytes = &ip.sin6_addr;
    place.port = ntohs(ip.sin6_port);
  }
  if (bytes != nullptr) ::inet_ntop(raw.ss_family, bytes, place.address.data(), place.address.size());
  return place;
}

}  // namespace

curl_socket_t Sockets::find(std::string_view remote_address, int remote_port, int local_port) const noexcept {
  for (const auto& [descriptor, socket] : open_) {
    if (socket.is_shut || place_of(descriptor, ::getsockname).port != local_port) continue;
    const auto there = place_of(descriptor, ::getpeername);
    if (there.port == remote_port && there.address.data() == remote_address) return descriptor;
  }
  return CURL_SOCKET_BAD;
}

bool Sockets::good(curl_socket_t socket) const noexcept {
  const auto found = open_.find(socket);
  if (found == open_.end()) return true;
  const auto& kept = found->second;
  if (!kept.used || kept.protocol == Protocol::http2) return true;
  // Several requests before the first response: possible only on HTTP/2.
  if (kept.users > 0 && kept.protocol == Protocol::unknown) return true;
  pollfd look{.fd = socket, .events = POLLIN, .revents = 0};
  return ::poll(&look, 1, 0) == 0;
}

void Sockets::take(curl_socket_t socket) noexcept {
  const auto found = open_.find(socket);
  if (found == open_.end()) return;
  found->second.used = true;
  ++found->second.users;
}

void Sockets::set_protocol(curl_socket_t socket, bool http2) noexcept {
  if (const auto found = open_.find(socket); found != open_.end())
    found->second.protocol = http2 ? Protocol::http2 : Protocol::http1;
}

void Sockets::release(curl_socket_t socket, Instant now, bool silent) noexcept {
  const auto found = open_.find(socket);
  if (found == open_.end() || found->second.users == 0) return;
  auto& one = found->second;
  --one.users;
  one.silent = one.silent || silent;
  one.idle_since = now;
  if (one.silent && one.users == 0) shut_down(socket, one);
}

bool Sockets::any_silent() const noexcept {
  return std::any_of(open_.begin(), open_.end(),
                     [](const auto& one) { return one.second.silent && !one.second.is_shut; });
}

void Sockets::trim(std::size_t left) noexcept {
  const auto is_idle = [](const auto& one) { return one.second.idle(); };
  for (auto idle = static_cast<std::size_t>(std::count_if(open_.begin(), open_.end(), is_idle)); idle > left; --idle) {
    const auto oldest = std::min_element(open_.begin(), open_.end(), [](const auto& left_one, const auto& right_one) {
      return left_one.second.idle() &&
             (!right_one.second.idle() || left_one.second.idle_since < right_one.second.idle_since);
    });
    shut_down(oldest->first, oldest->second);
  }
}

std::size_t Sockets::shut() const noexcept {
  return static_cast<std::size_t>(
      std::count_if(open_.begin(), open_.end(), [](const auto& one) { return one.second.is_shut; }));
}

void Sockets::shut_down(curl_socket_t descriptor, Socket& socket) noexcept {
  socket.is_shut = true;
  ::shutdown(descriptor, SHUT_RDWR);
  // Drain the socket: libcurl takes a socket with unread bytes for a live one.
  std::array<char, 4096> rest;
  while (::recv(descriptor, rest.data(), rest.size(), MSG_DONTWAIT) > 0) {
  }
}

}}}  // namespace noun::curl
