#include "joining_thread.hpp"
#include "stores/memory_store.hpp"

#include <gtest/gtest.h>

#include "stores/quota_store_contract.hpp"

namespace noun_test { namespace memory_store_test {

using namespace std::chrono_literals;
using noun::MemoryStore;

struct InMemory {
  std::unique_ptr<noun::QuotaStore> user() { return std::make_unique<MemoryStore>(shared); }
  void lose() { shared->clear(); }

  std::shared_ptr<MemoryStore::Shared> shared = std::make_shared<MemoryStore::Shared>([] { return 1s; });
};
INSTANTIATE_TYPED_TEST_SUITE_P(MemoryStore, QuotaStoreContract, InMemory);

TEST(MemoryStoreTest, has_the_clock_of_the_simulation) {
  noun::Duration now = 7s;
  MemoryStore store(std::make_shared<MemoryStore::Shared>([&] { return now; }));
  EXPECT_EQ(store.read("key").value().time, 7s);
  now = 1h;
  EXPECT_EQ(store.compare_and_swap("key", 0, "").value().stored.time, 1h);
  EXPECT_EQ(store.compare_and_swap("key", 0, "").value().stored.time, 1h);
}

TEST(MemoryStoreTest, reports_a_loss_to_who_waits) {
  InMemory place;
  MemoryStore store(place.shared);
  const auto version = store.compare_and_swap("key", 0, "").value().stored.version;
  const auto end = in_a_minute();
  JoiningThread partner([&] { place.lose(); });
  EXPECT_THAT(store.wait_for_change({{"key", version}}, end).value(), ::testing::ElementsAre("key"));
  EXPECT_LT(std::chrono::steady_clock::now(), end);
}

}  // namespace memory_store_test
}  // namespace noun_test
