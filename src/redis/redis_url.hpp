#pragma once
/// @file
/// The URL of a Redis server.

#include <cstdint>
#include <string>
#include <string_view>

#include <noun/result.hpp>

namespace noun { inline namespace v0 {

/// Where a Redis server listens, and who connects.
struct RedisUrl {
  std::string host = {};  ///< an IPv6 address without brackets
  std::uint16_t port = 6379;
  std::string socket = {};  ///< the path of a Unix socket, in place of host and port
  std::uint32_t database = 0;
  std::string user = {};
  std::string password = {};
};

/// Reads `redis://[[user]:password@]host[:port][/database]` or `redis+unix://[[user]:password@]/path[?db=number]`. User,
/// password and path are percent-decoded.
/// @returns  `invalid_argument` for another URL; the error does not show it, because it may have a password.
Result<RedisUrl> parse_redis_url(std::string_view url);

/// The server without user and password, for messages.
std::string name_of(const RedisUrl& url);
/// Whether the server is on this machine, by its address.
bool is_local(const RedisUrl& url);

}}  // namespace noun
