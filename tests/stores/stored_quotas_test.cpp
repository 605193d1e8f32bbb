#include <noun/shared_quota.hpp>

#include <chrono>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "curl/fails_with.hpp"
#include "quota/shared_state.hpp"
#include "stores/memory_store.hpp"

namespace noun_test { namespace stored_quotas_test {

using namespace std::chrono_literals;
using noun::Errc;
using noun::Instant;
using noun::MemoryStore;
using noun::read_shared_quotas;
using noun::Sent;
using noun::quota::SharedState;
using ::testing::AllOf;
using ::testing::HasSubstr;

/// What a client leaves that has used 2 of 60 permits, and its state, in the time of the store.
constexpr auto written_at = 100s;
std::string used_by_two() {
  SharedState state;
  noun::quota::PartitionSending sending;
  noun::quota::Report report;
  report.limit = 60;
  report.remaining = 58;
  report.reset = noun::wire::ResetReading{.in = 30s, .at = {}};
  state.quota.partitions[0].acquire(Instant(written_at), {}, {}, sending);
  std::size_t partition = 0;
  state.quota.record(partition, sending, {Instant(written_at), {}}, report);
  state.join(7) = {
      .id = 7, .until = Instant(written_at + 8s), .leases = {{.partition = 0, .permits = 20, .wanted = {5, 0, 1}}}};
  state.join(9) = {.id = 9, .until = Instant(written_at + 3s), .leases = {{.partition = 0, .permits = 1}}};
  state.quota.partitions[0].lease(Instant(written_at), 21);
  return state.write({Instant(written_at), {}}, 0s);
}

struct SharedQuotaTest : ::testing::Test {
  void put(const std::string& key, const std::string& bytes) { ASSERT_TRUE(store.compare_and_swap(key, 0, bytes)); }

  noun::Duration now = written_at;
  MemoryStore store{std::make_shared<MemoryStore::Shared>([this] { return now; })};
};

TEST_F(SharedQuotaTest, has_what_is_known_of_each_quota_and_its_holders) {
  put("noun:b", used_by_two());
  put("noun:a", SharedState().write({}, 0s));
  put("other:c", "");
  now += 5s;
  const auto quotas = read_shared_quotas(store).value();
  ASSERT_EQ(quotas.size(), 2U);
  EXPECT_EQ(quotas[0].key, "noun:a");
  EXPECT_EQ(quotas[0].quota.value().limit, std::nullopt);
  EXPECT_THAT(quotas[0].quota.value().holders, ::testing::IsEmpty());

  EXPECT_EQ(quotas[1].key, "noun:b");
  const auto& quota = quotas[1].quota.value();
  EXPECT_EQ(quota.limit, 60);
  EXPECT_EQ(quota.remaining, 58 - 21);
  EXPECT_GT(quota.resets_in, 24s);
  EXPECT_LE(quota.resets_in, 26s);
  EXPECT_EQ(quota.in_flight, 0U);
  EXPECT_EQ(quota.sent, 1U);
  ASSERT_EQ(quota.holders.size(), 2U);
  EXPECT_EQ(quota.holders[0].id, 7U);
  EXPECT_FALSE(quota.holders[0].is_self);
  EXPECT_EQ(quota.holders[0].permits, 20);
  EXPECT_EQ(quota.holders[0].wanted, 6);
  EXPECT_EQ(quota.holders[0].expires_in, 3s);
  EXPECT_EQ(quota.holders[1].expires_in, 0s) << "its leases have expired";
}

TEST_F(SharedQuotaTest, changes_nothing) {
  put("noun:b", used_by_two());
  const auto before = store.read("noun:b").value();
  now += 1h;
  EXPECT_TRUE(read_shared_quotas(store));
  const auto after = store.read("noun:b").value();
  EXPECT_EQ(after.version, before.version);
  EXPECT_EQ(after.bytes, before.bytes);
}

TEST_F(SharedQuotaTest, says_which_bytes_are_damaged_and_reads_the_others) {
  put("noun:a", "x");
  put("noun:b", used_by_two());
  const auto quotas = read_shared_quotas(store).value();
  ASSERT_EQ(quotas.size(), 2U);
  ASSERT_THAT(quotas[0].quota, FailsWith(Errc::resource, Sent::no));
  EXPECT_THAT(quotas[0].quota.error().message(), AllOf(HasSubstr("noun:a is damaged"), HasSubstr("delete the key")));
  EXPECT_TRUE(quotas[1].quota);
}

TEST_F(SharedQuotaTest, are_those_of_one_prefix) {
  put("noun:a", "");
  put("team-7:b", "");
  EXPECT_EQ(read_shared_quotas(store, "team-7").value().at(0).key, "team-7:b");
  EXPECT_THAT(read_shared_quotas(store, "*"), FailsWith(Errc::invalid_argument, Sent::no));
}

/// A program's own store that does not override keys().
class Silent final : public noun::QuotaStore {
 public:
  noun::Result<Stored> read(const std::string&) override { return Stored{}; }
  noun::Result<Swapped> compare_and_swap(const std::string&, std::uint64_t, const std::string&) override {
    return Swapped{};
  }
  noun::Result<std::vector<std::string>> wait_for_change(const std::vector<Watched>&, Instant) override {
    return std::vector<std::string>{};
  }
  void interrupt() noexcept override {}
};

TEST(SharedQuotas, need_a_store_that_lists_its_keys) {
  Silent store;
  const auto result = read_shared_quotas(store);
  ASSERT_THAT(result, FailsWith(Errc::invalid_argument, Sent::no));
  EXPECT_THAT(result.error().message(), HasSubstr("override QuotaStore::keys()"));
}

}  // namespace stored_quotas_test
}  // namespace noun_test
