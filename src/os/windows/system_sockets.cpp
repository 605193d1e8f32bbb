#include "system_sockets.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <mstcpip.h>

#include "os/descriptor.hpp"
#include "os/sockets.hpp"

namespace noun { inline namespace v0 {

/// Winsock counts its users, and ends with the process.
bool start_sockets() noexcept {
  static const bool started = [] {
    WSADATA about;
    return ::WSAStartup(MAKEWORD(2, 2), &about) == 0;
  }();
  return started;
}

void close_socket(int descriptor) noexcept { ::closesocket(descriptor); }

int poll_sockets(pollfd* sockets, std::size_t count, int milliseconds) noexcept {
  // WSAPoll() refuses to wait for nothing.
  if (count > 0) return ::WSAPoll(sockets, static_cast<ULONG>(count), milliseconds);
  ::Sleep(static_cast<DWORD>(milliseconds));
  return 0;
}

int new_socket(int family, int type, int protocol) noexcept {
  if (!start_sockets()) return -1;
  const auto socket =
      ::WSASocketW(family, type, protocol, nullptr, 0, WSA_FLAG_OVERLAPPED | WSA_FLAG_NO_HANDLE_INHERIT);
  return socket == INVALID_SOCKET ? -1 : static_cast<int>(socket);
}

bool make_non_blocking(int socket) noexcept {
  u_long yes = 1;
  return ::ioctlsocket(socket, static_cast<long>(FIONBIO), &yes) == 0;
}

/// Windows itself tries ten times.
void keep_alive(int socket, const KeepAlive& how) noexcept {
  constexpr ULONG per_second = 1000;
  tcp_keepalive values{.onoff = 1,
                       .keepalivetime = static_cast<ULONG>(how.idle) * per_second,
                       .keepaliveinterval = static_cast<ULONG>(how.between * how.tries) * per_second / 10};
  DWORD size = 0;
  ::WSAIoctl(socket, SIO_KEEPALIVE_VALS, &values, sizeof values, nullptr, 0, &size, nullptr,
             nullptr);
}

// The words of Windows are in the language and the code page of its user.
std::string socket_error_text(int error) {
  struct Meaning {
    int error;
    std::string_view text;
  };
  constexpr std::array meanings{Meaning{WSAEACCES, "Permission denied"},
                                Meaning{WSAEADDRINUSE, "Address already in use"},
                                Meaning{WSAEADDRNOTAVAIL, "Cannot assign requested address"},
                                Meaning{WSAECONNABORTED, "Software caused connection abort"},
                                Meaning{WSAECONNREFUSED, "Connection refused"},
                                Meaning{WSAECONNRESET, "Connection reset by peer"},
                                Meaning{WSAEHOSTUNREACH, "No route to host"},
                                Meaning{WSAEMFILE, "Too many open files"},
                                Meaning{WSAENETDOWN, "Network is down"},
                                Meaning{WSAENETUNREACH, "Network is unreachable"},
                                Meaning{WSAENOBUFS, "No buffer space available"},
                                Meaning{WSAETIMEDOUT, "Connection timed out"}};
  const auto known =
      std::find_if(meanings.begin(), meanings.end(), [=](const Meaning& one) { return one.error == error; });
  return known == meanings.end() ? fmt::format("Winsock error {}", error) : std::string(known->text);
}

}}  // namespace noun
