// Tests of listings and operations that are stopped while the server does not respond: they end at once, and their
// connections are closed.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <noun/noun.hpp>
#include <noun/stop.hpp>

#include "curl/silent_server.hpp"
#include "joining_thread.hpp"

namespace break_off_test {

using namespace std::chrono_literals;
using noun::Errc;
using noun_test::SilentServer;
using std::chrono::steady_clock;

/// Much more than stopping takes, and much less than the 30 s of the attempt timeout.
constexpr auto soon = 5s;
constexpr std::size_t in_flight = 16;

struct BreakOff : ::testing::Test {
  /// The id 1, which gets a response, and `silent` ids that get none.
  static std::vector<int> ids(std::size_t silent) {
    std::vector<int> all(silent + 1);
    std::iota(all.begin(), all.end(), 1);
    return all;
  }
  /// Reads the first element, destroys the range while the others are in flight, and expects closed connections.
  template <class Numbers>
  void expect_closed_when_destroyed(std::optional<Numbers> numbers_out) {
    ASSERT_EQ(numbers_out->begin()->value(), 1);
    service.wait_for_held(in_flight);
    const auto start = steady_clock::now();
    numbers_out.reset();
    EXPECT_LT(steady_clock::now() - start, soon);
    EXPECT_TRUE(service.wait_for_closed(in_flight, soon));
  }
  /// Reads the range of `begin`, and requests a stop when `held` requests are in flight; -1 for each cancelled one.
  template <class Begin>
  std::vector<int> read_until_stopped(std::size_t held, Begin begin) {
    noun::StopSource stop;
    steady_clock::time_point stopped;
    const noun_test::JoiningThread stopper([&] {
      service.wait_for_held(held);
      stopped = steady_clock::now();
      stop.request_stop();
    });
    std::vector<int> taken;
    auto all = begin(stop.get_token());
    for (const auto& number : all) {
      if (!number) EXPECT_EQ(number.error().code(), Errc::cancelled) << number.error().message();
      taken.push_back(number ? *number : -1);
    }
    EXPECT_LT(steady_clock::now() - stopped, soon);
    EXPECT_TRUE(service.wait_for_closed(held, soon));
    return taken;
  }

  SilentServer service;
  noun::Client api{service.base_url(), {.retry = {.max_attempts = 1}}};
  noun::Collection<int> numbers = api.collection<int>("numbers");
};

TEST_F(BreakOff, a_destroyed_listing_closes_its_connections) {
  expect_closed_when_destroyed(std::optional(numbers.list({.prefetch = in_flight})));
}

TEST_F(BreakOff, destroyed_outcomes_close_their_connections) {
  expect_closed_when_destroyed(std::optional(numbers.get_all(ids(in_flight), {.in_flight = in_flight + 1})));
}

TEST_F(BreakOff, a_destroyed_listing_with_the_last_reference_to_its_client_waits_for_no_response) {
  expect_closed_when_destroyed(
      std::optional(noun::Client(service.base_url()).collection<int>("numbers").list({.prefetch = in_flight})));
}

struct StoppedListing : BreakOff, ::testing::WithParamInterface<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Prefetch, StoppedListing, ::testing::Values(0, 1, in_flight));

TEST_P(StoppedListing, ends_while_it_waits_for_a_page) {
  const auto taken = read_until_stopped(std::max<std::size_t>(GetParam(), 1), [&](noun::StopToken stop) {
    return numbers.list({.prefetch = GetParam(), .stop = std::move(stop)});
  });
  EXPECT_EQ(taken, (std::vector{1, 2, -1}));
}

TEST_F(BreakOff, outcomes_end_each_call_when_they_are_stopped) {
  const auto taken = read_until_stopped(in_flight, [&](noun::StopToken stop) {
    return numbers.get_all(ids(in_flight), {.in_flight = in_flight + 1}, {.stop = std::move(stop)});
  });
  std::vector<int> expected(in_flight + 1, -1);
  expected.front() = 1;
  EXPECT_EQ(taken, expected);
}

}  // namespace break_off_test
