// The gate: released permits, woken holds, many threads on one quota, and the ledger that creates gates.
#include "quota/gate.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <new>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "quota/quota_bench.hpp"
#include "resource/failing_allocations.hpp"

namespace quota_tests { namespace gate_test {

using noun::Priority;
using noun::quota::Gate;
using noun::quota::Hold;
using noun::quota::Permit;
using noun::quota::Place;
using noun::quota::route_below;
using noun::quota::RouteKey;

static_assert(!std::is_copy_constructible_v<Permit> && std::is_nothrow_move_constructible_v<Permit>);

std::shared_ptr<Gate> make_gate() { return std::make_shared<Gate>(); }

Permit take(Gate& gate, Duration at = 0s) {
  auto decision = gate.acquire(bench_now(at), {});
  EXPECT_TRUE(std::holds_alternative<Permit>(decision));
  return std::get<Permit>(std::move(decision));
}

Hold held(Gate& gate, Duration at = 0s) {
  auto decision = gate.acquire(bench_now(at), {});
  EXPECT_TRUE(std::holds_alternative<Hold>(decision));
  return std::get<Hold>(std::move(decision));
}

std::string spend_one(Gate& gate, const Report& report) { return gate.record(take(gate), bench_now(0s), report).note; }

std::size_t in_flight(const Gate& gate) { return gate.snapshot(bench_now(0s)).in_flight; }

TEST(Permit, dropped_is_released_and_wakes_held_calls) {
  const auto gate = make_gate();
  auto permit = std::make_unique<Permit>(take(*gate));
  const auto hold = held(*gate);
  EXPECT_FALSE(hold.place.ticket().overtaken());
  permit.reset();
  EXPECT_TRUE(hold.place.ticket().overtaken());
  EXPECT_EQ(in_flight(*gate), 0U);
  EXPECT_EQ(gate->snapshot(bench_now(0s)).sent, 0U);
}

TEST(Permit, moved_is_released_once) {
  const auto gate = make_gate();
  {
    Permit permit = take(*gate);
    Permit other = std::move(permit);
    EXPECT_FALSE(permit);
    EXPECT_TRUE(other);
    EXPECT_EQ(in_flight(*gate), 1U);
  }
  EXPECT_EQ(in_flight(*gate), 0U);
}

TEST(Permit, overwritten_is_released) {
  const auto gate = make_gate();
  spend_one(*gate, bare());
  Permit permit = take(*gate);
  permit = take(*gate);
  EXPECT_EQ(in_flight(*gate), 1U);
  permit = Permit();
  EXPECT_EQ(in_flight(*gate), 0U);
}

TEST(Permit, assigned_is_released_in_full) {
  const auto gate = make_gate();
  Permit first;
  first = take(*gate);
  first = Permit();
  EXPECT_TRUE(take(*gate));  // the released permit is recorded in the gate
}

TEST(Permit, keeps_its_gate_alive) {
  auto gate = make_gate();
  const std::weak_ptr<Gate> watched = gate;
  {
    const Permit permit = take(*gate);
    gate.reset();
    EXPECT_FALSE(watched.expired());
  }
  EXPECT_TRUE(watched.expired());
}

TEST(Gate, a_recorded_permit_is_counted_as_sent) {
  const auto gate = make_gate();
  spend_one(*gate, reported(10, 5s));
  const auto snapshot = gate->snapshot(bench_now(0s));
  EXPECT_EQ(snapshot.sent, 1U);
  EXPECT_EQ(snapshot.remaining, 10);
  EXPECT_EQ(gate->reading(bench_now(0s)).quota.remaining, 10);
}

TEST(Gate, a_request_takes_what_the_server_says_that_it_costs) {
  const auto gate = make_gate();
  auto report = reported(12, 5s);
  report.cost = 5;
  spend_one(*gate, report);
  const Permit first = take(*gate);
  const Permit second = take(*gate);
  EXPECT_TRUE(first && second);
  held(*gate);
  EXPECT_EQ(in_flight(*gate), 2U);
}

TEST(Gate, a_permit_of_another_gate_is_released_in_its_own) {
  const auto gate = make_gate();
  const auto other = make_gate();
  gate->record(take(*other), bench_now(0s), reported(10, 5s));
  EXPECT_EQ(gate->record(Permit(), bench_now(0s), reported(10, 5s)).note, "");
  EXPECT_EQ(in_flight(*other), 0U);
  EXPECT_EQ(gate->snapshot(bench_now(0s)).sent, 0U);
}

TEST(Gate, anomalies_are_reported_in_a_sentence) {
  const auto gate = make_gate();
  auto report = reported(10);
  report.implausible_reset = true;
  EXPECT_NE(spend_one(*gate, report).find("reset is implausible"), std::string::npos);
  EXPECT_EQ(spend_one(*gate, report), "");
  report.implausible_reset = false;
  report.reset = noun::wire::ResetReading{.in = {}, .at = WallTime(server_epoch)};
  EXPECT_NE(spend_one(*gate, report).find("no usable Date"), std::string::npos);
}

TEST(Gate, held_calls_are_not_woken_by_a_response_that_admits_none) {
  const auto gate = make_gate();
  spend_one(*gate, reported(2, 5s));
  Permit first = take(*gate);
  Permit second = take(*gate);
  const auto hold = held(*gate);
  gate->record(std::move(first), bench_now(0s), reported(1, 5s));
  EXPECT_FALSE(hold.place.ticket().overtaken());
  gate->record(std::move(second), bench_now(0s), reported(1, 5s));
  EXPECT_TRUE(hold.place.ticket().overtaken());
}

TEST(Gate, a_place_counts_its_call_as_held_while_it_exists) {
  const auto gate = make_gate();
  const Permit permit = take(*gate);
  const auto held_now = [&] { return gate->snapshot(bench_now(0s)).held; };
  {
    auto first = held(*gate);
    auto second = held(*gate);
    EXPECT_EQ(held_now(), 2U);
    Place kept = std::move(first.place);
    EXPECT_EQ(held_now(), 2U);
    kept = std::move(second.place);
    EXPECT_EQ(held_now(), 1U);
  }
  EXPECT_EQ(held_now(), 0U);
}

TEST(Gate, many_threads_never_overrun_it) {
  const auto gate = make_gate();
  std::atomic<std::int64_t> left{1000};
  spend_one(*gate, reported(1000, 3600s));
  const auto use_what_is_left = [&] {
    while (true) {
      auto decision = gate->acquire(bench_now(0s), {});
      if (auto* hold = std::get_if<Hold>(&decision)) {
        if (hold->earliest.reason == WaitReason::quota) return;
        continue;
      }
      const auto remaining = --left;
      EXPECT_GE(remaining, 0);
      gate->record(std::get<Permit>(std::move(decision)), bench_now(0s), reported(remaining, 3600s));
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(use_what_is_left);
  for (auto& thread : threads) thread.join();
  // A held call stays in the queue until it is destroyed, and may have been offered a last permit.
  use_what_is_left();
  EXPECT_EQ(left, 0);
  EXPECT_EQ(in_flight(*gate), 0U);
}

// Partitions.

constexpr RouteKey core_route = route_below(0, "repos");
constexpr RouteKey search_route = route_below(0, "search");

Report on_partition(std::string name, Report report) {
  report.partition = std::move(name);
  return report;
}

void exchange(Gate& gate, RouteKey route, const Report& report) {
  auto acquired = gate.acquire(bench_now(0s), {}, {.route = route});
  ASSERT_TRUE(std::holds_alternative<Permit>(acquired));
  gate.record(std::get<Permit>(std::move(acquired)), bench_now(0s), report);
}

// The queue.

using Decision = std::variant<Permit, Hold>;

Decision acquire(Gate& gate, Duration at = 0s, Priority priority = Priority::normal, Place place = {}) {
  return gate.acquire(bench_now(at), {}, {.priority = priority}, std::move(place));
}
Place place_of(Decision decision) {
  EXPECT_TRUE(std::holds_alternative<Hold>(decision));
  return std::move(std::get<Hold>(decision).place);
}
/// A gate at the concurrency limit.
struct Busy {
  std::shared_ptr<Gate> gate = make_gate();
  std::vector<Permit> permits;
  std::vector<Permit> sent;  // permits of calls that waited

  Busy() {
    spend_one(*gate, bare());
    for (int i = 0; i < 16; ++i) permits.push_back(take(*gate));
  }
  bool goes(Place& place, Duration at = 0s, Priority priority = Priority::normal) {
    auto decision = acquire(*gate, at, priority, std::move(place));
    if (auto* hold = std::get_if<Hold>(&decision)) return place = std::move(hold->place), false;
    sent.push_back(std::get<Permit>(std::move(decision)));
    return true;
  }
  void respond(Duration at = 0s) {
    gate->record(std::move(permits.back()), bench_now(at), bare());
    permits.pop_back();
  }
};

TEST(GateQueue, a_released_permit_wakes_the_call_that_waited_longest) {
  Busy busy;
  auto first = place_of(acquire(*busy.gate));
  auto second = place_of(acquire(*busy.gate));
  busy.respond();
  EXPECT_TRUE(first.ticket().overtaken());
  EXPECT_FALSE(second.ticket().overtaken());
  EXPECT_EQ(busy.gate->take_woken().size(), 1U);
  EXPECT_TRUE(busy.gate->take_woken().empty());
}

TEST(GateQueue, a_later_call_does_not_take_an_offered_permit) {
  Busy busy;
  auto first = place_of(acquire(*busy.gate));
  busy.respond();
  auto late = place_of(acquire(*busy.gate));
  EXPECT_TRUE(busy.goes(first));
  EXPECT_FALSE(busy.goes(late));
}

TEST(GateQueue, calls_are_ordered_by_priority_then_arrival) {
  Busy busy;
  auto bulk = place_of(acquire(*busy.gate, 0s, Priority::bulk));
  auto normal = place_of(acquire(*busy.gate));
  auto other = place_of(acquire(*busy.gate));
  auto interactive = place_of(acquire(*busy.gate, 0s, Priority::interactive));
  std::vector<Place*> order{&interactive, &normal, &other, &bulk};
  for (std::size_t i = 0; i < order.size(); ++i) {
    busy.respond();
    for (std::size_t k = 0; k < order.size(); ++k)
      if (k >= i) EXPECT_EQ(order[k]->ticket().overtaken(), k == i) << i << ' ' << k;
    EXPECT_TRUE(busy.goes(*order[i]));
  }
}

TEST(GateQueue, the_earliest_time_of_a_woken_call_is_now) {
  Busy busy;
  auto first = place_of(acquire(*busy.gate));
  auto second = place_of(acquire(*busy.gate));
  busy.respond();
  busy.respond();
  EXPECT_EQ(busy.gate->earliest(bench_now(0s), {}, {}, second).at, bench_begin) << "though another was woken before it";
  EXPECT_TRUE(busy.goes(second));
}

TEST(GateQueue, a_call_that_acquires_again_keeps_its_turn) {
  Busy busy;
  auto first = place_of(acquire(*busy.gate));
  auto second = place_of(acquire(*busy.gate));
  EXPECT_FALSE(busy.goes(first, 1s));
  busy.respond(1s);
  EXPECT_TRUE(first.ticket().overtaken());
  EXPECT_FALSE(second.ticket().overtaken());
}

TEST(GateQueue, a_call_that_gives_up_admits_the_next) {
  Busy busy;
  auto first = place_of(acquire(*busy.gate));
  auto second = place_of(acquire(*busy.gate));
  busy.respond();
  first = {};
  EXPECT_TRUE(second.ticket().overtaken());
  EXPECT_TRUE(busy.goes(second));
}

TEST(GateQueue, a_woken_call_that_does_not_acquire_is_skipped_soon) {
  Busy busy;
  auto lost = place_of(acquire(*busy.gate));
  auto next = place_of(acquire(*busy.gate));
  busy.respond();
  busy.respond(1s);
  busy.respond(1s);
  EXPECT_TRUE(busy.goes(next, 1s));
  const auto third = acquire(*busy.gate, 1s);
  const auto fourth = acquire(*busy.gate, 1s);
  EXPECT_TRUE(std::holds_alternative<Permit>(third));
  EXPECT_TRUE(std::holds_alternative<Permit>(fourth)) << "no permit is kept for the skipped call";
  EXPECT_FALSE(std::holds_alternative<Permit>(acquire(*busy.gate, 1s))) << "but no more than there are";
}

TEST(GateQueue, a_call_that_never_acquires_again_delays_others_only_briefly) {
  const auto gate = make_gate();
  spend_one(*gate, reported(0, 5s));
  const auto absent = place_of(acquire(*gate));
  auto next = place_of(acquire(*gate));
  auto acquired = acquire(*gate, 6s, Priority::normal, std::move(next));
  EXPECT_TRUE(std::holds_alternative<Permit>(acquired)) << "the first should have acquired at 5 s";
}

TEST(GateQueue, an_interactive_call_does_not_wait_for_permits_offered_to_others) {
  const auto gate = make_gate();
  spend_one(*gate, reported(1, 60s));
  auto permit = take(*gate);
  const auto normal = place_of(acquire(*gate));
  permit = {};
  EXPECT_TRUE(normal.ticket().overtaken());
  EXPECT_TRUE(std::holds_alternative<Permit>(acquire(*gate, 0s, Priority::interactive)));
}

TEST(GateQueue, cheap_calls_do_not_take_the_permits_of_a_waiting_expensive_one) {
  const auto gate = make_gate();
  const auto exchange_of = [&](RouteKey route, std::int64_t left) {
    auto decision = gate->acquire(bench_now(0s), {}, {.route = route});
    ASSERT_TRUE(std::holds_alternative<Permit>(decision));
    gate->record(std::get<Permit>(std::move(decision)), bench_now(0s), reported(left, 60s));
  };
  for (const std::int64_t left : {80, 70, 60, 7}) exchange_of(5, left);
  auto expensive = gate->acquire(bench_now(0s), {}, {.route = 5});
  ASSERT_TRUE(std::holds_alternative<Hold>(expensive)) << "ten each, and seven are left";
  EXPECT_FALSE(std::holds_alternative<Permit>(gate->acquire(bench_now(0s), {}, {.route = 6})));
}

TEST(GateQueue, a_call_follows_its_route_to_the_partition_where_it_is_counted) {
  const auto gate = make_gate();
  exchange(*gate, core_route, on_partition("core", reported(2, 1h)));
  auto search = std::get<Permit>(gate->acquire(bench_now(0s), {}, {.route = search_route}));
  exchange(*gate, core_route, on_partition("core", reported(0, 1h)));
  auto waits = gate->acquire(bench_now(0s), {}, {.route = search_route});
  auto place = std::move(std::get<Hold>(waits).place);
  gate->record(std::move(search), bench_now(0s), on_partition("search", reported(29, 1min)));
  EXPECT_TRUE(place.ticket().overtaken());
  EXPECT_TRUE(
      std::holds_alternative<Permit>(gate->acquire(bench_now(0s), {}, {.route = search_route}, std::move(place))));
}

TEST(GateQueue, a_rejection_that_concerns_all_partitions_wakes_the_calls_of_each) {
  const auto gate = make_gate();
  exchange(*gate, core_route, on_partition("core", reported(10, 1h)));
  exchange(*gate, search_route, on_partition("search", reported(0, 60s)));
  auto waits = gate->acquire(bench_now(0s), {}, {.route = search_route});
  EXPECT_EQ(std::get<Hold>(waits).acquire_at, bench_begin + 60s);
  auto everywhere = rejected_for(5s);
  everywhere.everywhere = true;
  exchange(*gate, core_route, everywhere);
  EXPECT_TRUE(std::get<Hold>(waits).place.ticket().overtaken()) << "a probe may be sent in 5 s";
}

TEST(GateQueue, a_rejection_that_concerns_all_partitions_shortens_no_hold) {
  const auto gate = make_gate();
  exchange(*gate, core_route, on_partition("core", reported(10, 1h)));
  exchange(*gate, search_route, on_partition("search", rejected_for(60s)));
  auto everywhere = rejected_for(5s);
  everywhere.everywhere = true;
  exchange(*gate, core_route, everywhere);
  const auto waits = gate->acquire(bench_now(0s), {}, {.route = search_route});
  EXPECT_EQ(std::get<Hold>(waits).earliest.at, bench_begin + 60s);
}

TEST(GateQueue, each_call_acquires_a_second_after_the_one_ahead) {
  Busy busy;
  const auto first = acquire(*busy.gate);
  const auto second = acquire(*busy.gate);
  EXPECT_EQ(std::get<Hold>(first).acquire_at, bench_begin + 1s);
  EXPECT_EQ(std::get<Hold>(second).acquire_at, bench_begin + 2s);
  EXPECT_EQ(std::get<Hold>(second).earliest.at, bench_begin + 1s);
}

TEST(GateQueue, a_call_that_becomes_the_first_acquires_again_before_the_reset_passes) {
  const auto gate = make_gate();
  spend_one(*gate, reported(1, 1500ms));
  const Permit slow = take(*gate);
  auto first = place_of(acquire(*gate));
  auto decision = acquire(*gate);
  auto& second = std::get<Hold>(decision);
  EXPECT_GT(second.acquire_at, bench_begin + 1500ms);
  first = {};
  ASSERT_TRUE(second.place.ticket().overtaken());
  EXPECT_LE(std::get<Hold>(acquire(*gate, 0s, Priority::normal, std::move(second.place))).acquire_at,
            bench_begin + 1500ms);
}

TEST(GateQueue, as_many_are_woken_as_there_are_permits) {
  const auto gate = make_gate();
  auto probe = take(*gate);
  std::vector<Place> places;
  for (int i = 0; i < 10; ++i) places.push_back(place_of(acquire(*gate)));
  gate->record(std::move(probe), bench_now(0s), reported(4, 60s));
  EXPECT_EQ(gate->take_woken().size(), 4U);
  std::vector<Decision> decisions;
  for (auto& place : places) decisions.push_back(acquire(*gate, 0s, Priority::normal, std::move(place)));
  for (std::size_t i = 0; i < decisions.size(); ++i)
    EXPECT_EQ(std::holds_alternative<Permit>(decisions[i]), i < 4) << i;
}

TEST(GateConnections, bound_the_permits_of_all_partitions) {
  const auto gate = make_gate();
  const auto on_route = [&](RouteKey route, Place place = {}) {
    return gate->acquire(bench_now(0s), {}, {.route = route, .connections = 2}, std::move(place));
  };
  exchange(*gate, core_route, on_partition("core", reported(100, 1h)));
  exchange(*gate, search_route, on_partition("search", reported(100, 1h)));
  auto core = std::get<Permit>(on_route(core_route));
  auto search = std::get<Permit>(on_route(search_route));
  auto hold = std::get<Hold>(on_route(core_route));
  EXPECT_EQ(hold.earliest.reason, noun::WaitReason::concurrency);
  EXPECT_EQ(gate->earliest(bench_now(0s), {}, {.route = search_route, .connections = 2}).at, bench_now(1s).steady);
  EXPECT_TRUE(std::holds_alternative<Permit>(gate->acquire(bench_now(0s), {}, {.route = core_route})));
  EXPECT_FALSE(hold.place.ticket().overtaken());
  gate->record(std::move(search), bench_now(0s), on_partition("search", reported(99, 1h)));
  EXPECT_TRUE(hold.place.ticket().overtaken());
  auto next = std::get<Permit>(on_route(core_route, std::move(hold.place)));
  hold = std::get<Hold>(on_route(search_route));
  next = {};
  EXPECT_TRUE(hold.place.ticket().overtaken());
}

TEST(GateConnections, do_not_hide_an_exhausted_quota) {
  const auto gate = make_gate();
  const noun::quota::Ask options{.connections = 1};
  spend_one(*gate, reported(0, 1h));
  const auto first = std::get<Hold>(gate->acquire(bench_now(0s), {}, options));
  const auto second = std::get<Hold>(gate->acquire(bench_now(0s), {}, options));
  EXPECT_EQ(second.earliest.reason, WaitReason::quota);
  EXPECT_GE(second.earliest.at, bench_begin + 1h);
  EXPECT_EQ(gate->earliest(bench_now(0s), {}, options).reason, WaitReason::quota);
}

TEST(GateConnections, wake_other_partitions_only_while_a_call_lacks_one) {
  const auto gate = make_gate();
  exchange(*gate, core_route, on_partition("core", reported(100, 1h)));
  exchange(*gate, search_route, on_partition("search", reported(0, 5s)));
  const auto core = [&](Place place = {}) {
    return gate->acquire(bench_now(0s), {}, {.route = core_route, .connections = 1}, std::move(place));
  };
  auto permit = std::get<Permit>(core());
  auto hold = std::get<Hold>(core());
  gate->record(std::move(permit), bench_now(0s), on_partition("core", reported(99, 1h)));
  permit = std::get<Permit>(core(std::move(hold.place)));
  const auto search = std::get<Hold>(gate->acquire(bench_now(0s), {}, {.route = search_route}));
  gate->record(std::move(permit), bench_now(5100ms), on_partition("core", reported(98, 1h)));
  EXPECT_FALSE(search.place.ticket().overtaken());
}

TEST(Gate, earliest_takes_no_permit) {
  const auto gate = make_gate();
  EXPECT_EQ(gate->earliest(bench_now(0s), {}).at, bench_begin);
  spend_one(*gate, reported(0, 5s));
  const auto before = gate->save(bench_begin);
  const auto earliest = gate->earliest(bench_now(1s), {});
  EXPECT_EQ(earliest.at, bench_begin + 5s);
  EXPECT_EQ(earliest.reason, WaitReason::quota);
  EXPECT_EQ(gate->save(bench_begin), before);
}

TEST(Gate, a_rejected_call_obeys_the_later_of_its_own_wait_and_the_gates_hold) {
  struct Case {
    std::optional<Duration> retry_after;
    int count;
    Duration reset;  // of a quota with nothing left
    Duration wait;
    WaitReason reason;
  };
  const std::vector<Case> cases = {
      {3s, 1, 1s, 3s, WaitReason::retry_after},        {std::nullopt, 1, 500ms, 1s, WaitReason::rejected},
      {std::nullopt, 4, 1s, 8s, WaitReason::rejected}, {std::nullopt, 1, 30s, 30s, WaitReason::rejected},
      {0s, 1, 500ms, 500ms, WaitReason::retry_after},  {0s, 2, 500ms, 2s, WaitReason::rejected},
  };
  for (const auto& one : cases) {
    const auto gate = make_gate();
    spend_one(*gate, reported(0, one.reset));
    const noun::Rejection rejection{
        .retry_after = one.retry_after, .count = one.count, .again = one.count > 1, .retry = {.jitter = 0}};
    const auto earliest = gate->earliest(bench_now(0s), {}, {}, rejection);
    EXPECT_EQ(earliest.at - bench_begin, one.wait) << one.count;
    EXPECT_EQ(earliest.reason, one.reason);
  }
}

TEST(Gate, requests_in_flight_of_another_process_count_as_spent) {
  const auto gate = make_gate();
  spend_one(*gate, reported(4, 60s));
  std::vector<Permit> permits;
  for (int i = 0; i < 3; ++i) permits.push_back(take(*gate));
  const auto other = make_gate();
  ASSERT_TRUE(other->load(gate->save(bench_begin), bench_begin));
  EXPECT_EQ(in_flight(*other), 0U);
  EXPECT_EQ(other->snapshot(bench_now(0s)).remaining, 1);
  const Permit one = take(*other);
  EXPECT_FALSE(std::holds_alternative<Permit>(acquire(*other)));
}

TEST(Gate, permits_from_before_a_load_are_ignored) {
  const auto gate = make_gate();
  spend_one(*gate, reported(3, 60s));
  const auto bytes = gate->save(bench_begin);
  std::vector<Permit> before;
  for (int i = 0; i < 3; ++i) before.push_back(take(*gate));
  ASSERT_TRUE(gate->load(bytes, bench_begin));
  before.clear();
  std::vector<Permit> after;
  for (int i = 0; i < 3; ++i) after.push_back(take(*gate));
  EXPECT_FALSE(std::holds_alternative<Permit>(acquire(*gate)));
}

TEST(Gate, its_state_is_read_back_and_broken_bytes_are_rejected) {
  const auto gate = make_gate();
  spend_one(*gate, reported(7, 60s));
  const auto bytes = gate->save(bench_begin);
  const auto other = make_gate();
  ASSERT_TRUE(other->load(bytes, bench_begin + 100s)) << "another clock";
  EXPECT_EQ(other->snapshot(bench_now(100s)).remaining, 7);
  EXPECT_EQ(other->snapshot(bench_now(100s)).resets_in, 60s);
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(other->load(bytes.substr(0, size), bench_begin)) << size;
  EXPECT_FALSE(other->load(bytes + "x", bench_begin));
  auto of_another_version = bytes;
  ++of_another_version.front();
  EXPECT_FALSE(other->load(of_another_version, bench_begin));
  EXPECT_EQ(other->snapshot(bench_now(100s)).remaining, 7);
}

TEST(Gate, its_state_is_read_back_whatever_counts_headers_report) {
  noun::Dialect dialect;
  dialect.quotas.push_back({.used_of_limit = "Sforce-Limit-Info"});
  for (const auto& headers :
       {noun::Headers{{"RateLimit", R"("default";r=1000000000001;t=60)"}},
        noun::Headers{{"RateLimit", R"("a";r=5;t=60)"}, {"RateLimit-Policy", R"("a";q=999999999999999)"}},
        noun::Headers{{"RateLimit", "limit=999999999999999, remaining=5, reset=60"}},
        noun::Headers{{"Sforce-Limit-Info", "api-usage=1/9223372036854775807"}}}) {
    const auto gate = make_gate();
    gate->record(take(*gate), bench_now(0s), {noun::wire::read_rate_limit(headers, dialect, bench_now(0s).wall)});
    EXPECT_TRUE(make_gate()->load(gate->save(bench_begin), bench_begin)) << headers.begin()->value;
  }
}

TEST(Gate, dates_that_no_clock_shows_are_harmless) {
  const auto gate = make_gate();
  auto report = reported(10, 5s);
  report.date = server_epoch;
  spend_one(*gate, report);
  const auto since = [&](std::chrono::sys_seconds date) { return gate->since(date, bench_now(10s), 0); };
  EXPECT_EQ(since(server_epoch), 9s);
  for (const int year : {2263, 2603, 9999})
    EXPECT_EQ(since(std::chrono::sys_days(std::chrono::year(year) / 1 / 1)), 0s) << year;
  EXPECT_EQ(since(std::chrono::sys_days(std::chrono::year(1) / 1 / 1)), Duration::max());
}

// Memory runs out.

using resource_test::fail_allocations;
using resource_test::failed_allocations;

/// Calls the function with each of its allocations failing in turn, until none fails.
template <class Function>
void at_every_allocation(const Function& function) {
  bool failed = true;
  for (std::size_t n = 1; failed; ++n) {
    SCOPED_TRACE(n);
    failed = function([&](const auto& action) {
      const auto before = failed_allocations();
      fail_allocations(n);
      try {
        action();
      } catch (const std::bad_alloc&) {
        // What is left is checked.
      }
      fail_allocations(0);
      return failed_allocations() != before;
    });
  }
}

void expect_nothing_in_flight(const Gate& gate, Duration at) {
  for (const auto& partition : gate.snapshot(bench_now(at)).partitions)
    EXPECT_EQ(partition.in_flight, 0U) << partition.partition << '/' << partition.policy;
}

Report with_days(Report report) {
  report.more = {further("day", 500, 1h)};
  return report;
}

/// A gate whose partition has two policies.
std::shared_ptr<Gate> gate_with_days() {
  auto gate = make_gate();
  exchange(*gate, core_route, on_partition("core", with_days(reported(50, 1h))));
  return gate;
}

TEST(GateWithoutMemory, a_permit_whose_response_is_not_recorded_has_ended) {
  auto moved = on_partition("a partition that is not known yet", with_days(reported(40, 1h)));
  moved.more.push_back(further("a policy that is not known yet", 500, 1h));
  auto everywhere = rejected_for(1s, with_days(reported(0, 1h)));
  everywhere.everywhere = true;
  auto by_another = rejected(with_days(reported(0, 1h)));
  by_another.limit = 20;
  auto uncounted = on_partition("core", with_days(reported(50, 1h)));
  uncounted.counted = false;
  for (const auto& report : {moved, everywhere, by_another, uncounted, dropped()})
    for (const bool is_stream : {false, true})
      at_every_allocation([&](const auto& failing) {
        const noun::quota::Ask ask{.route = core_route, .connections = 1};
        const auto gate = gate_with_days();
        auto permit = std::get<Permit>(gate->acquire(bench_now(0s), {}, ask));
        auto response = report;
        const bool failed = failing([&] {
          if (is_stream)
            gate->record_head(permit, bench_now(0s), std::move(response));
          else
            gate->record(std::move(permit), bench_now(0s), std::move(response));
        });
        permit = Permit();
        expect_nothing_in_flight(*gate, 0s);
        EXPECT_TRUE(make_gate()->load(gate->save(bench_begin), bench_begin));
        EXPECT_TRUE(std::holds_alternative<Permit>(gate->acquire(bench_now(2h), {}, ask)));
        return failed;
      });
}

TEST(GateWithoutMemory, a_permit_of_a_shared_quota_whose_response_is_not_recorded_has_ended) {
  at_every_allocation([](const auto& failing) {
    const auto gate = make_gate();
    std::string stored;
    gate->share({.id = 1, .lease = 10s});
    const auto acquire_shared = [&](Duration at) {
      auto decision = gate->acquire(bench_now(at), {}, {.connections = 1});
      if (auto* const hold = std::get_if<Hold>(&decision)) {
        std::int64_t expired = 0;
        EXPECT_TRUE(gate->observe(stored, bench_now(at), {}));
        stored = gate->propose(stored, bench_now(at), {}, expired).value();
        gate->committed(bench_now(at));
        decision = gate->acquire(bench_now(at), {}, {.connections = 1}, std::move(hold->place));
      }
      auto* const permit = std::get_if<Permit>(&decision);
      EXPECT_NE(permit, nullptr);
      return permit == nullptr ? Permit() : std::move(*permit);
    };
    gate->record(acquire_shared(0s), bench_now(0s), on_partition("core", with_days(reported(5, 1h))));
    auto permit = acquire_shared(1s);
    auto report = on_partition("a partition that is not known yet", with_days(reported(0, 1s)));
    const bool failed = failing([&] { gate->record(std::move(permit), bench_now(1s), std::move(report)); });
    const auto next = acquire_shared(3s);
    EXPECT_EQ(gate->snapshot(bench_now(3s)).in_flight, 1U) << "the one that was just acquired";
    return failed;
  });
}

TEST(GateWithoutMemory, a_request_that_was_not_admitted_is_not_expected_where_its_route_moves) {
  at_every_allocation([](const auto& failing) {
    const auto gate = gate_with_days();
    const bool failed = failing([&] { gate->acquire(bench_now(0s), {}, {.route = core_route}); });
    exchange(*gate, core_route, on_partition("search", reported(1, 1h)));
    EXPECT_TRUE(std::holds_alternative<Permit>(gate->acquire(bench_now(0s), {}, {.route = core_route})));
    return failed;
  });
}

TEST(QuotaLedger, one_gate_for_one_origin_and_identity) {
  const auto ledger = noun::make_quota_ledger();
  const auto gate = ledger->gate("https://a.example", "me");
  EXPECT_EQ(ledger->gate("https://a.example", "me"), gate);
  EXPECT_NE(ledger->gate("https://a.example", "you"), gate);
  EXPECT_NE(ledger->gate("https://b.example", "me"), gate);
  EXPECT_NE(noun::make_quota_ledger()->gate("https://a.example", "me"), gate);
}

TEST(QuotaLedger, an_unused_gate_is_dropped) {
  const auto ledger = noun::make_quota_ledger();
  spend_one(*ledger->gate("https://a.example", "me"), reported(10, 5s));
  EXPECT_EQ(ledger->gate("https://a.example", "me")->snapshot(bench_now(0s)).sent, 0U);
}

bool goes(Gate& gate, RouteKey route) {
  return std::holds_alternative<Permit>(gate.acquire(bench_now(0s), {}, {.route = route}));
}

TEST(Partitions, a_route_waits_only_for_its_own_partition) {
  const auto gate = make_gate();
  exchange(*gate, core_route, on_partition("core", reported(10, 1h)));
  exchange(*gate, search_route, on_partition("search", reported(0, 1min)));
  EXPECT_TRUE(goes(*gate, core_route));
  EXPECT_FALSE(goes(*gate, search_route));
}

TEST(Partitions, a_request_that_was_counted_elsewhere_releases_its_permit) {
  const auto gate = make_gate();
  exchange(*gate, core_route, on_partition("core", reported(10, 1h)));
  exchange(*gate, search_route, on_partition("search", reported(29, 1min)));
  const auto snapshot = gate->snapshot(bench_now(0s));
  ASSERT_EQ(snapshot.partitions.size(), 2U);
  EXPECT_EQ(snapshot.partitions[0].partition, "core");
  EXPECT_EQ(snapshot.partitions[0].remaining, 10);
  EXPECT_EQ(snapshot.partitions[0].in_flight, 0U);
  EXPECT_EQ(snapshot.partitions[1].partition, "search");
  EXPECT_EQ(snapshot.partitions[1].remaining, 29);
  EXPECT_EQ(snapshot.partition, "core") << "what binds first";
  EXPECT_EQ(snapshot.sent, 2U);
}

TEST(Partitions, an_unknown_route_uses_the_partition_with_the_most_routes) {
  const auto gate = make_gate();
  exchange(*gate, core_route, on_partition("core", reported(0, 1h)));
  EXPECT_FALSE(goes(*gate, route_below(0, "new")));
}

TEST(Partitions, a_rejection_for_all_partitions_closes_all) {
  const auto gate = make_gate();
  exchange(*gate, core_route, on_partition("core", reported(10, 1h)));
  exchange(*gate, search_route, on_partition("search", reported(10, 1min)));
  auto everywhere = rejected_for(30s);
  everywhere.everywhere = true;
  exchange(*gate, core_route, everywhere);
  EXPECT_FALSE(goes(*gate, core_route));
  EXPECT_FALSE(goes(*gate, search_route));
}

TEST(Partitions, a_rejection_without_a_partition_concerns_the_partition_of_its_route) {
  const auto gate = make_gate();
  exchange(*gate, core_route, on_partition("core", reported(10, 1h)));
  exchange(*gate, search_route, on_partition("search", reported(10, 1min)));
  exchange(*gate, search_route, rejected_for(30s));
  EXPECT_TRUE(goes(*gate, core_route));
  EXPECT_FALSE(goes(*gate, search_route));
}

TEST(Partitions, a_route_that_never_reports_does_not_wait_for_the_quota_of_others) {
  const auto gate = make_gate();
  for (int i = 0; i < 9; ++i) exchange(*gate, search_route, bare());
  exchange(*gate, core_route, reported(0, 15min));
  EXPECT_FALSE(goes(*gate, core_route));
  EXPECT_TRUE(goes(*gate, search_route));
  EXPECT_FALSE(goes(*gate, route_below(0, "new")));
}

TEST(Partitions, a_route_that_never_reports_is_found_while_others_report) {
  const auto gate = make_gate();
  exchange(*gate, core_route, reported(9, 15min));
  for (int i = 0; i < 3; ++i) exchange(*gate, search_route, bare());
  exchange(*gate, core_route, reported(0, 15min));
  EXPECT_TRUE(goes(*gate, search_route));
}

TEST(Partitions, a_rejection_undoes_that_a_route_is_uncounted) {
  const auto gate = make_gate();
  for (int i = 0; i < 3; ++i) exchange(*gate, search_route, bare());
  exchange(*gate, core_route, reported(9, 15min));
  exchange(*gate, search_route, rejected_for(30s));
  EXPECT_FALSE(goes(*gate, search_route));
  EXPECT_FALSE(goes(*gate, core_route)) << "the same quota, as far as is known";
}

TEST(Partitions, a_report_undoes_that_a_route_is_uncounted) {
  const auto gate = make_gate();
  for (int i = 0; i < 3; ++i) exchange(*gate, search_route, bare());
  exchange(*gate, core_route, reported(9, 15min));
  exchange(*gate, search_route, reported(0, 15min));
  EXPECT_FALSE(goes(*gate, search_route));
  EXPECT_FALSE(goes(*gate, core_route));
}

TEST(Partitions, routes_with_different_limits_have_different_quotas_from_their_first_response_on) {
  for (const bool is_rejection : {false, true}) {
    const auto gate = make_gate();
    exchange(*gate, core_route, reported(60, 1h));
    auto login = is_rejection ? rejected(reported(0, 15min)) : reported(0, 15min);
    login.limit = 5;
    exchange(*gate, search_route, login);
    EXPECT_FALSE(goes(*gate, search_route));
    EXPECT_TRUE(goes(*gate, core_route)) << is_rejection;
    const auto snapshot = gate->snapshot(bench_now(0s));
    ASSERT_EQ(snapshot.partitions.size(), 2U);
    EXPECT_EQ(snapshot.partitions[1].partition, "limit 5");
  }
}

TEST(Partitions, a_route_that_reports_another_limit_than_before_stays) {
  const auto gate = make_gate();
  exchange(*gate, core_route, reported(60, 1h));
  auto raised = reported(999, 1h);
  raised.limit = 1000;
  exchange(*gate, core_route, raised);
  const auto snapshot = gate->snapshot(bench_now(0s));
  EXPECT_LE(snapshot.partitions.size(), 1U);
  EXPECT_EQ(snapshot.limit, 1000);
}

Report of_route(std::string name, Report report) {
  report.route_name = std::move(name);
  return report;
}

TEST(Partitions, a_quota_by_route_holds_its_route_alone) {
  const auto gate = make_gate();
  exchange(*gate, core_route, of_route("GET /repos", rejected_for(30s)));
  exchange(*gate, search_route, of_route("GET /search", bare()));
  EXPECT_FALSE(goes(*gate, core_route));
  EXPECT_TRUE(goes(*gate, search_route));
  EXPECT_TRUE(goes(*gate, route_below(0, "new"))) << "nothing is known of it";
  const auto partitions = gate->snapshot(bench_now(0s)).partitions;
  ASSERT_EQ(partitions.size(), 3U);
  EXPECT_EQ(partitions[1].partition, "GET /repos");
}

TEST(Partitions, a_quota_by_route_has_one_partition_for_each_route) {
  const auto gate = make_gate();
  for (int i = 0; i < 4; ++i) exchange(*gate, core_route, of_route("GET /repos", bare()));
  exchange(*gate, core_route, of_route("GET /repos", rejected_for(30s)));
  EXPECT_EQ(gate->snapshot(bench_now(0s)).partitions.size(), 2U);
}

TEST(Partitions, a_rejection_for_all_partitions_does_not_change_the_counts_of_others) {
  const auto gate = make_gate();
  exchange(*gate, core_route, on_partition("core", reported(10, 1h)));
  exchange(*gate, search_route, on_partition("search", reported(10, 1min)));
  auto everywhere = rejected_for(30s);
  everywhere.everywhere = true;
  exchange(*gate, core_route, everywhere);
  const auto snapshot = gate->snapshot(bench_now(0s));
  EXPECT_EQ(snapshot.partitions[1].sent, 1U);
  EXPECT_EQ(snapshot.partitions[1].rejected, 0U);
}

TEST(Partitions, requests_in_flight_are_counted_on_a_partition_learned_later) {
  const auto gate = make_gate();
  exchange(*gate, core_route, on_partition("core", reported(100, 1h)));
  std::vector<Permit> searches;
  for (int i = 0; i < 8; ++i)
    searches.push_back(std::get<Permit>(gate->acquire(bench_now(0s), {}, {.route = search_route})));
  const auto record = [&](int left) {
    Permit permit = std::move(searches.back());
    searches.pop_back();
    gate->record(std::move(permit), bench_now(0s), on_partition("search", reported(left, 1min)));
  };
  record(9);
  std::vector<Permit> more;
  for (auto acquired = gate->acquire(bench_now(0s), {}, {.route = search_route});
       std::holds_alternative<Permit>(acquired); acquired = gate->acquire(bench_now(0s), {}, {.route = search_route}))
    more.push_back(std::get<Permit>(std::move(acquired)));
  EXPECT_EQ(more.size(), 2U) << "nine are left, and seven are in flight";
  for (int left = 8; !searches.empty(); --left) record(left);
  more.clear();
  EXPECT_EQ(gate->snapshot(bench_now(0s)).partitions[1].remaining, 2);
}

TEST(Partitions, a_late_response_raises_nothing_in_the_partition_that_it_names) {
  const auto gate = make_gate();
  exchange(*gate, core_route, on_partition("core", reported(100, 1h)));
  std::vector<Permit> searches;
  for (int i = 0; i < 3; ++i)
    searches.push_back(std::get<Permit>(gate->acquire(bench_now(0s), {}, {.route = search_route})));
  for (const int left : {0, 1, 2}) {  // the last of them gets its response first
    gate->record(std::move(searches.back()), bench_now(0s), on_partition("search", reported(left)));
    searches.pop_back();
  }
  EXPECT_FALSE(goes(*gate, search_route));
}

TEST(Partitions, events_show_the_partition_of_their_route) {
  const auto gate = make_gate();
  auto report = on_partition("core", reported(10, 1h));
  report.more = {{.name = "burst", .limit = 5, .remaining = 3, .reset = {}}};
  exchange(*gate, core_route, report);
  exchange(*gate, search_route, on_partition("search", reported(29, 1min)));
  EXPECT_EQ(gate->reading(bench_now(0s), core_route).partition, "core/burst");
  EXPECT_EQ(gate->reading(bench_now(0s), search_route).partition, "search");
  EXPECT_EQ(gate->reading(bench_now(0s), search_route).quota.remaining, 29);
}

TEST(Partitions, new_names_in_every_response_do_not_fill_memory) {
  const auto gate = make_gate();
  for (int i = 0; i < 1000; ++i) exchange(*gate, core_route, on_partition("b" + std::to_string(i), reported(10, 1h)));
  EXPECT_EQ(gate->snapshot(bench_now(0s)).partitions.size(), 256U);
}

TEST(GateStreams, are_not_in_flight_and_occupy_a_connection) {
  const auto gate = make_gate();
  spend_one(*gate, reported(100, 1h));
  const noun::quota::Ask ask{.connections = 1};
  auto stream = std::get<Permit>(gate->acquire(bench_now(0s), {}, ask));
  gate->record_head(stream, bench_now(0s), reported(98, 1h));
  EXPECT_EQ(in_flight(*gate), 0U);
  EXPECT_EQ(gate->snapshot(bench_now(0s)).remaining, 98);
  auto hold = std::get<Hold>(gate->acquire(bench_now(0s), {}, ask));
  EXPECT_EQ(hold.earliest.reason, WaitReason::concurrency);
  gate->record(std::move(stream), bench_now(1s), dropped());
  EXPECT_TRUE(hold.place.ticket().overtaken());
  EXPECT_TRUE(std::holds_alternative<Permit>(gate->acquire(bench_now(1s), {}, ask, std::move(hold.place))));
  EXPECT_EQ(gate->snapshot(bench_now(1s)).sent, 2U);
}

TEST(GateStreams, count_where_the_server_limits_how_many_are_in_flight) {
  const auto gate = make_gate();
  spend_one(*gate, reported(90, 60s));
  std::vector<Permit> permits;
  for (int i = 0; i < 8; ++i) permits.push_back(take(*gate));
  for (auto& permit : permits) {
    const bool is_rejected = &permit == &permits.front();
    const auto report = reported(80, 60s);
    gate->record(std::move(permit), bench_now(0s), is_rejected ? rejected_for(5s, report) : report);
  }
  gate->record(take(*gate, 5s), bench_now(5s), reported(79, 55s));
  std::vector<Permit> streams;
  for (int i = 0; i < 3; ++i) {
    streams.push_back(take(*gate, 5s));
    gate->record_head(streams.back(), bench_now(5s), reported(79 - i, 55s));
  }
  const auto first = take(*gate, 5s);  // 4 may be in flight
  EXPECT_EQ(held(*gate, 5s).earliest.reason, WaitReason::concurrency);
  streams.pop_back();
  const auto second = take(*gate, 5s);
  EXPECT_EQ(held(*gate, 5s).earliest.reason, WaitReason::concurrency);
}

TEST(GateStreams, hold_no_request_that_is_alone) {
  const auto gate = make_gate();
  spend_one(*gate, reported(90, 60s));
  Permit other = take(*gate);
  gate->record(take(*gate), bench_now(0s), rejected_for(1s, reported(80, 60s)));
  gate->record(std::move(other), bench_now(0s), reported(79, 60s));
  Permit stream = take(*gate, 1s);  // one may be in flight
  gate->record_head(stream, bench_now(1s), reported(78, 59s));
  const auto alone = take(*gate, 1s);
  EXPECT_EQ(held(*gate, 1s).earliest.reason, WaitReason::concurrency);
}

TEST(Gate, time_held_is_counted) {
  const auto gate = make_gate();
  spend_one(*gate, reported(0, 5s));
  auto held = gate->acquire(bench_now(0s), {});
  std::get<Hold>(held).place.leave(bench_now(2s).steady);
  EXPECT_EQ(gate->snapshot(bench_now(2s)).held_for, 2s);
  EXPECT_EQ(gate->snapshot(bench_now(2s)).held, 0U);
}

}  // namespace gate_test
}  // namespace quota_tests
