#include "curl/connect_ramp.hpp"

#include <chrono>
#include <vector>

#include <gtest/gtest.h>

namespace noun_test { namespace connect_ramp_test {

using noun::ConnectRamp;
using noun::Instant;
using namespace std::chrono_literals;
using Connection = ConnectRamp::Connection;
using Ids = std::vector<ConnectRamp::Id>;

constexpr Instant now(100s);

struct ConnectRamps : ::testing::Test {
  /// Which of `count` attempts start at once.
  Ids started(ConnectRamp::Id first, ConnectRamp::Id count, Instant at) {
    Ids all;
    for (auto id = first; id < first + count; ++id)
      if (ramp.start(origin, id, at)) all.push_back(id);
    return all;
  }
  /// Which of those that wait may start then.
  Ids released(Instant at) {
    Ids all;
    while (const auto id = ramp.next(at)) {
      all.push_back(*id);
      ramp.started(origin);
    }
    return all;
  }
  /// Makes the origin known.
  void connect(Instant at) {
    EXPECT_TRUE(ramp.start(origin, 99, at));
    ramp.connected(origin, Connection::opened, at);
  }

  ConnectRamp ramp;
  ConnectRamp::Origin& origin = ramp.origin("https://a");
};

TEST_F(ConnectRamps, the_first_attempt_starts_alone_and_all_follow_its_connection) {
  EXPECT_EQ(started(1, 4, now), Ids{1});
  EXPECT_EQ(released(now), Ids());
  EXPECT_TRUE(ramp.start(ramp.origin("https://b"), 9, now)) << "another origin";
  EXPECT_EQ(ramp.next_at(), now + 1s);
  ramp.connected(origin, Connection::opened, now + 10ms);
  EXPECT_EQ(released(now + 10ms), (Ids{2, 3, 4}));
  EXPECT_EQ(started(5, 2, now + 54s), (Ids{5, 6}));
  EXPECT_EQ(ramp.next_at(), Instant::max());
}

TEST_F(ConnectRamps, sixteen_at_once_start_when_the_address_may_be_forgotten) {
  connect(now);
  EXPECT_EQ(started(1, 30, now + 60s).size(), 16U);
  ramp.connected(origin, Connection::kept, now + 60s);
  EXPECT_EQ(released(now + 60s), Ids{17}) << "a kept connection says nothing about the address";
  ramp.connected(origin, Connection::opened, now + 60s);
  EXPECT_EQ(released(now + 60s).size(), 13U);
}

TEST_F(ConnectRamps, twice_as_many_start_after_a_failure) {
  EXPECT_EQ(started(1, 9, now), Ids{1});
  ramp.failed(origin);
  EXPECT_EQ(released(now), (Ids{2, 3}));
  ramp.failed(origin);
  EXPECT_EQ(released(now), (Ids{4, 5, 6}));
}

TEST_F(ConnectRamps, start_however_often_they_failed) {
  for (int i = 0; i < 200; ++i) {
    EXPECT_TRUE(ramp.start(origin, 1, now)) << i;
    ramp.failed(origin);
  }
}

TEST_F(ConnectRamps, twice_as_many_start_after_a_second_without_a_connection) {
  EXPECT_EQ(started(1, 9, now), Ids{1});
  EXPECT_EQ(released(now + 999ms), Ids());
  EXPECT_EQ(released(now + 1s), Ids{2});
  EXPECT_EQ(ramp.next_at(), now + 2s);
  EXPECT_EQ(released(now + 2s), (Ids{3, 4}));
}

TEST_F(ConnectRamps, four_at_once_start_where_attempts_share_connections) {
  EXPECT_EQ(started(1, 20, now), Ids{1});
  ramp.connected(origin, Connection::opened_to_share, now);
  EXPECT_EQ(released(now), (Ids{2, 3, 4, 5}));
  ramp.connected(origin, Connection::kept, now);
  EXPECT_EQ(released(now), Ids{6}) << "also at once, as its name need not be resolved";
}

TEST_F(ConnectRamps, keep_the_order_of_those_that_wait) {
  EXPECT_EQ(started(1, 3, now), Ids{1});
  ramp.connected(origin, Connection::opened, now);
  EXPECT_EQ(started(4, 1, now), Ids());
  EXPECT_EQ(released(now), (Ids{2, 3, 4}));
}

TEST_F(ConnectRamps, the_persistence_of_connections_is_that_of_their_origin) {
  for (int i = 0; i < 2; ++i) origin.persistence.ended(0s, now);
  EXPECT_FALSE(ramp.origin("https://a").persistence.is_expected(now));
  EXPECT_TRUE(ramp.origin("https://b").persistence.is_expected(now));
}

TEST_F(ConnectRamps, start_the_attempts_to_each_origin_that_waits) {
  auto& other = ramp.origin("https://b");
  EXPECT_EQ(started(1, 2, now), Ids{1});
  EXPECT_TRUE(ramp.start(other, 11, now));
  EXPECT_FALSE(ramp.start(other, 12, now));
  ramp.connected(other, Connection::opened, now);
  EXPECT_EQ(ramp.next(now), 12U);
  ramp.started(other);
  EXPECT_EQ(ramp.next_at(), now + 1s) << "the first origin";
  ramp.connected(origin, Connection::opened, now);
  EXPECT_EQ(released(now), Ids{2});
  EXPECT_EQ(ramp.next_at(), Instant::max());
}

TEST_F(ConnectRamps, forget_an_origin_only_when_nothing_of_it_is_left) {
  const auto is_known = [this](Instant at) {
    ramp.forget_unused(at);
    return &ramp.origin("https://a") == &origin && ramp.origin("https://a").spread.idle_at(0) == 1;
  };
  // What tells it from one that is new.
  origin.spread.part(0).idle = 1;
  connect(now);
  EXPECT_TRUE(is_known(now + 54s)) << "its address is known";
  origin.persistence.ended(0s, now);
  EXPECT_TRUE(is_known(now + 59s)) << "it ended a connection";
  origin.spread.part(0).open = 1;
  EXPECT_TRUE(is_known(now + 60s)) << "it has a connection";
  origin.spread.part(0).open = 0;
  origin.spread.part(1).attempts = 1;
  EXPECT_TRUE(is_known(now + 60s)) << "an attempt has not ended";
  origin.spread.part(1).attempts = 0;
  EXPECT_EQ(started(1, 17, now + 60s).size(), 16U);
  EXPECT_TRUE(is_known(now + 60s)) << "attempts have started";
  for (int i = 0; i < 16; ++i) ramp.failed(origin);
  EXPECT_TRUE(is_known(now + 60s)) << "one waits";
  EXPECT_EQ(ramp.next(now + 60s), 17U);
  EXPECT_FALSE(is_known(now + 60s));
}

}  // namespace connect_ramp_test
}  // namespace noun_test
