// What every driver needs: attempts of a transport that may throw, and an observer that may.
#include "transport/driver.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <new>
#include <stdexcept>

#include "transport/call_bench.hpp"

namespace noun_test {
namespace driver_test {

using noun::Errc;
using noun::Sent;
using ::testing::HasSubstr;

TEST(SurroundingsAttempt, carries_the_whole_send) {
  const noun::Headers headers = {{"X", "1"}};
  bool seen = false;
  CallBench bench(std::make_shared<FunctionTransport>([&](const noun::Attempt& attempt, const std::stop_token& stop) {
    seen = true;
    EXPECT_EQ(attempt.method, noun::Method::put);
    EXPECT_EQ(attempt.url, "https://h.example/a");
    EXPECT_EQ(&attempt.headers, &headers);
    EXPECT_EQ(attempt.body, "body");
    EXPECT_TRUE(attempt.has_body);
    EXPECT_TRUE(attempt.fresh_connection);
    EXPECT_EQ(attempt.timeout, 5s);
    EXPECT_EQ(attempt.timeouts.connect, 3s);
    EXPECT_EQ(attempt.limits.head, 2048U);
    EXPECT_TRUE(stop.stop_possible());
    return noun::Response{.status = 200};
  }));
  bench.surroundings.timeouts.connect = 3s;
  bench.surroundings.limits.head = 2048;
  const auto now = bench.clock->now();
  std::stop_source stop;
  EXPECT_TRUE(bench.surroundings.attempt({.method = noun::Method::put,
                                          .url = "https://h.example/a",
                                          .headers = &headers,
                                          .body = "body",
                                          .has_body = true,
                                          .deadline = now.steady + 5s,
                                          .fresh_connection = true},
                                         now, stop.get_token()));
  EXPECT_TRUE(seen);
}

TEST(SurroundingsAttempt, always_has_some_time) {
  CallBench bench(std::make_shared<FunctionTransport>([](const noun::Attempt& attempt, const std::stop_token&) {
    EXPECT_EQ(attempt.timeout, 1ns);
    return noun::Response{.status = 200};
  }));
  const noun::Headers headers;
  const auto now = bench.clock->now();
  EXPECT_TRUE(bench.surroundings.attempt({.method = noun::Method::get,
                                          .url = "https://h.example/a",
                                          .headers = &headers,
                                          .body = "",
                                          .has_body = false,
                                          .deadline = now.steady - 1s,
                                          .fresh_connection = false},
                                         now, {}));
}

TEST(SurroundingsAttempt, makes_an_error_of_what_the_transport_throws) {
  int count = 0;
  CallBench bench(std::make_shared<FunctionTransport>(
      [&](const noun::Attempt&, const std::stop_token&) -> noun::Result<noun::Response> {
        if (++count == 1) throw std::bad_alloc();
        if (count == 2) throw std::runtime_error("broken");
        throw 7;
      }));
  const noun::Headers headers;
  const auto now = bench.clock->now();
  const noun::Send send{.method = noun::Method::get,
                        .url = "https://h.example/a",
                        .headers = &headers,
                        .body = "",
                        .has_body = false,
                        .deadline = now.steady + 1s,
                        .fresh_connection = false};
  const std::pair<Errc, const char*> expected[] = {{Errc::resource, "out of memory"},
                                                   {Errc::send, "the transport threw an exception: broken"},
                                                   {Errc::send, "threw an exception"}};
  for (const auto& [code, words] : expected) {
    const auto got = bench.surroundings.attempt(send, now, {});
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().code(), code);
    EXPECT_EQ(got.error().sent(), Sent::maybe);
    EXPECT_THAT(got.error().message(), HasSubstr(words));
  }
}

TEST(SurroundingsTell, goes_on_after_an_event_whose_observer_threw) {
  CallBench bench;
  int seen = 0;
  bench.surroundings.observer = [&](const noun::Event&) {
    if (++seen == 1) throw std::runtime_error("not today");
    if (seen == 2) throw 7;
  };
  bench.surroundings.tell({noun::Event{}, noun::Event{}, noun::Event{}});
  EXPECT_EQ(seen, 3);
  EXPECT_EQ(bench.surroundings.observer_faults, 2U);
}

}  // namespace driver_test
}  // namespace noun_test
