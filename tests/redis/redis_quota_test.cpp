// Tests of processes that share a quota through a real Redis server.
#include <noun/redis_ledger.hpp>

#include <chrono>
#include <csignal>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <atlas_service.hpp>
#include <noun/noun.hpp>

#include "integration/fleet_process.hpp"
#include "redis/redis_server.hpp"

namespace noun_test { namespace redis_quota_test {

using namespace std::chrono_literals;
using integration::ChildProgram;
using integration::counts_of;
using integration::FleetCounts;
using integration::fleet_worker;
using ::testing::ElementsAre;
using ::testing::Field;

constexpr std::size_t requests = 25;

struct RedisQuota : ::testing::Test {
  std::vector<std::string> words(std::size_t count = requests) const {
    return {service.base_url(), redis.url(), "items", "languages/deu", std::to_string(count), "4", "1000"};
  }
  noun::Client client() const {
    return noun::Client(service.base_url(),
                        {.identity = "fleet", .quota_ledger = noun::redis_ledger(redis.url()).value()});
  }
  static bool call(const noun::Client& api) { return api.send({.path = "languages/deu"}).has_value(); }

  RedisServer redis;
  atlas::Service service{{.limit = 20, .period = 1s, .latency = 5ms}};
};

TEST_F(RedisQuota, processes_are_not_rejected) {
  ChildProgram one(fleet_worker(words()));
  ChildProgram other(fleet_worker(words()));
  FleetCounts all = counts_of(one.wait());
  all += counts_of(other.wait());
  EXPECT_EQ(all.failed, 0U) << all.first_error;
  EXPECT_EQ(all.sent, 2 * requests);
  EXPECT_EQ(service.stats().rejected, 0U);
}

TEST_F(RedisQuota, a_killed_process_does_not_stop_the_others) {
  ChildProgram killed(fleet_worker(words(1000)));
  ChildProgram one(fleet_worker(words()));
  killed.wait_for_output("first response");
  killed.end(SIGKILL);
  const FleetCounts rest = counts_of(one.wait());
  EXPECT_EQ(rest.failed, 0U) << rest.first_error;
  EXPECT_EQ(service.stats().rejected, 0U);
}

TEST_F(RedisQuota, a_server_that_lost_everything_fails_no_call) {
  ChildProgram one(fleet_worker(words()));
  ChildProgram other(fleet_worker(words()));
  one.wait_for_output("first response");
  redis.kill();
  redis.start();
  FleetCounts all = counts_of(one.wait());
  all += counts_of(other.wait());
  EXPECT_EQ(all.failed, 0U) << all.first_error;
  // Neither process knows what the other has in flight.
  EXPECT_LE(service.stats().rejected, 2U * 4U);
}

TEST_F(RedisQuota, a_process_leaves_nothing_behind) {
  EXPECT_EQ(counts_of(ChildProgram(fleet_worker(words())).wait()).failed, 0U);
  const auto api = client();
  EXPECT_TRUE(call(api));
  EXPECT_THAT(api.quota_snapshot().holders, ElementsAre(Field(&noun::QuotaHolder::is_self, true)));
}

}}  // namespace noun_test::redis_quota_test
