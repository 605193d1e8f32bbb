#pragma once
/// @file
/// The calls of a client and its cache: what is stored for a request is looked up before the call begins, and what has
/// changed is stored after its end, on the threads of the program.

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <noun/cache.hpp>
#include <noun/dialect.hpp>
#include <noun/http.hpp>

#include "cache/byte_store.hpp"
#include "cache/exchange.hpp"
#include "call/call.hpp"
#include "os/per_process.hpp"
#include "wire/digest.hpp"

namespace noun { inline namespace v0 { namespace detail {

class ClientCore;

/// How responses are used, and whose they are.
struct CacheSettings {
  cache::Exchange::Settings exchange = {};
  /// Names the owner of what is stored.
  std::string owner = {};
};

/// What the copies of a client share of its cache. The functions that clients call are virtual: see Cache::access().
/// Safe to use from many threads.
class CacheAccess : public std::enable_shared_from_this<CacheAccess> {
 public:
  /// Is called with why the cache cannot be used, once for each time that it begins to fail.
  using Notice = std::function<void(std::string)>;

  /// An exception of the cache's seed() is a failure of the cache.
  CacheAccess(std::shared_ptr<Cache> cache, CacheSettings settings);
  CacheAccess(const CacheAccess&) = delete;
  CacheAccess& operator=(const CacheAccess&) = delete;
  virtual ~CacheAccess() { flights_.destroy(); }

  /// Gives the request its part of the cache.
  virtual void look_up(CallRequest& request, const Notice& notice) noexcept;
  /// Stores and removes what a call has changed, after its end, and validates in the background what it has used.
  /// @param done  how it ended.
  virtual void keep(ClientCore& core, const Call& call, const Done& done);

 private:
  void store(const Call& call, const Done& done, const Notice& notice) noexcept;
  std::shared_ptr<void> claim_revalidation(const Call& call);
  void revalidate(ClientCore& core, CallRequest request, std::shared_ptr<void> claim);
  std::string group_of(std::string_view url) const;
  cache::Key key_of(const CallRequest& request) const;
  CacheKey digests_of(const cache::Key& key) const;
  /// How many writes there were of a group with this hash, or of another with the same number.
  std::atomic<std::uint64_t>& writes_of(std::size_t group) noexcept;
  Result<cache::Bytes> find(const cache::Key& key);
  Result<void> replace(const cache::Key& key, const cache::Bytes& bytes);
  Result<void> remove(const cache::Key& key);
  Result<void> remove_group(std::string_view group);
  void invalidate(const Call& call, const Done& done, const Notice& notice);
  enum class Use : std::uint8_t { read = 1, write = 2 };
  template <class Work>
  void guarded(Use use, const Notice& notice, Work work) noexcept;

  std::shared_ptr<Cache> cache_;
  cache::Exchange::Settings settings_;
  PerProcess<std::shared_ptr<cache::Flights>> flights_;
  /// The same cache, or null.
  cache::ByteStore* in_memory_;
  /// By the cache's seed and the owner.
  wire::KeyedHash hash_;
  std::mutex mutex_;
  /// With `mutex_`.
  std::set<std::string> revalidating_;
  /// The uses that failed the last time.
  std::atomic<std::uint8_t> failing_ = 0;
  std::array<std::atomic<std::uint64_t>, 256> writes_ = {};
};

}}}  // namespace noun::detail
