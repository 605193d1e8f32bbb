#include "curl/raw_server.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "os/test_sockets.hpp"

namespace noun_test {
namespace {

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

int listen_somewhere(int backlog, std::uint16_t& port) {
  const int listener = new_socket();
  auto address = loopback(0);
  socklen_t size = sizeof address;
  if (listener < 0 || ::bind(listener, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      ::listen(listener, backlog) != 0 || ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size) != 0)
    throw std::runtime_error("cannot listen on the loopback interface");
  port = ntohs(address.sin_port);
  return listener;
}

std::size_t content_length(std::string_view head) {
  constexpr std::string_view name = "\r\nContent-Length: ";
  const auto at = head.find(name);
  std::size_t length = 0;
  if (at != std::string_view::npos) std::from_chars(head.data() + at + name.size(), head.data() + head.size(), length);
  return length;
}

}  // namespace

void Gate::open() {
  const std::lock_guard lock(mutex_);
  open_ = true;
  changed_.notify_all();
}

void Gate::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return open_; });
}

bool Gate::wait_for(std::chrono::milliseconds time) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, time, [&] { return open_; });
}

RawServer::Peer::Peer(RawServer& server, int descriptor, std::size_t number)
    : server_(server), descriptor_(descriptor), number_(number) {}

void RawServer::Peer::use(std::function<std::string()> receive, std::function<bool(std::string_view)> transmit) {
  receive_ = std::move(receive);
  transmit_ = std::move(transmit);
}

std::string RawServer::Peer::some() {
  if (receive_) return receive_();
  std::array<char, 16 * 1024> bytes;
  const auto count = ::recv(descriptor_, bytes.data(), static_cast<SocketSize>(bytes.size()), 0);
  return count > 0 ? std::string(bytes.data(), static_cast<std::size_t>(count)) : std::string();
}

std::optional<std::string> RawServer::Peer::request() {
  for (;;) {
    const auto head = pending_.find("\r\n\r\n");
    if (head != std::string::npos) {
      const auto size = head + 4 + content_length(std::string_view(pending_).substr(0, head + 2));
      if (pending_.size() >= size) {
        auto whole = pending_.substr(0, size);
        pending_.erase(0, size);
        received(whole);
        return whole;
      }
    }
    const auto more = some();
    if (more.empty()) return std::nullopt;
    pending_ += more;
  }
}

void RawServer::Peer::received(std::string request) {
  const std::lock_guard lock(server_.mutex_);
  server_.requests_.push_back(std::move(request));
}

bool RawServer::Peer::send(std::string_view bytes) {
  if (transmit_) return transmit_(bytes);
  while (!bytes.empty()) {
    const auto count = ::send(descriptor_, bytes.data(), static_cast<SocketSize>(bytes.size()), without_sigpipe);
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

void RawServer::Peer::finish() { ::shutdown(descriptor_, shut_sending); }

void RawServer::Peer::reset() {
  reset_socket(descriptor_);
}

void RawServer::Peer::until_closed() {
  while (!some().empty()) {
  }
}

RawServer::RawServer(Script script) : script_(std::move(script)), listener_(listen_somewhere(256, port_)) {
  acceptor_ = std::thread([this] { accept_all(); });
}

RawServer::~RawServer() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    for (const int descriptor : open_) end_connection(descriptor);
  }
  end_accepting(listener_);
  acceptor_.join();
  peers_.splice(peers_.end(), ended_);
  for (auto& peer : peers_) peer.join();
  close_socket(listener_);
}

void RawServer::accept_all() {
  for (;;) {
    const int descriptor = accept_socket(listener_);
    if (descriptor < 0) return;
    const int at_once = 1;
    ::setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, reinterpret_cast<const char*>(&at_once), sizeof at_once);
    const std::lock_guard lock(mutex_);
    if (stopping_) {
      close_socket(descriptor);
      return;
    }
    open_.push_back(descriptor);
    // A thread that has ended occupies its stack until it is joined.
    for (auto& ended : ended_) ended.join();
    ended_.clear();
    const auto own = peers_.emplace(peers_.end());
    *own = std::thread([this, descriptor, number = connections_++, own] {
      serve(descriptor, number);
      const std::lock_guard leaving(mutex_);
      if (!stopping_) ended_.splice(ended_.end(), peers_, own);
    });
  }
}

void RawServer::serve(int descriptor, std::size_t number) {
  Peer peer(*this, descriptor, number);
  script_(peer);
  const std::lock_guard lock(mutex_);
  std::erase(open_, descriptor);
  close_socket(descriptor);
}

std::string RawServer::url(std::string_view path, std::string_view scheme) const {
  return fmt::format("{}://127.0.0.1:{}{}", scheme, port_, path);
}

std::size_t RawServer::connections() const {
  const std::lock_guard lock(mutex_);
  return connections_;
}

std::vector<std::string> RawServer::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

std::string RawServer::last_request() const {
  const std::lock_guard lock(mutex_);
  return requests_.back();
}

std::string http_response(std::string_view body, std::string_view fields, std::string_view status) {
  return fmt::format("HTTP/1.1 {}\r\n{}Content-Length: {}\r\n\r\n{}", status, fields, body.size(), body);
}

RawServer::Script always(std::string bytes) {
  return [bytes = std::move(bytes)](RawServer::Peer& peer) {
    while (peer.request() && peer.send(bytes)) {
    }
  };
}

BlackHole::BlackHole(int queue) : listener_(listen_somewhere(queue, port_)) {
  if (queue > 0) return;
  // A queue of length 0 holds one connection; further ones wait until they give up.
  for (int i = 0; i < 3; ++i) {
    const int filler = new_socket();
    make_non_blocking(filler);
    const auto address = loopback(port_);
    (void)::connect(filler, reinterpret_cast<const sockaddr*>(&address), sizeof address);
    fillers_.push_back(filler);
  }
}

BlackHole::~BlackHole() {
  for (const int filler : fillers_) close_socket(filler);
  close_socket(listener_);
}

std::string BlackHole::url(std::string_view scheme) const { return fmt::format("{}://127.0.0.1:{}/", scheme, port_); }

}  // namespace noun_test
