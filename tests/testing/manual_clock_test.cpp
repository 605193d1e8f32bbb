// The clock of the testing kit.
#include <noun/testing/manual_clock.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <vector>

#include <noun/future.hpp>
#include <noun/noun.hpp>

#include "curl/raw_server.hpp"
#include "joining_thread.hpp"

namespace noun::testing { namespace manual_clock_test {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ManualClock, starts_at_the_documented_time_and_stays_until_advanced) {
  EXPECT_EQ(ManualClock(WallTime(5s)).now().wall, WallTime(5s));
  ManualClock clock;
  const auto start = clock.now();
  EXPECT_EQ(start.wall, WallTime(std::chrono::sys_days(std::chrono::year(2026) / 1 / 20) + 12h));
  EXPECT_NE(start.steady, Instant{});
  EXPECT_EQ(clock.now().steady, start.steady);
  for (const auto span : {Duration(90s), Duration(-1h)}) {  // negative durations are ignored
    clock.advance(span);
    EXPECT_EQ(clock.now().steady, start.steady + 90s);
    EXPECT_EQ(clock.now().wall, start.wall + 90s);
  }
  EXPECT_THAT(clock.waits(), IsEmpty());
}

TEST(ManualClock, wait_advances_to_the_instant_and_is_recorded) {
  ManualClock clock;
  const auto start = clock.now();
  for (const auto until : {start.steady + 30s, start.steady + 31s, start.steady - 1s, Instant::min()})
    clock.wait(until, {}, {});
  EXPECT_EQ(clock.now().steady, start.steady + 31s);
  EXPECT_EQ(clock.now().wall, start.wall + 31s);
  EXPECT_THAT(clock.waits(), ElementsAre(30s, 1s, 0s, 0s));
  EXPECT_EQ(clock.waited(), 31s);
  clock.wait(Instant::max(), {}, {});
  EXPECT_EQ(clock.now().steady, Instant::max());
  clock.advance(Duration::max());
  EXPECT_EQ(clock.now().steady, Instant::max());
}

TEST(ManualClock, wait_for_the_past_does_not_advance) {
  ManualClock clock;
  const auto start = clock.now().steady;
  WakeCounter counter{7};
  clock.wait(start + 1s, {&counter, 6}, {});
  noun::StopSource stop;
  stop.request_stop();
  clock.wait(start + 1s, {}, stop.get_token());
  EXPECT_EQ(clock.now().steady, start);
  EXPECT_THAT(clock.waits(), IsEmpty());
  clock.wait(start + 1s, {&counter, 7}, {});
  EXPECT_EQ(clock.now().steady, start + 1s);
  clock.wake(counter);
}

TEST(ManualClock, wall_clock_steps_alone) {
  ManualClock clock;
  const auto start = clock.now();
  clock.step_wall_clock(-1h);
  EXPECT_EQ(clock.now().wall, start.wall - 1h);
  EXPECT_EQ(clock.now().steady, start.steady);
  clock.wait(start.steady + 1s, {}, {});
  EXPECT_EQ(clock.now().wall, start.wall - 1h + 1s);
}

TEST(ManualClock, is_moved_by_many_threads) {
  ManualClock clock;
  const auto start = clock.now().steady;
  {
    std::vector<noun_test::JoiningThread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&] {
        for (int step = 0; step < 1000; ++step) clock.advance(1ms);
      });
  }
  EXPECT_EQ(clock.now().steady, start + 4s);
}

TEST(ManualClock, moves_over_the_waits_of_background_calls_on_real_sockets) {
  std::atomic<bool> first = true;
  noun_test::RawServer server([&](noun_test::RawServer::Peer& peer) {
    while (peer.request())
      peer.send(first.exchange(false) ? noun_test::http_response("", "Retry-After: 90\r\n", "503 Service Unavailable")
                                      : noun_test::http_response("ok"));
  });
  const auto clock = std::make_shared<ManualClock>();
  const Client api(server.url(""), {.clock = clock});
  auto got = noun::future(op::send(api, {.path = "x"}));
  ASSERT_EQ(got.wait_for(30s), std::future_status::ready);
  EXPECT_EQ(got.get().value().body, "ok");
  EXPECT_GE(clock->waited(), 90s);
}

}  // namespace manual_clock_test
}  // namespace noun::testing
