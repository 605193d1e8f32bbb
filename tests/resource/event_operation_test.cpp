// Tests of op::next_event() in its asynchronous forms.
#include <noun/detail/event_operation.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <coroutine>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <noun/coroutine.hpp>
#include <noun/future.hpp>
#include <noun/stop.hpp>

#include "coroutine_task.hpp"
#include "resource/failing_allocations.hpp"
#include "resource/function_queue.hpp"
#include "resource/scripted_client.hpp"

namespace resource_test { namespace event_operation_test {

using noun_test::Task;
using ::testing::ElementsAre;
using OptionalEvent = std::optional<noun::StreamItem<int>>;
using EventResult = noun::Result<OptionalEvent>;

/// A feed of numbers, which waits for the next one after those that were published.
struct Feed : Bench {
  std::shared_ptr<kit::SimulatedService> service = std::make_shared<kit::SimulatedService>(clock);
  noun::Client api = client({.transport = service});
  FunctionQueue queue;

  explicit Feed(int events = 0) {
    service->run_feed("/v1/feed");
    publish(1, events);
  }
  void publish(int first, int last) {
    for (int number = first; number <= last; ++number) service->publish("/v1/feed", number);
  }
  /// From now on the feed ends after its last event.
  void end() { service->run_feed("/v1/feed", {.ends = true}); }
  noun::Stream<int> stream(noun::StreamOptions options = {}) const {
    return api.stream<int>({.path = "feed"}, std::move(options));
  }
};

/// Counts its calls, and keeps the result.
struct Completed {
  std::optional<EventResult> result;
  std::thread::id on;
  int times = 0;

  auto completion() {
    return [this](EventResult completed) {
      result.emplace(std::move(completed));
      on = std::this_thread::get_id();
      ++times;
    };
  }
  /// Of the event; 0 at the end.
  int value() const {
    const auto& event = result->value();
    return event ? event->value : 0;
  }
};

noun::Started start(Feed& feed, noun::Stream<int>& stream, Completed& completed) {
  return noun::start(noun::op::next_event(stream), feed.queue.executor(), completed.completion());
}
/// Of the next event, on the test's thread.
Completed next(Feed& feed, noun::Stream<int>& stream) {
  Completed completed;
  start(feed, stream, completed);
  feed.queue.run_until([&] { return completed.times > 0; });
  return completed;
}
/// The next event; once more as long as a dropped operation still holds the stream.
EventResult next_after_dropped(noun::Stream<int>& stream) {
  auto event = noun::op::next_event(stream).run();
  while (code_of(event) == Errc::invalid_argument) event = noun::op::next_event(stream).run();
  return event;
}

TEST(NextEvent, completes_once_on_the_executor_with_each_event_and_then_with_nothing) {
  Feed feed(3);
  feed.end();
  auto stream = feed.stream();
  for (const int expected : {1, 2, 3, 0, 0}) {
    const auto completed = next(feed, stream);
    EXPECT_EQ(completed.value(), expected);
    EXPECT_EQ(completed.on, std::this_thread::get_id());
    EXPECT_EQ(completed.times, 1);
    EXPECT_EQ(stream.last_event_id(), std::to_string(expected == 0 ? 3 : expected));
  }
  EXPECT_EQ(feed.service->requests(), 1U);
}

TEST(Stream, that_has_no_memory_for_the_id_of_an_event_ends_with_an_error) {
  for (const bool by_operation : {false, true}) {
    Bench bench;
    bench.script->expect(Method::get, "/v1/feed")
        .reply(200, "id: 1\ndata: 1\n\nid: " + std::string(100, '2') + "\ndata: 2\n\ndata: 3\n\n",
               {{"Content-Type", "text/event-stream"}});
    auto stream = bench.client().stream<int>({.path = "feed"});
    auto at = stream.begin();
    EXPECT_EQ((*at)->value, 1);
    if (by_operation) {
      const auto next = noun::op::next_event(stream);
      fail_allocations(1);
      const auto event = next.run();
      fail_allocations(0);
      EXPECT_EQ(code_of(event), Errc::resource);
    } else {
      ++at;
      fail_allocations(1);
      const bool is_end = at == stream.end();
      fail_allocations(0);
      ASSERT_FALSE(is_end);
      EXPECT_EQ(code_of(*at), Errc::resource);
      EXPECT_TRUE(++at == stream.end());
    }
    EXPECT_EQ(noun::op::next_event(stream).run().value(), std::nullopt) << "it does not claim to be in use";
    EXPECT_EQ(stream.last_event_id(), "1") << "that of the last event that was delivered";
  }
}

TEST(NextEvent, is_never_completed_inside_the_function_that_starts_it) {
  Feed feed(1);
  auto stream = feed.stream();
  ASSERT_EQ(next(feed, stream).value(), 1);
  feed.publish(2, 2);
  for (bool is_there = false; !is_there; std::this_thread::yield()) {
    Completed completed;
    const auto started = start(feed, stream, completed);
    EXPECT_EQ(completed.times, 0);
    started.stop();
    feed.queue.run_one();
    is_there = completed.result->has_value();
  }
}

TEST(NextEvent, waits_for_an_event) {
  Feed feed;
  auto stream = feed.stream();
  for (int number = 1; number <= 100; ++number) {
    Completed completed;
    start(feed, stream, completed);
    feed.publish(number, number);
    feed.queue.run_one();
    EXPECT_EQ(completed.value(), number);
  }
}

TEST(NextEvent, shares_its_position_with_the_iterators) {
  Feed feed(4);
  feed.end();
  auto stream = feed.stream();
  auto at = stream.begin();
  EXPECT_EQ((*at)->value, 1);
  EXPECT_EQ(next(feed, stream).value(), 2);
  ++at;
  EXPECT_EQ((*at)->value, 3);
  EXPECT_EQ(noun::op::next_event(stream).run().value()->value, 4);
  EXPECT_EQ(next(feed, stream).value(), 0);
}

TEST(NextEvent, returns_the_error_that_ends_the_stream_and_then_nothing) {
  Feed feed;
  auto missing = feed.api.stream<int>({.path = "none"});
  EXPECT_EQ(code_of(*next(feed, missing).result), Errc::not_found);
  EXPECT_EQ(next(feed, missing).value(), 0);
  auto wrong = feed.stream({.stall_timeout = 0s});
  EXPECT_EQ(code_of(*next(feed, wrong).result), Errc::invalid_argument);
  EXPECT_EQ(next(feed, wrong).value(), 0);
  feed.service->run_feed("/v1/feed", {.breaks_after = 20});
  feed.publish(1, 2);
  auto cut = feed.stream();
  EXPECT_EQ(next(feed, cut).value(), 1);
  EXPECT_EQ(code_of(*next(feed, cut).result), Errc::truncated);
  EXPECT_EQ(next(feed, cut).value(), 0);
}

TEST(NextEvent, after_an_event_that_is_not_the_type_ends_unless_such_events_are_delivered) {
  for (const auto bad_items : {noun::BadItems::stop, noun::BadItems::deliver}) {
    const bool goes_on = bad_items == noun::BadItems::deliver;
    Feed feed(1);
    feed.service->publish("/v1/feed", "two");
    feed.publish(3, 3);
    auto stream = feed.stream({.bad_items = bad_items});
    EXPECT_EQ(next(feed, stream).value(), 1);
    EXPECT_EQ(code_of(*next(feed, stream).result), Errc::decode);
    EXPECT_EQ(next(feed, stream).value(), goes_on ? 3 : 0);
    if (goes_on) continue;
    EXPECT_TRUE(stream.begin() == stream.end());
    // The same for who iterates first.
    auto other = feed.stream();
    auto at = other.begin();
    EXPECT_EQ((*++at).error().code(), Errc::decode);
    EXPECT_EQ(next(feed, other).value(), 0);
  }
}

TEST(NextEvent, of_a_stream_that_is_read_already_is_refused) {
  Feed feed;
  auto stream = feed.stream();
  Completed first;
  const auto started = start(feed, stream, first);
  Completed second;
  start(feed, stream, second);
  feed.queue.run_one();
  EXPECT_EQ(first.times, 0);
  expect_error(*second.result, Errc::invalid_argument, "another thread or operation uses this stream");
  EXPECT_EQ(code_of(noun::op::next_event(stream).run()), Errc::invalid_argument);
  started.stop();
  feed.queue.run_one();
  EXPECT_EQ(code_of(*first.result), Errc::cancelled);
  feed.publish(1, 1);
  EXPECT_EQ(next(feed, stream).value(), 1);
}

TEST(NextEvent, that_is_stopped_takes_no_event) {
  Feed feed;
  auto stream = feed.stream();
  for (int number = 1; number <= 100; ++number) {
    Completed stopped;
    const auto started = start(feed, stream, stopped);
    std::thread publishes([&] { feed.publish(number, number); });
    started.stop();
    publishes.join();
    feed.queue.run_one();
    // Its result may have been there before.
    if (*stopped.result)
      EXPECT_EQ(stopped.value(), number);
    else
      EXPECT_EQ(code_of(*stopped.result), Errc::cancelled);
    if (!*stopped.result) {
      EXPECT_EQ(next(feed, stream).value(), number);
    }
    started.stop();
  }
}

TEST(NextEvent, ends_when_the_stream_s_stop_token_is_used) {
  Feed feed;
  noun::StopSource stop;
  auto stream = feed.stream({.stop = stop.get_token()});
  Completed completed;
  start(feed, stream, completed);
  while (feed.service->requests() == 0) std::this_thread::yield();
  stop.request_stop();
  feed.queue.run_one();
  EXPECT_EQ(code_of(*completed.result), Errc::cancelled);
  EXPECT_EQ(next(feed, stream).value(), 0);
  auto late = feed.stream({.stop = stop.get_token()});
  EXPECT_EQ(code_of(*next(feed, late).result), Errc::cancelled);
  EXPECT_EQ(feed.service->requests(), 1U);
}

TEST(NextEvent, that_waits_for_a_thread_can_be_stopped) {
  constexpr std::size_t threads = 64;
  Feed feed;
  noun::StopSource stop;
  std::vector<noun::Stream<int>> streams;
  std::vector<Completed> completed(threads);
  std::vector<noun::Started> started;
  for (std::size_t i = 0; i < threads; ++i) {
    streams.push_back(feed.stream());
    started.push_back(start(feed, streams.back(), completed[i]));
  }
  for (const bool by_token : {true, false}) {
    auto stream = feed.stream({.stop = stop.get_token()});
    Completed last;
    const auto call = start(feed, stream, last);
    if (by_token)
      stop.request_stop();
    else
      call.stop();
    feed.queue.run_one();
    EXPECT_EQ(code_of(*last.result), Errc::cancelled);
    EXPECT_EQ(last.result->error().sent(), Sent::no);
    stop = noun::StopSource();
  }
  for (const auto& one : started) one.stop();
  for (std::size_t i = 0; i < threads; ++i) feed.queue.run_one();
  for (const auto& one : completed) EXPECT_EQ(one.times, 1);
}

TEST(NextEvent, that_waited_for_a_thread_until_its_deadline_sends_nothing) {
  constexpr std::size_t threads = 64;
  Feed feed(1);
  std::vector<noun::Stream<int>> open;
  for (std::size_t i = 0; i < threads; ++i) {
    open.push_back(feed.stream());
    ASSERT_EQ(next(feed, open.back()).value(), 1);
  }
  auto stream = feed.stream({.deadline = 10s});
  Completed last;
  start(feed, stream, last);
  feed.clock->advance(11s);
  open.clear();
  feed.queue.run_one();
  EXPECT_EQ(code_of(*last.result), Errc::deadline_exceeded);
  EXPECT_EQ(last.result->error().sent(), Sent::no);
  EXPECT_EQ(feed.service->requests(), threads);
}

TEST(NextEvent, keeps_its_stream_and_its_client_alive_until_it_completes) {
  FunctionQueue queue;
  Completed completed;
  std::weak_ptr<kit::SimulatedService> watched;
  {
    Feed feed;
    watched = feed.service;
    auto stream = feed.stream();
    noun::start(noun::op::next_event(stream), queue.executor(), completed.completion());
  }
  {
    const auto service = watched.lock();
    ASSERT_TRUE(service);
    service->publish("/v1/feed", 1);
  }
  queue.run_one();
  EXPECT_EQ(completed.value(), 1);
  while (!watched.expired()) std::this_thread::yield();
}

TEST(NextEvent, whose_completion_the_executor_dropped_leaves_its_event) {
  Feed feed(1);
  auto stream = feed.stream();
  Completed dropped;
  start(feed, stream, dropped);
  feed.queue.take();
  EXPECT_EQ(next_after_dropped(stream).value()->value, 1);
  EXPECT_EQ(dropped.times, 0);
}

TEST(NextEvent, with_an_executor_that_throws_completes_on_noun_s_thread) {
  Feed feed(1);
  auto stream = feed.stream();
  Awaited<int> value;
  noun::start(
      noun::op::next_event(stream), [](const std::function<void()>&) { throw std::runtime_error("not today"); },
      [&](const EventResult& event) { value.set(event.value()->value); });
  EXPECT_EQ(value.get(), 1);
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

TEST(NextEvent, is_decoded_on_the_executor) {
  Feed feed(1);
  auto stream = feed.api.stream<Traced>({.path = "feed"});
  bool completed = false;
  noun::start(noun::op::next_event(stream), feed.queue.executor(),
              [&](const noun::Result<std::optional<noun::StreamItem<Traced>>>& event) {
                EXPECT_EQ(event.value()->value.value, 1);
                completed = true;
              });
  feed.queue.run_until([&] { return completed; });
  EXPECT_EQ(Traced::decoded_on, std::this_thread::get_id());
}

TEST(NextEvent, is_a_future_and_part_of_run_all) {
  Feed feed(2);
  auto one = feed.stream();
  auto other = feed.stream();
  auto later = noun::future(noun::op::next_event(one));
  EXPECT_EQ(later.get().value()->value, 1);
  std::vector<int> values;
  for (const auto& event : feed.api.run_all(std::vector{noun::op::next_event(one), noun::op::next_event(other)}))
    values.push_back(event.value()->value);
  EXPECT_THAT(values, ElementsAre(2, 1));
  // One that nobody waits for any more takes no event.
  {
    auto abandoned = feed.api.run_all(std::vector{noun::op::next_event(one)});
    static_cast<void>(abandoned.begin());
  }
  feed.publish(3, 3);
  EXPECT_EQ(next_after_dropped(one).value()->value, 3);
}

Task read(noun::Stream<int>& stream, FunctionQueue& queue, std::vector<int>& into) {
  for (;;) {
    auto event = co_await noun::async(noun::op::next_event(stream), queue.executor());
    if (!event.value()) co_return;
    into.push_back((*event)->value);
  }
}

TEST(NextEvent, is_awaited_by_a_coroutine) {
  Feed feed(50);
  feed.end();
  auto stream = feed.stream();
  std::vector<int> all;
  const auto task = read(stream, feed.queue, all);
  feed.queue.run_until([&] { return task.done(); });
  EXPECT_EQ(all.size(), 50U);
  EXPECT_EQ(all.back(), 50);
}

TEST(NextEvent, of_a_coroutine_that_is_destroyed_leaves_its_event) {
  for (const bool is_there : {false, true}) {
    Feed feed(is_there ? 1 : 0);
    auto stream = feed.stream();
    std::vector<int> all;
    std::function<void()> resume = [] {};
    {
      const auto task = read(stream, feed.queue, all);
      if (is_there) resume = feed.queue.take();
    }
    if (!is_there) feed.publish(1, 1);
    EXPECT_EQ(next_after_dropped(stream).value()->value, 1);
    resume();
    EXPECT_TRUE(all.empty());
  }
}

}  // namespace event_operation_test
}  // namespace resource_test
