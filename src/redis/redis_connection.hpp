#pragma once
/// @file
/// A connection to a Redis server. hiredis writes and reads the protocol; the socket is noun's own, so that it has one
/// deadline for everything, raises no SIGPIPE, and is not left to other programs.

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <hiredis/hiredis.h>

#include <noun/result.hpp>
#include <noun/time.hpp>

#include "os/own_process.hpp"
#include "os/stream_socket.hpp"
#include "redis/redis_url.hpp"

namespace noun { inline namespace v0 {

/// Used by one thread at a time. It is closed by every error, and belongs to the process that opened it: a child of
/// fork() opens its own. All errors have the code `resource`.
class RedisConnection {
 public:
  struct Free {
    void operator()(redisReply* reply) const noexcept { freeReplyObject(reply); }
    void operator()(redisReader* reader) const noexcept { redisReaderFree(reader); }
  };
  using Reply = std::unique_ptr<redisReply, Free>;
  using Words = std::span<const std::string_view>;

  explicit RedisConnection(RedisUrl url) : url_(std::move(url)) {}

  /// Whether it was opened by this process, and the server has not closed it since.
  bool is_open() const noexcept;
  /// Connects and sends AUTH and SELECT, if it is not open. Finding the addresses of a host can take longer.
  Result<void> open(Instant deadline);
  void close() noexcept;
  Result<void> send(Words words, Instant deadline);
  /// @returns  the next reply, also an error of the server; null if none has been received by `until`. One of more than
  ///           16 MB is an error.
  Result<Reply> receive(Instant until);
  /// Sends, and receives a reply by the deadline.
  Result<Reply> command(Words words, Instant deadline);

  /// @{
  /// Closes it. The error says that the server refused what it was asked for, or did not respond.
  Error refused(std::string_view what, std::string_view text);
  Error timed_out();
  /// @}
  /// For an Interrupt, which waits for it too.
  int descriptor() const noexcept { return socket_.descriptor(); }

 private:
  std::string server() const;
  Error failed(std::string_view what, std::string_view advice = {});
  Result<void> connect(Instant deadline);
  Result<void> log_in(Instant deadline);

  const RedisUrl url_;
  StreamSocket socket_;
  std::unique_ptr<redisReader, Free> reader_;
  /// Of a reply that is not complete, in bytes.
  std::size_t received_ = 0;
  OwnProcess owner_;
};

}}  // namespace noun
