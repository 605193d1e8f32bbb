#pragma once
/// @file
/// Where stored responses are kept without a copy.

#include <cstring>

#include <noun/cache.hpp>

#include "cache/stored_response.hpp"
#include "wire/digest.hpp"

namespace noun { inline namespace v0 { namespace cache {

/// The digests of a CacheKey.
struct Key {
  wire::Digest group = {};
  wire::Digest name = {};

  CacheKey text() const { return {wire::to_text(group), wire::to_text(name)}; }
  friend bool operator<(const Key& left, const Key& right) noexcept {
    return std::memcmp(&left, &right, sizeof left) < 0;
  }
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
};

}}}  // namespace noun::cache
