#pragma once
/// @file
/// A store of shared quotas in Redis: the store of redis_ledger().

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <noun/shared_quota.hpp>

#include "os/interrupt.hpp"
#include "redis/redis_connection.hpp"
#include "redis/redis_url.hpp"

namespace noun { inline namespace v0 {

/// A user of a Redis database. A key is a hash with the fields `version` and `bytes`, which expires a day after the last
/// swap. Each swap publishes its version on the channel `KEY:DATABASE`. All errors have the code `resource`, or
/// `invalid_argument` for a key.
class RedisStore final : public QuotaStore {
 public:
  /// @param limit  how long an operation may take, with connecting.
  RedisStore(const RedisUrl& url, Duration limit);

  Result<Stored> read(const std::string& key) override;
  Result<Swapped> compare_and_swap(const std::string& key, std::uint64_t version, const std::string& bytes) override;
  Result<std::vector<std::string>> wait_for_change(const std::vector<Watched>& watched, Instant until) override;
  void limit_operations(Duration most) noexcept override { limit_ = most; }
  void interrupt() noexcept override { interrupt_.raise(); }
  Result<std::vector<std::string>> keys(const std::string& prefix) override;

 private:
  std::string channel_of(const std::string& key) const { return key + ":" + database_; }
  Instant deadline() const;
  Result<Swapped> run_script(const std::string& key, std::string_view expected, std::string_view bytes);
  /// On the open connection: a new one would not have the earlier subscriptions.
  Result<void> subscribe(const std::string& key);
  Result<void> take_messages();
  void hear(const redisReply& reply);

  const std::string database_;
  Duration limit_;
  RedisConnection commands_;
  RedisConnection changes_;
  /// The subscribed channels, and the last version that was published on each.
  std::map<std::string, std::uint64_t, std::less<>> published_;
  Interrupt interrupt_;
};

}}  // namespace noun
