#pragma once
/// @file
/// Clients of the sample server: one that keeps its connection, and a raw socket.

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include <gtest/gtest.h>
#include <httplib.h>

#include "atlas_service.hpp"

namespace atlas_test {

class Client : public httplib::Client {
 public:
  explicit Client(const atlas::Service& service) : httplib::Client("127.0.0.1", service.port()) {
    set_keep_alive(true);
    set_tcp_nodelay(true);
    // Long enough for a slow machine.
    set_read_timeout(60);
  }
};

/// 0 if there is no response.
inline int status_of(const httplib::Result& result) { return result ? result->status : 0; }

/// All that was received on a connection, and how it ended: 0 (end of stream) or an errno.
struct Stream {
  std::string text = {};
  int ending = 0;

  friend bool operator==(const Stream&, const Stream&) = default;
};

/// A raw connection, for bytes that a correct client does not send or hides.
class Wire {
 public:
  explicit Wire(const atlas::Service& service) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(service.port());
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    const timeval patience{.tv_sec = 20, .tv_usec = 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  }
  ~Wire() { ::close(socket_); }
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;

  void send(const std::string& text) { ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL); }

  Stream receive_all() {
    Stream all;
    char buffer[4096];
    while (true) {
      const auto count = ::recv(socket_, buffer, sizeof buffer, 0);
      all.ending = count < 0 ? errno : 0;
      if (count <= 0) return all;
      all.text.append(buffer, static_cast<std::size_t>(count));
    }
  }

  std::string receive_until(const std::string& mark) {
    std::string all;
    char byte = 0;
    while (!all.ends_with(mark) && ::recv(socket_, &byte, 1, 0) == 1) all += byte;
    return all;
  }

 private:
  int socket_;
};

inline Stream stream_of(const atlas::Service& service, const std::string& request) {
  Wire wire(service);
  wire.send(request);
  return wire.receive_all();
}

}  // namespace atlas_test
