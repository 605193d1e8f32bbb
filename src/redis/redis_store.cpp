#include "redis/redis_store.hpp"

#include <noun/redis_ledger.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "os/steady_now.hpp"
#include "stores/sharing_rules.hpp"
#include "wire/integer.hpp"

namespace noun { inline namespace v0 {
namespace {

/// Swaps if the expected version is stored. The time keeps versions from being repeated after a loss. First it publishes,
/// because a user may lack the permission for it, and what is written stays.
constexpr std::string_view swap_script = R"(
local stored = redis.call('HMGET', KEYS[1], 'version', 'bytes')
local version, bytes = stored[1] or '0', stored[2] or ''
local time = redis.call('TIME')
local swapped = version == ARGV[1]
if swapped then
  version = string.format('%.0f', math.max(time[1] * 1000000 + time[2], version + 1))
  bytes = ''
  redis.call('PUBLISH', ARGV[3], version)
  redis.call('HSET', KEYS[1], 'version', version, 'bytes', ARGV[2])
  redis.call('PEXPIRE', KEYS[1], 86400000)
end
return {swapped and 1 or 0, version, bytes, time[1], time[2]}
)";
/// Its SHA-1, by which the server knows it.
constexpr std::string_view script_name = "01f90285a64d2d7245bd845bb6f03954ac455397";

/// What no stored version is equal to.
constexpr std::string_view no_version;

std::string_view text_of(const redisReply& reply) {
  return reply.str == nullptr ? std::string_view() : std::string_view(reply.str, reply.len);
}

std::optional<std::uint64_t> number_of(const redisReply& reply) {
  return wire::read_integer<std::uint64_t>(text_of(reply));
}

/// A version as the script writes it: no other text of the number is equal to it, and it can be counted on from there.
std::optional<std::uint64_t> version_of(const redisReply& reply) {
  constexpr std::uint64_t exact_in_lua = std::uint64_t{1} << 53U;
  const auto version = number_of(reply);
  if (!version || *version >= exact_in_lua || std::to_string(*version) != text_of(reply)) return std::nullopt;
  return version;
}

/// Whether it is a message of a subscribed channel, or about one.
bool is_message(const redisReply& reply, std::string_view kind) {
  return reply.type == REDIS_REPLY_ARRAY && reply.elements == 3 && text_of(*reply.element[0]) == kind;
}

bool is_error(const redisReply& reply) { return reply.type == REDIS_REPLY_ERROR; }

std::optional<QuotaStore::Swapped> read_swapped(const redisReply& reply) {
  if (reply.type != REDIS_REPLY_ARRAY || reply.elements != 5) return std::nullopt;
  const auto version = version_of(*reply.element[1]);
  const auto seconds = number_of(*reply.element[3]);
  const auto microseconds = number_of(*reply.element[4]);
  constexpr std::uint64_t year_2200 = 7'258'118'400;
  if (!version || !seconds || !microseconds || *seconds > year_2200 || *microseconds >= 1'000'000) return std::nullopt;
  return QuotaStore::Swapped{
      .swapped = reply.element[0]->integer == 1,
      .stored = {.version = *version,
                 .bytes = std::string(text_of(*reply.element[2])),
                 .time = std::chrono::seconds(*seconds) + std::chrono::microseconds(*microseconds)}};
}

}  // namespace

RedisStore::RedisStore(const RedisUrl& url, Duration limit)
    : database_(std::to_string(url.database)), limit_(limit), commands_(url), changes_(url) {}

Instant RedisStore::deadline() const { return steady_now() + limit_; }

Result<QuotaStore::Stored> RedisStore::read(const std::string& key) {
  auto result = run_script(key, no_version, {});
  if (!result) return result.error();
  return std::move(result->stored);
}

Result<QuotaStore::Swapped> RedisStore::compare_and_swap(const std::string& key, std::uint64_t version,
                                                         const std::string& bytes) {
  return run_script(key, std::to_string(version), bytes);
}

Result<QuotaStore::Swapped> RedisStore::run_script(const std::string& key, std::string_view expected,
                                                   std::string_view bytes) {
  if (auto fault = fault_of_key(key)) return *fault;
  const auto end = deadline();
  const auto channel = channel_of(key);
  std::array<std::string_view, 7> words{"EVALSHA", script_name, "1", key, expected, bytes, channel};
  const auto run = [&]() -> Result<Swapped> {
    if (auto done = commands_.open(end); !done) return done.error();
    auto reply = commands_.command(words, end);
    if (reply && is_error(**reply) && text_of(**reply).starts_with("NOSCRIPT")) {
      words[0] = "EVAL";
      words[1] = swap_script;
      reply = commands_.command(words, end);
    }
    if (!reply) return reply.error();
    if (is_error(**reply)) {
      // After the reason, Redis names the script and its line.
      const auto text = text_of(**reply);
      return commands_.refused("to store the quota", text.substr(0, text.find(" script: ")));
    }
    if (auto swapped = read_swapped(**reply)) return *std::move(swapped);
    return Error(Errc::resource, fmt::format("the key \"{}\" of Redis has something else than a quota", key),
                 "delete the key, or set another SharingOptions::prefix");
  };
  auto result = run();
  // The other connection may have ended without being noticed.
  if (!result) changes_.close();
  return result;
}

Result<std::vector<std::string>> RedisStore::wait_for_change(const std::vector<Watched>& watched, Instant until) {
  for (const auto& [key, version] : watched)
    if (auto fault = fault_of_key(key)) return *fault;
  std::erase_if(published_, [&](const auto& entry) {
    const bool is_watched = std::any_of(watched.begin(), watched.end(),
                                        [&](const auto& one) { return channel_of(one.key) == entry.first; });
    if (!is_watched && changes_.is_open())
      (void)changes_.send(std::array<std::string_view, 2>{"UNSUBSCRIBE", entry.first}, deadline());
    return !is_watched;
  });
  if (!changes_.is_open()) {
    changes_.close();
    published_.clear();
    if (!watched.empty())
      if (auto done = changes_.open(deadline()); !done) return done.error();
  }
  std::vector<std::string> changed;
  for (const auto& [key, version] : watched) {
    if (published_.contains(channel_of(key))) continue;
    if (auto done = subscribe(key); !done) return done.error();
    const auto stored = read(key);
    if (!stored) return stored.error();
    published_[channel_of(key)] = stored->version;
    if (stored->version < version) changed.push_back(key);
  }
  for (;;) {
    const bool is_open = changes_.is_open();
    // The end of a connection that nobody needs would end each sleep.
    if (!is_open) changes_.close();
    if (is_open ? !take_messages() : !watched.empty()) {
      // What was published meanwhile is not known.
      changed.clear();
      for (const auto& one : watched) changed.push_back(one.key);
      return changed;
    }
    // An older version was published before the user read or stored its own.
    for (const auto& [key, version] : watched)
      if (published_[channel_of(key)] > version) changed.push_back(key);
    if (interrupt_.take() || !changed.empty() || !interrupt_.sleep(changes_.descriptor(), until)) return changed;
  }
}

Result<void> RedisStore::subscribe(const std::string& key) {
  const auto end = deadline();
  const auto channel = channel_of(key);
  if (auto done = changes_.send(std::array<std::string_view, 2>{"SUBSCRIBE", channel}, end); !done) return done;
  for (;;) {
    const auto reply = changes_.receive(end);
    if (!reply) return reply.error();
    if (*reply == nullptr) return changes_.timed_out();
    if (is_error(**reply)) return changes_.refused("SUBSCRIBE", text_of(**reply));
    if (is_message(**reply, "subscribe") && text_of(*(*reply)->element[1]) == channel) return {};
    hear(**reply);
  }
}

Result<void> RedisStore::take_messages() {
  // The connection is opened for the first key that is watched.
  if (changes_.descriptor() < 0) return {};
  for (;;) {
    const auto reply = changes_.receive(Instant::min());
    if (!reply) return reply.error();
    if (*reply == nullptr) return {};
    hear(**reply);
  }
}

void RedisStore::hear(const redisReply& reply) {
  if (!is_message(reply, "message")) return;
  const auto channel = published_.find(text_of(*reply.element[1]));
  const auto version = version_of(*reply.element[2]);
  if (channel != published_.end() && version) channel->second = std::max(channel->second, *version);
}

Result<std::vector<std::string>> RedisStore::keys(const std::string& prefix) {
  // The characters of a key have no meaning in a pattern.
  if (auto fault = fault_of_key(prefix)) return *fault;
  const auto pattern = prefix + "*";
  // SCAN may return a key twice.
  std::set<std::string> found;
  std::string cursor = "0";
  do {
    const auto end = deadline();
    if (auto done = commands_.open(end); !done) return done.error();
    const auto reply = commands_.command(
        std::array<std::string_view, 8>{"SCAN", cursor, "MATCH", pattern, "COUNT", "1000", "TYPE", "hash"}, end);
    if (!reply) return reply.error();
    if ((*reply)->type != REDIS_REPLY_ARRAY || (*reply)->elements != 2)
      return commands_.refused("SCAN", text_of(**reply));
    cursor = text_of(*(*reply)->element[0]);
    const auto& keys = *(*reply)->element[1];
    for (std::size_t i = 0; i < keys.elements; ++i)
      if (std::string key(text_of(*keys.element[i])); !fault_of_key(key)) found.insert(std::move(key));
  } while (cursor != "0");
  return std::vector<std::string>(found.begin(), found.end());
}

Result<std::unique_ptr<QuotaStore>> redis_store(const std::string& url, const SharingOptions& options) {
  const auto parsed = parse_redis_url(url);
  if (!parsed) return parsed.error();
  if (!parsed->password.empty() && !options.password_over_tcp && !is_local(*parsed))
    return Error(Errc::invalid_argument, fmt::format("the password would be sent unencrypted to {}", name_of(*parsed)),
                 "use redis:// to an encrypted tunnel on this machine, or set SharingOptions::password_over_tcp");
  return std::unique_ptr<QuotaStore>(std::make_unique<RedisStore>(*parsed, options.slow_after));
}

Result<std::shared_ptr<QuotaLedger>> redis_ledger(const std::string& url, const SharingOptions& options) {
  auto store = redis_store(url, options);
  if (!store) return store.error();
  return shared_ledger(*std::move(store), options);
}

}}  // namespace noun
