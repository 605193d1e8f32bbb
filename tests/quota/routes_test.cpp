// On which partition a route is counted, and which requests are expected there.
#include "quota/routes.hpp"

#include <gtest/gtest.h>

namespace quota_tests { namespace routes_test {

using namespace noun;
using namespace noun::quota;

constexpr RouteKey search = route_below(0, "search");
constexpr RouteKey issues = route_below(route_below(0, "repos"), "issues");

/// Sends a request of the route and receives its response.
std::int64_t exchange(Routes& routes, RouteKey route, std::size_t partition, bool elsewhere = false) {
  routes.on_sent(route);
  routes.on_done(route);
  return routes.learn(route, partition, elsewhere);
}

TEST(Routes, paths_differ_by_their_segments) {
  static_assert(search != 0);
  static_assert(route_below(search, "issues") != issues);
  static_assert(route_below(route_below(0, "a"), "b") != route_below(route_below(0, "ab"), ""));
  static_assert(route_below(route_below(0, "a"), "b") != route_below(0, "ab"));
}

TEST(Routes, a_route_is_counted_as_last_reported_and_an_unknown_one_where_most_are) {
  Routes routes;
  EXPECT_EQ(routes.partition_of(0), 0U);
  for (const auto* name : {"a", "b", "c"}) exchange(routes, route_below(0, name), 1);
  exchange(routes, search, 2);
  EXPECT_EQ(routes.partition_of(search), 2U);
  for (const RouteKey unknown : {issues, RouteKey{0}}) EXPECT_EQ(routes.partition_of(unknown), 1U);
  for (const auto* name : {"b", "c"}) exchange(routes, route_below(0, name), 2);
  EXPECT_EQ(routes.partition_of(issues), 2U) << "two of the three have moved";
  exchange(routes, search, 1);
  EXPECT_EQ(routes.partition_of(search), 1U);
}

TEST(Routes, the_key_0_is_not_stored) {
  Routes routes;
  exchange(routes, 1, 1);
  exchange(routes, 0, 2);
  EXPECT_EQ(routes.partition_of(0), 1U);
}

TEST(Routes, if_there_are_too_many_one_where_most_are_is_forgotten) {
  Routes routes;
  exchange(routes, search, 2);
  for (RouteKey route = 1; route <= 540; ++route) exchange(routes, route, 1);
  EXPECT_EQ(routes.partition_of(search), 2U) << "although it was not used for longest";
  exchange(routes, issues, 2);
  EXPECT_EQ(routes.partition_of(issues), 2U);
  for (RouteKey route = 1; route <= 540; ++route) EXPECT_EQ(routes.partition_of(route), 1U) << route;
  EXPECT_TRUE(routes.fit(3));
}

TEST(Routes, if_no_partition_has_most_the_route_not_used_for_longest_is_forgotten) {
  Routes routes;
  for (RouteKey route = 1; route <= 512; ++route) exchange(routes, route, route % 2);
  exchange(routes, 1, 1);
  exchange(routes, 2, 0);
  EXPECT_FALSE(routes.is_new(3));
  exchange(routes, 513, 1);
  exchange(routes, 3, 1);
  exchange(routes, 4, 0);
  for (RouteKey route : {RouteKey{1}, RouteKey{2}, RouteKey{513}}) EXPECT_EQ(routes.partition_of(route), route % 2);
}

TEST(Routes, with_requests_in_flight_are_not_forgotten) {
  Routes routes;
  for (RouteKey route = 1; route <= 512; ++route) routes.on_sent(route);
  exchange(routes, search, 1);
  EXPECT_EQ(routes.partition_of(search), 0U) << "there is no room";
  routes.on_unreported(7);
  for (int i = 0; i < 3; ++i) routes.on_unreported(9);
  routes.on_done(9);
  exchange(routes, search, 1);
  EXPECT_EQ(routes.partition_of(search), 1U);
  EXPECT_FALSE(routes.any_uncounted()) << "the only one was forgotten";
  EXPECT_TRUE(routes.fit(2));
}

TEST(Routes, requests_in_flight_are_expected_where_one_of_them_was_counted) {
  Routes routes;
  for (int i = 0; i < 3; ++i) routes.on_sent(search);
  EXPECT_FALSE(routes.on_done(search)) << "nothing is expected yet";
  EXPECT_EQ(routes.learn(search, 1, true), 2);
  routes.on_sent(search);  // not expected: it was admitted on 1
  EXPECT_EQ(routes.on_done(search), 1U);
  EXPECT_EQ(routes.learn(search, 1, true), 0) << "expected already";
  EXPECT_EQ(routes.on_done(search), 1U);
  EXPECT_FALSE(routes.on_done(search));
  EXPECT_FALSE(routes.on_done(search)) << "nothing is in flight";
}

TEST(Routes, requests_that_were_admitted_where_they_are_counted_are_not_expected) {
  Routes routes;
  routes.on_sent(search);
  EXPECT_EQ(routes.learn(search, 1, false), 0);
  for (const auto* name : {"a", "b"}) exchange(routes, route_below(0, name), 2);
  routes.on_sent(issues);
  EXPECT_EQ(routes.learn(issues, 2, true), 0) << "it was assumed to be counted there";
}

TEST(Routes, a_partition_of_one_route_is_not_assumed_for_others) {
  Routes routes;
  for (const auto* name : {"a", "b", "c"}) {
    routes.on_sent(route_below(0, name));
    routes.on_done(route_below(0, name));
    routes.learn_alone(route_below(0, name), 1, false);
  }
  EXPECT_EQ(routes.partition_of(route_below(0, "a")), 1U);
  EXPECT_EQ(routes.partition_of(issues), 0U);
  exchange(routes, route_below(0, "a"), 2);
  EXPECT_EQ(routes.partition_of(issues), 2U);
  EXPECT_TRUE(routes.fit(3));
}

TEST(Routes, is_uncounted_after_three_responses_without_a_report) {
  Routes routes;
  routes.on_sent(search);
  for (int i = 0; i < 2; ++i) routes.on_unreported(search);
  EXPECT_FALSE(routes.any_uncounted());
  routes.on_unreported(search);
  EXPECT_TRUE(routes.any_uncounted());
  routes.separate_uncounted(1);
  EXPECT_EQ(routes.partition_of(search), 1U);
  EXPECT_FALSE(routes.any_uncounted());
  EXPECT_TRUE(routes.on_counted(search));
  EXPECT_EQ(routes.partition_of(search), 0U);
  for (int i = 0; i < 9; ++i) routes.on_unreported(search);
  EXPECT_FALSE(routes.any_uncounted()) << "it was counted once";
}

}  // namespace routes_test
}  // namespace quota_tests
