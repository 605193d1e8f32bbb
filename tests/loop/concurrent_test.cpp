// The concurrent driver with real sockets and many threads, and how its thread ends.
#include "loop/concurrent.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <noun/stop.hpp>

#include "curl/caller.hpp"
#include "curl/fails_with.hpp"
#include "curl/raw_responses.hpp"
#include "curl/raw_server.hpp"
#include "joining_thread.hpp"
#include "loop/background.hpp"
#include "loop/blocking.hpp"
#include "loop/call_bench.hpp"
#include "os/in_child.hpp"
#include "sanitized.hpp"

namespace noun_test { namespace concurrent_test {

using noun::Errc;
using noun::EventKind;
using Peer = RawServer::Peer;

// Responds with the path; /slow waits for the gate.
class PathServer {
 public:
  ~PathServer() { over.open(); }
  std::string url(std::string_view path) const { return server_.url(path); }
  const RawServer& raw() const { return server_; }

  Gate asked;
  Gate over;

 private:
  RawServer server_{[this](Peer& peer) {
    while (auto request = peer.request()) {
      const auto path = path_of(*request);
      if (path == "/slow") {
        asked.open();
        over.wait();
      }
      if (!peer.send(http_response(path))) return;
    }
  }};
};

TEST(ConcurrentDriver, ends_a_call_at_its_deadline_while_its_credentials_function_runs) {
  CallBench bench(std::make_shared<FunctionTransport>(
      [](const noun::Attempt&, const noun::StopToken&) { return noun::Response{.status = 200}; }));
  bench.driver_context.clock = noun::system_clock();
  bench.request.deadline = noun::system_clock()->now().steady + 50ms;
  bench.call_context.credentials_may_change = true;
  Gate ended;
  bool in_time = false;
  bench.driver_context.credentials = [&](const noun::Authorize&, const noun::StopToken&) {
    in_time = ended.wait_for(5s);
    return noun::Result<noun::Headers>(noun::Headers{});
  };
  {
    noun::ConcurrentDriver driver(bench.driver_context);
    Gate over;
    driver.start({.job = std::make_unique<noun::CallJob>(bench.call_context, bench.request, 1, 7),
                  .finished = [&](const noun::Done& done, const auto& job) {
                    EXPECT_THAT(job->call().error_of(done), FailsWith(Errc::deadline_exceeded, noun::Sent::no));
                    ended.open();
                    over.open();
                  }});
    over.wait();
  }
  EXPECT_TRUE(in_time);
}

// A server that responds only when as many requests have arrived as the limit admits.
TEST(ConcurrentDriver, has_as_many_connections_as_the_limit_admits) {
  constexpr std::size_t limit = 4;
  std::mutex mutex;
  std::condition_variable arrived;
  std::size_t requests = 0;
  RawServer server([&](Peer& peer) {
    while (auto request = peer.request()) {
      if (path_of(*request) == "/each") {
        std::unique_lock lock(mutex);
        const auto full = (requests++ / limit + 1) * limit;
        arrived.notify_all();
        arrived.wait(lock, [&] { return requests >= full; });
      }
      if (!peer.send(http_response("ok"))) return;
    }
  });
  Background calls;
  calls.bench().call_context.limits.connections = limit;
  calls.run(server.url("/first"));
  for (std::size_t i = 0; i < 8 * limit; ++i) calls.start(server.url("/each"));
  calls.await(1 + 8 * limit);
  for (const auto& [number, done] : calls.ended()) EXPECT_FALSE(done.error) << number;
  EXPECT_EQ(server.connections(), limit);
}

TEST(ConcurrentDriver, has_64_calls_in_flight_on_one_thread) {
  RawServer first(always(http_response("ok")));
  Meeting meeting(64);
  RawServer server(meeting.script());
  Background calls;
  calls.run(first.url());
  for (int i = 0; i < 64; ++i) calls.start(server.url());
  calls.await(65);
  for (const auto& [number, done] : calls.ended()) EXPECT_FALSE(done.error) << done.error->message();
  EXPECT_EQ(calls.threads().size(), 1U);
  EXPECT_FALSE(calls.threads().contains(std::this_thread::get_id()));
}

TEST(ConcurrentDriver, a_slow_call_delays_no_other) {
  PathServer server;
  Background calls;
  calls.run(server.url("/first"));
  const auto slow = calls.start(server.url("/slow"));
  server.asked.wait();
  for (int i = 0; i < 20; ++i) EXPECT_FALSE(calls.run(server.url("/quick")).error);
  EXPECT_EQ(calls.ended().count(slow), 0U);
  server.over.open();
  calls.await(22);
  EXPECT_LE(server.raw().connections(), 2U);
}

TEST(ConcurrentDriver, runs_its_calls_on_a_thread_that_waits_for_one_and_then_on_its_own) {
  PathServer server;
  Background calls;
  calls.run(server.url("/first"));
  const auto slow = calls.start(server.url("/slow"));
  server.asked.wait();
  calls.driver().run_until([&] {
    server.over.open();
    return calls.ended().contains(slow);
  });
  EXPECT_TRUE(calls.ended().contains(slow));
  EXPECT_TRUE(calls.threads().contains(std::this_thread::get_id()));
  EXPECT_FALSE(calls.run(server.url("/last")).error);
  EXPECT_EQ(calls.threads().size(), 2U);
}

TEST(ConcurrentDriver, runs_its_calls_on_one_waiting_thread_at_a_time) {
  PathServer server;
  Background calls;
  calls.run(server.url("/first"));
  calls.driver().run_until([&] {
    EXPECT_TRUE(calls.driver().on_own_thread());
    JoiningThread([&] { calls.driver().run_until([] { return ADD_FAILURE(), true; }); }).join();
    return true;
  });
  EXPECT_FALSE(calls.driver().on_own_thread());
}

TEST(ConcurrentDriver, cancels_one_of_many_within_50_ms) {
  PathServer server;
  Background calls;
  calls.run(server.url("/first"));
  noun::StopSource stop;
  const auto stopped = calls.start(server.url("/slow"), stop.get_token());
  server.asked.wait();
  for (int i = 0; i < 8; ++i) calls.start(server.url("/slow"));
  const auto begin = std::chrono::steady_clock::now();
  stop.request_stop();
  calls.await(2);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, patience);
  EXPECT_THAT(calls.ended().at(stopped).error, FailsWith(Errc::cancelled, noun::Sent::maybe));
  server.over.open();
  calls.await(10);
}

TEST(ConcurrentDriver, cancels_a_waiting_call_at_once) {
  RawServer server(always(http_response("", "Retry-After: 600\r\n", "503 Later")));
  Gate waits;
  Background calls;
  calls.observe(EventKind::retrying, [&] { waits.open(); });
  noun::StopSource stop;
  calls.start(server.url(), stop.get_token());
  waits.wait();
  stop.request_stop();
  calls.await(1);
  EXPECT_THAT(calls.ended().at(1).error, FailsWith(Errc::cancelled, noun::Sent::answered));
}

TEST(ConcurrentDriver, starts_calls_in_a_finish_callback) {
  PathServer server;
  Background calls;
  std::function<void(int)> next = [&](int left) {
    calls.start(server.url("/" + std::to_string(left)), {}, [&next, left] {
      if (left > 0) next(left - 1);
    });
  };
  next(50);
  calls.await(51);
  EXPECT_EQ(server.raw().requests().size(), 51U);
  EXPECT_EQ(server.raw().connections(), 1U);
}

TEST(ConcurrentDriver, knows_its_own_thread) {
  PathServer server;
  Background calls;
  std::atomic<bool> inside = false;
  EXPECT_FALSE(calls.driver().on_own_thread());
  calls.start(server.url("/a"), {}, [&] { inside = calls.driver().on_own_thread(); });
  calls.await(1);
  EXPECT_TRUE(inside);
  EXPECT_FALSE(calls.driver().on_own_thread());
}

TEST(ConcurrentDriver, ignores_exceptions_of_the_finish_callback) {
  PathServer server;
  Background calls;
  calls.start(server.url("/a"), {}, [] { throw std::runtime_error("not today"); });
  calls.await(1);
  EXPECT_FALSE(calls.run(server.url("/b")).error);
}

TEST(ConcurrentDriver, finishes_all_calls_when_it_is_destroyed) {
  PathServer server;
  auto calls = std::make_unique<Background>();
  calls->run(server.url("/first"));
  for (int i = 0; i < 16; ++i) calls->start(server.url("/slow"));
  server.asked.wait();
  // One call that only starts now, and one that is started by the end of another.
  calls->start(server.url("/slow"), {}, [&] { calls->start(server.url("/later")); });
  calls->end_driver();
  EXPECT_EQ(calls->ended().size(), 19U);
  for (const auto& [number, done] : calls->ended())
    if (number > 1) EXPECT_EQ(done.error->code(), Errc::cancelled);
}

TEST(ConcurrentDriver, is_destroyed_while_it_makes_an_attempt_itself) {
  Gate asked;
  Background calls(std::make_shared<FunctionTransport>(
      [&](const noun::Attempt&, const noun::StopToken& stop) -> noun::Result<noun::Response> {
        Gate stopped;
        const auto open = [&] { stopped.open(); };
        const noun::StopCallback<decltype(open)&> on_stop(stop, open);
        asked.open();
        stopped.wait();
        return noun::Error(Errc::cancelled, "cancelled", noun::Sent::maybe);
      }));
  calls.start("https://h.example/a");
  calls.start("https://h.example/a");
  asked.wait();
  calls.end_driver();
  for (const auto& [number, done] : calls.ended()) EXPECT_EQ(done.error->code(), Errc::cancelled);
  EXPECT_EQ(calls.ended().size(), 2U);
}

TEST(ConcurrentDriver, may_be_destroyed_in_a_finish_callback) {
  PathServer server;
  for (const bool alone : {true, false}) {
    Background calls;
    calls.run(server.url("/first"));
    if (!alone) {
      for (int i = 0; i < 8; ++i) calls.start(server.url("/slow"));
      server.asked.wait();
    }
    Gate gone;
    calls.start(server.url("/last"), {}, [&] {
      calls.end_driver();
      EXPECT_EQ(calls.ended().size(), alone ? 1U : 9U) << "all but this one";
      gone.open();
    });
    gone.wait();
    calls.await(alone ? 2 : 10);
  }
}

TEST(ConcurrentDriver, may_be_destroyed_without_a_call) { const Background calls; }

// A blocking call is in progress and the others wait for its response. The concurrent driver must be notified at once,
// not when it would re-check by itself.
void is_notified_of_a_blocking_call(Background& held, const std::string& url) {
  Gate first_is_out;
  Gate others_hold;
  CallBench bench(std::make_shared<FunctionTransport>([&](const noun::Attempt&, const noun::StopToken&) {
    first_is_out.open();
    others_hold.wait();
    return noun::Response{.status = 200};
  }));
  bench.driver_context.clock = noun::system_clock();
  bench.call_context.gate = held.bench().call_context.gate;
  held.observe(EventKind::holding, [&] { others_hold.open(); });
  JoiningThread blocking([&] {
    auto call = bench.call();
    EXPECT_FALSE(run_blocking(call, bench.driver_context, {}).error);
  });
  first_is_out.wait();
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_FALSE(held.run(url).error);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 900ms) << "it looked again by itself after a second";
}

TEST(ConcurrentDriver, a_waiting_call_is_notified_of_the_response_to_a_blocking_one) {
  PathServer server;
  Background calls;
  is_notified_of_a_blocking_call(calls, server.url("/a"));
}

TEST(ConcurrentDriver, a_waiting_call_is_notified_also_without_a_multiplexer) {
  Background calls(std::make_shared<FunctionTransport>(
      [](const noun::Attempt&, const noun::StopToken&) { return noun::Response{.status = 200}; }));
  is_notified_of_a_blocking_call(calls, "https://h.example/a");
}

// Fails in every way in which a user's multiplexer could.
class BrokenMultiplexer final : public noun::Multiplexer {
 public:
  explicit BrokenMultiplexer(bool in_start) : in_start_(in_start) {}
  void start(Id, const noun::Attempt&) override {
    if (in_start_) throw std::bad_alloc();
  }
  void cancel(Id) override { throw std::runtime_error("broken"); }
  std::vector<Ended> wait(noun::Duration) override { throw std::runtime_error("broken"); }
  void wake() noexcept override {}

 private:
  bool in_start_;
};

class BrokenTransport final : public noun::Transport {
 public:
  explicit BrokenTransport(bool in_start) : in_start_(in_start) {}
  noun::Result<noun::Response> send(const noun::Attempt&, const noun::StopToken&) override {
    return noun::Response{.status = 500};
  }
  std::unique_ptr<noun::Multiplexer> multiplexer() override { return std::make_unique<BrokenMultiplexer>(in_start_); }

 private:
  bool in_start_;
};

TEST(ConcurrentDriver, a_multiplexer_that_throws_is_an_error_of_the_call) {
  for (const bool in_start : {true, false}) {
    Background calls(std::make_shared<BrokenTransport>(in_start));
    const auto done = calls.run("https://h.example/a");
    ASSERT_TRUE(done.error);
    EXPECT_EQ(done.error->code(), Errc::resource);
  }
}

TEST(ConcurrentDriver, is_empty_in_a_child_process) {
  PathServer server;
  Background calls;
  calls.run(server.url("/first"));
  calls.start(server.url("/slow"));
  server.asked.wait();
  EXPECT_EQ(in_child([&] {
              if (sanitized) return 0;
              Gate over;
              bool good = false;
              calls.driver().start({.job = calls.job(server.url("/child")),
                                    .finished = [&](const noun::Done& done, const auto& job) {
                                      good = !job->call().error_of(done);
                                      over.open();
                                    }});
              over.wait();
              calls.end_driver();
              return good ? 0 : 1;
            }),
            0);
  server.over.open();
  calls.await(2);
  EXPECT_FALSE(calls.ended().at(2).error);
}

}  // namespace concurrent_test
}  // namespace noun_test
