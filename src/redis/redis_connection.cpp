#include "redis/redis_connection.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "os/steady_now.hpp"
#include "wire/printable.hpp"

namespace noun { inline namespace v0 {
namespace {

std::string text_of_errno(int error) { return std::generic_category().message(error); }

/// Waits until the socket is ready. Returns false if it is not by `until`.
bool await(int socket, short events, Instant until) {
  using std::chrono::milliseconds;
  for (;;) {
    const auto now = steady_now();
    const auto left = now >= until ? Duration::zero() : std::min<Duration>(until - now, std::chrono::hours(1));
    pollfd ready{.fd = socket, .events = events, .revents = 0};
    const int count = ::poll(&ready, 1, static_cast<int>(std::chrono::ceil<milliseconds>(left).count()));
    if (count > 0) return true;
    if (left == Duration::zero()) return false;
  }
}

/// A connected socket, or none and errno.
Descriptor connected(int family, const sockaddr* address, socklen_t size, Instant until) {
  Descriptor socket(::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket) return socket;
  int error = ::connect(*socket, address, size) == 0 ? 0 : errno;
  if (error == EINPROGRESS) {
    socklen_t length = sizeof error;
    if (!await(*socket, POLLOUT, until))
      error = ETIMEDOUT;
    else if (::getsockopt(*socket, SOL_SOCKET, SO_ERROR, &error, &length) != 0)
      error = errno;
  }
  if (error == 0) return socket;
  socket = Descriptor();
  errno = error;
  return socket;
}

/// A server that is gone without a word is noticed in half a minute, also while only changes are awaited.
void keep_alive(int socket) {
  const std::pair<std::pair<int, int>, int> settings[] = {{{SOL_SOCKET, SO_KEEPALIVE}, 1},
                                                          {{IPPROTO_TCP, TCP_KEEPIDLE}, 15},
                                                          {{IPPROTO_TCP, TCP_KEEPINTVL}, 5},
                                                          {{IPPROTO_TCP, TCP_KEEPCNT}, 3},
                                                          {{IPPROTO_TCP, TCP_NODELAY}, 1}};
  for (const auto& [option, value] : settings) ::setsockopt(socket, option.first, option.second, &value, sizeof value);
}

}  // namespace

bool RedisConnection::is_open() const noexcept {
  if (!socket_ || !owner_.is_current()) return false;
  char byte = 0;
  const auto count = ::recv(*socket_, &byte, 1, MSG_PEEK);
  return count > 0 || (count < 0 && errno == EAGAIN);
}

void RedisConnection::close() noexcept {
  socket_ = Descriptor();
  reader_.reset();
}

std::string RedisConnection::server() const { return "the Redis server at " + name_of(url_); }

Error RedisConnection::failed(std::string_view what, std::string_view advice) {
  close();
  return Error(Errc::resource, what, advice.empty() ? "check the server and its URL" : advice);
}

Error RedisConnection::refused(std::string_view what, std::string_view text) {
  std::string_view advice;
  if (text.starts_with("NOAUTH")) advice = "put the password into the URL";
  if (text.starts_with("OOM")) advice = "free memory of the server, or raise its maxmemory";
  if (text.ends_with('.')) text.remove_suffix(1);
  return failed(fmt::format("{} refused {}: {}", server(), what, wire::printable_excerpt(text, 200)), advice);
}

Error RedisConnection::timed_out() {
  close();
  return Error(Errc::resource, server() + " did not respond in time",
               "check the server and the network, or raise SharingOptions::slow_after");
}

Result<void> RedisConnection::open(Instant deadline) {
  if (is_open()) return {};
  close();
  if (auto done = connect(deadline); !done) return done;
  owner_ = {};
  reader_.reset(redisReaderCreate());
  if (!reader_) return failed("no memory for a connection to " + server());
  return log_in(deadline);
}

Result<void> RedisConnection::connect(Instant deadline) {
  if (!url_.socket.empty()) {
    sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
    std::copy(url_.socket.begin(), url_.socket.end(), address.sun_path);
    socket_ = connected(AF_UNIX, reinterpret_cast<const sockaddr*>(&address), sizeof address, deadline);
    if (!socket_) return failed(fmt::format("cannot connect to {}: {}", server(), text_of_errno(errno)));
    return {};
  }
  // As in libcurl, the name of this machine is not looked up: it may be what allows to send the password.
  const bool is_name_of_loopback = url_.host == "localhost" || url_.host.ends_with(".localhost");
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int fault = ::getaddrinfo(is_name_of_loopback ? nullptr : url_.host.c_str(), std::to_string(url_.port).c_str(),
                                  &hints, &found);
  if (fault != 0) return failed(fmt::format("cannot resolve the host of {}: {}", server(), ::gai_strerror(fault)));
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> all(found, &::freeaddrinfo);
  int left = 0;
  for (const auto* each = found; each != nullptr; each = each->ai_next) ++left;
  for (const auto* each = found; each != nullptr && !socket_; each = each->ai_next, --left) {
    const auto now = steady_now();
    socket_ = connected(each->ai_family, each->ai_addr, each->ai_addrlen, now + (deadline - now) / left);
  }
  if (!socket_) return failed(fmt::format("cannot connect to {}: {}", server(), text_of_errno(errno)));
  keep_alive(*socket_);
  return {};
}

Result<void> RedisConnection::log_in(Instant deadline) {
  if (!url_.password.empty()) {
    std::vector<std::string_view> words{"AUTH", url_.user, url_.password};
    if (url_.user.empty()) words.erase(words.begin() + 1);
    const auto reply = command(words, deadline);
    if (!reply) return reply.error();
    if ((*reply)->type == REDIS_REPLY_ERROR) {
      // Only the code: the text of a server that does not know the command repeats the password.
      const std::string_view text((*reply)->str, (*reply)->len);
      const auto kind = text.substr(0, text.find(' '));
      return refused("the user or the password", kind == "ERR" ? "ERR, as a server without passwords does" : kind);
    }
  }
  if (url_.database == 0) return {};
  const auto reply = command(std::array<std::string_view, 2>{"SELECT", std::to_string(url_.database)}, deadline);
  if (!reply) return reply.error();
  if ((*reply)->type == REDIS_REPLY_ERROR) return refused("SELECT", (*reply)->str);
  return {};
}

Result<void> RedisConnection::send(Words words, Instant deadline) {
  std::vector<const char*> texts;
  std::vector<std::size_t> sizes;
  for (const auto word : words) {
    texts.push_back(word.data());
    sizes.push_back(word.size());
  }
  char* target = nullptr;
  const auto size = redisFormatCommandArgv(&target, static_cast<int>(words.size()), texts.data(), sizes.data());
  if (size < 0) return failed("no memory for a command to " + server());
  const std::unique_ptr<char, decltype(&redisFreeCommand)> command(target, &redisFreeCommand);
  for (std::string_view rest(target, static_cast<std::size_t>(size)); !rest.empty();) {
    const auto count = ::send(*socket_, rest.data(), rest.size(), MSG_NOSIGNAL);
    if (count >= 0)
      rest.remove_prefix(static_cast<std::size_t>(count));
    else if (errno != EAGAIN && errno != EINTR)
      return failed(fmt::format("cannot send to {}: {}", server(), text_of_errno(errno)));
    else if (!await(*socket_, POLLOUT, deadline))
      return timed_out();
  }
  return {};
}

Result<RedisConnection::Reply> RedisConnection::receive(Instant until) {
  std::array<char, 16 * 1024> bytes;
  for (;;) {
    void* reply = nullptr;
    if (redisReaderGetReply(reader_.get(), &reply) != REDIS_OK)
      return failed(fmt::format("{} does not send the Redis protocol: {}", server(),
                                wire::printable_excerpt(reader_->errstr, 200)));
    if (reply != nullptr) return Reply(static_cast<redisReply*>(reply));
    const auto count = ::recv(*socket_, bytes.data(), bytes.size(), 0);
    if (count > 0)
      redisReaderFeed(reader_.get(), bytes.data(), static_cast<std::size_t>(count));
    else if (count == 0)
      return failed(server() + " closed the connection");
    else if (errno != EAGAIN && errno != EINTR)
      return failed(fmt::format("cannot receive from {}: {}", server(), text_of_errno(errno)));
    else if (!await(*socket_, POLLIN, until))
      return Reply();
  }
}

Result<RedisConnection::Reply> RedisConnection::command(Words words, Instant deadline) {
  if (auto done = send(words, deadline); !done) return done.error();
  auto reply = receive(deadline);
  if (reply && *reply == nullptr) return timed_out();
  return reply;
}

}}  // namespace noun
