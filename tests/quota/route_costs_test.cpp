// What requests cost, learned from how the count falls.
#include "quota/route_costs.hpp"

#include <gtest/gtest.h>

namespace quota_tests { namespace route_costs_test {

using noun::RouteCosts;

class Costs : public testing::Test {
 protected:
  RouteCosts costs;
  std::int64_t remaining = 1000;
  std::uint64_t requests = 0;

  /// One request in series that takes so much; answers what was foreign.
  std::int64_t spend(std::uint32_t route, std::int64_t takes) {
    costs.admitted(route);
    remaining -= takes;
    ++requests;
    return costs.learn({.route = route,
                        .remaining = remaining,
                        .admitted = requests,
                        .served = requests,
                        .served_before = requests - 1});
  }
};

TEST_F(Costs, are_one_until_seen_otherwise) {
  EXPECT_EQ(costs.of(7), 1);
  spend(7, 1);
  spend(7, 1);
  EXPECT_EQ(costs.of(7), 1);
}

TEST_F(Costs, are_learned_when_the_same_fall_comes_twice_in_a_row) {
  spend(7, 1);
  spend(7, 5);
  EXPECT_EQ(costs.of(7), 1);
  spend(7, 5);
  EXPECT_EQ(costs.of(7), 5);
  EXPECT_EQ(costs.of(8), 1) << "each route has its own";
}

TEST_F(Costs, fall_again_when_requests_become_cheaper) {
  for (int i = 0; i < 3; ++i) spend(7, 5);
  spend(7, 1);
  spend(7, 1);
  EXPECT_EQ(costs.of(7), 1);
}

TEST_F(Costs, of_others_are_theirs) {
  spend(7, 1);
  EXPECT_EQ(spend(7, 4), 3);
  EXPECT_EQ(spend(7, 1), 0);
  EXPECT_EQ(costs.of(7), 1);
}

TEST_F(Costs, are_learned_from_many_at_once) {
  costs.admitted(7);
  costs.learn({.route = 7, .remaining = 995, .admitted = 1, .served = 1, .served_before = 0});
  for (int i = 0; i < 40; ++i) costs.admitted(7);
  // Forty more went, and all but the last eight have been answered when this one was sent.
  costs.learn({.route = 7,
               .remaining = 795,
               .admitted = 41,
               .served = 34,
               .served_before = 33,
               .others = 7,
               .perhaps_after = 14});
  EXPECT_EQ(costs.of(7), 5);
}

TEST_F(Costs, are_not_raised_by_others_that_spend_besides) {
  costs.admitted(7);
  costs.learn({.route = 7, .remaining = 999, .admitted = 1, .served = 1, .served_before = 0});
  for (int i = 0; i < 40; ++i) costs.admitted(7);
  costs.learn({.route = 7,
               .remaining = 939,
               .admitted = 41,
               .served = 34,
               .served_before = 33,
               .others = 7,
               .perhaps_after = 14});
  EXPECT_EQ(costs.of(7), 1);
}

TEST_F(Costs, are_nobodys_where_routes_mix) {
  costs.admitted(7);
  costs.learn({.route = 7, .remaining = 995, .admitted = 1, .served = 1, .served_before = 0});
  for (int i = 0; i < 40; ++i) costs.admitted(i % 2 == 0 ? 7 : 8);
  costs.learn({.route = 8,
               .remaining = 795,
               .admitted = 41,
               .served = 34,
               .served_before = 33,
               .others = 7,
               .perhaps_after = 14});
  EXPECT_EQ(costs.of(7), 1);
  EXPECT_EQ(costs.of(8), 1);
}

TEST_F(Costs, a_new_window_is_no_fall) {
  spend(7, 1);
  costs.restart();
  remaining = 500;
  EXPECT_EQ(spend(7, 1), 0);
}

TEST_F(Costs, a_late_answer_with_more_left_says_nothing) {
  spend(7, 1);
  spend(7, 1);
  EXPECT_EQ(costs.learn({.route = 7, .remaining = 999, .admitted = 2, .served = 2, .served_before = 0}), 0);
  EXPECT_EQ(spend(7, 1), 0);
}

}  // namespace route_costs_test
}  // namespace quota_tests
