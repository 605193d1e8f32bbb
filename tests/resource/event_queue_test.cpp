// The events of a stream between who receives them and who takes them. That it bounds them is tested over connections.
#include "resource/event_queue.hpp"

#include <initializer_list>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace noun::detail { namespace event_queue_test {

void put(EventQueue& queue, std::initializer_list<std::string> texts) {
  std::vector<RawEvent> events;
  for (const auto& text : texts) events.push_back({.data = text});
  queue.put(events);
  EXPECT_TRUE(events.empty());
}

std::string text_of(const EventQueue::Next& next) {
  if (!next) return "error: " + std::string(to_string(next.error().code()));
  return *next ? (*next)->data : "the end";
}

TEST(EventQueue, gives_the_events_in_their_order_then_the_error_then_the_end) {
  EventQueue queue;
  put(queue, {"1", "2", "3"});
  EXPECT_EQ(text_of(queue.take()), "1");
  put(queue, {"4"});
  queue.end(Error(Errc::truncated, "x"));
  for (const auto* expected : {"2", "3", "4", "error: truncated", "the end", "the end"})
    EXPECT_EQ(text_of(queue.take()), expected);
}

TEST(EventQueue, continues_an_operation_with_the_first_event) {
  EventQueue queue;
  std::vector<std::string> taken;
  const auto then = [&] { taken.push_back(text_of(queue.take_now())); };
  EXPECT_FALSE(queue.start_take({}, then));
  put(queue, {"1", "2"});
  EXPECT_EQ(taken, std::vector<std::string>{"1"});
  EXPECT_TRUE(queue.start_take({}, then));
  EXPECT_EQ(text_of(queue.take_now()), "2");
  EXPECT_FALSE(queue.start_take({}, then));
  queue.end({});
  EXPECT_EQ(taken.back(), "the end");
}

TEST(EventQueue, loses_no_event_to_a_cancelled_operation) {
  EventQueue queue;
  std::vector<std::string> taken;
  EXPECT_FALSE(queue.start_take({}, [&] { taken.push_back(text_of(queue.take_now())); }));
  queue.cancel_take();
  queue.cancel_take();
  put(queue, {"1"});
  EXPECT_EQ(taken, std::vector<std::string>{"error: cancelled"});
  EXPECT_EQ(text_of(queue.take()), "1");
}

TEST(EventQueue, waits_for_nothing_after_a_stop_request) {
  EventQueue queue;
  noun::StopSource stop;
  stop.request_stop();
  EXPECT_TRUE(queue.start_take(stop.get_token(), [] {}));
  EXPECT_EQ(text_of(queue.take_now()), "error: cancelled");
}

TEST(EventQueue, gives_nothing_after_it_is_finished) {
  EventQueue queue;
  put(queue, {"1", "2", "3"});
  EXPECT_EQ(text_of(queue.take()), "1");
  queue.finish();
  EXPECT_TRUE(queue.start_take({}, [] {}));
  EXPECT_EQ(text_of(queue.take_now()), "the end");
  EXPECT_EQ(text_of(queue.take()), "the end");
}

TEST(EventQueue, adds_nothing_above_its_limit_until_events_are_taken) {
  const std::string large(EventQueue::most_at_once, 'x');
  EventQueue queue;
  for (int i = 0; i < 3; ++i) put(queue, {large});
  std::thread receiver([&] {
    put(queue, {"last"});
    queue.end({});
  });
  for (int i = 0; i < 3; ++i) EXPECT_EQ(text_of(queue.take()), large);
  EXPECT_EQ(text_of(queue.take()), "last");
  EXPECT_EQ(text_of(queue.take()), "the end");
  receiver.join();
}

TEST(EventQueue, counts_all_that_an_event_occupies) {
  EXPECT_GE(EventQueue::size_of({}), 1U);
  const auto least = EventQueue::size_of({});
  EXPECT_EQ(EventQueue::size_of({.data = "12", .event = "345", .id = "6789"}), least + 9);
}

TEST(EventQueue, does_not_wait_after_it_is_stopped) {
  EventQueue queue;
  queue.stop();
  for (int i = 0; i < 10; ++i) put(queue, {std::string(EventQueue::most_at_once, 'x')});
  queue.end({});
}

}}  // namespace noun::detail::event_queue_test
