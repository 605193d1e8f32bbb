// The gate: permits that come back, holds that are woken, one quota for many threads, and the ledger that hands it out.
#include "quota/quota.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <type_traits>
#include <vector>

#include "quota/quota_bench.hpp"

namespace quota_tests { namespace quota_test {

using noun::Hold;
using noun::Permit;
using noun::Priority;
using noun::QuotaGate;

static_assert(!std::is_copy_constructible_v<Permit> && std::is_nothrow_move_constructible_v<Permit>);

std::shared_ptr<QuotaGate> make_gate() { return std::make_shared<QuotaGate>(); }

Permit take(QuotaGate& gate, Duration at = 0s) {
  auto decision = gate.admit(bench_now(at), {});
  EXPECT_TRUE(std::holds_alternative<Permit>(decision));
  return std::get<Permit>(std::move(decision));
}

Hold held(QuotaGate& gate, Duration at = 0s) {
  auto decision = gate.admit(bench_now(at), {});
  EXPECT_TRUE(std::holds_alternative<Hold>(decision));
  return std::get<Hold>(std::move(decision));
}

std::string spend_one(QuotaGate& gate, const QuotaAnswer& answer) {
  return gate.settle(take(gate), bench_now(0s), bench_now(0s), answer);
}

std::size_t in_flight(const QuotaGate& gate) { return gate.snapshot(bench_now(0s)).in_flight; }

TEST(Permit, dropped_goes_back_and_wakes_holders) {
  const auto gate = make_gate();
  auto permit = std::make_unique<Permit>(take(*gate));
  const auto hold = held(*gate);
  EXPECT_FALSE(hold.ticket.overtaken());
  permit.reset();
  EXPECT_TRUE(hold.ticket.overtaken());
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
  EXPECT_TRUE(take(*gate));  // the one that went first is known to have come back
}

TEST(Permit, keeps_its_gate_alive) {
  auto gate = make_gate();
  const std::weak_ptr<QuotaGate> watched = gate;
  {
    const Permit permit = take(*gate);
    gate.reset();
    EXPECT_FALSE(watched.expired());
  }
  EXPECT_TRUE(watched.expired());
}

TEST(QuotaGate, a_settled_permit_is_counted_as_sent) {
  const auto gate = make_gate();
  spend_one(*gate, told(10, 5s));
  const auto snapshot = gate->snapshot(bench_now(0s));
  EXPECT_EQ(snapshot.sent, 1U);
  EXPECT_EQ(snapshot.remaining, 10);
  EXPECT_EQ(gate->reading(bench_now(0s)).quota.remaining, 10);
}

TEST(QuotaGate, a_permit_of_another_gate_goes_back_to_its_own) {
  const auto gate = make_gate();
  const auto other = make_gate();
  gate->settle(take(*other), bench_now(0s), bench_now(0s), told(10, 5s));
  EXPECT_EQ(gate->settle(Permit(), bench_now(0s), bench_now(0s), told(10, 5s)), "");
  EXPECT_EQ(in_flight(*other), 0U);
  EXPECT_EQ(gate->snapshot(bench_now(0s)).sent, 0U);
}

TEST(QuotaGate, what_is_odd_is_said_in_a_sentence) {
  const auto gate = make_gate();
  auto answer = told(10);
  answer.reading.implausible_reset = true;
  EXPECT_NE(spend_one(*gate, answer).find("reset cannot be right"), std::string::npos);
  EXPECT_EQ(spend_one(*gate, answer), "");
  answer.reading.implausible_reset = false;
  answer.reading.reset = noun::wire::ResetReading{.in = {}, .at = WallTime(server_epoch)};
  EXPECT_NE(spend_one(*gate, answer).find("no usable Date"), std::string::npos);
}

TEST(QuotaGate, holders_are_not_woken_by_an_answer_that_leaves_them_where_they_are) {
  const auto gate = make_gate();
  spend_one(*gate, told(2, 5s));
  Permit first = take(*gate);
  Permit second = take(*gate);
  const auto hold = held(*gate);
  gate->settle(std::move(first), bench_now(0s), bench_now(0s), told(1, 5s));
  EXPECT_FALSE(hold.ticket.overtaken());
  gate->settle(std::move(second), bench_now(0s), bench_now(0s), told(1, 5s));
  EXPECT_TRUE(hold.ticket.overtaken());
}

TEST(QuotaGate, a_mark_counts_its_call_as_held_while_it_lives) {
  const auto gate = make_gate();
  const Permit permit = take(*gate);
  const auto held_now = [&] { return gate->snapshot(bench_now(0s)).held; };
  {
    auto first = held(*gate);
    auto second = held(*gate);
    EXPECT_EQ(held_now(), 2U);
    noun::HeldMark kept = std::move(first.mark);
    EXPECT_EQ(held_now(), 2U);
    kept = std::move(second.mark);
    EXPECT_EQ(held_now(), 1U);
  }
  EXPECT_EQ(held_now(), 0U);
}

TEST(QuotaGate, many_threads_never_overrun_it) {
  const auto gate = make_gate();
  std::atomic<std::int64_t> left{1000};
  spend_one(*gate, told(1000, 3600s));
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      while (true) {
        auto decision = gate->admit(bench_now(0s), {});
        if (auto* hold = std::get_if<Hold>(&decision)) {
          if (hold->reason == WaitReason::quota) return;
          continue;
        }
        const auto remaining = --left;
        EXPECT_GE(remaining, 0);
        gate->settle(std::get<Permit>(std::move(decision)), bench_now(0s), bench_now(0s), told(remaining, 3600s));
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(left, 0);
  EXPECT_EQ(in_flight(*gate), 0U);
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

// Buckets.

constexpr noun::RouteKey core_route = noun::route_below(0, "repos");
constexpr noun::RouteKey search_route = noun::route_below(0, "search");

QuotaAnswer in_bucket(std::string name, QuotaAnswer answer) {
  answer.reading.bucket = std::move(name);
  return answer;
}

void exchange(QuotaGate& gate, noun::RouteKey route, const QuotaAnswer& answer) {
  auto asked = gate.admit(bench_now(0s), {}, {.route = route});
  ASSERT_TRUE(std::holds_alternative<Permit>(asked));
  gate.settle(std::get<Permit>(std::move(asked)), bench_now(0s), bench_now(0s), answer);
}

bool goes(QuotaGate& gate, noun::RouteKey route) {
  return std::holds_alternative<Permit>(gate.admit(bench_now(0s), {}, {.route = route}));
}

TEST(QuotaBuckets, a_route_waits_for_its_own_bucket_alone) {
  const auto gate = make_gate();
  exchange(*gate, core_route, in_bucket("core", told(10, 1h)));
  exchange(*gate, search_route, in_bucket("search", told(0, 1min)));
  EXPECT_TRUE(goes(*gate, core_route));
  EXPECT_FALSE(goes(*gate, search_route));
}

TEST(QuotaBuckets, a_request_that_was_counted_elsewhere_gives_its_permit_back) {
  const auto gate = make_gate();
  exchange(*gate, core_route, in_bucket("core", told(10, 1h)));
  exchange(*gate, search_route, in_bucket("search", told(29, 1min)));
  const auto snapshot = gate->snapshot(bench_now(0s));
  ASSERT_EQ(snapshot.buckets.size(), 2U);
  EXPECT_EQ(snapshot.buckets[0].bucket, "core");
  EXPECT_EQ(snapshot.buckets[0].remaining, 10);
  EXPECT_EQ(snapshot.buckets[0].in_flight, 0U);
  EXPECT_EQ(snapshot.buckets[1].bucket, "search");
  EXPECT_EQ(snapshot.buckets[1].remaining, 29);
  EXPECT_EQ(snapshot.bucket, "core") << "what binds first";
  EXPECT_EQ(snapshot.sent, 2U);
}

TEST(QuotaBuckets, a_route_of_which_nothing_is_known_is_careful_with_the_bucket_of_most) {
  const auto gate = make_gate();
  exchange(*gate, core_route, in_bucket("core", told(0, 1h)));
  EXPECT_FALSE(goes(*gate, noun::route_below(0, "new")));
}

TEST(QuotaBuckets, a_rejection_that_concerns_all_closes_all) {
  const auto gate = make_gate();
  exchange(*gate, core_route, in_bucket("core", told(10, 1h)));
  exchange(*gate, search_route, in_bucket("search", told(10, 1min)));
  auto everywhere = rejected_for(30s);
  everywhere.reading.everywhere = true;
  exchange(*gate, core_route, everywhere);
  EXPECT_FALSE(goes(*gate, core_route));
  EXPECT_FALSE(goes(*gate, search_route));
}

TEST(QuotaBuckets, a_rejection_without_a_bucket_is_its_routes_own) {
  const auto gate = make_gate();
  exchange(*gate, core_route, in_bucket("core", told(10, 1h)));
  exchange(*gate, search_route, in_bucket("search", told(10, 1min)));
  exchange(*gate, search_route, rejected_for(30s));
  EXPECT_TRUE(goes(*gate, core_route));
  EXPECT_FALSE(goes(*gate, search_route));
}

TEST(QuotaBuckets, a_rejection_that_concerns_all_leaves_the_others_counts_alone) {
  const auto gate = make_gate();
  exchange(*gate, core_route, in_bucket("core", told(10, 1h)));
  exchange(*gate, search_route, in_bucket("search", told(10, 1min)));
  auto everywhere = rejected_for(30s);
  everywhere.reading.everywhere = true;
  exchange(*gate, core_route, everywhere);
  const auto snapshot = gate->snapshot(bench_now(0s));
  EXPECT_EQ(snapshot.buckets[1].sent, 1U);
  EXPECT_EQ(snapshot.buckets[1].rejected, 0U);
}

TEST(QuotaBuckets, what_is_under_way_when_its_bucket_is_learned_is_counted_there) {
  const auto gate = make_gate();
  exchange(*gate, core_route, in_bucket("core", told(100, 1h)));
  std::vector<Permit> searches;
  for (int i = 0; i < 8; ++i)
    searches.push_back(std::get<Permit>(gate->admit(bench_now(0s), {}, {.route = search_route})));
  const auto settle = [&](int left) {
    Permit permit = std::move(searches.back());
    searches.pop_back();
    gate->settle(std::move(permit), bench_now(0s), bench_now(0s), in_bucket("search", told(left, 1min)));
  };
  settle(9);
  std::vector<Permit> more;
  for (auto asked = gate->admit(bench_now(0s), {}, {.route = search_route}); std::holds_alternative<Permit>(asked);
       asked = gate->admit(bench_now(0s), {}, {.route = search_route}))
    more.push_back(std::get<Permit>(std::move(asked)));
  EXPECT_EQ(more.size(), 2U) << "nine are left, and seven are under way";
  for (int left = 8; !searches.empty(); --left) settle(left);
  more.clear();
  EXPECT_EQ(gate->snapshot(bench_now(0s)).buckets[1].remaining, 2);
}

TEST(QuotaBuckets, a_late_answer_raises_nothing_in_the_bucket_that_it_names) {
  const auto gate = make_gate();
  exchange(*gate, core_route, in_bucket("core", told(100, 1h)));
  std::vector<Permit> searches;
  for (int i = 0; i < 3; ++i)
    searches.push_back(std::get<Permit>(gate->admit(bench_now(0s), {}, {.route = search_route})));
  for (const int left : {0, 1, 2}) {  // the last of them is answered first
    gate->settle(std::move(searches.back()), bench_now(0s), bench_now(0s), in_bucket("search", told(left)));
    searches.pop_back();
  }
  EXPECT_FALSE(goes(*gate, search_route));
}

TEST(QuotaBuckets, events_show_the_bucket_of_their_route) {
  const auto gate = make_gate();
  auto answer = in_bucket("core", told(10, 1h));
  answer.reading.more = {{.name = "burst", .limit = 5, .remaining = 3, .reset = {}}};
  exchange(*gate, core_route, answer);
  exchange(*gate, search_route, in_bucket("search", told(29, 1min)));
  EXPECT_EQ(gate->reading(bench_now(0s), core_route).bucket, "core/burst");
  EXPECT_EQ(gate->reading(bench_now(0s), search_route).bucket, "search");
  EXPECT_EQ(gate->reading(bench_now(0s), search_route).quota.remaining, 29);
}

TEST(QuotaBuckets, a_service_that_names_ever_new_ones_fills_no_memory) {
  const auto gate = make_gate();
  for (int i = 0; i < 1000; ++i) exchange(*gate, core_route, in_bucket("b" + std::to_string(i), told(10, 1h)));
  EXPECT_EQ(gate->snapshot(bench_now(0s)).buckets.size(), 256U);
}

TEST(QuotaGate, time_held_is_counted) {
  const auto gate = make_gate();
  spend_one(*gate, told(0, 5s));
  auto held = gate->admit(bench_now(0s), {});
  std::get<noun::Hold>(held).mark.end(bench_now(2s).steady);
  EXPECT_EQ(gate->snapshot(bench_now(2s)).held_for, 2s);
  EXPECT_EQ(gate->snapshot(bench_now(2s)).held, 0U);
}

}  // namespace quota_test
}  // namespace quota_tests
