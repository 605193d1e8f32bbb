#include "redis/redis_connection.hpp"

#include <array>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "os/steady_now.hpp"
#include "wire/printable.hpp"

namespace noun { inline namespace v0 {
namespace {

/// A stored quota has some KB, and so have the keys of one SCAN.
constexpr std::size_t longest_reply = 16 * 1024 * 1024;

}  // namespace

bool RedisConnection::is_open() const noexcept { return owner_.is_current() && socket_.is_open(); }

void RedisConnection::close() noexcept {
  socket_.close();
  reader_.reset();
  received_ = 0;
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
  const auto fault =
      url_.socket.empty() ? socket_.connect(url_.host, url_.port, deadline) : socket_.connect_to(url_.socket, deadline);
  if (!fault) return {};
  return failed(
      fmt::format("cannot {} {}: {}", fault->is_of_host ? "resolve the host of" : "connect to", server(), fault->why));
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
    std::error_code fault;
    const auto count = socket_.send(rest, fault);
    rest.remove_prefix(count);
    if (fault) return failed(fmt::format("cannot send to {}: {}", server(), fault.message()));
    if (count == 0 && !socket_.wait_to_send(deadline)) return timed_out();
  }
  return {};
}

Result<RedisConnection::Reply> RedisConnection::receive(Instant until) {
  std::array<char, 16 * 1024> bytes;
  for (bool is_late = false;; is_late = steady_now() >= until) {
    void* reply = nullptr;
    if (redisReaderGetReply(reader_.get(), &reply) != REDIS_OK)
      return failed(fmt::format("{} does not send the Redis protocol: {}", server(),
                                wire::printable_excerpt(reader_->errstr, 200)));
    if (reply != nullptr) {
      received_ = 0;
      return Reply(static_cast<redisReply*>(reply));
    }
    if (received_ > longest_reply) return failed(server() + " sends a reply of more than 16 MB");
    // The first bytes are received however late it is.
    if (is_late) return Reply();
    std::error_code fault;
    const auto count = socket_.receive(bytes, fault);
    if (fault) return failed(fmt::format("cannot receive from {}: {}", server(), fault.message()));
    if (count == 0U) return failed(server() + " closed the connection");
    if (count) {
      received_ += *count;
      redisReaderFeed(reader_.get(), bytes.data(), *count);
    } else if (!socket_.wait_to_receive(until)) {
      return Reply();
    }
  }
}

Result<RedisConnection::Reply> RedisConnection::command(Words words, Instant deadline) {
  if (auto done = send(words, deadline); !done) return done.error();
  auto reply = receive(deadline);
  if (reply && *reply == nullptr) return timed_out();
  return reply;
}

}}  // namespace noun
