// Reading, writing and closing.
#include "atlas_connection.hpp"

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

namespace atlas {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds transfer_patience = seconds{5};

bool wait_for(socket_t socket, short events, milliseconds patience) {
  const auto end = std::chrono::steady_clock::now() + patience;
  pollfd entry{.fd = socket, .events = events, .revents = 0};
  while (true) {
    const auto left = std::chrono::ceil<milliseconds>(end - std::chrono::steady_clock::now());
    const auto ready = ::poll(&entry, 1, static_cast<int>(std::max(left, milliseconds{0}).count()));
    if (ready >= 0 || errno != EINTR) return ready > 0;
  }
}

std::size_t truncated_size(std::string_view response) {
  constexpr std::string_view end_of_head = "\r\n\r\n";
  const auto end = response.find(end_of_head);
  const auto head = end == std::string_view::npos ? response.size() : end + end_of_head.size();
  const auto body = response.size() - head;
  return body == 0 ? head / 2 : head + body / 2;
}

using NameOf = int (*)(int, sockaddr*, socklen_t*);

void describe(socket_t socket, NameOf name_of, std::string& ip, int& port) {
  sockaddr_storage storage{};
  socklen_t length = sizeof storage;
  auto* address = reinterpret_cast<sockaddr*>(&storage);
  if (name_of(socket, address, &length) != 0) return;
  std::array<char, NI_MAXHOST> host{};
  if (::getnameinfo(address, length, host.data(), host.size(), nullptr, 0, NI_NUMERICHOST) != 0) return;
  ip = host.data();
  // The port has the same offset for IPv4 and IPv6.
  port = ntohs(reinterpret_cast<const sockaddr_in*>(address)->sin_port);
}

}  // namespace

Connection::~Connection() { ::close(socket_); }

bool Connection::wait_for_request(milliseconds patience) {
  if (consumed_ < incoming_.size()) return true;
  return wait_for(socket_, POLLIN, patience) && fill();
}

bool Connection::fill() {
  std::array<char, 16384> buffer;
  ssize_t count = 0;
  do {
    count = ::recv(socket_, buffer.data(), buffer.size(), 0);
  } while (count < 0 && errno == EINTR);
  if (count <= 0) return false;
  incoming_.assign(buffer.data(), static_cast<std::size_t>(count));
  consumed_ = 0;
  return true;
}

ssize_t Connection::read(char* data, std::size_t size) {
  if (consumed_ == incoming_.size()) {
    // A client that expects "100 Continue" sends the body only after receiving it.
    if (!flush() || !wait_for(socket_, POLLIN, transfer_patience) || !fill()) return -1;
  }
  const auto count = std::min(size, incoming_.size() - consumed_);
  std::memcpy(data, incoming_.data() + consumed_, count);
  consumed_ += count;
  return static_cast<ssize_t>(count);
}

ssize_t Connection::write(const char* data, std::size_t size) {
  if (!is_abandoned() || ending_ == Ending::cut) outgoing_.append(data, size);
  return static_cast<ssize_t>(size);
}

bool Connection::flush() {
  std::size_t sent = 0;
  while (sent < outgoing_.size()) {
    if (!wait_for(socket_, POLLOUT, transfer_patience)) return false;
    // MSG_NOSIGNAL: a client that disconnects must not terminate the process.
    const auto count = ::send(socket_, outgoing_.data() + sent, outgoing_.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count < 0 && errno != EINTR && errno != EAGAIN) return false;
    if (count > 0) sent += static_cast<std::size_t>(count);
  }
  outgoing_.clear();
  return true;
}

void Connection::drain_input() {
  // Closing with unread input makes the kernel send a reset, which can arrive before the response.
  ::shutdown(socket_, SHUT_WR);
  const auto end = std::chrono::steady_clock::now() + seconds{1};
  while (std::chrono::steady_clock::now() < end) {
    if (!wait_for(socket_, POLLIN, milliseconds{100}) || !fill()) return;
  }
}

void Connection::prepare_close() {
  if (ending_ == Ending::orderly) {
    drain_input();
  } else if (ending_ == Ending::cut) {
    outgoing_.resize(truncated_size(outgoing_));
    if (flush()) drain_input();
  } else if (ending_ == Ending::reset) {
    const linger at_once{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  }
}

bool Connection::is_readable() const {
  return consumed_ < incoming_.size() || wait_for(socket_, POLLIN, transfer_patience);
}

bool Connection::is_writable() const { return wait_for(socket_, POLLOUT, transfer_patience); }

void Connection::get_remote_ip_and_port(std::string& ip, int& port) const {
  describe(socket_, ::getpeername, ip, port);
}

void Connection::get_local_ip_and_port(std::string& ip, int& port) const { describe(socket_, ::getsockname, ip, port); }

}  // namespace atlas
