// Processes that share one quota, in every order of their swaps.
#include "quota/sharing.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "quota/gate.hpp"
#include "quota/quota_bench.hpp"
#include "quota/synchronizer.hpp"

namespace quota_tests { namespace sharing_test {

using noun::quota::QuotaState;
using noun::quota::SharedState;
using noun::quota::Sharing;
using noun::quota::SharingRules;
using noun::quota::Waiting;

constexpr Duration lease = 10s;

/// What is stored.
struct Store {
  std::string bytes;

  SharedState state() const { return *SharedState::read(bytes, {}); }
  std::int64_t leased() const { return state().quota.partitions.front().leased(); }
  std::int64_t held() const {
    std::int64_t held = 0;
    for (const auto& holder : state().holders)
      for (const auto& one : holder.leases) held += one.permits;
    return held;
  }
};

/// One process, without a gate.
class Process {
 public:
  explicit Process(noun::quota::HolderId id, SharingRules rules = {}) : sharing(with_id(rules, id)) {}

  Sharing sharing;
  QuotaState copy;
  std::vector<Waiting> waiting;

  void wait_for(std::int64_t calls, Instant patient_until = Instant::min()) {
    waiting.assign(1, {});
    if (calls == 0) return;
    waiting[0] = {.any = true, .calls = {0, calls, 0}, .demand = {0, calls, 0}, .patient_until = patient_until};
  }
  std::string propose(const std::string& stored, Duration at) {
    std::int64_t expired = 0;
    return sharing.propose(stored, copy, waiting, bench_now(at), {}, expired).value();
  }
  void swap(Store& store, Duration at) {
    EXPECT_TRUE(sharing.observe(store.bytes, copy, bench_begin + at, {}));
    store.bytes = propose(store.bytes, at);
    sharing.committed(copy, bench_begin + at);
  }
  /// @returns  the number of the request, or 0.
  std::uint64_t send(Duration at) {
    copy.routes.on_sent(0);
    const auto acquired = sharing.acquire(copy, 0, bench_begin + at, {}, {});
    if (!acquired.verdict.admitted) copy.routes.on_unsent(0);
    return acquired.flight;
  }
  void record(std::uint64_t flight, Duration at, Report report) {
    std::pair<std::size_t, std::size_t> partition;
    sharing.record(copy, flight, partition, bench_now(at), std::move(report));
  }

 private:
  static SharingRules with_id(SharingRules rules, noun::quota::HolderId id) {
    rules.id = id;
    rules.lease = lease;
    return rules;
  }
};

/// A quota of which one response is known: `remaining` for a minute.
Store known(std::int64_t remaining) {
  SharedState state;
  noun::quota::PartitionSending sending;
  std::size_t index = 0;
  state.quota.partitions.front().acquire(bench_begin, {}, {}, sending);
  auto response = reported(remaining, 60s);
  state.quota.record(index, sending, bench_now(0s), response);
  return {state.write(bench_now(0s), {})};
}

/// A token bucket that a served request has proven. No permit is left at 8,500 ms; the
/// next one is refilled within half a second.
Store proven_bucket() {
  QuotaBench bench;
  refill_three_each_second(bench);
  bench.exchange(reported(0, 20s));
  bench.now += 500ms;
  bench.exchange(reported(0, 20s));
  SharedState state;
  state.quota.partitions.front() = bench.partition;
  return {state.write(bench_now(bench.now), {})};
}

TEST(Sharing, permits_are_leased_and_spent_without_a_swap) {
  Store store = known(40);
  Process process(1);
  process.wait_for(4);
  process.swap(store, 1s);
  EXPECT_EQ(store.leased(), 4);
  process.wait_for(0);
  for (int i = 0; i < 4; ++i) EXPECT_NE(process.send(1s), 0U);
  EXPECT_EQ(process.send(1s), 0U);
}

TEST(Sharing, a_permit_whose_request_was_not_counted_is_spent_again) {
  Store store = known(40);
  Process process(1);
  process.wait_for(4);
  process.swap(store, 1s);
  process.wait_for(0);
  std::vector<std::uint64_t> flights;
  for (int i = 0; i < 4; ++i) flights.push_back(process.send(1s));
  auto uncounted = reported(40, 59s);
  uncounted.counted = false;
  process.record(flights.back(), 1s, uncounted);
  flights.back() = process.send(1s);
  ASSERT_NE(flights.back(), 0U);
  EXPECT_EQ(process.send(1s), 0U);
  std::int64_t left = 40;
  for (const auto flight : flights) process.record(flight, 1s, reported(--left, 59s));
  process.swap(store, 1200ms);
  EXPECT_EQ(store.leased(), store.held());
  EXPECT_EQ(store.leased(), 0);
  EXPECT_EQ(store.state().quota.partitions.front().snapshots(bench_begin + 1s).front().remaining, 36);
}

TEST(Sharing, refilled_permits_are_leased_too_once_the_refill_is_proven) {
  Store store = proven_bucket();
  Process process(1);
  process.wait_for(3);
  process.swap(store, 11600ms);
  EXPECT_EQ(store.leased(), 3);
  EXPECT_TRUE(store.state().specials.empty());
  std::uint64_t last = 0;
  for (int i = 0; i < 3; ++i) {
    last = process.send(11600ms);
    ASSERT_NE(last, 0U);
  }
  EXPECT_EQ(process.send(11600ms), 0U);
  process.record(last, 11600ms, rejected(reported(0, 20s)));
  process.wait_for(0);
  process.swap(store, 11600ms);
  const auto forecast = store.state().quota.partitions.front().forecast(bench_begin + 12s, 1, 0, 0);
  EXPECT_GT(forecast.wait, 10s) << "a rejection refutes the refill for all processes";
}

TEST(Sharing, a_forecast_does_not_take_the_own_permits_for_used_ones) {
  const Store store = known(5);
  const auto gate = std::make_shared<noun::quota::Gate>();
  gate->share({.id = 1, .lease = lease});
  ASSERT_TRUE(gate->observe(store.bytes, bench_now(1s), {}));
  const auto hold = gate->acquire(bench_now(1s), {});
  ASSERT_TRUE(std::holds_alternative<noun::quota::Hold>(hold));
  std::int64_t expired = 0;
  ASSERT_TRUE(gate->propose(store.bytes, bench_now(1s), {}, expired));
  gate->committed(bench_now(1s));
  EXPECT_EQ(gate->forecast(bench_now(1s), 0, 5, 0).renewals, 0U);
  EXPECT_EQ(gate->forecast(bench_now(1s), 0, 6, 0).renewals, 1U);
}

TEST(Sharing, nothing_goes_before_the_state_is_known) {
  Process process(1);
  EXPECT_EQ(process.send(0s), 0U);
  EXPECT_LE(process.sharing.due(process.copy, process.waiting, bench_begin).swap_at, bench_begin);
}

TEST(Sharing, only_one_process_probes) {
  Store store;
  Process first(1);
  Process second(2);
  for (Process* one : {&first, &second}) one->wait_for(1);
  first.swap(store, 0s);
  second.swap(store, 0s);
  EXPECT_EQ(store.state().specials.size(), 1U);
  EXPECT_EQ(second.send(0s), 0U);
  EXPECT_NE(first.send(0s), 0U);
}

/// Two processes wait for the last permits, of which each can use more.
struct Measurement : ::testing::Test {
  Store store = known(noun::quota::most_kept);
  Process first{1};
  Process second{2};

  Measurement() {
    first.wait_for(10, Instant::max());
    second.wait_for(10, Instant::max());
  }
  static Duration due(Process& process, Duration now) {
    return process.sharing.due(process.copy, process.waiting, bench_begin + now).swap_at - bench_begin;
  }
};

TEST_F(Measurement, is_sent_by_one_process_although_all_wake_late) {
  first.swap(store, 1s);
  EXPECT_EQ(store.leased(), 0);
  ASSERT_TRUE(second.sharing.observe(store.bytes, second.copy, bench_begin + 1s, {}));
  const Duration at = due(first, 1s);
  EXPECT_GT(at, 1s);
  EXPECT_LT(at, 2s);
  const Duration woken = at + 1ms;
  EXPECT_LE(due(second, woken), woken + 2ms);
  first.swap(store, woken);
  second.swap(store, woken);
  EXPECT_EQ(store.state().specials.size(), 1U);
  EXPECT_NE(first.send(woken), 0U);
  EXPECT_EQ(second.send(woken), 0U);
}

TEST_F(Measurement, that_nobody_sends_holds_nothing_back_any_longer) {
  first.swap(store, 1s);
  ASSERT_EQ(store.leased(), 0);
  second.swap(store, due(first, 1s) + 150ms);
  EXPECT_GT(store.leased(), 0);
  EXPECT_TRUE(store.state().specials.empty());
}

TEST_F(Measurement, is_sent_although_what_each_process_needs_is_left) {
  first.swap(store, 1s);
  const Duration at = due(first, 1s);
  Process third(3);
  for (Process* one : {&second, &third}) {
    one->wait_for(3, Instant::max());
    one->swap(store, 1s);
  }
  first.wait_for(0);
  first.swap(store, 1s);
  ASSERT_EQ(store.leased(), 0) << "together they need more";
  second.swap(store, at);
  EXPECT_EQ(store.state().specials.size(), 1U);
}

TEST_F(Measurement, is_sent_by_the_process_that_received_least) {
  auto state = store.state();
  state.join(1).received = 7;
  state.join(2).received = 0;
  for (auto& holder : state.holders) holder.until = bench_begin + 1h;
  store.bytes = state.write(bench_now(0s), {});
  for (Process* one : {&first, &second}) one->swap(store, 1s);
  ASSERT_TRUE(first.sharing.observe(store.bytes, first.copy, bench_begin + 1s, {}));
  const Duration at = due(first, 1s);
  EXPECT_LT(due(second, at), due(first, at));
  second.swap(store, at);
  EXPECT_EQ(store.state().find(2)->received, 1);
}

TEST_F(Measurement, is_not_planned_if_a_call_cannot_wait_or_may_not_need_the_permits) {
  first.waiting[0].patient_until = bench_begin + 1010ms;
  first.swap(store, 1s);
  EXPECT_GT(store.leased(), 0);
  store = known(noun::quota::most_kept);
  second.waiting[0].all_demand = false;
  second.swap(store, 1s);
  EXPECT_GT(store.leased(), 0);
}

TEST_F(Measurement, is_not_planned_in_a_slow_store) {
  first.sharing.unavailable(bench_begin + 1s);
  first.sharing.responded(200ms);
  ASSERT_TRUE(first.sharing.is_slow());
  first.swap(store, 1s);
  EXPECT_GT(store.leased(), 0);
}

TEST(Sharing, the_least_patient_of_the_calls_that_wait_counts) {
  for (const bool fails : {false, true}) {
    SCOPED_TRACE(fails);
    const Store store = known(noun::quota::most_kept);
    const auto gate = std::make_shared<noun::quota::Gate>();
    gate->share({.id = 1, .lease = lease});
    ASSERT_TRUE(gate->observe(store.bytes, bench_now(1s), {}));
    const noun::quota::Ask patient{.patient_until = Instant::max(), .demand = 10};
    const auto first = gate->acquire(bench_now(1s), {}, patient);
    auto options = patient;
    if (!fails) options.patient_until = bench_begin + 1010ms;
    const auto second = gate->acquire(
        bench_now(1s), {.when_exhausted = fails ? noun::WhenExhausted::fail : noun::WhenExhausted::wait}, options);
    std::int64_t expired = 0;
    const auto bytes = gate->propose(store.bytes, bench_now(1s), {}, expired);
    ASSERT_TRUE(bytes);
    EXPECT_GT(Store{*bytes}.leased(), 0);
  }
}

TEST(Sharing, a_probe_that_nobody_waits_for_is_returned) {
  Store store;
  Process first(1);
  Process second(2);
  first.wait_for(1);
  first.swap(store, 0s);
  first.wait_for(0);
  first.swap(store, 0s);
  EXPECT_TRUE(store.state().specials.empty());
  second.wait_for(1);
  second.swap(store, 0s);
  EXPECT_NE(second.send(0s), 0U);
}

TEST(Sharing, a_probe_is_not_sent_for_another_route) {
  constexpr noun::quota::RouteKey files = 1;
  constexpr noun::quota::RouteKey search = 2;
  SharedState known;
  for (const noun::quota::RouteKey route : {noun::quota::RouteKey{3}, noun::quota::RouteKey{4}}) {
    noun::quota::PartitionSending sending;
    std::size_t index = 0;
    auto response = reported(0, 1s);
    response.partition = "core";
    known.quota.routes.on_sent(route);
    known.quota.partitions.front().acquire(bench_begin - 1s, {}, {.route = route}, sending);
    sending.first.route = route;
    known.quota.record(index, sending, bench_now(-1s), response);
  }
  std::string stored = known.write(bench_now(0s), {});
  const auto gate = std::make_shared<noun::quota::Gate>();
  gate->share({.id = 1, .lease = lease});
  ASSERT_TRUE(gate->observe(stored, bench_now(1s), {}));
  const auto swap = [&] {
    std::int64_t expired = 0;
    stored = gate->propose(stored, bench_now(1s), {}, expired).value();
    gate->committed(bench_now(1s));
  };
  auto cancelled = gate->acquire(bench_now(1s), {}, {.route = files});
  ASSERT_TRUE(std::holds_alternative<noun::quota::Hold>(cancelled));
  swap();
  ASSERT_EQ(Store{stored}.state().specials.size(), 1U);
  cancelled = noun::quota::Hold{};

  const noun::quota::Ask ask{.priority = noun::Priority::interactive, .route = search};
  auto second = gate->acquire(bench_now(1s), {}, ask);
  ASSERT_TRUE(std::holds_alternative<noun::quota::Hold>(second));
  EXPECT_LE(gate->due(bench_now(1s)).swap_at, bench_begin + 1s);
  swap();
  second = gate->acquire(bench_now(1s), {}, ask, std::move(std::get<noun::quota::Hold>(second).place));
  ASSERT_TRUE(std::holds_alternative<noun::quota::Permit>(second));
  auto response = reported(40, 60s);
  response.partition = "search";
  gate->record(std::move(std::get<noun::quota::Permit>(second)), bench_now(1s), response);
  EXPECT_EQ(gate->reading(bench_now(1s), search).partition, "search");
  EXPECT_EQ(gate->reading(bench_now(1s), files).partition, "core");
  swap();
  EXPECT_TRUE(Store{stored}.state().specials.empty());
}

TEST(Sharing, a_permit_that_waits_for_a_probe_does_not_prevent_it) {
  Store store = known(40);
  Process process(1);
  process.wait_for(1);
  process.swap(store, 1s);
  ASSERT_EQ(store.leased(), 1);
  process.swap(store, 59s);
  EXPECT_EQ(process.send(61s), 0U) << "the window is over";
  ASSERT_LE(process.sharing.due(process.copy, process.waiting, bench_begin + 61s).swap_at, bench_begin + 61s);
  process.swap(store, 61s);
  EXPECT_EQ(store.state().specials.size(), 1U);
  EXPECT_NE(process.send(61s), 0U);
}

TEST(Sharing, what_was_sent_is_repeated_on_another_state) {
  Store store = known(40);
  Process process(1);
  process.wait_for(2);
  process.swap(store, 1s);
  const auto flight = process.send(1s);
  process.record(flight, 2s, reported(30, 58s));
  Store another = known(40);
  process.swap(another, 3s);
  EXPECT_EQ(another.leased(), another.held());
  const auto remaining = another.state().quota.partitions.front().snapshots(bench_begin + 3s).front().remaining;
  EXPECT_EQ(remaining, 30 - another.leased());
}

TEST(Sharing, a_request_that_was_not_sent_returns_its_permit) {
  Store store = known(40);
  Process process(1);
  process.wait_for(1);
  process.swap(store, 1s);
  process.wait_for(0);
  process.sharing.release(process.copy, process.send(1s));
  EXPECT_NE(process.send(1s), 0U);
}

TEST(Sharing, a_request_that_is_released_during_a_swap_takes_no_other_step_with_it) {
  Store store = known(40);
  Process process(1);
  process.wait_for(2);
  process.swap(store, 1s);
  process.wait_for(0);
  const auto released = process.send(1s);
  const auto finished = process.send(1s);
  store.bytes = process.propose(store.bytes, 1s);
  process.sharing.release(process.copy, released);
  process.record(finished, 1s, reported(20, 59s));
  process.sharing.committed(process.copy, bench_begin + 1s);
  EXPECT_EQ(process.sharing.tokens(0), store.leased() - 1);
  process.swap(store, 2s);
  EXPECT_EQ(store.state().quota.partitions.front().available(bench_begin + 2s, {}, {}, 100), 20);
}

TEST(Sharing, the_only_request_may_be_released_during_a_swap) {
  for (const bool fails : {false, true}) {
    Store store = known(40);
    Process process(1);
    process.wait_for(1);
    process.swap(store, 1s);
    process.wait_for(0);
    const auto released = process.send(1s);
    const auto proposed = process.propose(store.bytes, 1s);
    if (fails) process.sharing.unavailable(bench_begin + 1s);
    process.sharing.release(process.copy, released);
    if (!fails) process.sharing.committed(process.copy, bench_begin + 1s);
    // A swap that seemed to fail was carried out.
    store.bytes = proposed;
    process.swap(store, 2s);
    EXPECT_EQ(store.leased(), 0) << fails;
    EXPECT_EQ(store.state().quota.partitions.front().available(bench_begin + 2s, {}, {}, 100), 40);
  }
}

TEST(Sharing, permits_whose_lease_has_expired_are_not_spent) {
  Store store = known(40);
  Process process(1);
  process.wait_for(4);
  process.swap(store, 1s);
  process.wait_for(1);
  EXPECT_EQ(process.send(1s + 2 * lease), 0U);
  const auto now = bench_begin + 1s + 2 * lease;
  EXPECT_LE(process.sharing.due(process.copy, process.waiting, now).swap_at, now);
  process.swap(store, 1s + 2 * lease);
  EXPECT_NE(process.send(1s + 2 * lease), 0U) << "nobody has taken them";
}

TEST(Sharing, a_probe_without_a_lease_is_not_in_flight_for_ever) {
  Store store;
  Process process(1);
  process.wait_for(1);
  process.swap(store, 0s);
  const auto probe = process.send(0s);
  ASSERT_NE(probe, 0U);
  process.wait_for(0);
  store.bytes.clear();  // the store has lost everything
  process.swap(store, 1s);
  process.swap(store, 2s);
  process.record(probe, 3s, reported(40, 60s));
  process.swap(store, 3s);
  const auto available = store.state().quota.partitions.front().available(bench_begin + 3s, {}, {}, 100);
  EXPECT_EQ(available + store.leased(), 40);
}

TEST(Sharing, a_probe_is_not_sent_while_it_is_returned) {
  Store store;
  Process process(1);
  process.wait_for(1);
  process.swap(store, 0s);
  process.wait_for(0);
  const auto proposed = process.propose(store.bytes, 0s);
  EXPECT_EQ(process.send(0s), 0U);
  EXPECT_FALSE(process.sharing.decide(process.copy, 0, bench_begin, {}, {}).admitted);
}

TEST(Sharing, a_process_that_ends_during_its_probe_is_forgotten_after_its_lease) {
  Store store;
  Process process(1);
  process.wait_for(1);
  process.swap(store, 0s);
  ASSERT_NE(process.send(0s), 0U);
  process.wait_for(0);
  process.swap(store, 1s);
  EXPECT_LE(process.sharing.due(process.copy, process.waiting, bench_begin + lease).swap_at, bench_begin + lease)
      << "as long as it lives, it keeps it";
  SharedState state = store.state();
  state.expire(bench_now(2s + lease));
  EXPECT_TRUE(state.specials.empty());
  EXPECT_TRUE(state.holders.empty());
}

TEST(Sharing, a_rejection_stays_urgent_after_a_failed_swap) {
  Store store = known(40);
  Process process(1);
  process.wait_for(4);
  process.swap(store, 1s);
  process.wait_for(0);
  process.record(process.send(1s), 1s, rejected_for(30s));
  process.propose(store.bytes, 1s);
  process.sharing.unavailable(bench_begin + 1s);
  ASSERT_TRUE(process.sharing.observe(store.bytes, process.copy, bench_begin + 1s + 50ms, {}));
  EXPECT_LE(process.sharing.due(process.copy, process.waiting, bench_begin + 1s + 50ms).swap_at,
            bench_begin + 1s + 50ms);
}

TEST(Sharing, a_store_that_can_only_be_read_is_unavailable) {
  Store store = known(40);
  Process process(1);
  process.wait_for(1);
  process.swap(store, 1s);
  for (int failures = 1; failures <= 3; ++failures) {
    ASSERT_TRUE(process.sharing.observe(store.bytes, process.copy, bench_begin + 2s, {}));
    process.propose(store.bytes, 2s);
    process.sharing.unavailable(bench_begin + 2s);
    EXPECT_EQ(process.sharing.is_alone(), failures == 3);
  }
  EXPECT_NE(process.send(2s), 0U);
  EXPECT_NE(process.send(2s), 0U) << "of its share";
  ASSERT_TRUE(process.sharing.observe(store.bytes, process.copy, bench_begin + 3s, {}));
  EXPECT_TRUE(process.sharing.is_alone());
  EXPECT_NE(process.send(3s), 0U);
  store.bytes = process.propose(store.bytes, 4s);
  process.sharing.committed(process.copy, bench_begin + 4s);
  EXPECT_FALSE(process.sharing.is_alone());
}

TEST(Sharing, unused_permits_are_returned_by_an_idle_process) {
  Store store = known(40);
  Process process(1);
  process.wait_for(4);
  process.swap(store, 1s);
  process.wait_for(0);
  const auto due = process.sharing.due(process.copy, process.waiting, bench_begin + 1s);
  EXPECT_LE(due.swap_at, bench_begin + 2s);
  process.swap(store, 2s);
  EXPECT_EQ(store.leased(), 0);
}

TEST(Sharing, who_leaves_while_a_swap_is_under_way_leaves_with_the_next) {
  Store store = known(40);
  Process process(1);
  process.wait_for(2);
  ASSERT_TRUE(process.sharing.observe(store.bytes, process.copy, bench_begin + 1s, {}));
  const auto proposed = process.propose(store.bytes, 1s);
  process.sharing.leave();
  store.bytes = proposed;
  process.sharing.committed(process.copy, bench_begin + 1s);
  EXPECT_FALSE(process.sharing.left());
  process.wait_for(0);
  process.swap(store, 1s);
  EXPECT_TRUE(process.sharing.left());
  EXPECT_EQ(store.leased(), 0);
  EXPECT_TRUE(store.state().holders.empty());
}

TEST(Sharing, who_leaves_with_a_request_in_flight_counts_it_as_spent) {
  Store store = known(40);
  Process process(1);
  process.wait_for(1);
  process.swap(store, 1s);
  process.send(1s);
  process.wait_for(0);
  process.sharing.leave();
  process.swap(store, 1s);
  EXPECT_EQ(store.leased(), 0);
  EXPECT_EQ(store.state().quota.partitions.front().available(bench_begin + 1s, {}, {}, 100), 39);
}

TEST(Sharing, alone_a_process_takes_its_share_once) {
  Store store = known(40);
  Process process(1);
  Process other(2);
  other.wait_for(1);
  other.swap(store, 1s);
  process.wait_for(1);
  process.swap(store, 1s);
  for (int failures = 1; failures <= 3; ++failures) {
    process.sharing.unavailable(bench_begin + 1s);
    EXPECT_EQ(process.sharing.is_alone(), failures == 3);
  }
  std::int64_t sent = 0;
  while (process.send(1s) != 0) ++sent;
  EXPECT_EQ(sent, 1 + 38 / 2) << "its permit, and the half of what nobody holds";
}

TEST(Sharing, alone_a_process_whose_share_is_nothing_sends_one_request_in_ten_seconds) {
  Store store = known(2);
  Process process(1);
  std::array<Process, 3> others{Process(2), Process(3), Process(4)};
  for (Process& one : others) one.wait_for(1);
  for (Process& one : others) one.swap(store, 1s);
  process.wait_for(1);
  process.swap(store, 1s);
  for (int failures = 0; failures < 3; ++failures) process.sharing.unavailable(bench_begin + 1s);
  process.copy.partitions.front().end_lease(2);
  EXPECT_EQ(process.send(1s), 0U);
  EXPECT_EQ(process.send(10s), 0U);
  EXPECT_NE(process.send(12s), 0U) << "or it would never know more";
  EXPECT_EQ(process.send(12s), 0U);
}

TEST_F(Measurement, is_not_sent_by_a_process_alone) {
  first.swap(store, 1s);
  const Duration at = due(first, 1s);
  for (noun::quota::HolderId id = 2; id <= 8; ++id) {
    Process other(id);
    other.wait_for(10, Instant::max());
    other.swap(store, 1s);
  }
  ASSERT_TRUE(first.sharing.observe(store.bytes, first.copy, bench_begin + 1s, {}));
  for (int failures = 0; failures < 3; ++failures) first.sharing.unavailable(bench_begin + 1s);
  ASSERT_TRUE(first.sharing.is_alone());
  const noun::quota::Ask options{.patient_until = Instant::max(), .demand = 10};
  const auto acquired = first.sharing.acquire(first.copy, 0, bench_begin + at, {}, options);
  EXPECT_EQ(acquired.verdict.reason, noun::WaitReason::share) << "its share of five is less than one";
}

TEST(Sharing, a_call_that_waits_for_a_share_learns_that_nothing_is_left) {
  const auto gate = std::make_shared<noun::quota::Gate>();
  gate->share({.id = 1, .lease = lease});
  auto hold = std::get<noun::quota::Hold>(gate->acquire(bench_now(1s), {}));
  EXPECT_EQ(hold.earliest.reason, noun::WaitReason::share);
  gate->take_woken();
  ASSERT_TRUE(gate->observe(known(0).bytes, bench_now(1s), {}));
  EXPECT_EQ(gate->take_woken().size(), 1U);
  hold = std::get<noun::quota::Hold>(gate->acquire(bench_now(1s), {}, {}, std::move(hold.place)));
  EXPECT_EQ(hold.earliest.reason, noun::WaitReason::quota);
  gate->take_woken();
  ASSERT_TRUE(gate->observe(known(0).bytes, bench_now(1s), {}));
  EXPECT_TRUE(gate->take_woken().empty());
}

TEST(Sharing, calls_that_cannot_wait_learn_it_behind_one_that_can) {
  const auto gate = std::make_shared<noun::quota::Gate>();
  gate->share({.id = 1, .lease = lease});
  const noun::quota::Ask patient{.patient_until = Instant::max()};
  const auto waits = gate->acquire(bench_now(1s), {}, patient);
  const auto waits_too = gate->acquire(bench_now(1s), {}, patient);
  const auto fails = gate->acquire(bench_now(1s), {.when_exhausted = noun::WhenExhausted::fail}, patient);
  const auto ends_soon = gate->acquire(bench_now(1s), {}, {.patient_until = bench_begin + 5s});
  gate->take_woken();
  ASSERT_TRUE(gate->observe(known(0).bytes, bench_now(1s), {}));
  EXPECT_EQ(gate->take_woken().size(), 3U) << "the first one, and those that cannot wait";
}

TEST(Sharing, what_others_hold_is_no_concurrency_limit) {
  Store store = known(4);
  Process first(1);
  Process second(2);
  first.wait_for(4);
  for (int i = 0; i < 4; ++i) first.swap(store, 1s);
  ASSERT_EQ(store.leased(), 4);
  ASSERT_TRUE(second.sharing.observe(store.bytes, second.copy, bench_begin + 1s, {}));
  const auto reason = [](Process& process) {
    return process.sharing.acquire(process.copy, 0, bench_begin + 1s, {}, {}).verdict.reason;
  };
  EXPECT_EQ(reason(second), noun::WaitReason::share);
  for (int i = 0; i < 4; ++i) ASSERT_NE(first.send(1s), 0U);
  EXPECT_EQ(reason(first), noun::WaitReason::concurrency) << "it waits for its own requests";
}

TEST(Sharing, alone_a_process_tries_no_guess) {
  Store store = known(40);
  Process process(1);
  process.swap(store, 1s);
  QuotaBench other;
  spend_with_denied(other, 0);
  process.copy.partitions.front() = other.partition;
  const auto now = bench_begin + 10100ms;
  ASSERT_TRUE(process.copy.partitions.front().decide(now, other.policy, {}).admitted);
  for (int failures = 0; failures < 3; ++failures) process.sharing.unavailable(bench_begin + 1s);
  EXPECT_FALSE(process.sharing.decide(process.copy, 0, now, other.policy, {}).admitted);
  EXPECT_FALSE(process.sharing.acquire(process.copy, 0, now, other.policy, {}).verdict.admitted);
}

TEST(Sharing, alone_a_process_with_permits_left_probes_after_the_reset) {
  Store store = known(40);
  Process process(1);
  process.wait_for(4);
  process.swap(store, 1s);
  for (int failures = 0; failures < 3; ++failures) process.sharing.unavailable(bench_begin + 1s);
  EXPECT_NE(process.send(62s), 0U);
  EXPECT_EQ(process.send(62s), 0U) << "one probe at a time";
}

TEST(Sharing, alone_a_process_may_fail) {
  Store store = known(40);
  Process process(1, {.fails_alone = true});
  process.wait_for(1);
  process.swap(store, 1s);
  for (int failures = 0; failures < 3; ++failures) process.sharing.unavailable(bench_begin + 1s);
  EXPECT_NE(process.send(1s), 0U) << "a permit that it holds";
  const auto acquired = process.sharing.acquire(process.copy, 0, bench_begin + 1s, {}, {});
  EXPECT_TRUE(acquired.unavailable);
  EXPECT_FALSE(process.sharing.decide(process.copy, 0, bench_begin + 1s, {}, {}).admitted);
}

TEST(Sharing, the_more_collisions_the_longer_is_the_wait) {
  SharedState many;
  for (noun::quota::HolderId id = 1; id <= 100; ++id) many.join(id).until = bench_begin + lease;
  const auto bytes = many.write(bench_now(0s), {});
  Process process(12345);
  ASSERT_TRUE(process.sharing.observe(bytes, process.copy, bench_begin, {}));
  process.sharing.leave();
  Duration longest = 0s;
  for (int collisions = 0; collisions < 20; ++collisions) {
    process.sharing.refused(bench_begin, true, 10ms);
    const auto at = process.sharing.due(process.copy, process.waiting, bench_begin).swap_at;
    longest = std::max<Duration>(longest, at - bench_begin);
  }
  EXPECT_GT(longest, 0s);
  EXPECT_LE(longest, 200 * 10ms);
  Process lucky(12345);
  ASSERT_TRUE(lucky.sharing.observe(bytes, lucky.copy, bench_begin, {}));
  lucky.sharing.leave();
  for (int collisions = 0; collisions < 20; ++collisions) lucky.sharing.refused(bench_begin, false, 10ms);
  EXPECT_EQ(lucky.sharing.due(lucky.copy, lucky.waiting, bench_begin).swap_at, bench_begin);
  Process far(12345);
  ASSERT_TRUE(far.sharing.observe(bytes, far.copy, bench_begin, {}));
  far.sharing.unavailable(bench_begin);
  far.sharing.responded(200ms);
  far.sharing.leave();
  for (int collisions = 0; collisions < 20; ++collisions) far.sharing.refused(bench_begin, true, 200ms);
  EXPECT_EQ(far.sharing.due(far.copy, far.waiting, bench_begin).swap_at, bench_begin) << "a slow store is not crowded";
}

TEST(Sharing, permits_are_refreshed_before_they_expire_whatever_is_read) {
  Store store = known(40);
  Process process(1);
  process.wait_for(4);
  process.swap(store, 0s);
  process.wait_for(1);
  process.waiting[0].offered = 1;
  for (Duration at = 1s; at < lease; at += 1s) {
    const auto due = process.sharing.due(process.copy, process.waiting, bench_begin + at);
    if (due.swap_at <= bench_begin + at) return;
    ASSERT_TRUE(process.sharing.observe(store.bytes, process.copy, bench_begin + at, {}));
    EXPECT_LT(at, lease / 2) << "it should have swapped";
  }
}

/// Three processes take turns in a given order: each waits, spends and records, and swaps after each.
void play(const std::vector<int>& order) {
  Store store = known(9);
  std::array<Process, 3> processes{Process(1), Process(2), Process(3)};
  std::array<int, 3> step{};
  std::array<std::vector<std::uint64_t>, 3> flights;
  std::int64_t spent = 0;
  Duration now = 1s;
  for (const int who : order) {
    const auto index = static_cast<std::size_t>(who);
    Process& one = processes[index];
    now += 1ms;
    switch (step[index]++) {
      case 0:
        one.wait_for(3);
        one.swap(store, now);
        break;
      case 1:
        one.wait_for(0);
        while (const auto flight = one.send(now)) flights[index].push_back(flight);
        spent += static_cast<std::int64_t>(flights[index].size());
        one.swap(store, now);
        break;
      case 2:
        for (const auto flight : flights[index]) one.record(flight, now, reported(9 - spent, 60s - now));
        one.swap(store, now);
    }
    ASSERT_EQ(store.leased(), store.held());
    ASSERT_LE(spent, 9);
    ASSERT_GE(store.leased(), 0);
  }
  for (Process& one : processes) {
    one.sharing.leave();
    one.swap(store, now);
    EXPECT_TRUE(one.sharing.left());
  }
  EXPECT_EQ(store.leased(), 0);
  EXPECT_TRUE(store.state().holders.empty());
}

TEST(Sharing, every_order_of_three_processes_keeps_the_invariants) {
  std::vector<int> order{0, 0, 0, 1, 1, 1, 2, 2, 2};
  do {
    play(order);
    if (::testing::Test::HasFailure()) return;
  } while (std::next_permutation(order.begin(), order.end()));
}

/// A store with versions.
struct VersionedStore {
  std::uint64_t last_version = 0;
  noun::QuotaStore::Stored stored = {};

  void lose() { stored = {}; }
  noun::QuotaStore::Swapped swap(std::uint64_t version, const std::string& bytes) {
    if (version != stored.version) return {false, stored};
    stored.version = ++last_version;
    stored.bytes = bytes;
    return {true, {stored.version, {}, stored.time}};
  }
};

/// A server with a fixed window of 20 requests per second.
class FixedWindow {
 public:
  int rejected = 0;

  Report respond(Duration now) {
    const auto window = now / 1s;
    if (std::exchange(window_, window) != window) used_ = 0;
    const Duration left = (window + 1) * 1s - now;
    const bool admitted = used_ < 20;
    used_ += admitted ? 1 : 0;
    Report report = reported(20 - used_, left);
    report.limit = 20;
    if (admitted) return report;
    ++rejected;
    return rejected_for(left, report);
  }

 private:
  std::int64_t window_ = -1;
  int used_ = 0;
};

/// A process with 25 requests, four at a time. An operation of the store takes a millisecond, and a request five.
class Member {
 public:
  Member(noun::quota::HolderId id, VersionedStore& store) : store_(&store) {
    gate_->share({.id = id, .lease = 1s, .slow_after = 50ms});
  }

  bool has_sent() const noexcept { return left_ < 25; }
  bool is_done() const noexcept { return left_ == 0 && flights_.empty(); }
  void step(Duration now, bool store_is_up, FixedWindow& server) {
    for (std::size_t index = 0; index < flights_.size();) {
      Flight& one = flights_[index];
      if (now == one.sent + 2ms) one.report = server.respond(now);
      if (now < one.sent + 5ms) {
        ++index;
        continue;
      }
      if (gate_->record(std::move(one.permit), bench_now(now), one.report).rejected) ++left_;
      flights_.erase(flights_.begin() + static_cast<std::ptrdiff_t>(index));
    }
    exchange(now, store_is_up);
    while (left_ > 0 && flights_.size() < 4) {
      auto result = gate_->acquire(bench_now(now), {}, {.patient_until = Instant::max(), .demand = left_},
                                   std::exchange(place_, {}));
      if (auto* const hold = std::get_if<noun::quota::Hold>(&result)) {
        place_ = std::move(hold->place);
        break;
      }
      flights_.push_back({std::get<noun::quota::Permit>(std::move(result)), now, {}});
      --left_;
    }
  }

 private:
  struct Flight {
    noun::quota::Permit permit;
    Duration sent;
    Report report;
  };

  void exchange(Duration now, bool store_is_up) {
    using namespace noun::quota;
    const auto sent = bench_begin + now - 1ms;
    if (!std::holds_alternative<WaitForChange>(step_)) {
      if (!store_is_up) {
        synchronizer_.on_failed(bench_now(now));
      } else if (const auto* const swap = std::get_if<SwapStore>(&step_)) {
        auto swapped = store_->swap(swap->version, swap->bytes);
        synchronizer_.on_swapped(std::move(swapped), sent, bench_now(now));
      } else if (std::holds_alternative<ReadStore>(step_)) {
        synchronizer_.on_read(store_->stored, sent, bench_now(now));
      }
    } else if (const auto& wait = std::get<WaitForChange>(step_);
               wait.watches && (!store_is_up || store_->stored.version != wait.version)) {
      synchronizer_.on_changed();
    }
    step_ = synchronizer_.next(bench_now(now));
  }

  std::shared_ptr<noun::quota::Gate> gate_ = std::make_shared<noun::quota::Gate>();
  noun::quota::Synchronizer synchronizer_{gate_};
  VersionedStore* store_;
  noun::quota::StoreStep step_ = noun::quota::WaitForChange{};
  noun::quota::Place place_;
  std::int64_t left_ = 25;
  std::vector<Flight> flights_;
};

/// Two processes, of which the second starts `later`; the store loses everything `lost_after` the first request, and can
/// be reached again after `down`.
/// @returns  how many requests were rejected.
int lose_everything(std::array<noun::quota::HolderId, 2> ids, Duration start, Duration later, Duration lost_after,
                    Duration down) {
  VersionedStore store;
  FixedWindow server;
  Member one(ids[0], store);
  Member other(ids[1], store);
  std::optional<Duration> lost;
  Duration now = start;
  for (; now < start + 10s && !(one.is_done() && other.is_done()); now += 1ms) {
    if (!lost && one.has_sent()) lost = now + lost_after;
    if (now == lost) store.lose();
    store.stored.time = 500s + now;
    const bool is_up = !lost || now < *lost || now >= *lost + down;
    one.step(now, is_up, server);
    if (now >= start + later) other.step(now, is_up, server);
  }
  EXPECT_LT(now, start + 10s);
  return server.rejected;
}

TEST(Sharing, a_store_that_lost_everything_costs_each_process_at_most_one_rejection) {
  for (const auto ids : {std::array<noun::quota::HolderId, 2>{1, 2}, {2, 1}})
    for (const Duration start : {0ms, 970ms})
      for (const Duration later : {7ms, 15ms})
        for (const Duration lost_after : {9ms, 15ms})
          for (const Duration down : {0ms, 100ms, 1100ms})
            EXPECT_LE(lose_everything(ids, start, later, lost_after, down), 2)
                << ids[0] << " starts at " << start / 1ms << " ms, the other " << later / 1ms
                << " ms later; lost after " << lost_after / 1ms << " ms, for " << down / 1ms << " ms";
}

}  // namespace sharing_test
}  // namespace quota_tests
