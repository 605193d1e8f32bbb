#include "stores/memory_store.hpp"

#include <algorithm>

#include "stores/sharing_rules.hpp"

namespace noun { inline namespace v0 {

void MemoryStore::Shared::clear() {
  const std::lock_guard lock(mutex_);
  stored_.clear();
  changed_.notify_all();
}

QuotaStore::Stored MemoryStore::stored(const std::string& key) const {
  const auto found = shared_->stored_.find(key);
  auto stored = found == shared_->stored_.end() ? Stored{} : found->second;
  stored.time = shared_->clock_();
  return stored;
}

Result<QuotaStore::Stored> MemoryStore::read(const std::string& key) {
  if (auto fault = fault_of_key(key)) return *fault;
  const std::lock_guard lock(shared_->mutex_);
  return stored(key);
}

Result<QuotaStore::Swapped> MemoryStore::compare_and_swap(const std::string& key, std::uint64_t version,
                                                          const std::string& bytes) {
  if (auto fault = fault_of_key(key)) return *fault;
  const std::lock_guard lock(shared_->mutex_);
  auto before = stored(key);
  if (before.version != version) return Swapped{.swapped = false, .stored = std::move(before)};
  auto& after = shared_->stored_[key];
  after = {.version = ++shared_->last_version_, .bytes = bytes};
  shared_->changed_.notify_all();
  return Swapped{.swapped = true, .stored = {.version = after.version, .time = before.time}};
}

Result<std::vector<std::string>> MemoryStore::wait_for_change(const std::vector<Watched>& watched, Instant until) {
  for (const auto& [key, version] : watched)
    if (auto fault = fault_of_key(key)) return *fault;
  std::vector<std::string> changed;
  std::unique_lock lock(shared_->mutex_);
  // Some standard libraries add to the smallest time.
  shared_->changed_.wait_until(lock, std::max(until, Instant()), [&] {
    for (const auto& [key, version] : watched)
      if (const auto found = shared_->stored_.find(key);
          version != (found == shared_->stored_.end() ? 0 : found->second.version))
        changed.push_back(key);
    return interrupted_ || !changed.empty();
  });
  interrupted_ = false;
  return changed;
}

void MemoryStore::interrupt() noexcept {
  const std::lock_guard lock(shared_->mutex_);
  interrupted_ = true;
  shared_->changed_.notify_all();
}

Result<std::vector<std::string>> MemoryStore::keys(const std::string& prefix) {
  std::vector<std::string> found;
  const std::lock_guard lock(shared_->mutex_);
  for (const auto& [key, stored] : shared_->stored_)
    if (key.starts_with(prefix)) found.push_back(key);
  return found;
}

}}  // namespace noun
