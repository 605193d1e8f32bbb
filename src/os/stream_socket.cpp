#include "os/stream_socket.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>
#include <utility>

#include "os/sockets.hpp"
#include "os/steady_now.hpp"
#include "system_sockets.hpp"

namespace noun { inline namespace v0 {
namespace {

/// A server that is not overloaded accepts within microseconds.
constexpr Duration between_connects = std::chrono::milliseconds(1);

/// Waits until the socket is ready. Returns false if it is not by `until`.
bool await(int socket, short events, Instant until) noexcept {
  using std::chrono::milliseconds;
  for (;;) {
    const auto now = steady_now();
    const auto left = now >= until ? Duration::zero() : std::min<Duration>(until - now, std::chrono::hours(1));
    pollfd look{};
    look.fd = static_cast<decltype(pollfd::fd)>(socket);
    look.events = events;
    if (poll_sockets(&look, 1, static_cast<int>(std::chrono::ceil<milliseconds>(left).count())) > 0) return true;
    if (left == Duration::zero()) return false;
  }
}

/// The error of a socket that is not connecting any more; 0 without one.
int error_of(int socket) noexcept {
  int error = 0;
  socklen_t length = sizeof error;
  return ::getsockopt(socket, SOL_SOCKET, SO_ERROR, reinterpret_cast<char*>(&error), &length) == 0 ? error
                                                                                                    : last_socket_error();
}

/// Starts to connect. Returns the error; 0 if it is connected.
int start_connecting(int socket, const sockaddr* address, socklen_t size, Instant until) noexcept {
  for (;;) {
    const int error = make_non_blocking(socket) && ::connect(socket, address, size) == 0 ? 0 : last_socket_error();
    // Linux reports a full queue of a Unix socket so, and nothing says when it has room.
    if (address->sa_family != AF_UNIX || is_connecting(error) || !must_wait(error)) return error;
    if (steady_now() >= until) return timed_out_error;
    std::this_thread::sleep_for(between_connects);
  }
}

/// A connected socket, or none.
SocketDescriptor connected(int family, const sockaddr* address, socklen_t size, Instant until, std::error_code& fault) {
  SocketDescriptor socket(new_socket(family, SOCK_STREAM, 0));
  int error = socket ? start_connecting(*socket, address, size, until) : last_socket_error();
  if (is_connecting(error)) error = await(*socket, POLLOUT, until) ? error_of(*socket) : timed_out_error;
  fault = socket_error(error);
  return error == 0 ? std::move(socket) : SocketDescriptor();
}

}  // namespace

bool StreamSocket::is_open() const noexcept { return socket_ && incoming(*socket_) != Incoming::end; }

std::optional<StreamSocket::Fault> StreamSocket::connect_to(const std::string& path, Instant until) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
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
  start_sockets();
  const int unknown =
      ::getaddrinfo(is_name_of_loopback ? nullptr : host.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (unknown != 0) return Fault{.is_of_host = true, .why = ::gai_strerror(unknown)};
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> all(found, &::freeaddrinfo);
  int left = 0;
  for (const auto* each = found; each != nullptr; each = each->ai_next) ++left;
  std::error_code fault;
  for (const auto* each = found; each != nullptr && !socket_; each = each->ai_next, --left) {
    const auto now = steady_now();
    socket_ = connected(each->ai_family, each->ai_addr, static_cast<socklen_t>(each->ai_addrlen), now + (until - now) / left, fault);
  }
  if (!socket_) return Fault{.is_of_host = false, .why = fault.message()};
  const int yes = 1;
  ::setsockopt(*socket_, IPPROTO_TCP, TCP_NODELAY, reinterpret_cast<const char*>(&yes), sizeof yes);
  keep_alive(*socket_, {.idle = 15, .between = 5, .tries = 3});
  return std::nullopt;
}

std::size_t StreamSocket::send(std::string_view bytes, std::error_code& fault) noexcept {
  const auto count = ::send(*socket_, bytes.data(), static_cast<SocketSize>(bytes.size()), without_sigpipe);
  if (count >= 0) return static_cast<std::size_t>(count);
  if (const int error = last_socket_error(); !must_wait(error)) fault = socket_error(error);
  return 0;
}

std::optional<std::size_t> StreamSocket::receive(std::span<char> bytes, std::error_code& fault) noexcept {
  const auto count = ::recv(*socket_, bytes.data(), static_cast<SocketSize>(bytes.size()), 0);
  if (count >= 0) return static_cast<std::size_t>(count);
  if (const int error = last_socket_error(); !must_wait(error)) fault = socket_error(error);
  return std::nullopt;
}

bool StreamSocket::wait_to_send(Instant until) const noexcept { return await(*socket_, POLLOUT, until); }
bool StreamSocket::wait_to_receive(Instant until) const noexcept { return await(*socket_, POLLIN, until); }

}}  // namespace noun
