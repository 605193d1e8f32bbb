// The streams of the simulated server, as a client reads them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <noun/noun.hpp>
#include <noun/testing.hpp>

namespace noun::testing { namespace simulated_feed_test {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Stage {
  explicit Stage(ServiceOptions options = {}) : service(std::make_shared<SimulatedService>(clock, options)) {}

  noun::Client client() const {
    return noun::Client("https://api.example.com",
                        {.retry = {.jitter = 0}, .transport = service, .clock = clock, .quota_ledger = make_quota_ledger()});
  }
  void publish(int first, int last) {
    for (int number = first; number <= last; ++number) service->publish("/events", number);
  }

  std::shared_ptr<ManualClock> clock = std::make_shared<ManualClock>();
  std::shared_ptr<SimulatedService> service;
};

std::vector<int> numbers(int first, int last) {
  std::vector<int> all;
  for (int number = first; number <= last; ++number) all.push_back(number);
  return all;
}

/// The events of a stream, and the code of its error.
std::pair<std::vector<int>, std::optional<Errc>> read(noun::Stream<int> stream) {
  std::vector<int> all;
  for (auto& each : stream) {
    if (!each) return {all, each.error().code()};
    all.push_back(each->value);
  }
  return {all, std::nullopt};
}

TEST(SimulatedFeed, delivers_what_was_published_with_numbers_as_ids) {
  Stage stage;
  stage.service->run_feed("/events", {.ends = true});
  stage.service->publish("/events", Json{{"a", 1}}, "change");
  stage.service->publish_text("/events", "two\nlines");
  stage.service->publish_text("/events", "one\rtwo\r\nthree\r");
  std::vector<std::string> all;
  auto stream = stage.client().stream<EventText>({.path = "events"});
  for (auto& each : stream) all.push_back(each.value().id + " " + each->event + " " + each->value.text);
  EXPECT_THAT(all, ElementsAre("1 change {\"a\":1}", "2 message two\nlines", "3 message one\ntwo\nthree\n"));
  EXPECT_EQ(stream.response()->headers.get("Content-Type"), "text/event-stream");
}

TEST(SimulatedFeed, waits_for_the_next_event) {
  Stage stage;
  stage.service->run_feed("/events");
  stage.publish(1, 1);
  auto stream = stage.client().stream<int>({.path = "events"});
  std::vector<int> all;
  for (auto& each : stream) {
    all.push_back(each.value().value);
    if (all.size() < 5) stage.publish(each->value + 1, each->value + 1);
    else stage.service->run_feed("/events", {.ends = true});
  }
  EXPECT_EQ(all, numbers(1, 5));
  EXPECT_EQ(stage.service->requests(), 1U);
}

TEST(SimulatedFeed, replays_what_follows_the_last_id) {
  Stage stage;
  stage.service->run_feed("/events", {.ends = true, .breaks_after = 50});
  stage.publish(1, 40);
  EXPECT_EQ(read(stage.client().stream<int>({.path = "events"}, {.reconnect = true})),
            std::pair(numbers(1, 40), std::optional<Errc>()));
  EXPECT_GE(stage.service->requests(), 40U * 15 / 50);
  EXPECT_EQ(read(stage.client().stream<int>({.path = "events"}, {.last_event_id = "37", .reconnect = true})).first,
            numbers(38, 40));
  const auto once = read(stage.client().stream<int>({.path = "events"}));
  EXPECT_EQ(once.first, numbers(1, 3));
  EXPECT_EQ(once.second, Errc::truncated);
}

TEST(SimulatedFeed, breaks_on_command) {
  Stage stage;
  stage.service->run_feed("/events");
  stage.publish(1, 2);
  auto stream = stage.client().stream<int>({.path = "events"}, {.reconnect = true});
  std::vector<int> all;
  for (auto& each : stream) {
    all.push_back(each.value().value);
    if (all.size() == 2) {
      stage.service->drop_feed("/events");
      stage.publish(3, 3);
    }
    if (all.size() == 3) break;
  }
  EXPECT_EQ(all, numbers(1, 3));
  EXPECT_EQ(stage.service->requests(), 2U);

  auto once = stage.client().stream<int>({.path = "events"});
  std::optional<Errc> code;
  for (auto& each : once) {
    if (!each) code = each.error().code();
    else if (each->value == 3) stage.service->drop_feed("/events");
  }
  EXPECT_EQ(code, Errc::truncated);
}

TEST(SimulatedFeed, of_json_continues_after_a_parameter) {
  for (const auto format : {StreamFormat::json_lines, StreamFormat::json_sequence}) {
    Stage stage;
    stage.service->run_feed("/events", {.format = format, .ends = true, .breaks_after = 10});
    stage.publish(1, 20);
    const auto after = [](std::string_view last) { return Query{{"since", last}}; };
    EXPECT_EQ(read(stage.client().stream<int>({.path = "events"}, {.reconnect = true, .resume_with = after})),
              std::pair(numbers(1, 20), std::optional<Errc>()));
  }
}

TEST(SimulatedFeed, takes_a_query_and_nothing_that_writes) {
  Stage stage;
  stage.service->run_feed("/events", {.ends = true});
  stage.publish(1, 2);
  EXPECT_EQ(read(stage.client().stream<int>({.method = Method::query, .path = "events", .body = "{}"})).first,
            numbers(1, 2));
  EXPECT_EQ(read(stage.client().stream<int>({.method = Method::post, .path = "events", .body = "{}"})).second,
            Errc::client_error);
  // Without a sink the events are the body.
  EXPECT_THAT(stage.client().send({.path = "events"}).value().body, HasSubstr("id: 2\ndata: 2\n\n"));
}

TEST(SimulatedFeed, counts_for_the_quota) {
  Stage stage({.limit = 2, .period = 60s});
  stage.service->run_feed("/events", {.ends = true, .breaks_after = 40});
  stage.publish(1, 20);
  EXPECT_EQ(read(stage.client().stream<int>({.path = "events"}, {.reconnect = true})).first, numbers(1, 20));
  EXPECT_EQ(stage.service->rejected(), 0U);
  EXPECT_GE(stage.clock->waited(), 60s);
}

TEST(SimulatedFeed, that_nobody_made_cannot_be_used) {
  Stage stage;
  EXPECT_THROW(stage.service->publish("/events", 1), std::invalid_argument);
  EXPECT_THROW(stage.service->drop_feed("/events"), std::invalid_argument);
}

}  // namespace simulated_feed_test
}  // namespace noun::testing
