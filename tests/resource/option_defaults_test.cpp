// What programs that set no options rely on, and the order in which they write those that they set.
#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include <gtest/gtest.h>
#include <noun/noun.hpp>

namespace resource_test { namespace option_defaults_test {
namespace {

using namespace std::chrono_literals;

TEST(OptionDefaults, bound_an_attempt_and_its_retries) {
  const noun::ClientOptions options;
  EXPECT_EQ(options.timeouts.connect, 10s);
  EXPECT_EQ(options.timeouts.attempt, 60s);
  EXPECT_EQ(options.timeouts.stall, 30s);
  EXPECT_EQ(options.retry.max_attempts, 5);
  EXPECT_EQ(options.retry.initial_backoff, 1s);
  EXPECT_EQ(options.retry.max_backoff, 60s);
  EXPECT_EQ(options.retry.jitter, 0.1);
  EXPECT_EQ(options.retry.give_up_after, 15min);
  EXPECT_EQ(options.budget.capacity, 100);
  EXPECT_EQ(options.budget.per_success, 0.2);
}

TEST(OptionDefaults, wait_for_the_quota) {
  const noun::ClientOptions options;
  EXPECT_EQ(options.quota.when_exhausted, noun::WhenExhausted::wait);
  EXPECT_EQ(options.quota.reserve, 0);
  EXPECT_EQ(options.quota.max_wait, 2h);
  EXPECT_EQ(options.quota.in_flight_unknown, 16U);
  EXPECT_EQ(options.quota.inference, noun::Inference::full);
  EXPECT_EQ(noun::CallOptions().priority, noun::Priority::normal);
  EXPECT_EQ(noun::ListOptions().priority, noun::Priority::bulk);
}

TEST(OptionDefaults, limit_what_a_server_sends) {
  const noun::Limits limits;
  EXPECT_EQ(limits.head, 65'536U);
  EXPECT_EQ(limits.fields, 256U);
  EXPECT_EQ(limits.body, 67'108'864U);
  EXPECT_EQ(limits.ratio, 200U);
  EXPECT_EQ(limits.json_depth, 128U);
  EXPECT_EQ(limits.json_values, 2'000'000U);
  EXPECT_EQ(limits.pages, 100'000U);
  EXPECT_EQ(limits.empty_pages, 100U);
  EXPECT_EQ(limits.redirects, 5U);
  EXPECT_EQ(limits.connections, 512U);
  EXPECT_EQ(limits.idle_connections, 16U);
  EXPECT_EQ(limits.idle_time, 60s);
}

TEST(OptionDefaults, change_nothing_that_is_not_asked_for) {
  const noun::ClientOptions options;
  EXPECT_FALSE(options.strict_statuses);
  EXPECT_FALSE(options.credentials_over_http);
  EXPECT_TRUE(options.proxy.empty());
  EXPECT_EQ(options.cache, nullptr);
  EXPECT_EQ(options.cache_mode, noun::CacheMode::validate);
  EXPECT_EQ(noun::CallOptions().cache, noun::UseCache::normal);
  EXPECT_FALSE(noun::CallOptions().wait_until_ready);
  EXPECT_EQ(noun::ListOptions().prefetch, 0U);
  EXPECT_EQ(noun::ListOptions().bad_items, noun::BadItems::stop);
}

// Compiles only in the order of the declarations.
TEST(OptionDefaults, are_replaced_in_their_order) {
  const noun::ClientOptions client{.credentials = noun::bearer("t"), .dialect = noun::Dialect(), .retry = {},
                                   .budget = {}, .quota = {}, .timeouts = {}, .limits = {}, .headers = {}, .query = {},
                                   .secret_parameters = {}, .tls = noun::Tls(), .proxy = {}, .identity = {},
                                   .trusted_origins = {}, .strict_statuses = true, .observer = {}, .transport = {},
                                   .clock = {}, .quota_ledger = {}, .credentials_over_http = false, .unix_socket = {},
                                   .bookmark_key = {}, .cache = {}, .cache_mode = noun::CacheMode::rfc9111};
  EXPECT_TRUE(client.strict_statuses);
  const noun::CallOptions call{.query = {}, .headers = {}, .if_match = "\"1\"", .if_none_match = {},
                               .idempotency_key = noun::auto_key, .priority = noun::Priority::normal,
                               .attempt_timeout = 5s, .stall_timeout = 5s, .deadline = 10s, .stop = {},
                               .cache = noun::UseCache::off, .wait_until_ready = false, .retry = noun::RetryPolicy()};
  EXPECT_EQ(call.if_match, "\"1\"");
  const noun::ListOptions list{.query = {}, .headers = {}, .page_size = 10, .max_items = 20, .prefetch = 1,
                               .resume = {}, .priority = noun::Priority::bulk, .attempt_timeout = 5s,
                               .stall_timeout = 5s, .deadline = 10s, .stop = {}, .body = {}, .key = "/id",
                               .cache = noun::UseCache::off, .bad_items = noun::BadItems::deliver,
                               .paging = noun::Paging{.style = noun::paging::SinglePage{}}};
  EXPECT_EQ(list.key, "/id");
}

}  // namespace
}}  // namespace resource_test::option_defaults_test
