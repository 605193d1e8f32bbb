// Which bucket a route is counted on.
#include "quota/quota_routes.hpp"

#include <gtest/gtest.h>

namespace quota_tests { namespace quota_routes_test {

using noun::QuotaRoutes;
using noun::route_below;

constexpr noun::RouteKey search = route_below(0, "search");
constexpr noun::RouteKey issues = route_below(route_below(0, "repos"), "issues");

TEST(QuotaRoutes, a_path_is_told_from_others_by_its_segments) {
  static_assert(search != 0);
  static_assert(route_below(search, "issues") != issues);
  static_assert(route_below(route_below(0, "a"), "b") != route_below(route_below(0, "ab"), ""));
  static_assert(route_below(route_below(0, "a"), "b") != route_below(0, "ab"));
}

TEST(QuotaRoutes, have_a_number_each_and_none_has_the_number_0) {
  QuotaRoutes routes;
  EXPECT_EQ(routes.number_of(0), 0U);
  EXPECT_EQ(routes.known(search), 0U);
  const auto number = routes.number_of(search);
  EXPECT_NE(number, 0U);
  EXPECT_EQ(routes.number_of(search), number);
  EXPECT_EQ(routes.known(search), number);
  EXPECT_NE(routes.number_of(issues), number);
}

TEST(QuotaRoutes, are_counted_where_their_answers_said) {
  QuotaRoutes routes;
  const auto first = routes.number_of(search);
  const auto second = routes.number_of(issues);
  routes.learn(first, 1);
  routes.learn(second, 0);
  EXPECT_EQ(routes.bucket_of(first), 1U);
  EXPECT_EQ(routes.bucket_of(second), 0U);
  routes.learn(first, 2);
  EXPECT_EQ(routes.bucket_of(first), 2U);
}

TEST(QuotaRoutes, of_which_nothing_is_known_are_taken_to_be_counted_where_most_are) {
  QuotaRoutes routes;
  EXPECT_EQ(routes.bucket_of(0), 0U);
  for (const auto* name : {"a", "b", "c"}) routes.learn(routes.number_of(route_below(0, name)), 2);
  routes.learn(routes.number_of(search), 1);
  EXPECT_EQ(routes.bucket_of(routes.number_of(issues)), 2U);
  EXPECT_EQ(routes.bucket_of(0), 2U);
}

TEST(QuotaRoutes, too_many_are_none_in_particular) {
  QuotaRoutes routes;
  for (noun::RouteKey key = 1; key <= 4096; ++key) EXPECT_NE(routes.number_of(key), 0U);
  EXPECT_EQ(routes.number_of(4097), 0U);
  EXPECT_NE(routes.number_of(1), 0U);
}

}  // namespace quota_routes_test
}  // namespace quota_tests
