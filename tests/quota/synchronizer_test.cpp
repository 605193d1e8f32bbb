// What a gate and the store of its quota exchange: which step follows which event, and the store's clock.
#include "quota/synchronizer.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <variant>

#include "quota/quota_bench.hpp"

namespace quota_tests { namespace synchronizer_test {

using noun::QuotaStore;
using noun::quota::Gate;
using noun::quota::LeftStore;
using noun::quota::ReadStore;
using noun::quota::SharingNews;
using noun::quota::StoreClock;
using noun::quota::SwapStore;
using noun::quota::Synchronizer;
using noun::quota::WaitForChange;

constexpr Duration slow_after = 50ms;

class Exchange : public ::testing::Test {
 protected:
  std::shared_ptr<Gate> gate = [] {
    auto made = std::make_shared<Gate>();
    made->share({.id = 7, .lease = 10s, .slow_after = slow_after});
    return made;
  }();
  Synchronizer synchronizer{gate};
  Duration now = 0s;
  Duration trip = 1ms;
  std::string swapped_bytes;
  noun::quota::Place place;

  noun::quota::StoreStep next() {
    auto step = synchronizer.next(bench_now(now));
    if (const auto* const swap = std::get_if<SwapStore>(&step)) swapped_bytes = swap->bytes;
    return step;
  }
  template <class Step>
  bool is_next() {
    return std::holds_alternative<Step>(next());
  }
  void read(std::uint64_t version = 0, std::string bytes = {}) {
    const Duration sent = std::exchange(now, now + trip);
    synchronizer.on_read({version, std::move(bytes), 500s + now}, bench_begin + sent, bench_now(now));
  }
  void swapped(bool done, std::uint64_t version, std::string bytes = {}) {
    const Duration sent = std::exchange(now, now + trip);
    synchronizer.on_swapped({done, {version, std::move(bytes), 500s + now}}, bench_begin + sent, bench_now(now));
  }
  /// A call acquires, and waits if it must.
  bool acquire() {
    auto result = gate->acquire(bench_now(now), {}, {.patient_until = Instant::max()}, std::move(place));
    place = {};
    if (auto* const hold = std::get_if<noun::quota::Hold>(&result)) return place = std::move(hold->place), false;
    gate->record(std::get<noun::quota::Permit>(std::move(result)), bench_now(now), reported(50, 60s));
    return true;
  }
  std::vector<SharingNews::Kind> news() {
    std::vector<SharingNews::Kind> kinds;
    for (const auto& one : synchronizer.take_news()) kinds.push_back(one.kind);
    return kinds;
  }
  /// The first exchange: the others know this process from then on.
  void join() {
    acquire();
    next();
    read();
    next();
    swapped(true, 1);
  }
};

TEST_F(Exchange, reads_before_it_swaps) {
  EXPECT_FALSE(acquire());
  EXPECT_TRUE(is_next<ReadStore>());
  read();
  const auto step = next();
  ASSERT_TRUE(std::holds_alternative<SwapStore>(step));
  EXPECT_EQ(std::get<SwapStore>(step).version, 0U);
  EXPECT_TRUE(news().empty());
  swapped(true, 1);
  EXPECT_EQ(news(), std::vector{SharingNews::Kind::joined});
  EXPECT_TRUE(acquire()) << "it has the probe";
}

TEST_F(Exchange, a_refused_swap_is_repeated_on_what_is_stored) {
  acquire();
  next();
  read();
  const auto first = next();
  ASSERT_TRUE(std::holds_alternative<SwapStore>(first));
  noun::quota::SharedState other;
  other.join(3).until = bench_begin + 100s;
  swapped(false, 5, other.write(bench_now(now), 500s - bench_begin.time_since_epoch()));
  now += 1s;
  const auto again = next();
  ASSERT_TRUE(std::holds_alternative<SwapStore>(again));
  EXPECT_EQ(std::get<SwapStore>(again).version, 5U);
  const auto state = noun::quota::SharedState::read(std::get<SwapStore>(again).bytes, {});
  ASSERT_TRUE(state);
  EXPECT_EQ(state->holders.size(), 2U);
}

TEST_F(Exchange, a_waiting_process_reads_a_change) {
  acquire();
  next();
  read();
  noun::quota::SharedState other;
  std::size_t index = 0;
  noun::quota::PartitionSending sending;
  other.quota.partitions.front().acquire(bench_begin, {}, {}, sending);
  auto response = reported(0, 60s);
  other.quota.record(index, sending, bench_now(0s), response);
  next();
  swapped(false, 5, other.write(bench_now(now), 500s));
  next();
  swapped(true, 6);
  const auto step = next();
  ASSERT_TRUE(std::holds_alternative<WaitForChange>(step));
  EXPECT_TRUE(std::get<WaitForChange>(step).watches);
  EXPECT_EQ(std::get<WaitForChange>(step).version, 6U);
  synchronizer.on_changed();
  now += 1s;
  EXPECT_TRUE(is_next<ReadStore>());
}

TEST_F(Exchange, damaged_bytes_are_an_unavailable_store) {
  acquire();
  for (int failures = 0; failures < 3; ++failures, now += 1s) {
    EXPECT_TRUE(is_next<ReadStore>());
    read(1, "damaged");
  }
  const auto told = synchronizer.take_news();
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told.front().kind, SharingNews::Kind::unavailable);
  EXPECT_EQ(told.front().why, "its state is damaged, or of another version of noun");
  EXPECT_TRUE(acquire()) << "the process goes on alone";
  EXPECT_TRUE(is_next<ReadStore>());
  read();
  EXPECT_EQ(news(), std::vector{SharingNews::Kind::available});
}

TEST_F(Exchange, a_store_that_lost_its_state_is_news_once) {
  join();
  news();
  synchronizer.on_changed();
  now += 1s;
  acquire();
  next();
  read();
  EXPECT_EQ(news(), std::vector{SharingNews::Kind::lost});
  next();
  swapped(false, 0);
  EXPECT_TRUE(news().empty());
}

TEST_F(Exchange, what_a_store_lost_is_stored_again_by_its_new_clock) {
  trip = 0s;
  const Duration offset = 500s - bench_begin.time_since_epoch();
  acquire();
  next();
  noun::quota::SharedState other;
  other.join(3).until = bench_begin + 8s;
  other.find(3)->lease_of(0).permits = 2;
  other.quota.partitions.front().lease(bench_begin, 2);
  read(5, other.write(bench_now(now), offset));
  next();
  swapped(true, 6);
  synchronizer.on_changed();
  now += 1s;
  acquire();
  next();
  const Duration set = 1000s;
  synchronizer.on_read({0, {}, 500s + set + now}, bench_begin + now, bench_now(now));
  const auto step = next();
  ASSERT_TRUE(std::holds_alternative<SwapStore>(step));
  EXPECT_EQ(std::get<SwapStore>(step).version, 0U);
  auto state = noun::quota::SharedState::read(std::get<SwapStore>(step).bytes, offset + set);
  ASSERT_TRUE(state);
  ASSERT_TRUE(state->find(3));
  EXPECT_EQ(state->find(3)->lease_of(0).permits, 2);
  EXPECT_EQ(state->find(3)->until, bench_begin + 8s);
}

TEST_F(Exchange, a_failure_is_news_once) {
  acquire();
  next();
  for (int failures = 0; failures < 4; ++failures) synchronizer.on_failed(bench_now(now));
  EXPECT_TRUE(news().empty()) << "it waits for a store that is restarted";
  now += 1s;
  for (int failures = 0; failures < 2; ++failures) synchronizer.on_failed(bench_now(now));
  EXPECT_EQ(news().size(), 1U);
}

TEST_F(Exchange, a_process_that_the_others_know_does_not_wait_for_the_store) {
  join();
  for (int failures = 0; failures < 3; ++failures) synchronizer.on_failed(bench_now(now));
  EXPECT_EQ(news().back(), SharingNews::Kind::unavailable);
}

TEST_F(Exchange, a_process_that_starts_waits_for_a_slow_store) {
  acquire();
  EXPECT_EQ(std::get<ReadStore>(next()).limit, slow_after);
  synchronizer.on_failed(bench_now(now += slow_after));
  now += 100ms;
  EXPECT_EQ(std::get<ReadStore>(next()).limit, 900ms) << "a second in all";
  trip = 200ms;
  read();
  EXPECT_EQ(std::get<SwapStore>(next()).limit, 1s);
  swapped(true, 1);
  const std::vector expected{SharingNews::Kind::slow, SharingNews::Kind::joined};
  EXPECT_EQ(news(), expected);
  EXPECT_TRUE(acquire());
}

TEST_F(Exchange, an_unavailable_store_may_be_slow) {
  join();
  for (int failures = 0; failures < 3; ++failures) {
    EXPECT_EQ(gate->due(bench_now(now)).limit, slow_after);
    synchronizer.on_failed(bench_now(now));
  }
  now += 1s;
  news();
  EXPECT_EQ(std::get<ReadStore>(next()).limit, 1s);
  trip = 200ms;
  read(1, swapped_bytes);
  now += 1s;
  const std::vector slow{SharingNews::Kind::available, SharingNews::Kind::slow};
  EXPECT_EQ(news(), slow);
  EXPECT_FALSE(gate->is_alone());
  for (const Duration took : {slow_after, slow_after, slow_after + 1ms, slow_after, slow_after}) {
    trip = took;
    read(1, swapped_bytes);
    EXPECT_EQ(gate->due(bench_now(now)).limit, 1s) << "not three quick ones in a row";
  }
  read(1, swapped_bytes);
  EXPECT_EQ(gate->due(bench_now(now)).limit, slow_after);
}

TEST_F(Exchange, a_slow_store_that_fails_once_is_unavailable) {
  acquire();
  synchronizer.on_failed(bench_now(now));
  trip = 200ms;
  read();
  next();
  swapped(true, 1);
  news();
  synchronizer.on_failed(bench_now(now));
  EXPECT_EQ(news(), std::vector{SharingNews::Kind::unavailable}) << "calls have waited long enough";
}

TEST_F(Exchange, who_leaves_an_unavailable_store_does_not_wait_for_it) {
  join();
  for (int failures = 0; failures < 3; ++failures) synchronizer.on_failed(bench_now(now));
  gate->leave();
  EXPECT_EQ(std::get<ReadStore>(next()).limit, slow_after);
}

TEST_F(Exchange, a_store_that_can_only_be_read_is_not_available) {
  acquire();
  for (int failures = 0; failures < 5; ++failures, now += 1s) {
    ASSERT_TRUE(is_next<ReadStore>());
    read();
    ASSERT_TRUE(is_next<SwapStore>());
    synchronizer.on_failed(bench_now(now));
  }
  EXPECT_EQ(news(), std::vector{SharingNews::Kind::unavailable});
  gate->leave();
  ASSERT_TRUE(is_next<ReadStore>());
  read();
  ASSERT_TRUE(is_next<SwapStore>()) << "once more";
  synchronizer.on_failed(bench_now(now));
  EXPECT_TRUE(is_next<LeftStore>());
}

TEST_F(Exchange, who_leaves_swaps_once_more) {
  acquire();
  next();
  read();
  place = {};
  gate->leave();
  ASSERT_TRUE(is_next<SwapStore>());
  swapped(true, 1);
  EXPECT_TRUE(is_next<LeftStore>());
  EXPECT_EQ(news().back(), SharingNews::Kind::left);
}

TEST_F(Exchange, who_leaves_without_the_store_has_left) {
  acquire();
  next();
  gate->leave();
  for (int failures = 0; failures < 3; ++failures) synchronizer.on_failed(bench_now(now));
  EXPECT_TRUE(is_next<LeftStore>());
}

TEST_F(Exchange, a_store_that_does_not_swap_what_it_has_is_unavailable) {
  join();
  acquire();
  int swaps = 0;
  bool unavailable = false;
  for (const Duration end = now + 60s; now < end;) {
    const auto step = next();
    if (std::holds_alternative<SwapStore>(step)) {
      ++swaps;
      swapped(false, 1);
    } else if (std::holds_alternative<ReadStore>(step)) {
      read(1);
    } else {
      now = std::min(end, std::max(now + trip, std::get<WaitForChange>(step).until - bench_begin));
    }
    for (const auto kind : news()) unavailable = unavailable || kind == SharingNews::Kind::unavailable;
    gate->acquire(bench_now(now), {}, {.patient_until = Instant::max()}, {});
  }
  EXPECT_TRUE(unavailable);
  EXPECT_LE(swaps, 30) << "it is asked less and less often";
}

TEST_F(Exchange, who_leaves_gives_up_after_a_lease) {
  join();
  gate->leave();
  std::uint64_t version = 1;
  int swaps = 0;
  const Duration left = now;
  while (!is_next<LeftStore>() && ++swaps < 100'000) swapped(false, ++version, swapped_bytes);
  EXPECT_GE(now - left, 10s);
  EXPECT_LE(now - left, 11s);
}

TEST(StoreClock, the_shortest_exchange_counts) {
  StoreClock clock;
  const auto observe = [&](Duration sent, Duration took, Duration store) {
    clock.observe(bench_begin + sent, bench_begin + sent + took, store);
  };
  const Duration real = 77s - bench_begin.time_since_epoch();
  observe(0s, 10ms, 77s + 9ms);
  EXPECT_EQ(clock.offset(), real + 4ms);
  observe(1s, 2ms, 78s + 1ms);
  EXPECT_EQ(clock.offset(), real);
  observe(2s, 10ms, 79s + 1ms);
  EXPECT_EQ(clock.offset(), real) << "a longer exchange says less";
}

TEST(StoreClock, a_clock_that_was_set_is_followed) {
  StoreClock clock;
  clock.observe(bench_begin, bench_begin + 2ms, 77s + 1ms);
  clock.observe(bench_begin + 1s, bench_begin + 1s + 10ms, 7s + 5ms);
  EXPECT_EQ(clock.offset(), 6s - bench_begin.time_since_epoch());
}

}  // namespace synchronizer_test
}  // namespace quota_tests
