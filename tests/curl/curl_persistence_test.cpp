#include "curl/curl_persistence.hpp"

#include <chrono>

#include <gtest/gtest.h>

namespace noun_test { namespace curl_persistence_test {

using namespace std::chrono_literals;
using noun::Instant;
using noun::curl::Persistence;

constexpr Instant start = Instant(1h);

TEST(CurlPersistence, is_expected_until_two_connections_ended_after_their_first_request) {
  Persistence persistence;
  persistence.ended(5ms, start);
  EXPECT_TRUE(persistence.is_expected(start));
  persistence.ended(5ms, start + 1s);
  EXPECT_FALSE(persistence.is_expected(start + 1s));
  EXPECT_FALSE(persistence.is_expected(start + 60s));
  EXPECT_TRUE(persistence.is_expected(start + 61s)) << "the server may have been restarted";
  persistence.ended(5ms, start + 62s);
  EXPECT_TRUE(persistence.is_expected(start + 62s)) << "two again";
}

TEST(CurlPersistence, of_a_connection_that_served_two_requests_is_expected) {
  Persistence persistence;
  for (int i = 0; i < 5; ++i) {
    persistence.ended(5ms, start);
    persistence.lasted();
  }
  EXPECT_TRUE(persistence.is_expected(start));
}

TEST(CurlPersistence, is_not_doubted_for_the_server_s_limit_of_idle_time) {
  Persistence persistence;
  for (int i = 0; i < 5; ++i) persistence.ended(1s, start);
  EXPECT_TRUE(persistence.is_expected(start));
}

TEST(CurlPersistence, is_forgettable_a_minute_after_the_last_connection_that_ended) {
  Persistence persistence;
  EXPECT_TRUE(persistence.is_forgettable(start));
  persistence.ended(1s, start);
  EXPECT_TRUE(persistence.is_forgettable(start));
  for (const auto at : {start, start + 30s}) {
    persistence.ended(5ms, at);
    EXPECT_FALSE(persistence.is_forgettable(at + 59s));
    EXPECT_TRUE(persistence.is_forgettable(at + 60s));
  }
}

}}  // namespace noun_test::curl_persistence_test
