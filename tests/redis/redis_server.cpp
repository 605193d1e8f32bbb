#include "redis/redis_server.hpp"

#include <memory>
#include <stdexcept>
#include <utility>

#include <hiredis/hiredis.h>

namespace noun_test {
namespace {

std::string text_of(const redisReply& reply) {
  if (reply.type == REDIS_REPLY_INTEGER) return std::to_string(reply.integer);
  std::string text = reply.str == nullptr ? "" : std::string(reply.str, reply.len);
  for (std::size_t i = 0; i < reply.elements; ++i) text += (i == 0 ? "" : "\n") + text_of(*reply.element[i]);
  return text;
}

}  // namespace

RedisServer::RedisServer(std::vector<std::string> options) : options_(std::move(options)) { start(); }

void RedisServer::start() {
  // Another program may take the port before the server does.
  for (int tries = 0;; ++tries) try {
      if (port_ == 0 || tries > 0) port_ = integration::free_port();
      std::vector<std::string> words{
          "redis-server",     "--bind",       "127.0.0.1", "--port", std::to_string(port_), "--unixsocket", socket(),
          "--unixsocketperm", "700",          "--save",    "",       "--appendonly",        "no",           "--dir",
          folder_.path(""),   "--io-threads", "1"};
      words.insert(words.end(), options_.begin(), options_.end());
      process_ = std::make_unique<integration::ChildProgram>(words);
      // Redis 7 and 8 print it when they listen on all addresses; 8 adds the kind of each.
      process_->wait_for_output("Ready to accept connections");
      return;
    } catch (const std::runtime_error&) {
      if (tries == 5) throw;
    }
}

std::string RedisServer::operator()(const std::vector<std::string>& words, std::uint32_t database) const {
  const std::unique_ptr<redisContext, decltype(&redisFree)> context(redisConnectUnix(socket().c_str()), &redisFree);
  const auto run = [&](const std::vector<std::string>& command) {
    std::vector<const char*> texts;
    std::vector<std::size_t> sizes;
    for (const auto& word : command) {
      texts.push_back(word.data());
      sizes.push_back(word.size());
    }
    const std::unique_ptr<void, decltype(&freeReplyObject)> reply(
        redisCommandArgv(context.get(), static_cast<int>(command.size()), texts.data(), sizes.data()),
        &freeReplyObject);
    if (!reply) throw std::runtime_error(std::string("the server of the test: ") + context->errstr);
    return text_of(*static_cast<const redisReply*>(reply.get()));
  };
  run({"SELECT", std::to_string(database)});
  return run(words);
}

}  // namespace noun_test
