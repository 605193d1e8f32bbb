// Tests of operations that are started, and complete on an executor.
#include <noun/start.hpp>

#include <noun/future.hpp>
#include <noun/stop.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "os/stoppable_condition.hpp"
#include "resource/concurrent_pages.hpp"
#include "resource/function_queue.hpp"

namespace resource_test { namespace start_test {

using ::testing::ElementsAre;

/// Counts its calls, and keeps the result.
template <class T>
struct Completed {
  std::optional<noun::Result<T>> result;
  std::thread::id on;
  int times = 0;

  auto completion() {
    return [this](noun::Result<T> completed) {
      result.emplace(std::move(completed));
      on = std::this_thread::get_id();
      ++times;
    };
  }
};

struct Queued : SixMembers {
  FunctionQueue queue;

  template <class T>
  noun::Result<T> complete(const noun::Operation<T>& operation) {
    Completed<T> completed;
    noun::start(operation, queue.executor(), completed.completion());
    queue.run_until([&] { return completed.times > 0; });
    return *std::move(completed.result);
  }
};

TEST(Start, completes_once_on_the_executor) {
  Queued bench;
  Completed<int> completed;
  noun::start(noun::op::get(bench.numbers[3]), bench.queue.executor(), completed.completion());
  auto run = bench.queue.take();
  EXPECT_EQ(completed.times, 0);
  run();
  EXPECT_EQ(completed.result->value(), 3);
  EXPECT_EQ(completed.on, std::this_thread::get_id());
  run();
  EXPECT_EQ(completed.times, 1);
}

TEST(Start, completes_also_with_an_error_through_the_executor) {
  Queued bench;
  Completed<int> completed;
  noun::start(noun::op::get(bench.numbers[""]), bench.queue.executor(), completed.completion());
  EXPECT_EQ(completed.times, 0);
  bench.queue.run_one();
  EXPECT_EQ(code_of(*completed.result), Errc::invalid_argument);
}

TEST(Start, without_an_executor_completes_on_one_thread_of_noun) {
  SixMembers bench;
  std::mutex mutex;
  std::set<std::thread::id> threads;
  std::vector<std::unique_ptr<Awaited<int>>> values;
  for (int id = 1; id <= 6; ++id) {
    values.push_back(std::make_unique<Awaited<int>>());
    noun::start(noun::op::get(bench.numbers[id]), [&, &value = *values.back()](noun::Result<int> number) {
      {
        const std::lock_guard lock(mutex);
        threads.insert(std::this_thread::get_id());
      }
      // A call that waits may be made here.
      value.set(number.value() + bench.numbers[1].get().value());
    });
  }
  for (int id = 1; id <= 6; ++id) EXPECT_EQ(values[static_cast<std::size_t>(id - 1)]->get(), id + 1);
  EXPECT_EQ(threads.size(), 1U);
  EXPECT_FALSE(threads.contains(std::this_thread::get_id()));
}

TEST(Start, an_exception_of_a_completion_on_noun_s_thread_is_dropped) {
  SixMembers bench;
  Awaited<int> value;
  noun::start(noun::op::get(bench.numbers[1]), [](const noun::Result<int>&) { throw std::runtime_error("not today"); });
  noun::start(noun::op::get(bench.numbers[2]), [&](noun::Result<int> number) { value.set(*number); });
  EXPECT_EQ(value.get(), 2);
}

TEST(Start, with_an_executor_that_throws_completes_on_noun_s_thread) {
  SixMembers bench;
  for (const bool after_it_ran : {false, true}) {
    std::atomic<int> times = 0;
    Awaited<std::thread::id> on;
    noun::start(
        noun::op::get(bench.numbers[1]),
        [&](const std::function<void()>& run) {
          if (after_it_ran) std::thread(run).join();
          throw std::runtime_error("not today");
        },
        [&](const noun::Result<int>&) {
          if (times++ == 0) on.set(std::this_thread::get_id());
        });
    EXPECT_NE(on.get(), std::this_thread::get_id());
    // The thread runs completions in turn: one that came twice would have run before this one.
    Awaited<bool> after;
    noun::start(noun::op::get(bench.numbers[2]), [&](const noun::Result<int>&) { after.set(true); });
    after.get();
    EXPECT_EQ(times, 1);
  }
}

TEST(Start, takes_a_completion_that_can_only_be_moved) {
  Queued bench;
  int value = 0;
  noun::start(noun::op::get(bench.numbers[4]), bench.queue.executor(),
              [&value, one = std::make_unique<int>(1)](noun::Result<int> number) { value = *number + *one; });
  bench.queue.run_one();
  EXPECT_EQ(value, 5);
}

TEST(Start, keeps_the_client_alive_until_it_completes) {
  FunctionQueue queue;
  auto service = std::make_shared<ConcurrentPages>();
  const std::weak_ptr<ConcurrentPages> watched = service;
  Completed<int> completed;
  noun::Started started;
  {
    Bench bench;
    service->page(numbers_url + "/1", "1");
    started = noun::start(
        noun::op::get(bench.client({.transport = std::move(service)}).collection<int>("numbers")[1]), queue.executor(),
        completed.completion());
  }
  queue.run_one();
  EXPECT_EQ(completed.result->value(), 1);
  EXPECT_TRUE(watched.expired());
}

TEST(Start, a_stopped_operation_completes_as_cancelled) {
  Queued bench;
  bench.service->together = 2;  // the first request gets no response
  Completed<int> completed;
  const auto started = noun::start(noun::op::get(bench.numbers[1]), bench.queue.executor(), completed.completion());
  bench.service->wait_for(1);
  started.stop();
  bench.queue.run_one();
  EXPECT_EQ(code_of(*completed.result), Errc::cancelled);
  started.stop();
}

TEST(Start, the_stop_token_of_the_call_stops_it_too) {
  Queued bench;
  bench.service->together = 2;
  noun::StopSource stop;
  Completed<int> completed;
  noun::start(noun::op::get(bench.numbers[1], {.stop = stop.get_token()}), bench.queue.executor(),
              completed.completion());
  bench.service->wait_for(1);
  stop.request_stop();
  bench.queue.run_one();
  EXPECT_EQ(code_of(*completed.result), Errc::cancelled);
}

TEST(Start, stop_unless_sent_leaves_a_request_that_was_sent) {
  Queued bench;
  bench.service->together = 2;
  Completed<int> completed;
  const auto started = noun::start(noun::op::get(bench.numbers[1]), bench.queue.executor(), completed.completion());
  bench.service->wait_for(1);
  noun::detail::StartedAccess::stop_unless_sent(started);
  Completed<int> other;
  noun::start(noun::op::get(bench.numbers[2]), bench.queue.executor(), other.completion());
  bench.queue.run_until([&] { return completed.times > 0 && other.times > 0; });
  EXPECT_EQ(completed.result->value(), 1);
}

TEST(Start, stop_unless_sent_ends_what_waits_for_its_turn) {
  Queued bench;
  bench.api = bench.client({.quota = {.in_flight_unknown = 1}, .transport = bench.service});
  bench.service->together = 2;
  const auto numbers = bench.api.collection<int>("numbers");
  Completed<int> sent;
  const auto first = noun::start(noun::op::get(numbers[1]), bench.queue.executor(), sent.completion());
  bench.service->wait_for(1);
  Completed<int> waiting;
  const auto second = noun::start(noun::op::get(numbers[2]), bench.queue.executor(), waiting.completion());
  noun::detail::StartedAccess::stop_unless_sent(second);
  bench.queue.run_one();
  EXPECT_EQ(code_of(*waiting.result), Errc::cancelled);
  EXPECT_EQ(waiting.result->error().sent(), Sent::no);
  first.stop();
  bench.queue.run_one();
}

/// A type whose decoding tells its thread.
struct Traced {
  int value = 0;
  static inline std::thread::id decoded_on;
};
void from_json(const Json& json, Traced& traced) {
  Traced::decoded_on = std::this_thread::get_id();
  traced.value = json.get<int>();
}

TEST(Start, decodes_on_the_executor) {
  Queued bench;
  Traced::decoded_on = {};
  EXPECT_EQ(bench.complete(noun::op::get<Traced>(bench.numbers[5]))->value, 5);
  EXPECT_EQ(Traced::decoded_on, std::this_thread::get_id());
}

TEST(Start, asks_a_function_for_credentials_on_the_executor) {
  Queued bench;
  std::vector<std::thread::id> asked;
  bench.api = bench.client({.credentials = noun::Credentials([&](const noun::CredentialsRequest&) {
                              asked.push_back(std::this_thread::get_id());
                              return noun::Result<noun::Headers>(noun::Headers{{"Authorization", "s3cret"}});
                            }),
                            .transport = bench.service});
  EXPECT_EQ(bench.complete(noun::op::get(bench.api.collection<int>("numbers")[1])).value(), 1);
  EXPECT_THAT(asked, ElementsAre(std::this_thread::get_id()));
  const auto other = bench.api.with({.timeouts = noun::Timeouts{.attempt = 5s}});
  EXPECT_EQ(bench.complete(noun::op::get(other.collection<int>("numbers")[2])).value(), 2);
  EXPECT_THAT(asked, ElementsAre(std::this_thread::get_id(), std::this_thread::get_id())) << "of a copy of the client";
}

TEST(Start, a_credentials_function_that_the_executor_dropped_is_an_error) {
  Queued bench;
  bench.api = bench.client({.credentials = noun::Credentials([&](const noun::CredentialsRequest&) {
                              return noun::Result<noun::Headers>(noun::Headers{});
                            }),
                            .transport = bench.service});
  Completed<int> completed;
  noun::start(noun::op::get(bench.api.collection<int>("numbers")[1]), bench.queue.executor(), completed.completion());
  bench.queue.take();
  bench.queue.run_one();
  expect_error(*completed.result, Errc::credentials, "the executor did not run the credentials function");
}

TEST(Start, a_credentials_function_is_asked_once_if_the_executor_runs_it_and_throws) {
  Queued bench;
  std::atomic<int> asked = 0;
  std::atomic<bool> may_return = false;
  bench.api = bench.client({.credentials = noun::Credentials([&](const noun::CredentialsRequest&) {
                              if (++asked == 1)
                                while (!may_return) std::this_thread::yield();
                              return noun::Result<noun::Headers>(noun::Headers{{"Authorization", "s3cret"}});
                            }),
                            .transport = bench.service});
  std::thread runs;
  Awaited<int> value;
  noun::start(
      noun::op::get(bench.api.collection<int>("numbers")[1]),
      [&](std::function<void()> function) {
        if (asked > 0) return bench.queue.post(std::move(function));
        runs = std::thread(std::move(function));
        while (asked == 0) std::this_thread::yield();
        throw std::runtime_error("not today");
      },
      [&](noun::Result<int> number) { value.set(*number); });
  while (asked == 0) std::this_thread::yield();
  // The workers take their tasks in turn: one for the first call would be taken before that of the second.
  EXPECT_TRUE(noun::future(noun::op::get(bench.api.collection<int>("numbers")[2])).get());
  may_return = true;
  bench.queue.run_one();
  runs.join();
  EXPECT_EQ(value.get(), 1);
  EXPECT_EQ(asked, 2);
}

/// Its background calls end when memory runs out; send() works.
struct ExhaustedTransport final : noun::Transport {
  struct Exhausted final : noun::Multiplexer {
    void start(Id, const noun::Attempt&) override {}
    void cancel(Id) override {}
    std::vector<Ended> wait(noun::Duration) override { throw std::bad_alloc(); }
    void wake() noexcept override {}
  };
  noun::Result<noun::Response> send(const noun::Attempt&, const noun::StopToken&) override {
    return noun::Response{.status = 200, .body = "1"};
  }
  std::unique_ptr<noun::Multiplexer> multiplexer() override { return std::make_unique<Exhausted>(); }
};

TEST(Start, a_call_that_fails_for_lack_of_memory_returns_its_permit) {
  const noun::Client api("https://api.example.com", {.retry = {.max_attempts = 1},
                                                     .quota = {.in_flight_unknown = 1},
                                                     .transport = std::make_shared<ExhaustedTransport>()});
  const auto numbers = api.collection<int>("numbers");
  EXPECT_EQ(code_of(noun::future(noun::op::get(numbers[1])).get()), Errc::resource);
  EXPECT_EQ(numbers[2].get({.deadline = std::chrono::seconds(3)}).value(), 1);
}

TEST(Start, a_completion_is_destroyed_with_the_function_that_the_executor_drops) {
  Queued bench;
  const auto captured = std::make_shared<int>(0);
  const auto started = noun::start(noun::op::get(bench.numbers[3]), bench.queue.executor(),
                                   [captured](const noun::Result<int>&) { ++*captured; });
  bench.queue.take();
  while (captured.use_count() > 1) std::this_thread::yield();
  EXPECT_EQ(*captured, 0);
}

TEST(Start, a_credentials_function_that_the_executor_runs_after_its_call_and_its_client_is_not_asked) {
  const auto stops = {+[](const noun::Started& started) { started.stop(); },
                      +[](const noun::Started& started) { noun::detail::StartedAccess::stop_unless_sent(started); }};
  for (const auto stop : stops) {
    FunctionQueue queue;
    Completed<int> completed;
    int asked = 0;
    {
      Queued bench;
      bench.api = bench.client({.credentials = noun::Credentials([&](const noun::CredentialsRequest&) {
                                  ++asked;
                                  return noun::Result<noun::Headers>(noun::Headers{});
                                }),
                                .transport = bench.service});
      const auto started = noun::start(noun::op::get(bench.api.collection<int>("numbers")[1]), queue.executor(),
                                       completed.completion());
      while (queue.size() < 1) std::this_thread::yield();
      stop(started);
      while (queue.size() < 2) std::this_thread::yield();
    }
    const auto ask = queue.take();
    queue.run_one();
    EXPECT_EQ(code_of(*completed.result), Errc::cancelled);
    ask();
    EXPECT_EQ(asked, 0);
  }
}

TEST(Start, an_observer_on_noun_s_thread_may_start_operations) {
  Queued bench;
  Completed<int> completed;
  std::optional<noun::Client> api;
  std::atomic<bool> first = true;
  api = bench.client({.observer =
                          [&](const noun::Event& event) {
                            if (event.kind != noun::EventKind::attempt_ended || !first.exchange(false)) return;
                            noun::start(noun::op::get(api->collection<int>("numbers")[6]), bench.queue.executor(),
                                        completed.completion());
                          },
                      .transport = bench.service});
  EXPECT_EQ(bench.complete(noun::op::get(api->collection<int>("numbers")[1])).value(), 1);
  bench.queue.run_until([&] { return completed.times > 0; });
  EXPECT_EQ(completed.result->value(), 6);
}

TEST(Start, runs_every_kind_of_operation) {
  Queued bench;
  bench.service->page(numbers_url, "[1, 2]");
  EXPECT_EQ(bench.complete(noun::op::send(bench.api, {.path = "numbers/2"}))->body, "2");
  std::string bytes;
  bench.script->expect(Method::get, "/v1/f").reply(200, "0123");
  const auto take = [&](std::string_view some) { bytes += some; };
  EXPECT_EQ(bench.complete(noun::op::download(bench.client(), {.path = "f"}, take)).value().size, 4U);
  EXPECT_EQ(bytes, "0123");
  bench.service->pages[SixMembers::member(1)] = {.status = 204};
  EXPECT_TRUE(bench.complete(noun::op::remove(bench.numbers[1])));
  auto listing = bench.numbers.list();
  EXPECT_THAT(bench.complete(noun::op::next_page(listing)).value()->items, ElementsAre(1, 2));
  EXPECT_EQ(bench.complete(noun::op::next_page(listing)).value(), std::nullopt);
}

/// Responds to nothing until it is stopped.
struct SilentService final : noun::Transport {
  noun::Result<noun::Response> send(const noun::Attempt&, const noun::StopToken& stop) override {
    std::unique_lock lock(mutex);
    ++requests;
    changed.notify_all();
    changed.wait_until(lock, stop, noun::Instant::max(), [] { return false; });
    return noun::Error(Errc::cancelled, "cancelled", Sent::maybe);
  }
  void await(std::size_t count) {
    std::unique_lock lock(mutex);
    changed.wait_until(lock, {}, noun::Instant::max(), [&] { return requests == count; });
  }
  std::mutex mutex;
  noun::StoppableCondition changed;
  std::size_t requests = 0;
};

/// The first response comes when it is released. Requests are sent one by one.
struct HeldService final : noun::Transport {
  noun::Result<noun::Response> send(const noun::Attempt&, const noun::StopToken&) override {
    if (++requests == 1) {
      in_flight.set(true);
      released.get();
    }
    return noun::Response{.status = 200, .body = "1"};
  }
  Awaited<bool> in_flight;
  Awaited<bool> released;
  std::atomic<int> requests = 0;
};

TEST(Start, a_call_that_is_told_late_that_it_must_stop_is_not_sent_meanwhile) {
  const auto service = std::make_shared<HeldService>();
  const noun::Client api("http://127.0.0.1", {.transport = service});
  const auto number = api.collection<int>("numbers")[1];
  Awaited<bool> first;
  Awaited<std::optional<Errc>> second;
  noun::start(noun::op::get(number), [&](const noun::Result<int>&) { first.set(true); });
  service->in_flight.get();
  noun::StopSource source;
  noun::start(noun::op::get(number, {.stop = source.get_token()}),
              [&](const noun::Result<int>& result) { second.set(code_of(result)); });
  // The standard library of GCC calls the latest callback first.
  const auto release = [&] {
    service->released.set(true);
    second.wait();
  };
  const noun::StopCallback<decltype(release)&> before(source.get_token(), release);
  source.request_stop();
  first.get();
  EXPECT_EQ(second.get(), Errc::cancelled);
  EXPECT_EQ(service->requests, 1);
}

TEST(Start, a_download_that_waits_for_a_thread_can_be_stopped) {
  constexpr std::size_t threads = 64;
  const auto service = std::make_shared<SilentService>();
  const noun::Client api{"https://api.example.com",
                         {.quota = {.in_flight_unknown = 1000}, .transport = service}};
  FunctionQueue queue;
  std::vector<Completed<noun::Download>> completed(threads + 1);
  std::vector<noun::Started> started;
  for (auto& one : completed)
    started.push_back(noun::start(noun::op::download(api, {.path = "f"}, [](std::string_view) {}), queue.executor(),
                                  one.completion()));
  started.back().stop();
  queue.run_one();
  EXPECT_EQ(code_of(*completed.back().result), Errc::cancelled);
  EXPECT_EQ(completed.back().result->error().sent(), Sent::no);
  for (const auto& one : started) one.stop();
  for (std::size_t i = 0; i < threads; ++i) queue.run_one();
  for (const auto& one : completed) EXPECT_EQ(one.times, 1);
}

TEST(Start, a_download_that_waited_for_a_thread_until_its_deadline_sends_nothing) {
  constexpr std::size_t threads = 64;
  const auto service = std::make_shared<SilentService>();
  const auto clock = std::make_shared<kit::ManualClock>();
  const noun::Client api{"https://api.example.com",
                         {.quota = {.in_flight_unknown = 1000}, .transport = service, .clock = clock}};
  FunctionQueue queue;
  const auto download = [&](Completed<noun::Download>& completed, noun::DownloadOptions options) {
    return noun::start(noun::op::download(api, {.path = "f"}, [](std::string_view) {}, std::move(options)),
                       queue.executor(), completed.completion());
  };
  std::vector<Completed<noun::Download>> completed(threads);
  std::vector<noun::Started> started;
  for (auto& one : completed) started.push_back(download(one, {}));
  Completed<noun::Download> last;
  download(last, {.deadline = 10s});
  service->await(threads);
  clock->advance(11s);
  for (const auto& one : started) one.stop();
  for (std::size_t i = 0; i <= threads; ++i) queue.run_one();
  EXPECT_EQ(code_of(*last.result), Errc::deadline_exceeded);
  EXPECT_EQ(last.result->error().sent(), Sent::no);
  EXPECT_EQ(service->requests, threads);
}

TEST(Start, reports_errors_of_every_kind_of_operation) {
  Queued bench;
  EXPECT_EQ(code_of(bench.complete(noun::op::send(bench.api, {.path = "../x"}))), Errc::invalid_argument);
  EXPECT_EQ(code_of(bench.complete(noun::op::download(bench.api, {.path = "none"}, [](std::string_view) {}))),
            Errc::not_found);
  auto listing = bench.api.collection<int>("nothing").list();
  EXPECT_EQ(code_of(bench.complete(noun::op::next_page(listing))), Errc::not_found);
  auto refused = bench.numbers.list({.resume = "no bookmark"});
  EXPECT_EQ(code_of(bench.complete(noun::op::next_page(refused))), Errc::invalid_argument);
}

TEST(Future, has_the_result) {
  SixMembers bench;
  auto later = noun::future(noun::op::get(bench.numbers[3]));
  auto removed = noun::future(noun::op::remove(bench.numbers[""]));
  EXPECT_EQ(later.get().value(), 3);
  EXPECT_EQ(code_of(removed.get()), Errc::invalid_argument);
}

TEST(RunAll, runs_every_kind_of_operation) {
  SixMembers bench;
  bench.service->page(numbers_url, "[1, 2]");
  std::vector<std::string> bodies;
  const std::vector operations{noun::op::send(bench.api, {.path = "numbers/2"}),
                               noun::op::send(bench.api, {.path = "numbers/3"})};
  for (const auto& response : bench.api.run_all(operations)) bodies.push_back(response->body);
  EXPECT_THAT(bodies, ElementsAre("2", "3"));
  auto listing = bench.numbers.list();
  for (const auto& page : bench.api.run_all(std::vector{noun::op::next_page(listing)}))
    EXPECT_THAT(page.value()->items, ElementsAre(1, 2));
}

TEST(NextPage, delivers_pages_in_order_and_then_nothing) {
  for (const std::size_t prefetch : {0U, 1U, 4U}) {
    FiveLinkedPages bench;
    bench.pages->together = 1;
    FunctionQueue queue;
    auto listing = bench.numbers.list({.prefetch = prefetch});
    std::vector<int> all;
    for (;;) {
      Completed<std::optional<noun::Page<int>>> completed;
      noun::start(noun::op::next_page(listing), queue.executor(), completed.completion());
      queue.run_until([&] { return completed.times > 0; });
      const auto& page = completed.result->value();
      if (!page) break;
      EXPECT_EQ(completed.result->response(), page->response());
      all.insert(all.end(), page->items.begin(), page->items.end());
      EXPECT_EQ(all_of(bench.numbers.list({.resume = listing.bookmark()})),
                numbers(static_cast<int>(all.size()) + 1, 10));
    }
    EXPECT_EQ(all, numbers(1, 10));
  }
}

TEST(NextPage, runs_on_the_callers_thread_too_and_shares_its_position_with_the_items) {
  ThreePages bench;
  auto listing = bench.numbers.list();
  auto at = listing.begin();
  EXPECT_EQ(**at, 1);
  EXPECT_THAT(noun::op::next_page(listing).run().value()->items, ElementsAre(2, 3));
  at = listing.begin();
  EXPECT_EQ(**at, 4);
  ++at;
  ++at;  // over 5, which nobody has looked at
  EXPECT_THAT(noun::op::next_page(listing).run().value()->items, ElementsAre(6, 7, 8));
  EXPECT_EQ(noun::op::next_page(listing).run().value(), std::nullopt);
}

TEST(NextPage, after_an_error_fetches_the_page_again) {
  FiveLinkedPages bench;
  bench.pages->together = 1;
  FunctionQueue queue;
  auto listing = bench.numbers.list();
  ASSERT_TRUE(noun::op::next_page(listing).run());
  const auto second = std::exchange(bench.pages->pages[numbered_page(2)], {.status = 500});
  Completed<std::optional<noun::Page<int>>> failed;
  noun::start(noun::op::next_page(listing), queue.executor(), failed.completion());
  queue.run_one();
  EXPECT_EQ(code_of(*failed.result), Errc::server_error);
  bench.pages->pages[numbered_page(2)] = second;
  EXPECT_THAT(noun::op::next_page(listing).run().value()->items, ElementsAre(3, 4));
}

TEST(NextPage, of_a_listing_that_fetches_already_is_refused) {
  FiveLinkedPages bench;  // together = 4: page 2 gets no response
  FunctionQueue queue;
  auto listing = bench.numbers.list();
  ASSERT_TRUE(noun::op::next_page(listing).run());
  Completed<std::optional<noun::Page<int>>> first;
  const auto started = noun::start(noun::op::next_page(listing), queue.executor(), first.completion());
  bench.pages->wait_for(1);
  Completed<std::optional<noun::Page<int>>> second;
  noun::start(noun::op::next_page(listing), queue.executor(), second.completion());
  queue.run_one();
  EXPECT_EQ(code_of(*second.result), Errc::invalid_argument);
  EXPECT_EQ(code_of(noun::op::next_page(listing).run()), Errc::invalid_argument);
  started.stop();
  queue.run_one();
  EXPECT_EQ(code_of(*first.result), Errc::cancelled);
}

TEST(NextPage, that_is_stopped_loses_nothing) {
  for (const std::size_t prefetch : {0U, 2U}) {
    FiveLinkedPages bench;
    FunctionQueue queue;
    auto listing = bench.numbers.list({.prefetch = prefetch});
    ASSERT_TRUE(noun::op::next_page(listing).run());
    Completed<std::optional<noun::Page<int>>> stopped;
    const auto started = noun::start(noun::op::next_page(listing), queue.executor(), stopped.completion());
    bench.pages->wait_for(1);
    started.stop();
    queue.run_one();
    EXPECT_EQ(code_of(*stopped.result), Errc::cancelled);
    bench.pages->wait_for_cancelled(1);
    for (int page = 1; page <= 5; ++page) bench.pages->at_once.push_back(numbered_page(page));
    EXPECT_EQ(all_of(listing), numbers(3, 10));
  }
}

TEST(NextPage, ends_when_the_listing_s_stop_token_is_used) {
  FiveLinkedPages bench;
  FunctionQueue queue;
  noun::StopSource stop;
  auto listing = bench.numbers.list({.stop = stop.get_token()});
  ASSERT_TRUE(noun::op::next_page(listing).run());
  Completed<std::optional<noun::Page<int>>> stopped;
  noun::start(noun::op::next_page(listing), queue.executor(), stopped.completion());
  bench.pages->wait_for(1);
  stop.request_stop();
  queue.run_one();
  EXPECT_EQ(code_of(*stopped.result), Errc::cancelled);
}

TEST(NextPage, resumes_a_bookmark_with_credentials_from_the_executor) {
  FunctionQueue queue;
  FiveLinkedPages bench;
  bench.pages->together = 1;
  std::set<std::thread::id> asked;
  auto options = bench.options;
  options.credentials = noun::Credentials([&](const noun::CredentialsRequest&) {
    asked.insert(std::this_thread::get_id());
    return noun::Result<noun::Headers>(noun::Headers{{"X-Api-Key", "s3cret"}});
  });
  const auto numbers_of = bench.client(options).collection<int>("numbers");
  auto first = numbers_of.list({.max_items = 3});
  EXPECT_EQ(all_of(first), numbers(1, 3));
  asked.clear();
  auto rest = numbers_of.list({.resume = first.bookmark()});
  Completed<std::optional<noun::Page<int>>> completed;
  noun::start(noun::op::next_page(rest), queue.executor(), completed.completion());
  queue.run_until([&] { return completed.times > 0; });
  EXPECT_THAT(completed.result->value()->items, ElementsAre(4));
  EXPECT_THAT(asked, ElementsAre(std::this_thread::get_id()));
}

TEST(NextPage, is_fetched_once_also_if_the_executor_throws_after_it_ran_the_function) {
  FiveLinkedPages bench;
  bench.pages->together = 1;
  auto options = bench.options;
  options.credentials = noun::Credentials(
      [&](const noun::CredentialsRequest&) { return noun::Result<noun::Headers>(noun::Headers{}); });
  const auto numbers_of = bench.client(options).collection<int>("numbers");
  auto first = numbers_of.list({.max_items = 3});
  EXPECT_EQ(all_of(first), numbers(1, 3));
  for (int i = 0; i < 20; ++i) {
    auto rest = numbers_of.list({.resume = first.bookmark()});
    Awaited<std::vector<int>> items;
    noun::start(
        noun::op::next_page(rest),
        [&](const std::function<void()>& run) {
          std::thread(run).join();
          throw std::runtime_error("not today");
        },
        [&](const noun::Result<std::optional<noun::Page<int>>>& page) { items.set(page.value()->items); });
    EXPECT_THAT(items.get(), ElementsAre(4));
  }
}

TEST(NextPage, that_was_cancelled_may_have_been_sent) {
  FiveLinkedPages bench;
  bench.pages->at_once.clear();
  auto listing = bench.numbers.list();
  FunctionQueue queue;
  Completed<std::optional<noun::Page<int>>> completed;
  const auto started = noun::start(noun::op::next_page(listing), queue.executor(), completed.completion());
  bench.pages->wait_for(1);
  started.stop();
  queue.run_until([&] { return completed.times > 0; });
  EXPECT_EQ(completed.result->error().sent(), noun::Sent::maybe);
}

/// Cannot be copied: copies of a page could fail, and lose it.
struct Ticket {
  Ticket() = default;
  Ticket(Ticket&&) noexcept = default;
  Ticket& operator=(Ticket&&) noexcept = default;

  int number = 0;
};
void from_json(const noun::Json& json, Ticket& ticket) { ticket.number = json.get<int>(); }

TEST(NextPage, moves_its_items) {
  FiveLinkedPages bench;
  bench.pages->together = 1;
  auto listing = bench.api.collection<Ticket>("numbers").list();
  std::vector<int> received;
  for (auto page = noun::op::next_page(listing).run(); page.value(); page = noun::op::next_page(listing).run())
    for (const auto& ticket : (*page)->items) received.push_back(ticket.number);
  EXPECT_EQ(received, numbers(1, 10));
}

TEST(NextPage, whose_completion_the_executor_dropped_is_taken_by_the_next_operation) {
  FiveLinkedPages bench;
  bench.pages->together = 1;
  FunctionQueue queue;
  auto listing = bench.numbers.list();
  Completed<std::optional<noun::Page<int>>> dropped;
  noun::start(noun::op::next_page(listing), queue.executor(), dropped.completion());
  queue.take();
  // The thread of noun may still hold the operation.
  noun::Result<std::optional<noun::Page<int>>> page = noun::op::next_page(listing).run();
  while (code_of(page) == Errc::invalid_argument) page = noun::op::next_page(listing).run();
  EXPECT_THAT(page.value()->items, ElementsAre(1, 2));
  EXPECT_EQ(dropped.times, 0);
}

}  // namespace start_test
}  // namespace resource_test
