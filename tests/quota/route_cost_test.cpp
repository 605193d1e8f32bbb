// The costs of requests, inferred from the fall of the remaining count.
#include "quota/estimators/route_cost.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace quota_tests { namespace route_cost_test {

using namespace noun;
using namespace noun::quota;

class RouteCostOf : public ::testing::Test {
 protected:
  RouteCost costs;
  std::int64_t remaining = 1000;
  std::int64_t requests = 0;

  /// One request in series that costs `takes`.
  void spend(RouteKey route, std::int64_t takes, WindowNews news = WindowNews::same) {
    costs.on_sent(route);
    remaining -= takes;
    ++requests;
    costs.on_response({.route = route,
                       .remaining = remaining,
                       .sent = {requests, requests},
                       .served = {requests, requests},
                       .served_before = {requests - 1, requests - 1},
                       .news = news});
  }
  /// One request alone, then forty more. The last eight had no response when the reported one was sent.
  void burst(std::int64_t first_left, std::int64_t left, RouteKey other_route = 7) {
    costs.on_sent(7);
    costs.on_response(
        {.route = 7, .remaining = first_left, .sent = {1, 1}, .served = {1, 1}, .news = WindowNews::same});
    for (int i = 0; i < 40; ++i) costs.on_sent(i % 2 == 0 ? 7 : other_route);
    costs.on_response({.route = other_route,
                       .remaining = left,
                       .in_flight = {7, 7},
                       .perhaps_after = {14, 14},
                       .sent = {41, 41},
                       .served = {34, 34},
                       .served_before = {33, 33},
                       .news = WindowNews::same});
  }
};

/// Windows of 100, of which each is opened by a request alone; then three are served at the same time.
TEST_F(RouteCostOf, is_what_the_only_request_of_a_window_has_used) {
  const auto respond = [&](std::int64_t left, WindowNews news, std::int64_t in_flight = 0) {
    costs.on_response({.route = 7,
                       .probe = news == WindowNews::opened,
                       .limit = 100,
                       .remaining = left,
                       .in_flight = {in_flight, in_flight},
                       .sent = {requests, requests},
                       .served = {requests, requests},
                       .served_before = {requests - 1, requests - 1},
                       .news = news});
  };
  const auto window = [&](std::int64_t first, std::int64_t each, std::int64_t in_flight = 0) {
    costs.on_sent(7);
    ++requests;
    respond(100 - first, WindowNews::opened, in_flight);
    for (int i = 0; i < 3; ++i) costs.on_sent(7);
    requests += 3;
    respond(100 - first - 3 * each, WindowNews::same);
  };
  for (int seen = 0; seen < 2; ++seen) window(25, 25);
  EXPECT_EQ(costs.of(7), 1);
  window(25, 25);
  EXPECT_EQ(costs.of(7), 25);
  costs = {};
  for (int seen = 0; seen < 4; ++seen) window(25, 25, 1);
  EXPECT_EQ(costs.of(7), 1) << "not alone";
  costs = {};
  for (int seen = 0; seen < 4; ++seen) window(25, 1);
  EXPECT_EQ(costs.of(7), 1) << "what a window counts that slides, of requests that cost 1";
  costs = {};
  for (int seen = 0; seen < 4; ++seen) window(60, 13);
  EXPECT_EQ(costs.of(7), 1) << "one could not go twice";
}

TEST_F(RouteCostOf, is_the_one_that_the_server_reports_whatever_others_spend) {
  const auto report = [&](std::int64_t takes, std::int64_t cost) {
    costs.on_sent(7);
    remaining -= takes;
    ++requests;
    costs.on_response({.route = 7,
                       .remaining = remaining,
                       .reported_cost = cost,
                       .sent = {requests, requests},
                       .served = {requests, requests},
                       .served_before = {requests - 1, requests - 1},
                       .news = WindowNews::same});
  };
  report(5, 5);
  EXPECT_EQ(costs.of(7), 5);
  for (int i = 0; i < 20; ++i) report(8, 5);
  EXPECT_EQ(costs.of(7), 5);
  EXPECT_EQ(costs.foreign(), 60);
  report(0, 0);
  EXPECT_EQ(costs.of(7), 1) << "a request costs at least 1";
  report(1, 2'000'000);
  EXPECT_EQ(costs.of(7), 1'000'000);
}

TEST_F(RouteCostOf, the_same_fall_twice_in_a_row_gives_the_cost) {
  struct Case {
    std::vector<std::int64_t> falls;
    std::int64_t cost;
    std::int64_t foreign;
  };
  for (const auto& [falls, cost, foreign] :
       {Case{{}, 1, 0}, Case{{1, 1}, 1, 0}, Case{{1, 5}, 1, 4}, Case{{1, 5, 5}, 5, 4}, Case{{5, 5, 5, 1, 1}, 1, 4},
        Case{{1, 4, 1}, 1, 3}}) {
    SCOPED_TRACE(::testing::PrintToString(falls));
    costs = {};
    for (const auto fall : falls) spend(7, fall);
    EXPECT_EQ(costs.of(7), cost);
    EXPECT_EQ(costs.of(8), 1) << "each route has its own";
    EXPECT_EQ(costs.foreign(), foreign);
  }
}

TEST_F(RouteCostOf, many_at_once_give_the_cost_unless_other_clients_or_routes_take_part) {
  struct Case {
    std::int64_t first_left;
    std::int64_t left;
    RouteKey other_route;
    std::int64_t cost;
  };
  for (const auto& [first_left, left, other_route, cost] :
       {Case{995, 795, 7, 5}, Case{999, 939, 7, 1}, Case{995, 795, 8, 1}}) {
    costs = {};
    burst(first_left, left, other_route);
    EXPECT_EQ(costs.of(7), cost) << left << ' ' << other_route;
    EXPECT_EQ(costs.of(8), 1);
  }
}

TEST_F(RouteCostOf, a_late_response_and_one_of_another_or_an_uncertain_window_are_ignored) {
  spend(7, 1);
  for (const auto news : {WindowNews::stale, WindowNews::either, WindowNews::opened}) spend(7, 100, news);
  spend(7, 1);
  costs.on_response({.route = 7, .remaining = 999, .sent = {2, 2}, .served = {2, 2}, .news = WindowNews::same});
  spend(7, 1);
  EXPECT_EQ(costs.foreign(), 0);
}

TEST_F(RouteCostOf, the_last_of_many_costly_routes_are_not_stored) {
  for (RouteKey route = 1; route <= 1000; ++route)
    for (int i = 0; i < 3; ++i) spend(route, 2);
  EXPECT_EQ(costs.of(1), 2);
  EXPECT_EQ(costs.of(1000), 1);
}

TEST_F(RouteCostOf, counts_that_contradict_each_other_give_no_cost) {
  costs.on_sent(7);
  costs.on_response({.route = 7, .remaining = 100, .sent = {40, 40}, .served = {1, 1}, .news = WindowNews::same});
  costs.on_response({.route = 7,
                     .remaining = 50,
                     .sent = {40, 40},
                     .served = {31, 31},
                     .served_before = {30, 30},
                     .news = WindowNews::same});
  EXPECT_EQ(costs.of(7), 1) << "a damaged state may have them";
}

}  // namespace route_cost_test
}  // namespace quota_tests
