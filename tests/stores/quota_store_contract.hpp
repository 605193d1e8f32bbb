#pragma once
/// @file
/// What every store of shared quotas does. A test program instantiates it with a type that makes users of one store.

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <noun/shared_quota.hpp>

#include "curl/fails_with.hpp"
#include "joining_thread.hpp"

namespace noun_test {

/// Passes only if something does not happen that should have.
inline noun::Instant in_a_minute() { return std::chrono::steady_clock::now() + std::chrono::minutes(1); }

/// @tparam Place  `std::unique_ptr<noun::QuotaStore> user()`; `void lose()`: the stored bytes are lost.
template <class Place>
class QuotaStoreContract : public ::testing::Test {
 protected:
  using Users = std::vector<std::unique_ptr<noun::QuotaStore>>;

  /// Stores whatever is there.
  static std::uint64_t put(noun::QuotaStore& store, const std::string& key, const std::string& bytes) {
    for (std::uint64_t version = store.read(key).value().version;;) {
      const auto result = store.compare_and_swap(key, version, bytes).value();
      version = result.stored.version;
      if (result.swapped) return version;
    }
  }

  Place place;
  std::unique_ptr<noun::QuotaStore> store = place.user();
  std::unique_ptr<noun::QuotaStore> other = place.user();
};
TYPED_TEST_SUITE_P(QuotaStoreContract);

TYPED_TEST_P(QuotaStoreContract, has_nothing_at_first) {
  const auto stored = this->store->read("key").value();
  EXPECT_EQ(stored.version, 0U);
  EXPECT_EQ(stored.bytes, "");
}

TYPED_TEST_P(QuotaStoreContract, swaps_the_version_that_the_user_has) {
  const auto first = this->store->compare_and_swap("key", 0, "one").value();
  EXPECT_TRUE(first.swapped);
  EXPECT_NE(first.stored.version, 0U);
  EXPECT_EQ(this->other->read("key").value().version, first.stored.version);
  EXPECT_EQ(this->other->read("key").value().bytes, "one");
  const auto second = this->other->compare_and_swap("key", first.stored.version, "two").value();
  EXPECT_TRUE(second.swapped);
  EXPECT_GT(second.stored.version, first.stored.version);
  EXPECT_EQ(this->store->read("key").value().version, second.stored.version);
  EXPECT_EQ(this->store->read("key").value().bytes, "two");
}

TYPED_TEST_P(QuotaStoreContract, returns_what_is_stored_instead_of_another_version) {
  const auto old = this->put(*this->store, "key", "one");
  const auto version = this->put(*this->store, "key", "two");
  for (const auto wrong : {std::uint64_t{0}, old, version + 1}) {
    const auto result = this->other->compare_and_swap("key", wrong, "three").value();
    EXPECT_FALSE(result.swapped);
    EXPECT_EQ(result.stored.version, version);
    EXPECT_EQ(result.stored.bytes, "two");
  }
  EXPECT_FALSE(this->other->compare_and_swap("absent", version, "three").value().swapped);
  EXPECT_EQ(this->other->read("absent").value().version, 0U);
}

TYPED_TEST_P(QuotaStoreContract, keeps_keys_apart) {
  this->put(*this->store, "noun:a", "one");
  this->put(*this->store, "noun:A", "two");
  EXPECT_EQ(this->other->read("noun:a").value().bytes, "one");
  EXPECT_EQ(this->other->read("noun:A").value().bytes, "two");
  EXPECT_EQ(this->other->read("noun").value().version, 0U);
}

TYPED_TEST_P(QuotaStoreContract, loses_no_update_of_many_users) {
  constexpr int users = 4;
  constexpr int updates = 50;
  std::vector<JoiningThread> threads;
  for (int i = 0; i < users; ++i)
    threads.emplace_back([mine = this->place.user()] {
      auto stored = mine->read("key").value();
      for (int done = 0; done < updates;) {
        const int count = stored.bytes.empty() ? 0 : std::stoi(stored.bytes);
        const auto next = std::to_string(count + 1);
        auto result = mine->compare_and_swap("key", stored.version, next).value();
        if (result.swapped) {
          ++done;
          result.stored.bytes = next;
        }
        stored = result.stored;
      }
    });
  threads.clear();
  EXPECT_EQ(this->store->read("key").value().bytes, std::to_string(users * updates));
}

TYPED_TEST_P(QuotaStoreContract, stores_any_bytes) {
  std::string bytes;
  for (std::size_t i = 0; i < 64 * 1024; ++i) bytes += static_cast<char>(i * 131 >> 3);
  for (const auto& each : {bytes, std::string(1, '\0'), std::string("\r\n"), std::string()}) {
    const auto version = this->put(*this->store, "key", each);
    EXPECT_TRUE(this->other->read("key").value().bytes == each) << each.size();
    EXPECT_TRUE(this->other->compare_and_swap("key", version + 1, "").value().stored.bytes == each) << each.size();
  }
}

TYPED_TEST_P(QuotaStoreContract, has_one_clock_that_does_not_run_back) {
  auto last = this->store->read("key").value().time;
  EXPECT_GT(last, noun::Duration::zero());
  for (int i = 0; i < 20; ++i) {
    auto& user = i % 2 == 0 ? *this->store : *this->other;
    const auto swapped = user.compare_and_swap("key", user.read("key").value().version, "").value();
    EXPECT_GE(swapped.stored.time, last);
    last = swapped.stored.time;
    EXPECT_GE(user.compare_and_swap("key", 0, "").value().stored.time, last);
  }
}

TYPED_TEST_P(QuotaStoreContract, does_not_repeat_versions_after_a_loss) {
  const auto old = this->put(*this->store, "key", "one");
  this->place.lose();
  EXPECT_EQ(this->store->read("key").value().version, 0U);
  EXPECT_FALSE(this->store->compare_and_swap("key", old, "two").value().swapped);
  EXPECT_NE(this->put(*this->other, "key", "two"), old);
  EXPECT_FALSE(this->store->compare_and_swap("key", old, "three").value().swapped);
}

TYPED_TEST_P(QuotaStoreContract, reports_at_once_what_has_changed) {
  const auto version = this->put(*this->store, "a", "");
  this->put(*this->store, "b", "");
  const auto now = std::chrono::steady_clock::now();
  EXPECT_THAT(this->other->wait_for_change({{"a", version}, {"b", 0}, {"c", 0}}, in_a_minute()).value(),
              ::testing::ElementsAre("b"));
  EXPECT_THAT(this->other->wait_for_change({{"a", 0}}, now).value(), ::testing::ElementsAre("a"));
  EXPECT_THAT(this->other->wait_for_change({{"a", 0}}, noun::Instant::min()).value(), ::testing::ElementsAre("a"));
  EXPECT_THAT(this->other->wait_for_change({{"a", version}}, noun::Instant::min()).value(), ::testing::IsEmpty());
}

TYPED_TEST_P(QuotaStoreContract, reports_the_swaps_of_others_while_it_waits) {
  const auto end = in_a_minute();
  constexpr int rounds = 30;
  JoiningThread partner([mine = this->place.user()] {
    for (std::uint64_t version = 0, i = 0; i < rounds; ++i) {
      ASSERT_THAT(mine->wait_for_change({{"ball", version}}, in_a_minute()).value(), ::testing::ElementsAre("ball"));
      version = mine->read("ball").value().version;
      version = mine->compare_and_swap("ball", version, "back").value().stored.version;
    }
  });
  for (int i = 0; i < rounds; ++i) {
    const auto stored = this->store->read("ball").value();
    const auto version = this->store->compare_and_swap("ball", stored.version, "there").value().stored.version;
    ASSERT_THAT(this->store->wait_for_change({{"ball", version}}, in_a_minute()).value(), ::testing::ElementsAre("ball"));
    ASSERT_EQ(this->store->read("ball").value().bytes, "back");
  }
  EXPECT_LT(std::chrono::steady_clock::now(), end);
}

TYPED_TEST_P(QuotaStoreContract, does_not_report_what_the_user_knows) {
  std::uint64_t version = 0;
  for (int i = 0; i < 10; ++i) {
    version = this->put(*this->store, "own", "");
    JoiningThread partner([this, i] {
      this->put(*this->other, "unwatched", "");
      this->put(*this->other, "other" + std::to_string(i), "");
    });
    const std::vector<noun::QuotaStore::Watched> watched{{"own", version}, {"other" + std::to_string(i), 0}};
    EXPECT_THAT(this->store->wait_for_change(watched, in_a_minute()).value(),
                ::testing::ElementsAre("other" + std::to_string(i)));
  }
}

TYPED_TEST_P(QuotaStoreContract, ends_a_wait_after_an_interrupt) {
  const auto end = in_a_minute();
  this->store->interrupt();
  EXPECT_THAT(this->store->wait_for_change({{"key", 0}}, end).value(), ::testing::IsEmpty());
  for (int i = 0; i < 10; ++i) {
    JoiningThread partner([this] { this->store->interrupt(); });
    EXPECT_THAT(this->store->wait_for_change({{"key", 0}}, end).value(), ::testing::IsEmpty());
  }
  EXPECT_LT(std::chrono::steady_clock::now(), end);
  JoiningThread partner([this] { this->put(*this->other, "key", ""); });
  EXPECT_THAT(this->store->wait_for_change({{"key", 0}}, in_a_minute()).value(), ::testing::ElementsAre("key"))
      << "an interrupt ends one wait";
}

TYPED_TEST_P(QuotaStoreContract, waits_for_an_interrupt_alone) {
  const auto end = in_a_minute();
  EXPECT_THAT(this->store->wait_for_change({}, noun::Instant::min()).value(), ::testing::IsEmpty());
  JoiningThread first([this] { this->store->interrupt(); });
  EXPECT_THAT(this->store->wait_for_change({}, end).value(), ::testing::IsEmpty());
  // It has watched a key before.
  EXPECT_THAT(this->store->wait_for_change({{"key", 0}}, noun::Instant::min()).value(), ::testing::IsEmpty());
  JoiningThread second([this] { this->store->interrupt(); });
  EXPECT_THAT(this->store->wait_for_change({}, end).value(), ::testing::IsEmpty());
  EXPECT_LT(std::chrono::steady_clock::now(), end);
}

TYPED_TEST_P(QuotaStoreContract, refuses_keys_that_are_not_names) {
  for (const auto& key : {std::string(), std::string("."), std::string(".."), std::string("a/b"), std::string("a.lock"),
                          std::string("a b"), std::string("a\0b", 3), std::string("é"), std::string(129, 'a')}) {
    const auto refused = FailsWith(noun::Errc::invalid_argument, noun::Sent::no);
    EXPECT_THAT(this->store->read(key), refused) << key;
    EXPECT_THAT(this->store->compare_and_swap(key, 0, ""), refused) << key;
    EXPECT_THAT(this->store->wait_for_change({{key, 0}}, noun::Instant::min()), refused) << key;
  }
  const std::string longest = "noun:quota-0123456789_AZaz" + std::string(102, 'z');
  EXPECT_TRUE(this->store->compare_and_swap(longest, 0, "").value().swapped);
}

TYPED_TEST_P(QuotaStoreContract, lists_the_keys_that_start_with_a_prefix) {
  for (const auto* key : {"noun:b", "noun:a", "noun", "noun-c", "other:d"}) this->put(*this->store, key, "");
  EXPECT_THAT(this->other->keys("noun:").value(), ::testing::ElementsAre("noun:a", "noun:b"));
  this->place.lose();
  EXPECT_THAT(this->other->keys("noun:").value(), ::testing::IsEmpty());
}

REGISTER_TYPED_TEST_SUITE_P(QuotaStoreContract, has_nothing_at_first, swaps_the_version_that_the_user_has,
                            returns_what_is_stored_instead_of_another_version, keeps_keys_apart,
                            loses_no_update_of_many_users, stores_any_bytes, has_one_clock_that_does_not_run_back,
                            does_not_repeat_versions_after_a_loss, reports_at_once_what_has_changed,
                            reports_the_swaps_of_others_while_it_waits, does_not_report_what_the_user_knows,
                            ends_a_wait_after_an_interrupt, waits_for_an_interrupt_alone, refuses_keys_that_are_not_names,
                            lists_the_keys_that_start_with_a_prefix);

}  // namespace noun_test
