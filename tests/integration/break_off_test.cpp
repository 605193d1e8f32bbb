// Listings and operations that are broken off while a service keeps silent: the program goes on at once, and nothing is
// left open.
#include <chrono>
#include <numeric>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <noun/noun.hpp>

#include "transport/silent_service.hpp"

namespace break_off_test {

using namespace std::chrono_literals;
using noun::Errc;
using noun_test::SilentService;
using std::chrono::steady_clock;

/// Far more than breaking off takes, and far less than the 30 s after which an attempt that gets no answer ends.
constexpr auto soon = 5s;
constexpr std::size_t in_flight = 16;

struct BreakOff : testing::Test {
  /// Whether what is done ends soon.
  template <class Action>
  static bool is_quick(Action action) {
    const auto began = steady_clock::now();
    action();
    return steady_clock::now() - began < soon;
  }
  /// The ids 1, which is answered, and so many that are not.
  static std::vector<int> ids(std::size_t silent) {
    std::vector<int> all(silent + 1);
    std::iota(all.begin(), all.end(), 1);
    return all;
  }

  SilentService service;
  noun::Client api{service.base_url(), {.retry = {.max_attempts = 1}}};
  noun::Collection<int> numbers = api.collection<int>("numbers");
};

TEST_F(BreakOff, a_listing_that_goes_closes_its_connections) {
  std::optional listing = numbers.list({.prefetch = in_flight});
  ASSERT_EQ(listing->begin()->value(), 1);
  service.wait_for_held(in_flight);
  EXPECT_TRUE(is_quick([&] { listing.reset(); }));
  EXPECT_TRUE(service.wait_for_closed(in_flight, soon));
}

TEST_F(BreakOff, outcomes_that_go_close_their_connections) {
  std::optional outcomes = numbers.get_all(ids(in_flight), {.in_flight = in_flight + 1});
  ASSERT_EQ(outcomes->begin()->value(), 1);
  service.wait_for_held(in_flight);
  EXPECT_TRUE(is_quick([&] { outcomes.reset(); }));
  EXPECT_TRUE(service.wait_for_closed(in_flight, soon));
}

TEST(BreakOffAll, a_listing_that_takes_the_last_of_its_client_along_waits_for_no_answer) {
  SilentService service;
  std::optional listing = noun::Client(service.base_url()).collection<int>("numbers").list({.prefetch = in_flight});
  ASSERT_EQ(listing->begin()->value(), 1);
  service.wait_for_held(in_flight);
  EXPECT_TRUE(BreakOff::is_quick([&] { listing.reset(); }));
  EXPECT_TRUE(service.wait_for_closed(in_flight, soon));
}

struct StoppedListing : BreakOff, testing::WithParamInterface<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Prefetch, StoppedListing, testing::Values(0, 1, in_flight));

TEST_P(StoppedListing, ends_while_it_waits_for_a_page) {
  const auto held = std::max<std::size_t>(GetParam(), 1);
  std::stop_source stop;
  steady_clock::time_point stopped;
  const std::jthread stopper([&] {
    service.wait_for_held(held);
    stopped = steady_clock::now();
    stop.request_stop();
  });
  std::vector<int> taken;
  auto listing = numbers.list({.prefetch = GetParam(), .stop = stop.get_token()});
  for (const auto& number : listing) {
    if (!number) EXPECT_EQ(number.error().code(), Errc::cancelled) << number.error().message();
    taken.push_back(number ? *number : -1);
  }
  EXPECT_LT(steady_clock::now() - stopped, soon);
  EXPECT_EQ(taken, (std::vector{1, 2, -1}));
  EXPECT_TRUE(service.wait_for_closed(held, soon));
}

TEST_F(BreakOff, outcomes_end_each_call_when_they_are_stopped) {
  std::stop_source stop;
  steady_clock::time_point stopped;
  const std::jthread stopper([&] {
    service.wait_for_held(in_flight);
    stopped = steady_clock::now();
    stop.request_stop();
  });
  std::vector<int> taken;
  for (const auto& number : numbers.get_all(ids(in_flight), {.in_flight = in_flight + 1}, {.stop = stop.get_token()})) {
    if (!number) EXPECT_EQ(number.error().code(), Errc::cancelled) << number.error().message();
    taken.push_back(number ? *number : -1);
  }
  EXPECT_LT(steady_clock::now() - stopped, soon);
  std::vector<int> expected(in_flight + 1, -1);
  expected.front() = 1;
  EXPECT_EQ(taken, expected);
  EXPECT_TRUE(service.wait_for_closed(in_flight, soon));
}

}  // namespace break_off_test
