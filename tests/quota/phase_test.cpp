// The table of phases: its entries, the page that shows it, and a quota policy that follows it.
#include "quota/phase.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "quota/quota_bench.hpp"
#include "state_page.hpp"

namespace quota_tests { namespace phase_test {

using noun::quota::Admission;
using noun::quota::next_phase;
using noun::quota::Phase;
using noun::quota::PhaseEvent;

static_assert(next_phase(Phase::unknown, PhaseEvent::served) == Phase::open);
static_assert(next_phase(Phase::open, PhaseEvent::window_over) == Phase::probing);
static_assert(next_phase(Phase::closed, PhaseEvent::hold_ended) == Phase::probing);

TEST(PhaseTable, every_rejection_and_every_pause_closes) {
  for (int phase = 0; phase < static_cast<int>(Phase::end_of_values); ++phase)
    for (const auto event : {PhaseEvent::rejected, PhaseEvent::paused, PhaseEvent::exhausted, PhaseEvent::unreported})
      EXPECT_EQ(next_phase(static_cast<Phase>(phase), event), Phase::closed) << phase;
}

TEST(PhaseTable, matches_the_architecture_page) {
  constexpr std::string_view phases[] = {"unknown", "open", "closed", "probing", "?"};
  constexpr std::string_view events[] = {
      "a response that is not a rejection",
      "a rejection",
      "a success that asks for a pause",
      "nothing is left, and no reset is known",
      "a probe whose response no longer reports what is left",
      "the end of the hold",
      "the reported reset passes",
  };
  noun_test::expect_on_the_architecture_page<Phase, PhaseEvent>(noun::quota::phase_table, phases, events);
}

TEST(PhaseMachine, a_late_rejection_can_only_lengthen_a_hold) {
  noun::quota::PhaseMachine machine;
  machine.close(PhaseEvent::rejected, {bench_begin}, bench_begin + 7s, WaitReason::rejected);
  machine.prolong({bench_begin + 1s}, bench_begin + 3s);
  EXPECT_EQ(machine.until(), bench_begin + 7s);
  machine.prolong({bench_begin + 1s}, bench_begin + 9s);
  EXPECT_EQ(machine.until(), bench_begin + 9s);
}

struct Story {
  const char* what;
  std::function<void(QuotaBench&)> happens;
  Phase then;
};

Report pausing(Report report) {
  report.pause = 5s;
  return report;
}

TEST(PhaseMachine, of_a_quota_policy_follows_the_responses) {
  const std::vector<Story> stories = {
      {"nothing happened", [](auto&) {}, Phase::unknown},
      {"the first request was lost", [](auto& bench) { bench.exchange(dropped()); }, Phase::unknown},
      {"the first response", [](auto& bench) { bench.exchange(bare()); }, Phase::open},
      {"a rejection", [](auto& bench) { bench.exchange(rejected()); }, Phase::closed},
      {"nothing is left, and a reset is ahead", [](auto& bench) { bench.exchange(reported(0, 5s)); }, Phase::open},
      {"nothing is left, and no reset is known", [](auto& bench) { bench.exchange(reported(0)); }, Phase::closed},
      {"a pause", [](auto& bench) { bench.exchange(pausing(reported(9, 5s))); }, Phase::closed},
      {"the reset passes", [](auto& bench) { bench.exchange(reported(0, 5s)), bench.now = 5s, bench.go(); },
       Phase::probing},
      {"the hold ends", [](auto& bench) { bench.exchange(rejected_for(7s)), bench.now = 7s, bench.go(); },
       Phase::probing},
      {"the probe is served",
       [](auto& bench) { bench.exchange(reported(0, 5s)), bench.now = 5s, bench.exchange(reported(9, 5s)); },
       Phase::open},
      {"the probe's response does not report what is left",
       [](auto& bench) { bench.exchange(reported(0, 5s)), bench.now = 5s, bench.exchange(bare()); }, Phase::closed},
      {"the third of these",
       [](auto& bench) {
         bench.exchange(reported(0, 5s));
         bench.now = 5s;
         for (int probe = 0; probe < 3; ++probe, bench.now += 4s) bench.exchange(bare());
       },
       Phase::open},
      {"a late response of the window before",
       [](auto& bench) {
         bench.exchange(reported(10, 5s));
         const auto late = bench.go();
         bench.exchange(rejected_for(7s));
         bench.respond(late, reported(8, 5s));
       },
       Phase::closed},
      {"a late response of the new window",
       [](auto& bench) {
         bench.exchange(reported(2, 5s));
         bench.now = 4900ms;
         const auto late = bench.go();
         bench.now = 5s;
         bench.hold();
         bench.respond(late, reported(99, 60s));
       },
       Phase::open},
  };
  for (const Story& story : stories) {
    SCOPED_TRACE(story.what);
    QuotaBench bench;
    story.happens(bench);
    EXPECT_EQ(bench.partition.phase(), story.then);
  }
}

}  // namespace phase_test
}  // namespace quota_tests
