#pragma once
/// @file
/// New sockets and their settings, which each system has calls of its own for.

#include <noun/version.hpp>

namespace noun { inline namespace v0 {

/// As socket(). Programs that this process starts do not inherit it.
int new_socket(int family, int type, int protocol) noexcept;
/// Returns false after a fault.
bool make_non_blocking(int socket) noexcept;
/// How long a connection is idle before it is tried, and between the tries, in seconds; how many fail until it is over.
struct KeepAlive {
  int idle;
  int between;
  int tries;
};
void keep_alive(int socket, const KeepAlive& how) noexcept;

}}  // namespace noun
