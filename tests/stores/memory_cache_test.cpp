// The cache in memory: the contract of caches, what it takes, and a child of fork().

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <noun/cache.hpp>

#include <memory>
#include <string>
#include <vector>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "cache/byte_store.hpp"
#include "os/in_child.hpp"
#include "sanitized.hpp"
#include "stores/cache_contract.hpp"

namespace noun_test { namespace memory_cache_test {

struct InMemory {
  static constexpr std::size_t small = 64 * 1024;
  std::shared_ptr<noun::Cache> cache(std::size_t max_bytes) { return noun::memory_cache(max_bytes); }
};
INSTANTIATE_TYPED_TEST_SUITE_P(memory, CacheContract, InMemory);

TEST(MemoryCache, a_child_of_fork_has_an_empty_one_of_the_same_seed) {
  const auto cache = noun::memory_cache();
  const auto seed = cache->seed();
  ASSERT_TRUE(cache->put(key_of(1), "parent").value());
  EXPECT_EQ(in_child([&] {
              const bool was_empty = !cache->get(key_of(1)).value();
              const bool keeps = cache->put(key_of(1), "child").value() && cache->get(key_of(1)).value() == "child";
              return was_empty && keeps && cache->seed() == seed ? 0 : 1;
            }),
            0);
  EXPECT_EQ(cache->get(key_of(1)).value(), "parent");
}

#ifdef __GLIBC__
TEST(MemoryCache, takes_no_more_memory_than_its_bound) {
  if (sanitized) GTEST_SKIP() << "a sanitizer has an allocator of its own";
  constexpr std::size_t max_bytes = 4 << 20;
  for (const std::size_t size : {0U, 100U, 5'000U, 100'000U}) {
    const auto before = ::mallinfo2();
    const auto cache = noun::memory_cache(max_bytes);
    for (unsigned i = 0; i < 20'000 && i * (size + 400) < 3 * max_bytes; ++i)
      ASSERT_TRUE(cache->put(key_of(i), std::string(size, 'x')).value());
    const auto after = ::mallinfo2();
    const auto taken = after.uordblks + after.hblkhd - before.uordblks - before.hblkhd;
    EXPECT_LE(taken, max_bytes) << size;
    EXPECT_GE(taken, max_bytes / 2) << size;
  }
}
#endif

TEST(MemoryCache, a_key_may_have_any_size) {
  const auto cache = noun::memory_cache();
  const std::vector<std::string> names = {"", "a", "sixteen bytes or", "sixteen bytes or more"};
  for (const auto& name : names) ASSERT_TRUE(cache->put({"a group", name}, name).value());
  for (const auto& name : names) EXPECT_EQ(cache->get({"a group", name}).value(), name);
  EXPECT_EQ(cache->get({"another", "a"}).value(), std::nullopt);
  EXPECT_TRUE(cache->remove_group("a group"));
  EXPECT_EQ(cache->get({"a group", "a"}).value(), std::nullopt);
}

TEST(MemoryCache, what_noun_keeps_in_it_is_what_the_program_gets) {
  const auto cache = noun::memory_cache(64 * 1024);
  auto* const shared = dynamic_cast<noun::cache::ByteStore*>(cache.get());
  ASSERT_NE(shared, nullptr);
  const noun::cache::Key key("a group", ", and a name");
  const noun::CacheKey same{"a group", ", and a name"};
  const auto bytes = std::make_shared<const std::string>("bytes");
  EXPECT_TRUE(shared->keep(key, bytes));
  EXPECT_EQ(shared->find(key), bytes) << "without a copy";
  EXPECT_EQ(cache->get(same).value(), "bytes");
  ASSERT_TRUE(cache->put(same, "others").value());
  EXPECT_EQ(*shared->find(key), "others");
  EXPECT_FALSE(shared->keep(key, std::make_shared<const std::string>(8 * 1024 + 1, 'x')));
  EXPECT_EQ(shared->find(key), nullptr);
}

TEST(MemoryCache, removes_a_group_of_any_size_and_no_other) {
  const auto cache = noun::memory_cache();
  const auto count = [&](const std::string& group) {
    int found = 0;
    for (int name = 0; name < 5; ++name) found += cache->get({group, std::to_string(name)}).value().has_value() ? 1 : 0;
    return found;
  };
  for (int name = 0; name < 5; ++name)
    for (const auto* group : {"a", "b"}) ASSERT_TRUE(cache->put({group, std::to_string(name)}, "x").value());
  ASSERT_TRUE(cache->put({"a", "3"}, "again").value());
  for (const auto* name : {"4", "0", "2"}) ASSERT_TRUE(cache->remove({"a", name}));
  EXPECT_EQ(count("a"), 2);
  ASSERT_TRUE(cache->remove_group("a"));
  EXPECT_EQ(count("a"), 0);
  EXPECT_EQ(count("b"), 5);
  EXPECT_TRUE(cache->remove_group("a"));
  ASSERT_TRUE(cache->put({"a", "1"}, "x").value());
  EXPECT_EQ(count("a"), 1);
}

}}  // namespace noun_test::memory_cache_test
