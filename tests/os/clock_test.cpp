// The system's clock: waits end in time, on a stop request, and on a wake-up that is never lost.
#include <noun/clock.hpp>

#include <gtest/gtest.h>

#include <atomic>

#include "joining_thread.hpp"

namespace noun { namespace clock_test {

using namespace std::chrono_literals;

TEST(SystemClock, is_one_object_for_the_process_with_both_clocks) {
  const auto clock = system_clock();
  EXPECT_EQ(clock, system_clock());
  const auto before = std::chrono::steady_clock::now();
  const auto wall = std::chrono::system_clock::now();
  const auto now = clock->now();
  EXPECT_GE(now.steady, before);
  EXPECT_LT(now.steady, before + 10s);
  EXPECT_LT(std::chrono::abs(now.wall - wall), 10s);
}

TEST(SystemClock, wait_ends_at_its_instant_and_not_before) {
  const auto clock = system_clock();
  const auto until = clock->now().steady + 20ms;
  WakeCounter counter{0};
  clock->wait(until, {&counter, 0}, {});
  EXPECT_GE(clock->now().steady, until);
  const auto again = clock->now().steady + 20ms;
  clock->wait(again, {}, {});
  EXPECT_GE(clock->now().steady, again);
}

TEST(SystemClock, wait_for_the_past_or_with_an_overtaken_ticket_ends_at_once) {
  const auto clock = system_clock();
  const auto start = clock->now().steady;
  WakeCounter counter{5};
  clock->wait(start - 1h, {&counter, 5}, {});
  clock->wait(start + 1h, {&counter, 4}, {});
  StopSource stop;
  stop.request_stop();
  clock->wait(start + 1h, {&counter, 5}, stop.get_token());
  clock->wait(Instant::max(), {&counter, 4}, {});
  EXPECT_LT(clock->now().steady - start, 10s);
}

TEST(SystemClock, wait_ends_when_its_counter_rises_and_is_woken) {
  const auto clock = system_clock();
  WakeCounter counter{0};
  const auto start = clock->now().steady;
  noun_test::JoiningThread waker([&] {
    counter.fetch_add(1);
    clock->wake(counter);
  });
  clock->wait(Instant::max(), {&counter, 0}, {});
  EXPECT_LT(clock->now().steady - start, 10s);
}

TEST(SystemClock, wake_up_of_another_counter_leaves_a_waiter_asleep) {
  const auto clock = system_clock();
  WakeCounter mine{0};
  WakeCounter other{0};
  const auto until = clock->now().steady + 30ms;
  std::atomic<bool> over = false;
  noun_test::JoiningThread waker([&] {
    while (!over) {
      other.fetch_add(1);
      clock->wake(other);
      clock->wake(mine);
    }
  });
  clock->wait(until, {&mine, 0}, {});
  over = true;
  EXPECT_GE(clock->now().steady, until);
}

TEST(SystemClock, stop_request_ends_a_wait_within_50_ms) {
  const auto clock = system_clock();
  WakeCounter counter{0};
  for (int round = 0; round < 20; ++round) {
    StopSource stop;
    std::atomic<Instant> stopped{Instant::max()};
    noun_test::JoiningThread stopper([&] {
      clock->wait(clock->now().steady + 2ms, {}, {});
      stopped = clock->now().steady;
      stop.request_stop();
    });
    clock->wait(Instant::max(), {&counter, 0}, stop.get_token());
    const auto ended = clock->now().steady;
    stopper.join();
    EXPECT_LT(ended - stopped.load(), 50ms);
  }
}

TEST(SystemClock, loses_no_wake_up_in_ten_thousand_rounds) {
  constexpr std::uint64_t rounds = 10'000;
  const auto clock = system_clock();
  const auto give_up = clock->now().steady + 50s;
  WakeCounter ping{0};
  WakeCounter pong{0};
  // Each side waits for the other's step: a lost wake-up would make both wait until they give up.
  const auto play = [&](WakeCounter& theirs, WakeCounter& mine, bool first) {
    for (std::uint64_t round = 0; round < rounds; ++round) {
      if (!first) clock->wait(give_up, {&theirs, round}, {});
      mine.fetch_add(1);
      clock->wake(mine);
      if (first) clock->wait(give_up, {&theirs, round}, {});
    }
  };
  {
    noun_test::JoiningThread other([&] { play(ping, pong, false); });
    play(pong, ping, true);
  }
  EXPECT_EQ(ping, rounds);
  EXPECT_EQ(pong, rounds);
  EXPECT_LT(clock->now().steady, give_up);
}

}  // namespace clock_test
}  // namespace noun
