#include "curl/curl_sockets.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <vector>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace noun_test { namespace curl_sockets_test {

using noun::Duration;
using noun::Instant;
using noun::curl::Persistence;
using noun::curl::Sockets;
using noun::curl::SocketUse;
using noun::curl::Spread;

Instant at(int second) { return Instant(std::chrono::seconds(second)); }

std::atomic<std::size_t> names_asked = 0;

/// Of the origin of sockets whose persistence a test does not read.
Persistence unread;
/// Of the multi handle that has them.
Spread::Part part;

/// A listening socket of this machine, and connections to it.
class Peers {
 public:
  Peers() {
    address_.sin_family = AF_INET;
    address_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address_;
    EXPECT_EQ(::bind(listener_, raw(), size), 0);
    EXPECT_EQ(::listen(listener_, 512), 0);
    EXPECT_EQ(::getsockname(listener_, raw(), &size), 0);
  }
  Peers(const Peers&) = delete;
  Peers& operator=(const Peers&) = delete;
  ~Peers() {
    ::close(listener_);
    for (const auto socket : open_) ::close(socket);
  }

  int port() const { return ntohs(address_.sin_port); }
  int unconnected() { return open_.emplace_back(::socket(AF_INET, SOCK_STREAM, 0)); }
  void connect(int socket) { EXPECT_EQ(::connect(socket, raw(), sizeof address_), 0); }
  int connected() {
    connect(unconnected());
    return open_.back();
  }
  int accepted() { return open_.emplace_back(::accept(listener_, nullptr, nullptr)); }
  static int local_port(int socket) {
    sockaddr_in own{};
    socklen_t size = sizeof own;
    EXPECT_EQ(::getsockname(socket, reinterpret_cast<sockaddr*>(&own), &size), 0);
    return ntohs(own.sin_port);
  }

 private:
  sockaddr* raw() { return reinterpret_cast<sockaddr*>(&address_); }

  const int listener_ = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address_{};
  std::vector<int> open_;
};

TEST(CurlSockets, are_asked_for_their_port_once_each) {
  constexpr std::size_t count = 200;
  Peers peers;
  Sockets sockets;
  std::vector<int> all;
  std::vector<int> ports;
  for (std::size_t i = 0; i < count; ++i) {
    all.push_back(peers.connected());
    ports.push_back(Peers::local_port(all.back()));
    sockets.opened(all.back());
  }
  names_asked = 0;
  for (int round = 0; round < 5; ++round)
    for (std::size_t i = 0; i < count; ++i) {
      const auto found = sockets.find("127.0.0.1", peers.port(), ports[i]);
      EXPECT_EQ(found, all[i]);
      sockets.release(sockets.take(found, unread, part, at(0)), Instant());
    }
  EXPECT_LE(names_asked, count);
}

TEST(CurlSockets, are_found_by_both_endpoints) {
  Peers peers;
  Peers others;
  Sockets sockets;
  const auto socket = peers.unconnected();
  sockets.opened(socket);
  EXPECT_EQ(sockets.find("127.0.0.1", peers.port(), 1), CURL_SOCKET_BAD);
  peers.connect(socket);
  const auto port = Peers::local_port(socket);
  EXPECT_EQ(sockets.find("127.0.0.1", peers.port(), port), socket);
  EXPECT_EQ(sockets.find("127.0.0.1", others.port(), port), CURL_SOCKET_BAD);
  EXPECT_EQ(sockets.find("127.0.0.2", peers.port(), port), CURL_SOCKET_BAD);
  EXPECT_EQ(sockets.find("", 0, 0), CURL_SOCKET_BAD);
  sockets.closed(socket, at(0));
  EXPECT_EQ(sockets.find("127.0.0.1", peers.port(), port), CURL_SOCKET_BAD);
}

TEST(CurlSockets, that_are_idle_for_longest_are_shut_first) {
  Peers peers;
  Sockets sockets;
  std::vector<int> all;
  for (int i = 0; i < 4; ++i) sockets.opened(all.emplace_back(peers.connected()));
  std::vector<SocketUse> uses;
  for (const auto socket : all) uses.push_back(sockets.take(socket, unread, part, at(0)));
  for (const auto i : {2, 0, 1}) sockets.release(uses[static_cast<std::size_t>(i)], at(i));
  sockets.release(sockets.take(all[2], unread, part, at(0)), at(3));
  EXPECT_EQ(sockets.idle_since(), at(0));
  sockets.trim(2, at(-1));
  EXPECT_EQ(sockets.shut(), 1U);
  EXPECT_EQ(sockets.idle_since(), at(1));
  sockets.trim(2, at(1));
  EXPECT_EQ(sockets.shut(), 2U);
  EXPECT_EQ(sockets.idle(), 1U);
  const auto is_found = [&](std::size_t i) {
    return sockets.find("127.0.0.1", peers.port(), Peers::local_port(all[i])) == all[i];
  };
  EXPECT_FALSE(is_found(0));
  EXPECT_FALSE(is_found(1));
  EXPECT_TRUE(is_found(2));
  EXPECT_TRUE(is_found(3));
  sockets.closed(all[0], at(0));
  EXPECT_EQ(sockets.shut(), 1U);
}

TEST(CurlSockets, an_idle_one_is_that_of_who_used_it_last) {
  Peers peers;
  Sockets sockets;
  const auto socket = peers.connected();
  sockets.opened(socket);
  Spread::Part one;
  Spread::Part other;
  sockets.release(sockets.take(socket, unread, one, at(0)), at(0));
  EXPECT_EQ(one.idle, 1U);
  // A proxy has one connection for several origins.
  const auto use = sockets.take(socket, unread, other, at(1));
  EXPECT_EQ(one.idle, 0U);
  EXPECT_EQ(one.open, 0U);
  EXPECT_EQ(other.idle, 0U);
  EXPECT_EQ(other.open, 1U);
  sockets.release(use, at(2));
  EXPECT_EQ(other.idle, 1U);
  sockets.closed(socket, at(3));
  EXPECT_EQ(one.idle, 0U);
  EXPECT_EQ(other.idle, 0U);
  EXPECT_EQ(other.open, 0U);
}

TEST(CurlSockets, that_are_silent_are_shut_with_their_last_request) {
  Peers peers;
  Sockets sockets;
  const auto socket = peers.connected();
  sockets.opened(socket);
  sockets.take(socket, unread, part, at(0));
  const auto use = sockets.take(socket, unread, part, at(0));
  EXPECT_EQ(part.silent, 0U);
  sockets.release_silent(use, at(0), at(1));
  EXPECT_EQ(part.silent, 1U);
  EXPECT_EQ(sockets.shut(), 0U);
  sockets.release(use, at(2));
  EXPECT_EQ(part.silent, 0U);
  EXPECT_EQ(sockets.shut(), 1U);
}

TEST(CurlSockets, are_not_silent_if_another_request_had_a_response) {
  Peers peers;
  Sockets sockets;
  const auto socket = peers.connected();
  sockets.opened(socket);
  sockets.take(socket, unread, part, at(0));
  const auto use = sockets.take(socket, unread, part, at(0));
  sockets.responded(use, true, Duration::max(), at(5));
  sockets.release_silent(use, at(4), at(10));
  EXPECT_EQ(part.silent, 0U);
  sockets.release_silent(use, at(6), at(10));
  EXPECT_EQ(sockets.shut(), 1U) << "no response since its last request was sent";
}

TEST(CurlSockets, are_silent_until_a_response_arrives) {
  Peers peers;
  Sockets sockets;
  const auto socket = peers.connected();
  sockets.opened(socket);
  sockets.take(socket, unread, part, at(0));
  const auto use = sockets.take(socket, unread, part, at(0));
  sockets.release_silent(use, at(0), at(1));
  EXPECT_EQ(part.silent, 1U);
  sockets.responded(use, true, Duration::max(), at(2));
  EXPECT_EQ(part.silent, 0U);
  sockets.release(use, at(3));
  EXPECT_EQ(sockets.idle(), 1U);
}

TEST(CurlSockets, that_are_silent_are_those_of_their_origin) {
  Peers peers;
  Sockets sockets;
  const auto socket = peers.connected();
  sockets.opened(socket);
  Spread one;
  Spread other;
  sockets.take(socket, unread, one.part(0), at(0));
  const auto use = sockets.take(socket, unread, one.part(1), at(0));
  sockets.release_silent(use, at(0), at(1));
  EXPECT_TRUE(one.any_silent());
  EXPECT_FALSE(other.any_silent());
  // A proxy has one connection for several origins.
  const auto last = sockets.take(socket, unread, other.part(0), at(2));
  EXPECT_FALSE(one.any_silent());
  EXPECT_TRUE(other.any_silent());
  for (int i = 0; i < 2; ++i) sockets.release(last, at(3));
  EXPECT_EQ(sockets.shut(), 1U);
  EXPECT_FALSE(other.any_silent());
}

TEST(CurlSockets, that_ended_while_idle_are_shut) {
  Peers peers;
  Sockets sockets;
  const auto socket = peers.connected();
  const auto far_end = peers.accepted();
  sockets.opened(socket);
  const auto use = sockets.take(socket, unread, part, at(0));
  EXPECT_FALSE(sockets.keep_idle(socket, true, at(0))) << "in use";
  sockets.release(use, at(0));
  EXPECT_TRUE(sockets.keep_idle(socket, false, at(0))) << "nothing arrived";
  sockets.responded(use, true, Duration::max(), at(0));
  EXPECT_EQ(::send(far_end, "x", 1, 0), 1);
  EXPECT_TRUE(sockets.keep_idle(socket, false, at(0))) << "HTTP/2 servers may send at any time";
  sockets.responded(use, false, Duration::max(), at(0));
  EXPECT_FALSE(sockets.keep_idle(socket, false, at(0)));
  EXPECT_EQ(sockets.shut(), 1U);
}

TEST(CurlSockets, that_libcurl_closes_are_neither_idle_nor_ended_by_the_server) {
  Peers peers;
  Sockets sockets;
  Persistence persistence;
  Spread::Part own;
  for (int i = 0; i < 4; ++i) {
    const auto socket = peers.connected();
    sockets.opened(socket);
    const auto use = sockets.take(socket, persistence, own, at(i));
    sockets.responded(use, false, Duration::max(), at(i));
    sockets.release(use, at(i), false);
    EXPECT_EQ(sockets.idle(), 0U);
    EXPECT_EQ(sockets.in_use(), 0U);
    EXPECT_EQ(own.idle, 0U) << "no attempt is to count on it";
    sockets.closed(socket, at(i));
    EXPECT_TRUE(persistence.is_expected(at(i))) << i;
  }
}

TEST(CurlSockets, a_connection_that_the_server_is_about_to_close_is_not_good_for_a_request) {
  Peers peers;
  Sockets sockets;
  const int socket = peers.connected();
  sockets.opened(socket);
  const auto use = sockets.take(socket, unread, part, at(0));
  EXPECT_TRUE(sockets.good(socket, false, at(100))) << "it is in use";
  sockets.responded(use, false, std::chrono::seconds(4), at(10));
  sockets.release(use, at(12));
  EXPECT_TRUE(sockets.good(socket, true, at(15)));
  EXPECT_FALSE(sockets.good(socket, true, at(16)));
  const auto again = sockets.take(socket, unread, part, at(0));
  sockets.responded(again, false, Duration::max(), at(15));
  sockets.release(again, at(15));
  EXPECT_TRUE(sockets.good(socket, true, at(1'000'000))) << "the last response has no limit";
}

TEST(CurlSockets, of_http_1_are_not_good_for_a_request_before_the_response_to_the_last_one) {
  Peers peers;
  Sockets sockets;
  const int socket = peers.connected();
  sockets.opened(socket);
  EXPECT_TRUE(sockets.good(socket, true, at(0)));
  for (int round = 0; round < 2; ++round) {
    const auto use = sockets.take(socket, unread, part, at(0));
    EXPECT_FALSE(sockets.good(socket, true, at(0))) << round;
    EXPECT_TRUE(sockets.good(socket, false, at(0))) << "it may be one of HTTP/2";
    sockets.responded(use, false, Duration::max(), at(0));
    EXPECT_TRUE(sockets.good(socket, true, at(0))) << "libcurl may have ended the request";
    sockets.release(use, at(0));
  }
}

TEST(CurlSockets, are_not_taken_for_the_next_one_with_their_descriptor) {
  Peers peers;
  Sockets sockets;
  const auto socket = peers.connected();
  sockets.opened(socket);
  const auto old = sockets.take(socket, unread, part, at(0));
  sockets.closed(socket, at(0));
  sockets.opened(socket);
  sockets.take(socket, unread, part, at(0));
  sockets.release(old, at(1));
  sockets.release_silent(old, at(1), at(2));
  EXPECT_EQ(sockets.idle(), 0U) << "the new one is in use";
  EXPECT_EQ(part.silent, 0U);
}

}  // namespace curl_sockets_test
}  // namespace noun_test

// Counts what the program asks for.
extern "C" int getsockname(int socket, sockaddr* address, socklen_t* size) noexcept {
  ++noun_test::curl_sockets_test::names_asked;
  return static_cast<int>(::syscall(SYS_getsockname, socket, address, size));
}
