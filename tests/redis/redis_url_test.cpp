#include "redis/redis_url.hpp"

#include <gtest/gtest.h>

#include "curl/fails_with.hpp"

namespace noun_test { namespace redis_url_test {

using noun::Errc;
using noun::Sent;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(RedisUrl, has_a_host_or_a_socket_a_database_a_user_and_a_password) {
  const struct {
    const char* text;
    const char* name;
    std::uint32_t database;
    const char* user;
    const char* password;
    bool local;
  } cases[] = {
      {"redis://quota.internal", "quota.internal:6379", 0, "", "", false},
      {"redis://quota.internal/", "quota.internal:6379", 0, "", "", false},
      {"Redis://quota.internal", "quota.internal:6379", 0, "", "", false},
      {"redis://127.0.0.1:1/15", "127.0.0.1:1", 15, "", "", true},
      {"redis://127.0.0.1.example", "127.0.0.1.example:6379", 0, "", "", false},
      {"redis://[::1]:65535/0", "[::1]:65535", 0, "", "", true},
      {"redis://[2001:db8::1]", "[2001:db8::1]:6379", 0, "", "", false},
      {"redis://:secret@localhost", "localhost:6379", 0, "", "secret", true},
      {"redis://alice:s%40%3A%2f@a.localhost:7", "a.localhost:7", 0, "alice", "s@:/", true},
      {"redis://a%3Ab:p:q@10.0.0.1", "10.0.0.1:6379", 0, "a:b", "p:q", false},
      {"redis+unix:///run/redis.sock", "/run/redis.sock", 0, "", "", true},
      {"redis+unix:///run/a%20b?db=3", "/run/a b", 3, "", "", true},
      {"redis+unix://alice:secret@/run/redis.sock", "/run/redis.sock", 0, "alice", "secret", true},
  };
  for (const auto& [text, name, database, user, password, local] : cases) {
    const auto url = noun::parse_redis_url(text).value();
    EXPECT_EQ(noun::name_of(url), name) << text;
    EXPECT_EQ(url.database, database) << text;
    EXPECT_EQ(url.user, user) << text;
    EXPECT_EQ(url.password, password) << text;
    EXPECT_EQ(noun::is_local(url), local) << text;
  }
}

TEST(RedisUrl, is_refused_without_being_shown) {
  for (const auto* text : {"",
                           "secret",
                           "http://:secret@host",
                           "redis:secret",
                           "redis://",
                           "redis://:secret@",
                           "redis://secret@host",
                           "redis://user:@host",
                           "redis://:secret%2@host",
                           "redis://:secret@host:0",
                           "redis://:secret@host:65536",
                           "redis://:secret@host:x",
                           "redis://:secret@host:",
                           "redis://:secret@[::1",
                           "redis://:secret@[::1]1",
                           "redis://:secret@[]",
                           "redis://:secret@host/x",
                           "redis://:secret@host/-1",
                           "redis://:secret@host/1/2",
                           "redis://:secret@host/4294967296",
                           "redis://:secret@host?db=1",
                           "redis://:secret@host#1",
                           "redis://:secret@ho st",
                           "redis+unix://",
                           "redis+unix://:secret@host/socket",
                           "redis+unix:relative",
                           "redis+unix:///socket?secret=1",
                           "redis+unix:///socket?db=x",
                           "redis+unix:///a%00b",
                           "rediss://:secret@127.0.0.1"}) {
    const auto url = noun::parse_redis_url(text);
    ASSERT_THAT(url, FailsWith(Errc::invalid_argument, Sent::no)) << text;
    EXPECT_THAT(url.error().message(), HasSubstr("the URL of the Redis server")) << text;
    EXPECT_THAT(url.error().message(), Not(HasSubstr("secret"))) << text;
  }
  EXPECT_THAT(noun::parse_redis_url("redis+unix:///" + std::string(107, 'x')),
              FailsWith(Errc::invalid_argument, Sent::no));
  EXPECT_TRUE(noun::parse_redis_url("redis+unix:///" + std::string(106, 'x')));
  EXPECT_THAT(noun::parse_redis_url("rediss://127.0.0.1").error().message(), HasSubstr("has no TLS"));
}

}  // namespace redis_url_test
}  // namespace noun_test
