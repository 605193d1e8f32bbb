#include "curl/curl_persistence.hpp"

#include <chrono>
#include <string>

#include <gtest/gtest.h>

namespace noun_test { namespace curl_persistence_test {

using namespace std::chrono_literals;
using noun::Instant;
using noun::curl::Persistence;
using noun::curl::Persistences;

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

TEST(CurlPersistences, of_origins_are_apart) {
  Persistences persistences;
  for (int i = 0; i < 2; ++i) persistences.ended("http://a", 5ms, start);
  EXPECT_FALSE(persistences.is_expected("http://a", start));
  EXPECT_TRUE(persistences.is_expected("http://b", start));
  persistences.ended("http://b", 5ms, start);
  persistences.lasted("http://b");
  persistences.ended("http://b", 5ms, start);
  EXPECT_TRUE(persistences.is_expected("http://b", start));
}

TEST(CurlPersistences, are_forgotten_when_they_are_not_true_any_more) {
  Persistences persistences;
  for (int i = 0; i < 1000; ++i) {
    const auto origin = "http://" + std::to_string(i);
    persistences.lasted(origin);
    persistences.ended(origin, 5ms, start);
  }
  EXPECT_EQ(persistences.size(), 1000U);
  persistences.ended("http://1", 5ms, start + 30s);
  persistences.ended("http://a", 5ms, start + 61s);
  EXPECT_EQ(persistences.size(), 2U);
  EXPECT_FALSE(persistences.is_expected("http://1", start + 61s)) << "two in a row ended";
}

TEST(CurlPersistences, of_an_origin_whose_connections_last_take_no_memory) {
  Persistences persistences;
  for (int i = 0; i < 1000; ++i) persistences.lasted("http://" + std::to_string(i));
  EXPECT_EQ(persistences.size(), 0U);
}

}}  // namespace noun_test::curl_persistence_test
