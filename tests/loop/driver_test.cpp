// What all drivers share: attempts of a transport that may throw, and an observer that may throw.
#include "loop/driver.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <new>
#include <stdexcept>
#include <utility>

#include <noun/stop.hpp>

#include "curl/fails_with.hpp"
#include "loop/call_bench.hpp"

namespace noun_test { namespace driver_test {

using noun::Errc;
using noun::Sent;
using ::testing::HasSubstr;

const noun::Headers headers = {{"X", "1"}};

noun::Send send_until(noun::Instant deadline) {
  return {.method = noun::Method::put,
          .url = "https://h.example/a",
          .headers = &headers,
          .body = "body",
          .has_body = true,
          .deadline = deadline,
          .fresh_connection = true};
}

TEST(DriverContextAttempt, has_all_members_of_the_send_step) {
  int seen = 0;
  noun::Duration timeout = 5s;
  const auto secrets = std::make_shared<const noun::KnownSecrets>();
  CallBench bench(std::make_shared<FunctionTransport>([&](const noun::Attempt& attempt, const noun::StopToken& stop) {
    ++seen;
    EXPECT_EQ(attempt.method, noun::Method::put);
    EXPECT_EQ(attempt.url, "https://h.example/a");
    EXPECT_EQ(&attempt.headers, &headers);
    EXPECT_EQ(attempt.body, "body");
    EXPECT_TRUE(attempt.has_body);
    EXPECT_TRUE(attempt.fresh_connection);
    EXPECT_EQ(attempt.timeout, timeout);
    EXPECT_EQ(attempt.timeouts.connect, 3s);
    EXPECT_EQ(attempt.limits.head, 2048U);
    EXPECT_EQ(attempt.secrets, secrets.get());
    EXPECT_TRUE(stop.stop_possible());
    return noun::Response{.status = 200};
  }));
  bench.driver_context.timeouts.connect = 3s;
  bench.driver_context.limits.head = 2048;
  bench.driver_context.known_secrets = secrets;
  const auto now = bench.clock->now();
  noun::StopSource stop;
  EXPECT_TRUE(bench.driver_context.attempt(send_until(now.steady + 5s), now, stop.get_token()));
  timeout = 1ns;  // never zero
  EXPECT_TRUE(bench.driver_context.attempt(send_until(now.steady - 1s), now, stop.get_token()));
  EXPECT_EQ(seen, 2);
}

TEST(DriverContextAttempt, turns_an_exception_of_the_transport_into_an_error) {
  int count = 0;
  CallBench bench(std::make_shared<FunctionTransport>(
      [&](const noun::Attempt&, const noun::StopToken&) -> noun::Result<noun::Response> {
        if (++count == 1) throw std::bad_alloc();
        if (count == 2) throw std::runtime_error("broken");
        throw 7;
      }));
  const auto now = bench.clock->now();
  const std::pair<Errc, const char*> expected[] = {{Errc::resource, "out of memory"},
                                                   {Errc::send, "the transport threw an exception: broken"},
                                                   {Errc::send, "threw an exception"}};
  for (const auto& [code, words] : expected) {
    const auto got = bench.driver_context.attempt(send_until(now.steady + 1s), now, {});
    ASSERT_THAT(got, FailsWith(code, Sent::maybe));
    EXPECT_THAT(got.error().message(), HasSubstr(words));
  }
}

TEST(DriverContextNotify, continues_after_the_observer_threw) {
  CallBench bench;
  int seen = 0;
  bench.driver_context.observer = [&](const noun::Event&) {
    if (++seen == 1) throw std::runtime_error("not today");
    if (seen == 2) throw 7;
  };
  bench.driver_context.notify({noun::Event{}, noun::Event{}, noun::Event{}});
  EXPECT_EQ(seen, 3);
  EXPECT_EQ(bench.driver_context.observer_faults, 2U);
}

}  // namespace driver_test
}  // namespace noun_test
