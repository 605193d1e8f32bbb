// Tests of servers that do not report their quota: the job completes with Retry-After only, and with rejections only.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "journeys/window_monitor.hpp"

namespace journeys { namespace unreported_limits_test {

using ::testing::ElementsAre;

noun::Client client_of(const std::shared_ptr<noun::Transport>& transport,
                       const std::shared_ptr<kit::ManualClock>& clock) {
  return noun::Client{
      "https://api.example.com",
      {.retry = {.jitter = 0}, .transport = transport, .clock = clock, .quota_ledger = noun::make_quota_ledger()}};
}

/// Number of items that a listing delivers; errors fail the test.
int drained(const noun::Client& api, std::size_t page_size) {
  int items = 0;
  for (const auto& language : api.collection<Language>("languages").list({.page_size = page_size})) {
    EXPECT_TRUE(language) << language.error().message();
    if (language) EXPECT_EQ(language->id, ++items);
  }
  return items;
}

TEST(RetryAfterOnly, completes_the_job_and_no_wait_is_shorter_than_reported) {
  for (const Duration phase : {Duration(0s), Duration(300ms), Duration(59'999ms)}) {
    const auto clock = std::make_shared<kit::ManualClock>();
    const auto watch =
        std::make_shared<WindowMonitor>(clock, kit::ServiceOptions{.limit = 60, .phase = phase, .rate_headers = false});
    fill(*watch->service);
    EXPECT_EQ(drained(client_of(watch, clock), 20), all_languages);
    EXPECT_EQ(watch->rejections.size(), watch->service->rejected());
    ASSERT_GE(watch->rejections.size(), 1U);
    EXPECT_LE(watch->rejections.size(), 4U) << "limit and window are inferred from the first rejections";
    for (const auto& rejection : watch->rejections) {
      ASSERT_TRUE(rejection.retry_after);
      EXPECT_GE(rejection.waited, *rejection.retry_after);
      EXPECT_LT(rejection.waited, *rejection.retry_after + 1s);
    }
  }
}

TEST(RejectionsOnly, wait_with_exact_doubling_from_one_second) {
  const auto clock = std::make_shared<kit::ManualClock>();
  const auto script = std::make_shared<kit::ScriptedTransport>(clock);
  script->expect(noun::Method::get, "/languages").reply(429).times(9);
  script->expect(noun::Method::get, "/languages").reply(200, "[]");
  EXPECT_EQ(drained(client_of(script, clock), 20), 0);
  EXPECT_THAT(clock->waits(), ElementsAre(1s, 2s, 4s, 8s, 16s, 32s, 60s, 60s, 60s));
  EXPECT_EQ(script->complaint(), "");
}

TEST(RejectionsOnly, complete_the_job_and_restart_at_one_second_in_each_window) {
  const auto clock = std::make_shared<kit::ManualClock>();
  const auto watch = std::make_shared<WindowMonitor>(
      clock, kit::ServiceOptions{
                 .limit = 4, .period = 7s, .phase = 5s, .latency = 0s, .rate_headers = false, .retry_after = false});
  fill(*watch->service, 240);
  EXPECT_EQ(drained(client_of(watch, clock), 20), 240);
  std::vector<Duration> waits;
  for (const auto& rejection : watch->rejections) waits.push_back(rejection.waited);
  EXPECT_THAT(waits, ElementsAre(1s, 2s, 4s, 1s, 2s, 4s));
  EXPECT_EQ(watch->service->rejected(), 6U);
}

TEST(RejectionsOnly, of_a_post_are_retried_because_nothing_was_processed) {
  const auto clock = std::make_shared<kit::ManualClock>();
  const auto script = std::make_shared<kit::ScriptedTransport>(clock);
  script->expect(noun::Method::post, "/languages").reply(429).times(3);
  script->expect(noun::Method::post, "/languages").reply(201, R"({"id": 1, "name": "a"})");
  const auto made = client_of(script, clock).collection<Language>("languages").create({1, "a"});
  EXPECT_TRUE(made) << made.error().message();
  EXPECT_THAT(clock->waits(), ElementsAre(1s, 2s, 4s));
}

TEST(TooLongWait, is_rate_limited_with_retry_at) {
  const auto clock = std::make_shared<kit::ManualClock>();
  const auto service =
      std::make_shared<kit::SimulatedService>(clock, kit::ServiceOptions{.limit = 1, .period = 24h, .latency = 0s});
  service->add("/languages", "1", Language{1, "a"});
  const auto language = client_of(service, clock).collection<Language>("languages")[1];
  EXPECT_TRUE(language.get());
  const auto got = language.get();
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code(), noun::Errc::rate_limited);
  EXPECT_EQ(got.error().sent(), noun::Sent::no);
  ASSERT_TRUE(got.error().retry_at());
  EXPECT_LE(std::chrono::abs(*got.error().retry_at() -
                             noun::WallTime(std::chrono::sys_days(std::chrono::year(2026) / 1 / 21))),
            1s);
  EXPECT_TRUE(clock->waits().empty());
  EXPECT_EQ(service->rejected(), 0U);
}

}  // namespace unreported_limits_test
}  // namespace journeys
