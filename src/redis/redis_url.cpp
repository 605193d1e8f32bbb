#include "redis/redis_url.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <hiredis/hiredis.h>

#include "os/sockets.hpp"
#include "wire/ascii.hpp"
#include "wire/integer.hpp"
#include "wire/percent.hpp"
#include "wire/printable.hpp"
#include "wire/url.hpp"

namespace noun { inline namespace v0 {
namespace {

constexpr std::string_view forms =
    "use redis://[[user]:password@]host[:port][/database] or redis+unix:///path[?db=database], with user, password and "
    "path percent-encoded";

Error url_fault(std::string_view what) {
  return Error(Errc::invalid_argument, fmt::format("the URL of the Redis server {}", what), forms);
}

bool is_host(std::string_view host) {
  return !host.empty() && std::all_of(host.begin(), host.end(), [](char c) { return c > ' ' && c < '\x7f'; });
}

/// Takes `[user]:password@` from the start of the authority. Returns false if it is invalid.
bool take_userinfo(std::string_view& authority, RedisUrl& url) {
  const auto at = authority.rfind('@');
  if (at == std::string_view::npos) return true;
  const auto colon = authority.substr(0, at).find(':');
  if (colon == std::string_view::npos) return false;
  const auto user = wire::percent_decode(authority.substr(0, colon));
  const auto password = wire::percent_decode(authority.substr(colon + 1, at - colon - 1));
  if (!user || !password || password->empty()) return false;
  url.user = *user;
  url.password = *password;
  authority.remove_prefix(at + 1);
  return true;
}

bool read_host_and_port(std::string_view authority, RedisUrl& url) {
  auto end = authority.find(':');
  if (authority.starts_with('[')) {
    end = authority.find(']');
    if (end == std::string_view::npos) return false;
    url.host = authority.substr(1, end - 1);
    ++end;
  } else {
    url.host = authority.substr(0, end);
  }
  if (end < authority.size()) {
    const auto port = wire::read_integer<std::uint16_t>(authority.substr(end + 1));
    if (authority[end] != ':' || !port || *port == 0) return false;
    url.port = *port;
  }
  return is_host(url.host);
}

}  // namespace

Result<RedisUrl> parse_redis_url(std::string_view text) {
  const auto parts = wire::split_url(text);
  const auto scheme = wire::lowered(parts.scheme);
  if (scheme == "rediss")
    return Error(Errc::invalid_argument,
                 fmt::format("the URL of the Redis server has the scheme rediss, and hiredis {}.{} has no TLS here",
                             HIREDIS_MAJOR, HIREDIS_MINOR),
                 "use redis:// to an encrypted tunnel on this machine, or redis+unix://");
  const bool unix_socket = scheme == "redis+unix";
  if (!unix_socket && scheme != "redis") return url_fault("does not start with redis:// or redis+unix://");
  RedisUrl url;
  auto authority = parts.authority;
  if (!take_userinfo(authority, url)) return url_fault("has an invalid user or password");
  auto database = parts.path;
  if (unix_socket) {
    const auto path = wire::percent_decode(parts.path);
    if (!authority.empty() || !path || !path->starts_with('/') || path->find('\0') != std::string::npos ||
        path->size() > longest_socket_path())
      return url_fault("does not have the path of a socket");
    url.socket = *path;
    database = parts.query;
    if (parts.has_query && !database.starts_with("db=")) return url_fault("has an unknown query");
    if (parts.has_query) database.remove_prefix(3);
  } else {
    if (!read_host_and_port(authority, url)) return url_fault("has an invalid host or port");
    if (parts.has_query) return url_fault("has a query");
    if (database.starts_with('/')) database.remove_prefix(1);
  }
  const auto number = wire::read_integer<std::uint32_t>(database);
  if (parts.has_fragment || (!number && !database.empty())) return url_fault("has an invalid database");
  url.database = number.value_or(0);
  return url;
}

std::string name_of(const RedisUrl& url) {
  if (!url.socket.empty()) return wire::printable_excerpt(url.socket, 200);
  const auto host = wire::printable_excerpt(url.host, 200);
  return url.host.find(':') == std::string::npos ? fmt::format("{}:{}", host, url.port)
                                                 : fmt::format("[{}]:{}", host, url.port);
}

bool is_local(const RedisUrl& url) {
  const bool v6 = url.host.find(':') != std::string::npos;
  return !url.socket.empty() || wire::is_loopback({.scheme = "redis", .host = v6 ? "[" + url.host + "]" : url.host, .port = url.port});
}

}}  // namespace noun
