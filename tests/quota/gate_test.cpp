// The gate: released permits, woken holds, many threads on one quota, and the ledger that creates gates.
#include "quota/gate.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <type_traits>
#include <vector>

#include "quota/quota_bench.hpp"

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

std::string spend_one(Gate& gate, const Report& answer) { return gate.record(take(gate), bench_now(0s), answer).note; }

std::size_t in_flight(const Gate& gate) { return gate.snapshot(bench_now(0s)).in_flight; }

TEST(Permit, dropped_goes_back_and_wakes_holders) {
  const auto gate = make_gate();
  auto permit = std::make_unique<Permit>(take(*gate));
  const auto hold = held(*gate);
  EXPECT_FALSE(hold.place.ticket().overtaken());
  permit.reset();
  EXPECT_TRUE(hold.place.ticket().overtaken());
  EXPECT_EQ(in_flight(*gate), 0U);
  EXPECT_EQ(gate->snapshot(bench_now(0s)).sent, 0U);
}

TEST(Permit, moved_comes_back_once) {
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

TEST(Permit, overwritten_goes_back) {
  const auto gate = make_gate();
  spend_one(*gate, bare());
  Permit permit = take(*gate);
  permit = take(*gate);
  EXPECT_EQ(in_flight(*gate), 1U);
  permit = Permit();
  EXPECT_EQ(in_flight(*gate), 0U);
}

TEST(Permit, assigned_brings_its_ticket_along) {
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
  spend_one(*gate, told(10, 5s));
  const auto snapshot = gate->snapshot(bench_now(0s));
  EXPECT_EQ(snapshot.sent, 1U);
  EXPECT_EQ(snapshot.remaining, 10);
  EXPECT_EQ(gate->reading(bench_now(0s)).quota.remaining, 10);
}

TEST(Gate, a_permit_of_another_gate_goes_back_to_its_own) {
  const auto gate = make_gate();
  const auto other = make_gate();
  gate->record(take(*other), bench_now(0s), told(10, 5s));
  EXPECT_EQ(gate->record(Permit(), bench_now(0s), told(10, 5s)).note, "");
  EXPECT_EQ(in_flight(*other), 0U);
  EXPECT_EQ(gate->snapshot(bench_now(0s)).sent, 0U);
}

TEST(Gate, what_is_odd_is_said_in_a_sentence) {
  const auto gate = make_gate();
  auto answer = told(10);
  answer.reading.implausible_reset = true;
  EXPECT_NE(spend_one(*gate, answer).find("reset cannot be right"), std::string::npos);
  EXPECT_EQ(spend_one(*gate, answer), "");
  answer.reading.implausible_reset = false;
  answer.reading.reset = noun::wire::ResetReading{.in = {}, .at = WallTime(server_epoch)};
  EXPECT_NE(spend_one(*gate, answer).find("no usable Date"), std::string::npos);
}

TEST(Gate, holders_are_not_woken_by_an_answer_that_leaves_them_where_they_are) {
  const auto gate = make_gate();
  spend_one(*gate, told(2, 5s));
  Permit first = take(*gate);
  Permit second = take(*gate);
  const auto hold = held(*gate);
  gate->record(std::move(first), bench_now(0s), told(1, 5s));
  EXPECT_FALSE(hold.place.ticket().overtaken());
  gate->record(std::move(second), bench_now(0s), told(1, 5s));
  EXPECT_TRUE(hold.place.ticket().overtaken());
}

TEST(Gate, a_mark_counts_its_call_as_held_while_it_lives) {
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
  spend_one(*gate, told(1000, 3600s));
  const auto use_what_is_left = [&] {
    while (true) {
      auto decision = gate->acquire(bench_now(0s), {});
      if (auto* hold = std::get_if<Hold>(&decision)) {
        if (hold->earliest.reason == WaitReason::quota) return;
        continue;
      }
      const auto remaining = --left;
      EXPECT_GE(remaining, 0);
      gate->record(std::get<Permit>(std::move(decision)), bench_now(0s), told(remaining, 3600s));
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

Report on_partition(std::string name, Report answer) {
  answer.reading.partition = std::move(name);
  return answer;
}

void exchange(Gate& gate, RouteKey route, const Report& answer) {
  auto asked = gate.acquire(bench_now(0s), {}, {.route = route});
  ASSERT_TRUE(std::holds_alternative<Permit>(asked));
  gate.record(std::get<Permit>(std::move(asked)), bench_now(0s), answer);
}

// The queue.

using Decision = std::variant<Permit, Hold>;

Decision ask(Gate& gate, Duration at = 0s, Priority priority = Priority::normal, Place place = {}) {
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
    auto decision = ask(*gate, at, priority, std::move(place));
    if (auto* hold = std::get_if<Hold>(&decision)) return place = std::move(hold->place), false;
    sent.push_back(std::get<Permit>(std::move(decision)));
    return true;
  }
  void respond(Duration at = 0s) {
    gate->record(std::move(permits.back()), bench_now(at), bare());
    permits.pop_back();
  }
};

TEST(GateQueue, a_permit_that_becomes_free_wakes_the_one_that_waited_longest) {
  Busy busy;
  auto first = place_of(ask(*busy.gate));
  auto second = place_of(ask(*busy.gate));
  busy.respond();
  EXPECT_TRUE(first.ticket().overtaken());
  EXPECT_FALSE(second.ticket().overtaken());
  EXPECT_EQ(busy.gate->take_risen().size(), 1U);
  EXPECT_TRUE(busy.gate->take_risen().empty());
}

TEST(GateQueue, a_call_that_asks_later_does_not_take_what_was_offered) {
  Busy busy;
  auto first = place_of(ask(*busy.gate));
  busy.respond();
  auto late = place_of(ask(*busy.gate));
  EXPECT_TRUE(busy.goes(first));
  EXPECT_FALSE(busy.goes(late));
}

TEST(GateQueue, priority_comes_first_and_then_who_came_first) {
  Busy busy;
  auto bulk = place_of(ask(*busy.gate, 0s, Priority::bulk));
  auto normal = place_of(ask(*busy.gate));
  auto other = place_of(ask(*busy.gate));
  auto interactive = place_of(ask(*busy.gate, 0s, Priority::interactive));
  std::vector<Place*> order{&interactive, &normal, &other, &bulk};
  for (std::size_t i = 0; i < order.size(); ++i) {
    busy.respond();
    for (std::size_t k = 0; k < order.size(); ++k)
      if (k >= i) EXPECT_EQ(order[k]->ticket().overtaken(), k == i) << i << ' ' << k;
    EXPECT_TRUE(busy.goes(*order[i]));
  }
}

TEST(GateQueue, for_a_call_that_was_woken_now_is_the_earliest) {
  Busy busy;
  auto first = place_of(ask(*busy.gate));
  auto second = place_of(ask(*busy.gate));
  busy.respond();
  busy.respond();
  EXPECT_EQ(busy.gate->earliest(bench_now(0s), {}, {}, second).at, bench_begin) << "though another was woken before it";
  EXPECT_TRUE(busy.goes(second));
}

TEST(GateQueue, a_call_that_asks_again_keeps_its_turn) {
  Busy busy;
  auto first = place_of(ask(*busy.gate));
  auto second = place_of(ask(*busy.gate));
  EXPECT_FALSE(busy.goes(first, 1s));
  busy.respond(1s);
  EXPECT_TRUE(first.ticket().overtaken());
  EXPECT_FALSE(second.ticket().overtaken());
}

TEST(GateQueue, a_call_that_gives_up_lets_the_next_one_go) {
  Busy busy;
  auto first = place_of(ask(*busy.gate));
  auto second = place_of(ask(*busy.gate));
  busy.respond();
  first = {};
  EXPECT_TRUE(second.ticket().overtaken());
  EXPECT_TRUE(busy.goes(second));
}

TEST(GateQueue, a_call_that_steps_aside_lets_others_go_and_keeps_its_turn) {
  Busy busy;
  auto first = place_of(ask(*busy.gate));
  auto second = place_of(ask(*busy.gate));
  first.step_aside();
  busy.respond();
  EXPECT_TRUE(second.ticket().overtaken());
  EXPECT_TRUE(busy.goes(second));
  auto third = place_of(ask(*busy.gate));
  EXPECT_FALSE(busy.goes(first));
  busy.respond();
  EXPECT_TRUE(first.ticket().overtaken());
  EXPECT_FALSE(third.ticket().overtaken());
}

TEST(GateQueue, a_call_that_was_woken_and_does_not_come_is_not_waited_for_long) {
  Busy busy;
  auto lost = place_of(ask(*busy.gate));
  auto next = place_of(ask(*busy.gate));
  busy.respond();
  busy.respond(1s);
  busy.respond(1s);
  EXPECT_TRUE(busy.goes(next, 1s));
  const auto third = ask(*busy.gate, 1s);
  const auto fourth = ask(*busy.gate, 1s);
  EXPECT_TRUE(std::holds_alternative<Permit>(third));
  EXPECT_TRUE(std::holds_alternative<Permit>(fourth)) << "no permit is kept for the one that did not come";
  EXPECT_FALSE(std::holds_alternative<Permit>(ask(*busy.gate, 1s))) << "but no more than there are";
}

TEST(GateQueue, a_call_that_does_not_come_back_holds_nobody_up_for_long) {
  const auto gate = make_gate();
  spend_one(*gate, told(0, 5s));
  const auto absent = place_of(ask(*gate));
  auto next = place_of(ask(*gate));
  auto asked = ask(*gate, 6s, Priority::normal, std::move(next));
  EXPECT_TRUE(std::holds_alternative<Permit>(asked)) << "the first should have asked at 5 s";
}

TEST(GateQueue, an_interactive_call_does_not_stand_behind_what_was_offered_to_others) {
  const auto gate = make_gate();
  spend_one(*gate, told(1, 60s));
  auto permit = take(*gate);
  const auto normal = place_of(ask(*gate));
  permit = {};
  EXPECT_TRUE(normal.ticket().overtaken());
  EXPECT_TRUE(std::holds_alternative<Permit>(ask(*gate, 0s, Priority::interactive)));
}

TEST(GateQueue, what_an_expensive_call_waits_for_is_not_taken_by_cheap_ones) {
  const auto gate = make_gate();
  const auto exchange_of = [&](RouteKey route, std::int64_t left) {
    auto decision = gate->acquire(bench_now(0s), {}, {.route = route});
    ASSERT_TRUE(std::holds_alternative<Permit>(decision));
    gate->record(std::get<Permit>(std::move(decision)), bench_now(0s), told(left, 60s));
  };
  for (const std::int64_t left : {80, 70, 60, 7}) exchange_of(5, left);
  auto expensive = gate->acquire(bench_now(0s), {}, {.route = 5});
  ASSERT_TRUE(std::holds_alternative<Hold>(expensive)) << "ten each, and seven are left";
  EXPECT_FALSE(std::holds_alternative<Permit>(gate->acquire(bench_now(0s), {}, {.route = 6})));
}

TEST(GateQueue, a_call_follows_its_route_to_the_partition_where_it_is_counted) {
  const auto gate = make_gate();
  exchange(*gate, core_route, on_partition("core", told(2, 1h)));
  auto search = std::get<Permit>(gate->acquire(bench_now(0s), {}, {.route = search_route}));
  exchange(*gate, core_route, on_partition("core", told(0, 1h)));
  auto waits = gate->acquire(bench_now(0s), {}, {.route = search_route});
  auto place = std::move(std::get<Hold>(waits).place);
  gate->record(std::move(search), bench_now(0s), on_partition("search", told(29, 1min)));
  EXPECT_TRUE(place.ticket().overtaken());
  EXPECT_TRUE(
      std::holds_alternative<Permit>(gate->acquire(bench_now(0s), {}, {.route = search_route}, std::move(place))));
}

TEST(GateQueue, a_rejection_that_concerns_all_partitions_wakes_the_calls_of_each) {
  const auto gate = make_gate();
  exchange(*gate, core_route, on_partition("core", told(10, 1h)));
  exchange(*gate, search_route, on_partition("search", told(0, 60s)));
  auto waits = gate->acquire(bench_now(0s), {}, {.route = search_route});
  EXPECT_EQ(std::get<Hold>(waits).ask_again, bench_begin + 60s);
  auto everywhere = rejected_for(5s);
  everywhere.reading.everywhere = true;
  exchange(*gate, core_route, everywhere);
  EXPECT_TRUE(std::get<Hold>(waits).place.ticket().overtaken()) << "in 5 s it may go to see";
}

TEST(GateQueue, each_call_watches_over_the_one_before_it) {
  Busy busy;
  const auto first = ask(*busy.gate);
  const auto second = ask(*busy.gate);
  EXPECT_EQ(std::get<Hold>(first).ask_again, bench_begin + 1s);
  EXPECT_EQ(std::get<Hold>(second).ask_again, bench_begin + 2s);
  EXPECT_EQ(std::get<Hold>(second).earliest.at, bench_begin + 1s);
}

TEST(GateQueue, as_many_are_woken_as_there_are_permits) {
  const auto gate = make_gate();
  auto probe = take(*gate);
  std::vector<Place> places;
  for (int i = 0; i < 10; ++i) places.push_back(place_of(ask(*gate)));
  gate->record(std::move(probe), bench_now(0s), told(4, 60s));
  EXPECT_EQ(gate->take_risen().size(), 4U);
  std::vector<Decision> decisions;
  for (auto& place : places) decisions.push_back(ask(*gate, 0s, Priority::normal, std::move(place)));
  for (std::size_t i = 0; i < decisions.size(); ++i)
    EXPECT_EQ(std::holds_alternative<Permit>(decisions[i]), i < 4) << i;
}

TEST(Gate, when_a_request_may_go_is_known_without_taking_a_permit) {
  const auto gate = make_gate();
  EXPECT_EQ(gate->earliest(bench_now(0s), {}).at, bench_begin);
  spend_one(*gate, told(0, 5s));
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
    spend_one(*gate, told(0, one.reset));
    const auto earliest = gate->earliest(bench_now(0s), {},
                                         {.rejection = noun::quota::Rejection{.at = bench_begin,
                                                                              .retry_after = one.retry_after,
                                                                              .count = one.count,
                                                                              .zero_believed = one.count > 1,
                                                                              .retry = {.jitter = 0}}});
    EXPECT_EQ(earliest.at - bench_begin, one.wait) << one.count;
    EXPECT_EQ(earliest.reason, one.reason);
  }
}

TEST(Gate, what_another_process_had_in_flight_is_taken_as_spent) {
  const auto gate = make_gate();
  spend_one(*gate, told(4, 60s));
  std::vector<Permit> permits;
  for (int i = 0; i < 3; ++i) permits.push_back(take(*gate));
  const auto other = make_gate();
  ASSERT_TRUE(other->load(gate->save(bench_begin), bench_begin));
  EXPECT_EQ(in_flight(*other), 0U);
  EXPECT_EQ(other->snapshot(bench_now(0s)).remaining, 1);
  const Permit one = take(*other);
  EXPECT_FALSE(std::holds_alternative<Permit>(ask(*other)));
}

TEST(Gate, permits_of_before_another_state_was_read_count_for_nothing) {
  const auto gate = make_gate();
  spend_one(*gate, told(3, 60s));
  const auto bytes = gate->save(bench_begin);
  std::vector<Permit> before;
  for (int i = 0; i < 3; ++i) before.push_back(take(*gate));
  ASSERT_TRUE(gate->load(bytes, bench_begin));
  before.clear();
  std::vector<Permit> after;
  for (int i = 0; i < 3; ++i) after.push_back(take(*gate));
  EXPECT_FALSE(std::holds_alternative<Permit>(ask(*gate)));
}

TEST(Gate, what_it_knows_is_read_back_and_broken_bytes_are_refused) {
  const auto gate = make_gate();
  spend_one(*gate, told(7, 60s));
  const auto bytes = gate->save(bench_begin);
  const auto other = make_gate();
  ASSERT_TRUE(other->load(bytes, bench_begin + 100s)) << "another clock";
  EXPECT_EQ(other->snapshot(bench_now(100s)).remaining, 7);
  EXPECT_EQ(other->snapshot(bench_now(100s)).resets_in, 60s);
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(other->load(bytes.substr(0, size), bench_begin)) << size;
  EXPECT_FALSE(other->load(bytes + "x", bench_begin));
  EXPECT_FALSE(other->load("\7" + bytes.substr(1), bench_begin)) << "another version";
  EXPECT_EQ(other->snapshot(bench_now(100s)).remaining, 7);
}

TEST(QuotaLedger, one_gate_for_one_origin_and_identity) {
  const auto ledger = noun::make_quota_ledger();
  const auto gate = ledger->gate("https://a.example", "me");
  EXPECT_EQ(ledger->gate("https://a.example", "me"), gate);
  EXPECT_NE(ledger->gate("https://a.example", "you"), gate);
  EXPECT_NE(ledger->gate("https://b.example", "me"), gate);
  EXPECT_NE(noun::make_quota_ledger()->gate("https://a.example", "me"), gate);
}

TEST(QuotaLedger, a_gate_that_nobody_holds_is_forgotten) {
  const auto ledger = noun::make_quota_ledger();
  spend_one(*ledger->gate("https://a.example", "me"), told(10, 5s));
  EXPECT_EQ(ledger->gate("https://a.example", "me")->snapshot(bench_now(0s)).sent, 0U);
}

bool goes(Gate& gate, RouteKey route) {
  return std::holds_alternative<Permit>(gate.acquire(bench_now(0s), {}, {.route = route}));
}

TEST(Partitions, a_route_waits_for_its_own_partition_alone) {
  const auto gate = make_gate();
  exchange(*gate, core_route, on_partition("core", told(10, 1h)));
  exchange(*gate, search_route, on_partition("search", told(0, 1min)));
  EXPECT_TRUE(goes(*gate, core_route));
  EXPECT_FALSE(goes(*gate, search_route));
}

TEST(Partitions, a_request_that_was_counted_elsewhere_gives_its_permit_back) {
  const auto gate = make_gate();
  exchange(*gate, core_route, on_partition("core", told(10, 1h)));
  exchange(*gate, search_route, on_partition("search", told(29, 1min)));
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

TEST(Partitions, a_route_of_which_nothing_is_known_is_careful_with_the_partition_of_most) {
  const auto gate = make_gate();
  exchange(*gate, core_route, on_partition("core", told(0, 1h)));
  EXPECT_FALSE(goes(*gate, route_below(0, "new")));
}

TEST(Partitions, a_rejection_that_concerns_all_closes_all) {
  const auto gate = make_gate();
  exchange(*gate, core_route, on_partition("core", told(10, 1h)));
  exchange(*gate, search_route, on_partition("search", told(10, 1min)));
  auto everywhere = rejected_for(30s);
  everywhere.reading.everywhere = true;
  exchange(*gate, core_route, everywhere);
  EXPECT_FALSE(goes(*gate, core_route));
  EXPECT_FALSE(goes(*gate, search_route));
}

TEST(Partitions, a_rejection_without_a_partition_is_its_routes_own) {
  const auto gate = make_gate();
  exchange(*gate, core_route, on_partition("core", told(10, 1h)));
  exchange(*gate, search_route, on_partition("search", told(10, 1min)));
  exchange(*gate, search_route, rejected_for(30s));
  EXPECT_TRUE(goes(*gate, core_route));
  EXPECT_FALSE(goes(*gate, search_route));
}

TEST(Partitions, a_rejection_that_concerns_all_leaves_the_others_counts_alone) {
  const auto gate = make_gate();
  exchange(*gate, core_route, on_partition("core", told(10, 1h)));
  exchange(*gate, search_route, on_partition("search", told(10, 1min)));
  auto everywhere = rejected_for(30s);
  everywhere.reading.everywhere = true;
  exchange(*gate, core_route, everywhere);
  const auto snapshot = gate->snapshot(bench_now(0s));
  EXPECT_EQ(snapshot.partitions[1].sent, 1U);
  EXPECT_EQ(snapshot.partitions[1].rejected, 0U);
}

TEST(Partitions, what_is_under_way_when_its_partition_is_learned_is_counted_there) {
  const auto gate = make_gate();
  exchange(*gate, core_route, on_partition("core", told(100, 1h)));
  std::vector<Permit> searches;
  for (int i = 0; i < 8; ++i)
    searches.push_back(std::get<Permit>(gate->acquire(bench_now(0s), {}, {.route = search_route})));
  const auto record = [&](int left) {
    Permit permit = std::move(searches.back());
    searches.pop_back();
    gate->record(std::move(permit), bench_now(0s), on_partition("search", told(left, 1min)));
  };
  record(9);
  std::vector<Permit> more;
  for (auto asked = gate->acquire(bench_now(0s), {}, {.route = search_route}); std::holds_alternative<Permit>(asked);
       asked = gate->acquire(bench_now(0s), {}, {.route = search_route}))
    more.push_back(std::get<Permit>(std::move(asked)));
  EXPECT_EQ(more.size(), 2U) << "nine are left, and seven are under way";
  for (int left = 8; !searches.empty(); --left) record(left);
  more.clear();
  EXPECT_EQ(gate->snapshot(bench_now(0s)).partitions[1].remaining, 2);
}

TEST(Partitions, a_late_answer_raises_nothing_in_the_partition_that_it_names) {
  const auto gate = make_gate();
  exchange(*gate, core_route, on_partition("core", told(100, 1h)));
  std::vector<Permit> searches;
  for (int i = 0; i < 3; ++i)
    searches.push_back(std::get<Permit>(gate->acquire(bench_now(0s), {}, {.route = search_route})));
  for (const int left : {0, 1, 2}) {  // the last of them gets its response first
    gate->record(std::move(searches.back()), bench_now(0s), on_partition("search", told(left)));
    searches.pop_back();
  }
  EXPECT_FALSE(goes(*gate, search_route));
}

TEST(Partitions, events_show_the_partition_of_their_route) {
  const auto gate = make_gate();
  auto answer = on_partition("core", told(10, 1h));
  answer.reading.more = {{.name = "burst", .limit = 5, .remaining = 3, .reset = {}}};
  exchange(*gate, core_route, answer);
  exchange(*gate, search_route, on_partition("search", told(29, 1min)));
  EXPECT_EQ(gate->reading(bench_now(0s), core_route).partition, "core/burst");
  EXPECT_EQ(gate->reading(bench_now(0s), search_route).partition, "search");
  EXPECT_EQ(gate->reading(bench_now(0s), search_route).quota.remaining, 29);
}

TEST(Partitions, a_service_that_names_ever_new_ones_fills_no_memory) {
  const auto gate = make_gate();
  for (int i = 0; i < 1000; ++i) exchange(*gate, core_route, on_partition("b" + std::to_string(i), told(10, 1h)));
  EXPECT_EQ(gate->snapshot(bench_now(0s)).partitions.size(), 256U);
}

TEST(Gate, time_held_is_counted) {
  const auto gate = make_gate();
  spend_one(*gate, told(0, 5s));
  auto held = gate->acquire(bench_now(0s), {});
  std::get<Hold>(held).place.leave(bench_now(2s).steady);
  EXPECT_EQ(gate->snapshot(bench_now(2s)).held_for, 2s);
  EXPECT_EQ(gate->snapshot(bench_now(2s)).held, 0U);
}

}  // namespace gate_test
}  // namespace quota_tests
