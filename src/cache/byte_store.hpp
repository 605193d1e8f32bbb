#pragma once
/// @file
/// Where stored responses are kept without a copy.

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include <noun/cache.hpp>

#include "cache/stored_response.hpp"

namespace noun { inline namespace v0 { namespace cache {

/// Names what is kept, as CacheKey does, but the group is text: within a process it need not be a digest.
class Key {
 public:
  Key() = default;
  /// @param name  names one of the group; may be empty.
  explicit Key(std::string group, std::string_view name = {})
      : text_(std::move(group)), group_size_(text_.size()), group_hash_(hash(text_)), hash_(group_hash_) {
    if (name.empty()) return;
    text_ += name;
    hash_ = hash(text_);
  }

  /// The group and the name.
  const std::string& text() const noexcept { return text_; }
  std::string_view group() const noexcept { return std::string_view(text_).substr(0, group_size_); }
  std::size_t hash() const noexcept { return hash_; }
  std::size_t group_hash() const noexcept { return group_hash_; }
  static std::size_t hash(std::string_view text) noexcept { return std::hash<std::string_view>()(text); }

  friend bool operator==(const Key& one, const Key& other) noexcept {
    return one.group_size_ == other.group_size_ && one.text_ == other.text_;
  }

 private:
  std::string text_;
  std::size_t group_size_ = 0;
  std::size_t group_hash_ = 0;
  std::size_t hash_ = 0;
};

/// What a Cache in this process is too, so that its bytes need not be copied. memory_cache() makes one. Safe to use from
/// many threads.
class ByteStore {
 public:
  ByteStore() = default;
  ByteStore(const ByteStore&) = delete;
  ByteStore& operator=(const ByteStore&) = delete;
  virtual ~ByteStore() = default;

  /// As Cache::get(); null if there are none.
  virtual Bytes find(const Key& key) = 0;
  /// As Cache::put().
  virtual bool keep(const Key& key, Bytes bytes) = 0;
  /// As Cache::remove().
  virtual void drop(const Key& key) = 0;
  /// As Cache::remove_group().
  virtual void drop_group(std::string_view group) = 0;
};

}}}  // namespace noun::cache
