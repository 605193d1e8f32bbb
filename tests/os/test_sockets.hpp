#pragma once
/// @file
/// Sockets for the servers of tests, on Linux and Windows.

#include <cstddef>
#include <cstdint>

#ifdef _WIN32
#include <winsock2.h>
#include <ws2tcpip.h>
#else
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>
#endif

namespace noun_test {

#ifdef _WIN32
using SocketSize = int;
constexpr int without_sigpipe = 0;
constexpr int shut_sending = SD_SEND;

inline int new_socket() {
  WSADATA about;
  static const int started = ::WSAStartup(MAKEWORD(2, 2), &about);
  return started != 0 ? -1 : static_cast<int>(::socket(AF_INET, SOCK_STREAM, 0));
}
inline int accept_socket(int listener) { return static_cast<int>(::accept(listener, nullptr, nullptr)); }
inline void close_socket(int socket) { ::closesocket(socket); }
inline void make_non_blocking(int socket) {
  u_long yes = 1;
  ::ioctlsocket(socket, static_cast<long>(FIONBIO), &yes);
}
/// Ends accept_socket() in other threads: with one more connection, for closing the socket does not in wine.
inline void end_accepting(int listener) {
  sockaddr_in address{};
  int size = sizeof address;
  auto* const plain = reinterpret_cast<sockaddr*>(&address);
  ::getsockname(listener, plain, &size);
  const int last = new_socket();
  ::connect(last, plain, size);
  ::closesocket(last);
}
/// Ends the connection, also for threads that receive: those of wine need the second call.
inline void end_connection(int socket) {
  ::shutdown(socket, SD_BOTH);
  ::CancelIoEx(reinterpret_cast<HANDLE>(static_cast<std::intptr_t>(socket)), nullptr);
}
/// Resets the connection when its socket is closed.
inline void reset_socket(int socket) {
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(socket, SOL_SOCKET, SO_LINGER, reinterpret_cast<const char*>(&at_once), sizeof at_once);
}
#else
using SocketSize = std::size_t;
constexpr int without_sigpipe = MSG_NOSIGNAL;
constexpr int shut_sending = SHUT_WR;

inline int new_socket() { return ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0); }
inline int accept_socket(int listener) { return ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC); }
inline void close_socket(int socket) { ::close(socket); }
inline void make_non_blocking(int socket) { ::fcntl(socket, F_SETFL, O_NONBLOCK); }
/// Ends accept_socket() in other threads.
inline void end_accepting(int listener) { ::shutdown(listener, SHUT_RDWR); }
/// Ends the connection, also for threads that receive.
inline void end_connection(int socket) { ::shutdown(socket, SHUT_RDWR); }
/// Connecting to AF_UNSPEC resets the connection but, unlike close(), keeps the descriptor.
inline void reset_socket(int socket) {
  sockaddr nowhere{};
  nowhere.sa_family = AF_UNSPEC;
  ::connect(socket, &nowhere, sizeof nowhere);
}
#endif

}  // namespace noun_test
