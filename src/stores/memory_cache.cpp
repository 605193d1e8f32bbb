#include <noun/cache.hpp>

#include <functional>
#include <list>
#include <mutex>
#include <unordered_map>
#include <utility>

#include <openssl/rand.h>

#include "os/per_process.hpp"

namespace noun { inline namespace v0 {
namespace {

struct TextHash : std::hash<std::string_view> {
  using is_transparent = void;
};

template <class Value>
using Digests = std::unordered_map<std::string, Value, TextHash, std::equal_to<>>;

/// What a process keeps, in the order of use.
class UsedBytes {
 public:
  using Bytes = std::shared_ptr<const std::string>;

  explicit UsedBytes(std::size_t max_bytes) : max_bytes_(max_bytes) {}
  UsedBytes(const UsedBytes&) = delete;
  UsedBytes& operator=(const UsedBytes&) = delete;

  Bytes find(const CacheKey& key) {
    const std::lock_guard lock(mutex_);
    const auto group = groups_.find(std::string_view(key.group));
    if (group == groups_.end()) return nullptr;
    const auto found = group->second.find(std::string_view(key.name));
    if (found == group->second.end()) return nullptr;
    entries_.splice(entries_.begin(), entries_, found->second);
    return found->second->bytes;
  }

  void insert(const CacheKey& key, Bytes bytes) {
    // Declared before the lock, so that the memory of what goes is freed after it.
    Entries removed;
    Entries fresh;
    const auto entry = fresh.insert(fresh.end(), Entry{.bytes = std::move(bytes)});
    const std::lock_guard lock(mutex_);
    const auto group = groups_.try_emplace(key.group).first;
    try {
      const auto [place, is_new] = group->second.try_emplace(key.name, entry);
      if (!is_new) take(std::exchange(place->second, entry), removed);
      entry->group = &group->first;
      entry->name = &place->first;
    } catch (...) {
      if (group->second.empty()) groups_.erase(group);
      throw;
    }
    bytes_ += cost_of(*entry);
    entries_.splice(entries_.begin(), fresh);
    while (bytes_ > max_bytes_) erase(std::prev(entries_.end()), removed);
  }

  void erase(const CacheKey& key) {
    Entries removed;
    const std::lock_guard lock(mutex_);
    const auto group = groups_.find(std::string_view(key.group));
    if (group == groups_.end()) return;
    const auto found = group->second.find(std::string_view(key.name));
    if (found != group->second.end()) erase(found->second, removed);
  }

  void erase_group(std::string_view name) {
    Entries removed;
    const std::lock_guard lock(mutex_);
    const auto group = groups_.find(name);
    if (group == groups_.end()) return;
    for (const auto& [ignored, entry] : group->second) take(entry, removed);
    groups_.erase(group);
  }

  /// What an entry takes beside its bytes, by sizes of the standard library's nodes: an entry, a name and a group.
  static constexpr std::size_t overhead = 512;

 private:
  struct Entry {
    Bytes bytes;
    /// The keys of the maps.
    const std::string* group = nullptr;
    const std::string* name = nullptr;
  };
  using Entries = std::list<Entry>;

  static std::size_t cost_of(const Entry& entry) {
    return overhead + entry.group->size() + entry.name->size() + entry.bytes->size();
  }

  /// Leaves the maps as they are.
  void take(Entries::iterator entry, Entries& removed) {
    bytes_ -= cost_of(*entry);
    removed.splice(removed.begin(), entries_, entry);
  }

  void erase(Entries::iterator entry, Entries& removed) {
    take(entry, removed);
    const auto group = groups_.find(*entry->group);
    group->second.erase(group->second.find(*entry->name));
    if (group->second.empty()) groups_.erase(group);
  }

  const std::size_t max_bytes_;
  std::mutex mutex_;
  /// The last one used is the first.
  Entries entries_;
  Digests<Digests<Entries::iterator>> groups_;
  std::size_t bytes_ = 0;
};

std::string random_seed() {
  std::string seed(16, '\0');
  if (RAND_bytes(reinterpret_cast<unsigned char*>(seed.data()), static_cast<int>(seed.size())) != 1)
    throw Exception(Error(Errc::resource, "the system has no random numbers", "check the configuration of OpenSSL"));
  return seed;
}

class MemoryCache final : public Cache {
 public:
  explicit MemoryCache(std::size_t max_bytes) : max_bytes_(max_bytes), seed_(random_seed()) {}
  MemoryCache(const MemoryCache&) = delete;
  MemoryCache& operator=(const MemoryCache&) = delete;
  ~MemoryCache() override { kept_.destroy(); }

  std::string seed() const override { return seed_; }

  Result<std::optional<std::string>> get(const CacheKey& key) override {
    // Copied without the lock.
    if (const auto bytes = kept().find(key)) return std::optional<std::string>(*bytes);
    return std::optional<std::string>();
  }

  Result<bool> put(const CacheKey& key, std::string_view bytes) override {
    const auto rest = UsedBytes::overhead + key.group.size() + key.name.size();
    if (bytes.size() > max_bytes_ / 8 || rest > max_bytes_ - bytes.size()) {
      kept().erase(key);
      return false;
    }
    kept().insert(key, std::make_shared<const std::string>(bytes));
    return true;
  }

  Result<void> remove(const CacheKey& key) override {
    kept().erase(key);
    return {};
  }

  Result<void> remove_group(std::string_view group) override {
    kept().erase_group(group);
    return {};
  }

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
