#include <noun/cache.hpp>

#include <algorithm>
#include <list>
#include <mutex>
#include <set>
#include <utility>


#include "cache/byte_store.hpp"
#include "os/per_process.hpp"
#include "os/random.hpp"
#include "wire/digest.hpp"

namespace noun { inline namespace v0 {
namespace {

using cache::Bytes;
using cache::Key;

/// A part of a key. What is no digest becomes one.
wire::Digest digest_of(std::string_view part) {
  wire::Digest digest;
  if (part.size() != digest.size()) return wire::KeyedHash({}).of(part);
  std::copy(part.begin(), part.end(), digest.begin());
  return digest;
}

Key key_of(const CacheKey& key) { return {.group = digest_of(key.group), .name = digest_of(key.name)}; }

/// What a process keeps, in the order of use.
class UsedBytes {
 public:
  explicit UsedBytes(std::size_t max_bytes) : max_bytes_(max_bytes) {}
  UsedBytes(const UsedBytes&) = delete;
  UsedBytes& operator=(const UsedBytes&) = delete;

  Bytes find(const Key& key) {
    const std::lock_guard lock(mutex_);
    const auto found = by_key_.find(key);
    if (found == by_key_.end()) return nullptr;
    entries_.splice(entries_.begin(), entries_, *found);
    return (*found)->bytes;
  }

  /// Returns false if nothing is stored.
  bool insert(const Key& key, Bytes bytes) {
    // Declared before the lock, so that the memory of what goes is freed after it.
    Entries removed;
    Entries fresh;
    if (bytes->size() > max_bytes_ / 8 || overhead > max_bytes_ - bytes->size()) return erase(key), false;
    const auto entry = fresh.insert(fresh.end(), {key, std::move(bytes)});
    const std::lock_guard lock(mutex_);
    if (const auto old = by_key_.find(key); old != by_key_.end()) take(old, removed);
    by_key_.insert(entry);
    bytes_ += cost_of(*entry);
    entries_.splice(entries_.begin(), fresh);
    while (bytes_ > max_bytes_) take(by_key_.find(entries_.back().key), removed);
    return true;
  }

  void erase(const Key& key) {
    Entries removed;
    const std::lock_guard lock(mutex_);
    if (const auto found = by_key_.find(key); found != by_key_.end()) take(found, removed);
  }

  void erase_group(const wire::Digest& group) {
    Entries removed;
    const std::lock_guard lock(mutex_);
    auto next = by_key_.lower_bound(Key{.group = group});
    while (next != by_key_.end() && (*next)->key.group == group) take(next++, removed);
  }

 private:
  struct Entry {
    Key key;
    Bytes bytes;
  };
  using Entries = std::list<Entry>;
  struct ByKey {
    using is_transparent = void;
    static const Key& key_of(const Key& key) noexcept { return key; }
    static const Key& key_of(Entries::const_iterator entry) noexcept { return entry->key; }
    bool operator()(const auto& left, const auto& right) const noexcept { return key_of(left) < key_of(right); }
  };
  using Index = std::set<Entries::iterator, ByKey>;

  /// What an entry takes beside its bytes, by sizes of the standard library's nodes and their allocations.
  static constexpr std::size_t overhead = 256;

  static std::size_t cost_of(const Entry& entry) { return overhead + entry.bytes->capacity(); }

  void take(Index::iterator place, Entries& removed) {
    const auto entry = *place;
    bytes_ -= cost_of(*entry);
    by_key_.erase(place);
    removed.splice(removed.begin(), entries_, entry);
  }

  const std::size_t max_bytes_;
  std::mutex mutex_;
  /// The last one used is the first.
  Entries entries_;
  Index by_key_;
  std::size_t bytes_ = 0;
};

std::string random_seed() {
  std::string seed(16, '\0');
  if (!fill_with_random_bytes(seed))
    throw Exception(Error(Errc::resource, "the system has no random numbers", "check the configuration of OpenSSL or of the system"));
  return seed;
}

class MemoryCache final : public Cache, public cache::ByteStore {
 public:
  explicit MemoryCache(std::size_t max_bytes) : max_bytes_(max_bytes), seed_(random_seed()) {}
  MemoryCache(const MemoryCache&) = delete;
  MemoryCache& operator=(const MemoryCache&) = delete;
  ~MemoryCache() override { kept_.destroy(); }

  std::string seed() const override { return seed_; }

  Result<std::optional<std::string>> get(const CacheKey& key) override {
    // Copied without the lock.
    if (const auto bytes = kept().find(key_of(key))) return std::optional(*bytes);
    return std::optional<std::string>();
  }

  Result<bool> put(const CacheKey& key, std::string_view bytes) override {
    return kept().insert(key_of(key), std::make_shared<const std::string>(bytes));
  }

  Result<void> remove(const CacheKey& key) override {
    kept().erase(key_of(key));
    return {};
  }

  Result<void> remove_group(std::string_view group) override {
    kept().erase_group(digest_of(group));
    return {};
  }

  Bytes find(const Key& key) override { return kept().find(key); }
  bool keep(const Key& key, Bytes bytes) override { return kept().insert(key, std::move(bytes)); }

 private:
  /// A child of fork() starts with nothing: the parent may have been in the middle of a change.
  UsedBytes& kept() {
    return kept_.get([this] { return UsedBytes(max_bytes_); });
  }

  const std::size_t max_bytes_;
  const std::string seed_;
  PerProcess<UsedBytes> kept_;
};

}  // namespace

std::shared_ptr<Cache> memory_cache(std::size_t max_bytes) { return std::make_shared<MemoryCache>(max_bytes); }

}}  // namespace noun
