#include <noun/cache.hpp>

#include <list>
#include <mutex>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "cache/byte_store.hpp"
#include "os/per_process.hpp"
#include "os/random.hpp"

namespace noun { inline namespace v0 {
namespace {

using cache::Bytes;
using cache::Key;

Key key_of(const CacheKey& key) { return Key(key.group, key.name); }

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
    if (bytes->size() > max_bytes_ / 8 || overhead + key.text().size() > max_bytes_ - bytes->size())
      return erase(key), false;
    const auto entry = fresh.insert(fresh.end(), {key, std::move(bytes)});
    const std::lock_guard lock(mutex_);
    if (const auto old = by_key_.find(key); old != by_key_.end()) take(old, removed);
    const auto place = by_key_.insert(entry).first;
    try {
      join_group(entry);
    } catch (...) {
      by_key_.erase(place);
      throw;
    }
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

  void erase_group(std::string_view group) {
    Entries removed;
    const std::lock_guard lock(mutex_);
    for (auto one = by_group_.find(group); one != by_group_.end(); one = by_group_.find(group))
      take(by_key_.find((*one)->key), removed);
  }

 private:
  struct Entry;
  using Entries = std::list<Entry>;
  struct Entry {
    Key key;
    Bytes bytes;
    /// Those of a group are a ring.
    Entries::iterator next = {};
    Entries::iterator previous = {};
  };
  using Place = Entries::const_iterator;
  struct ByKey {
    using is_transparent = void;
    static const Key& key_of(const Key& key) noexcept { return key; }
    static const Key& key_of(Place entry) noexcept { return entry->key; }
    // Not noexcept: libstdc++ then keeps the hash in the node, and does not read the entries of a bucket for it.
    std::size_t operator()(const auto& one) const { return key_of(one).hash(); }
    bool operator()(const auto& one, const auto& other) const noexcept { return key_of(one) == key_of(other); }
  };
  struct ByGroup {
    using is_transparent = void;
    static std::string_view group_of(std::string_view group) noexcept { return group; }
    static std::string_view group_of(Place entry) noexcept { return entry->key.group(); }
    std::size_t operator()(std::string_view group) const { return Key::hash(group); }
    std::size_t operator()(Place entry) const { return entry->key.group_hash(); }
    bool operator()(const auto& one, const auto& other) const noexcept { return group_of(one) == group_of(other); }
  };
  template <class By>
  using Index = std::unordered_set<Entries::iterator, By, By>;

  /// What an entry takes beside its bytes and its key, by sizes of the standard library's nodes and their allocations.
  static constexpr std::size_t overhead = 320;

  static std::size_t cost_of(const Entry& entry) {
    return overhead + entry.bytes->capacity() + entry.key.text().capacity();
  }

  void join_group(Entries::iterator entry) {
    const auto [head, is_first] = by_group_.insert(entry);
    entry->next = is_first ? entry : (*head)->next;
    entry->previous = *head;
    entry->next->previous = entry;
    (*head)->next = entry;
  }

  void leave_group(Entries::iterator entry) {
    const auto head = by_group_.find(entry);
    if (*head == entry) {
      auto node = by_group_.extract(head);
      if (entry->next != entry) {
        node.value() = entry->next;
        by_group_.insert(std::move(node));
      }
    }
    entry->next->previous = entry->previous;
    entry->previous->next = entry->next;
  }

  void take(Index<ByKey>::iterator place, Entries& removed) {
    const auto entry = *place;
    bytes_ -= cost_of(*entry);
    leave_group(entry);
    by_key_.erase(place);
    removed.splice(removed.begin(), entries_, entry);
  }

  const std::size_t max_bytes_;
  std::mutex mutex_;
  /// The last one used is the first.
  Entries entries_;
  Index<ByKey> by_key_;
  /// One of each group.
  Index<ByGroup> by_group_;
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
    kept().erase_group(group);
    return {};
  }

  Bytes find(const Key& key) override { return kept().find(key); }
  bool keep(const Key& key, Bytes bytes) override { return kept().insert(key, std::move(bytes)); }
  void drop(const Key& key) override { kept().erase(key); }
  void drop_group(std::string_view group) override { kept().erase_group(group); }

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
