// Tests of clients and threads with sockets: one client for many threads, clients destroyed during calls, and stop
// requests at any moment.
#include <atomic>
#include <barrier>
#include <chrono>
#include <cstdint>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <noun/noun.hpp>
#include <noun/stop.hpp>

#include "integration/atlas_round.hpp"
#include "joining_thread.hpp"

namespace client_threads_test {

using namespace std::chrono_literals;
using noun::Errc;

TEST(ClientThreads, sixty_four_threads_share_one_client_and_its_copies) {
  constexpr int threads = 64;
  constexpr int calls = 10;
  atlas::Service service;
  const noun::Client api{service.base_url()};
  std::atomic<int> good = 0;
  {
    std::barrier together(threads);
    std::vector<noun_test::JoiningThread> all;
    for (int t = 0; t < threads; ++t)
      all.emplace_back([&, copy = api] {
        together.arrive_and_wait();
        for (int i = 0; i < calls; ++i) {
          const auto& client = i % 2 == 0 ? api : copy;
          if (const auto got = client.collection<Language>("languages")["deu"].get(); got && got->name == "German")
            ++good;
        }
      });
  }
  EXPECT_EQ(good, threads * calls);
  EXPECT_EQ(service.stats().requests, static_cast<std::uint64_t>(threads * calls));
  EXPECT_EQ(api.quota_snapshot().in_flight, 0U);
}

TEST(ClientThreads, a_client_may_be_destroyed_during_its_calls) {
  constexpr int threads = 8;
  atlas::Service service{{.latency = 20ms}};
  auto api = std::make_unique<noun::Client>(service.base_url());
  std::atomic<int> good = 0;
  {
    std::barrier started(threads + 1);
    std::vector<noun_test::JoiningThread> all;
    for (int t = 0; t < threads; ++t)
      all.emplace_back([&, item = api->collection<Language>("languages")["deu"]] {
        started.arrive_and_wait();
        for (int i = 0; i < 3; ++i)
          if (item.get()) ++good;
      });
    started.arrive_and_wait();
    api.reset();
  }
  EXPECT_EQ(good, threads * 3);
}

/// Requests a stop at an arbitrary moment: after a number of yields of a separate thread.
class StopAfterTurns {
 public:
  explicit StopAfterTurns(std::uint64_t turns)
      : stopper_([this, turns] {
          for (std::uint64_t turn = 0; turn < turns; ++turn) std::this_thread::yield();
          stop_.request_stop();
        }) {}
  noun::StopToken token() const { return stop_.get_token(); }

 private:
  noun::StopSource stop_;
  noun_test::JoiningThread stopper_;
};

TEST(ClientThreads, a_stop_request_at_any_moment_ends_in_success_or_cancelled) {
  constexpr int rounds = 200;
  atlas::Service service{{.limit = 1000, .latency = 1ms}};
  const noun::Client api{service.base_url()};
  std::mt19937 random(7);
  for (int round = 0; round < rounds; ++round) {
    const StopAfterTurns stop(random() % 4000);
    const auto got = api.collection<Language>("languages")["deu"].get({.stop = stop.token()});
    if (got)
      EXPECT_EQ(got->name, "German");
    else
      ASSERT_EQ(got.error().code(), Errc::cancelled) << got.error().message();
  }
  EXPECT_EQ(api.quota_snapshot().in_flight, 0U) << "every permit was released";
  EXPECT_TRUE(api.collection<Language>("languages")["deu"].get());
}

TEST(ClientThreads, a_stop_request_at_any_moment_loses_and_repeats_no_items) {
  atlas::Service service;
  const noun::Client api{service.base_url()};
  const auto total = service.stats().items.at("scripts");
  std::mt19937 random(11);
  std::set<std::string> seen;
  std::string bookmark;
  int rounds = 0;
  for (bool ended = false; !ended && rounds < 10'000; ++rounds) {
    const StopAfterTurns stop(random() % 3000);
    auto scripts = api.collection("scripts").list({.page_size = 10, .resume = bookmark, .stop = stop.token()});
    ended = true;
    for (const auto& script : scripts) {
      if (!script) {
        ASSERT_EQ(script.error().code(), Errc::cancelled) << script.error().message();
        ended = false;
      } else {
        EXPECT_TRUE(seen.insert(script->at("alpha_4").get<std::string>()).second);
      }
    }
    bookmark = scripts.bookmark();
  }
  EXPECT_EQ(seen.size(), total);
}

}  // namespace client_threads_test
