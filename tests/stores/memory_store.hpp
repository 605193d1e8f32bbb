#pragma once
/// @file
/// A store of shared quotas in memory, for simulations and tests.

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <noun/shared_quota.hpp>

namespace noun { inline namespace v0 {

/// A user of a state in memory. In virtual time, wait with `Instant::min()`: this returns at once.
class MemoryStore final : public QuotaStore {
 public:
  /// What the users share.
  /// @threadsafety  safe.
  class Shared {
   public:
    /// @param clock  the store's clock; called with a lock held.
    explicit Shared(std::function<Duration()> clock) : clock_(std::move(clock)) {}
    /// Loses all bytes, as a server without a disk does when it restarts.
    void clear();

   private:
    friend class MemoryStore;

    const std::function<Duration()> clock_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::map<std::string, Stored> stored_;
    std::uint64_t last_version_ = 0;
  };

  explicit MemoryStore(std::shared_ptr<Shared> shared) noexcept : shared_(std::move(shared)) {}

  Result<Stored> read(const std::string& key) override;
  Result<Swapped> compare_and_swap(const std::string& key, std::uint64_t version, const std::string& bytes) override;
  Result<std::vector<std::string>> wait_for_change(const std::vector<Watched>& watched, Instant until) override;
  void interrupt() noexcept override;
  Result<std::vector<std::string>> keys(const std::string& prefix) override;

 private:
  Stored stored(const std::string& key) const;

  const std::shared_ptr<Shared> shared_;
  bool interrupted_ = false;
};

}}  // namespace noun
