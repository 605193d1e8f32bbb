#include "os/stream_socket.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <memory>
#include <utility>

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "os/steady_now.hpp"

namespace noun { inline namespace v0 {
namespace {

std::error_code error_of(int number) noexcept { return {number, std::generic_category()}; }

/// Waits until the socket is ready. Returns false if it is not by `until`.
bool await(int socket, short events, Instant until) noexcept {
  using std::chrono::milliseconds;
  for (;;) {
    const auto now = steady_now();
    const auto left = now >= until ? Duration::zero() : std::min<Duration>(until - now, std::chrono::hours(1));
    pollfd ready{.fd = socket, .events = events, .revents = 0};
    const int count = ::poll(&ready, 1, static_cast<int>(std::chrono::ceil<milliseconds>(left).count()));
    if (count > 0) return true;
    if (left == Duration::zero()) return false;
  }
}

/// A connected socket, or none.
Descriptor connected(int family, const sockaddr* address, socklen_t size, Instant until, std::error_code& fault) {
  Descriptor socket(::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  int error = socket && ::connect(*socket, address, size) == 0 ? 0 : errno;
  if (error == EINPROGRESS) {
    socklen_t length = sizeof error;
    if (!await(*socket, POLLOUT, until))
      error = ETIMEDOUT;
    else if (::getsockopt(*socket, SOL_SOCKET, SO_ERROR, &error, &length) != 0)
      error = errno;
  }
  fault = error_of(error);
  return error == 0 ? std::move(socket) : Descriptor();
}

void keep_alive(int socket) noexcept {
  const std::pair<std::pair<int, int>, int> settings[] = {{{SOL_SOCKET, SO_KEEPALIVE}, 1},
                                                          {{IPPROTO_TCP, TCP_KEEPIDLE}, 15},
                                                          {{IPPROTO_TCP, TCP_KEEPINTVL}, 5},
                                                          {{IPPROTO_TCP, TCP_KEEPCNT}, 3},
                                                          {{IPPROTO_TCP, TCP_NODELAY}, 1}};
  for (const auto& [option, value] : settings) ::setsockopt(socket, option.first, option.second, &value, sizeof value);
}

}  // namespace

std::size_t longest_socket_path() noexcept { return sizeof(sockaddr_un::sun_path) - 1; }

bool StreamSocket::is_open() const noexcept {
  if (!socket_) return false;
  char byte = 0;
  const auto count = ::recv(*socket_, &byte, 1, MSG_PEEK);
  return count > 0 || (count < 0 && errno == EAGAIN);
}

std::optional<StreamSocket::Fault> StreamSocket::connect_to(const std::string& path, Instant until) {
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  std::copy(path.begin(), path.end(), address.sun_path);
  std::error_code fault;
  socket_ = connected(AF_UNIX, reinterpret_cast<const sockaddr*>(&address), sizeof address, until, fault);
  if (!socket_) return Fault{.is_of_host = false, .why = fault.message()};
  return std::nullopt;
}

std::optional<StreamSocket::Fault> StreamSocket::connect(const std::string& host, int port, Instant until) {
  close();
  // As in libcurl, the name of this machine is not looked up: it may be what allows to send a password.
  const bool is_name_of_loopback = host == "localhost" || host.ends_with(".localhost");
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int unknown =
      ::getaddrinfo(is_name_of_loopback ? nullptr : host.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (unknown != 0) return Fault{.is_of_host = true, .why = ::gai_strerror(unknown)};
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> all(found, &::freeaddrinfo);
  int left = 0;
  for (const auto* each = found; each != nullptr; each = each->ai_next) ++left;
  std::error_code fault;
  for (const auto* each = found; each != nullptr && !socket_; each = each->ai_next, --left) {
    const auto now = steady_now();
    socket_ = connected(each->ai_family, each->ai_addr, each->ai_addrlen, now + (until - now) / left, fault);
  }
  if (!socket_) return Fault{.is_of_host = false, .why = fault.message()};
  keep_alive(*socket_);
  return std::nullopt;
}

std::size_t StreamSocket::send(std::string_view bytes, std::error_code& fault) noexcept {
  const auto count = ::send(*socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  if (count >= 0) return static_cast<std::size_t>(count);
  if (errno != EAGAIN && errno != EINTR) fault = error_of(errno);
  return 0;
}

std::optional<std::size_t> StreamSocket::receive(std::span<char> bytes, std::error_code& fault) noexcept {
  const auto count = ::recv(*socket_, bytes.data(), bytes.size(), 0);
  if (count >= 0) return static_cast<std::size_t>(count);
  if (errno != EAGAIN && errno != EINTR) fault = error_of(errno);
  return std::nullopt;
}

bool StreamSocket::wait_to_send(Instant until) const noexcept { return await(*socket_, POLLOUT, until); }
bool StreamSocket::wait_to_receive(Instant until) const noexcept { return await(*socket_, POLLIN, until); }

}}  // namespace noun
