#pragma once
/// @file
/// What every cache does. A test program instantiates it with a type that makes caches.

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <noun/cache.hpp>

namespace noun_test {

/// 16 bytes of any value, NUL among them, different for each number.
inline std::string digest_of(unsigned number) {
  std::string digest(16, '\0');
  std::uint64_t state = number + 1;
  for (std::size_t at = 4; at < digest.size(); ++at) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    digest[at] = static_cast<char>(state >> 56U);
  }
  for (std::size_t at = 0; at < 4; ++at) digest[at] = static_cast<char>(number >> (8 * at));
  return digest;
}

/// A name in a group of its own.
inline noun::CacheKey key_of(unsigned number) { return {digest_of(number), digest_of(number + 0x8000'0000U)}; }

/// Bytes that only this version of this key has: their own first bytes say which.
inline std::string bytes_of(unsigned number, unsigned version, std::size_t size) {
  auto bytes = std::to_string(number) + ":" + std::to_string(version) + ":" + std::to_string(size) + "|";
  bytes.reserve(bytes.size() + size);
  for (std::size_t at = 0; at < size; ++at) bytes += static_cast<char>((at * 31 + number + version) & 0xffU);
  return bytes;
}

/// Whether the bytes are what bytes_of() returned for this number and any version.
inline bool are_whole(const std::string& bytes, unsigned number) {
  unsigned first = 0;
  unsigned version = 0;
  std::size_t size = 0;
  if (std::sscanf(bytes.c_str(), "%u:%u:%zu|", &first, &version, &size) != 3 || size > bytes.size()) return false;
  return first == number && bytes == bytes_of(number, version, size);
}

/// @tparam Place  `std::shared_ptr<noun::Cache> cache(std::size_t max_bytes)`: an empty one;
///                `static constexpr std::size_t small`: bytes that can hold some tens of entries of 1 KB.
template <class Place>
class CacheContract : public ::testing::Test {
 protected:
  static std::optional<std::string> get(noun::Cache& cache, const noun::CacheKey& key) {
    return cache.get(key).value();
  }

  Place place;
  std::shared_ptr<noun::Cache> cache = place.cache(std::size_t{16} << 20U);
};
TYPED_TEST_SUITE_P(CacheContract);

TYPED_TEST_P(CacheContract, has_nothing_at_first) { EXPECT_EQ(this->get(*this->cache, key_of(1)), std::nullopt); }

TYPED_TEST_P(CacheContract, keeps_what_is_put) {
  const std::string bytes("\0any\xff bytes\0", 12);
  EXPECT_TRUE(this->cache->put(key_of(1), bytes).value());
  EXPECT_EQ(this->get(*this->cache, key_of(1)), bytes);
  EXPECT_EQ(this->get(*this->cache, key_of(2)), std::nullopt);
}

TYPED_TEST_P(CacheContract, keeps_what_is_put_last) {
  EXPECT_TRUE(this->cache->put(key_of(1), bytes_of(1, 1, 5'000)).value());
  EXPECT_TRUE(this->cache->put(key_of(1), "two").value());
  EXPECT_EQ(this->get(*this->cache, key_of(1)), "two");
}

TYPED_TEST_P(CacheContract, keeps_empty_bytes) {
  EXPECT_TRUE(this->cache->put(key_of(1), "").value());
  EXPECT_EQ(this->get(*this->cache, key_of(1)), "");
}

TYPED_TEST_P(CacheContract, keeps_sizes_up_to_an_eighth) {
  for (const std::size_t size : {1U, 4'000U, 4'096U, 60'000U, 1'000'000U}) {
    const auto bytes = bytes_of(7, 1, size);
    EXPECT_TRUE(this->cache->put(key_of(7), bytes).value()) << size;
    EXPECT_EQ(this->get(*this->cache, key_of(7)), bytes) << size;
  }
  const std::string eighth(std::size_t{2} << 20U, 'x');
  EXPECT_TRUE(this->cache->put(key_of(8), eighth).value());
  EXPECT_EQ(this->get(*this->cache, key_of(8)), eighth);
}

TYPED_TEST_P(CacheContract, refuses_more_than_an_eighth_and_drops_what_was_there) {
  EXPECT_TRUE(this->cache->put(key_of(1), "old").value());
  EXPECT_FALSE(this->cache->put(key_of(1), std::string((std::size_t{2} << 20U) + 1, 'x')).value());
  EXPECT_EQ(this->get(*this->cache, key_of(1)), std::nullopt);
}

TYPED_TEST_P(CacheContract, both_parts_of_a_key_count) {
  const noun::CacheKey one{digest_of(1), digest_of(2)};
  const noun::CacheKey other_name{digest_of(1), digest_of(3)};
  const noun::CacheKey other_group{digest_of(3), digest_of(2)};
  const noun::CacheKey swapped{digest_of(2), digest_of(1)};
  EXPECT_TRUE(this->cache->put(one, "one").value());
  for (const auto& key : {other_name, other_group, swapped}) EXPECT_EQ(this->get(*this->cache, key), std::nullopt);
  EXPECT_TRUE(this->cache->put(other_name, "other name").value());
  EXPECT_TRUE(this->cache->put(other_group, "other group").value());
  EXPECT_TRUE(this->cache->put(swapped, "swapped").value());
  EXPECT_EQ(this->get(*this->cache, one), "one");
  EXPECT_EQ(this->get(*this->cache, other_name), "other name");
  EXPECT_EQ(this->get(*this->cache, other_group), "other group");
  EXPECT_EQ(this->get(*this->cache, swapped), "swapped");
}

TYPED_TEST_P(CacheContract, removes_one) {
  EXPECT_TRUE(this->cache->put(key_of(1), "one").value());
  EXPECT_TRUE(this->cache->put(key_of(2), "two").value());
  EXPECT_TRUE(this->cache->remove(key_of(1)));
  EXPECT_TRUE(this->cache->remove(key_of(3)));
  EXPECT_EQ(this->get(*this->cache, key_of(1)), std::nullopt);
  EXPECT_EQ(this->get(*this->cache, key_of(2)), "two");
}

TYPED_TEST_P(CacheContract, removes_a_group) {
  const auto group = digest_of(9);
  for (unsigned name = 0; name < 50; ++name) EXPECT_TRUE(this->cache->put({group, digest_of(name)}, "page").value());
  EXPECT_TRUE(this->cache->put({digest_of(10), digest_of(1)}, "other").value());
  EXPECT_TRUE(this->cache->remove_group(group));
  EXPECT_TRUE(this->cache->remove_group(digest_of(11)));
  for (unsigned name = 0; name < 50; ++name) EXPECT_EQ(this->get(*this->cache, {group, digest_of(name)}), std::nullopt);
  EXPECT_EQ(this->get(*this->cache, {digest_of(10), digest_of(1)}), "other");
  EXPECT_TRUE(this->cache->put({group, digest_of(1)}, "again").value());
  EXPECT_EQ(this->get(*this->cache, {group, digest_of(1)}), "again");
}

TYPED_TEST_P(CacheContract, removes_what_was_used_least_recently) {
  const auto small = this->place.cache(TypeParam::small);
  const auto size = TypeParam::small / 64;
  unsigned next = 0;
  const auto put = [&] {
    EXPECT_TRUE(small->put(key_of(next), bytes_of(next, 0, size)).value());
    ++next;
  };
  for (int i = 0; i < 8; ++i) put();
  // Entry 0 is used all the time; 300 others come.
  for (int i = 0; i < 300; ++i) {
    ASSERT_TRUE(this->get(*small, key_of(0))) << i;
    put();
  }
  EXPECT_EQ(this->get(*small, key_of(1)), std::nullopt);
  unsigned kept = 0;
  unsigned first_kept = next;
  for (unsigned i = next; i-- > 1;) {
    if (!this->get(*small, key_of(i))) continue;
    ++kept;
    first_kept = i;
  }
  // All those that are kept came after all those that are not.
  EXPECT_EQ(kept, next - first_kept);
  EXPECT_GE(kept, 24U) << "a half of what fits, at least";
  EXPECT_LE(kept * size, TypeParam::small);
}

TYPED_TEST_P(CacheContract, a_cache_without_room_keeps_nothing) {
  const auto none = this->place.cache(0);
  EXPECT_FALSE(none->put(key_of(1), "a byte").value());
  EXPECT_EQ(this->get(*none, key_of(1)), std::nullopt);
  EXPECT_TRUE(none->remove(key_of(1)));
  EXPECT_TRUE(none->remove_group(digest_of(1)));
}

TYPED_TEST_P(CacheContract, a_seed_is_random_and_stays) {
  const auto seed = this->cache->seed();
  EXPECT_GE(seed.size(), 16U);
  EXPECT_EQ(this->cache->seed(), seed);
  EXPECT_NE(this->place.cache(1 << 20)->seed(), seed);
}

TYPED_TEST_P(CacheContract, threads_share_it) {
  const auto small = this->place.cache(TypeParam::small);
  std::atomic<unsigned> hits = 0;
  std::atomic<unsigned> wrong = 0;
  std::vector<std::thread> threads;
  for (unsigned thread = 0; thread < 4; ++thread)
    threads.emplace_back([&, thread] {
      for (unsigned i = 0; i < 200; ++i) {
        const unsigned number = (i * 7 + thread * 3) % 24;
        const noun::CacheKey key{digest_of(number % 4), digest_of(number)};
        if (i % 4 == 0 && !small->put(key, bytes_of(number, i, 100 + i * 5))) ++wrong;
        if (i % 31 == 0 && !small->remove(key)) ++wrong;
        if (i % 67 == 0 && !small->remove_group(key.group)) ++wrong;
        const auto got = small->get(key);
        if (!got || (*got && !are_whole(**got, number))) ++wrong;
        if (got && *got) ++hits;
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0U);
  EXPECT_GT(hits, 50U);
}

REGISTER_TYPED_TEST_SUITE_P(CacheContract, has_nothing_at_first, keeps_what_is_put, keeps_what_is_put_last,
                            keeps_empty_bytes, keeps_sizes_up_to_an_eighth,
                            refuses_more_than_an_eighth_and_drops_what_was_there, both_parts_of_a_key_count,
                            removes_one, removes_a_group, removes_what_was_used_least_recently,
                            a_cache_without_room_keeps_nothing, a_seed_is_random_and_stays, threads_share_it);

}  // namespace noun_test
