// The fields that a simulated service writes, letter by letter, and that noun reads them as they were meant.
#include <noun/limit_fields.hpp>

#include <gtest/gtest.h>

#include <set>

#include "wire/rate_limit.hpp"

namespace noun::testing {
namespace limit_fields_test {

using namespace std::chrono_literals;

constexpr WallTime at{1'768'910'412'300ms};  // 2026-01-20T12:00:12.3Z
constexpr LimitVerdict admitted{.admitted = true, .limit = 60, .remaining = 7, .resets_in = 47'500ms};
constexpr LimitVerdict rejected{.limit = 60, .resets_in = 47'500ms, .retry_in = 47'500ms};

std::string reset_as(ServiceReset form) {
  return std::string(limit_fields(admitted, at, {.reset = form}).get("X-RateLimit-Reset").value_or("none"));
}

TEST(LimitFields, tell_the_count_and_the_date) {
  const auto fields = limit_fields(admitted, at);
  EXPECT_EQ(fields.get("Date"), "Tue, 20 Jan 2026 12:00:12 GMT");
  EXPECT_EQ(fields.get("X-RateLimit-Limit"), "60");
  EXPECT_EQ(fields.get("X-RateLimit-Remaining"), "7");
  EXPECT_FALSE(fields.contains("Retry-After"));
  EXPECT_EQ(limit_fields(rejected, at).get("Retry-After"), "48");
  EXPECT_EQ(limit_fields({}, at).get("Retry-After"), "1") << "zero would be no wait";
}

TEST(LimitFields, leave_out_what_they_are_told_to) {
  EXPECT_FALSE(limit_fields(rejected, at, {.retry_after = false}).contains("Retry-After"));
  EXPECT_FALSE(limit_fields(rejected, at, {.date = false}).contains("Date"));
  EXPECT_EQ(limit_fields(rejected, at, {.counts = false}).size(), 2U);
}

TEST(LimitFields, write_the_reset_in_each_form) {
  EXPECT_EQ(reset_as(ServiceReset::epoch), "1768910460");
  EXPECT_EQ(reset_as(ServiceReset::epoch_down), "1768910459");
  EXPECT_EQ(reset_as(ServiceReset::delta), "48");
  EXPECT_EQ(reset_as(ServiceReset::delta_down), "47");
  EXPECT_EQ(reset_as(ServiceReset::delta_fraction), "47.500");
  EXPECT_EQ(reset_as(ServiceReset::epoch_milliseconds), "1768910459800");
  EXPECT_EQ(reset_as(ServiceReset::rfc3339), "2026-01-20T12:01:00Z");
  EXPECT_EQ(reset_as(ServiceReset::http_date), "Tue, 20 Jan 2026 12:01:00 GMT");
  EXPECT_EQ(reset_as(ServiceReset::absent), "none");
}

TEST(LimitFields, are_read_as_they_were_meant) {
  for (const auto form : {ServiceReset::epoch, ServiceReset::epoch_milliseconds, ServiceReset::rfc3339,
                          ServiceReset::http_date, ServiceReset::delta, ServiceReset::delta_fraction}) {
    const auto reading = wire::read_rate_limit(limit_fields(admitted, at, {.reset = form}), {}, at);
    EXPECT_EQ(reading.limit, 60);
    EXPECT_EQ(reading.remaining, 7);
    ASSERT_TRUE(reading.reset);
    const Duration in = reading.reset->in ? *reading.reset->in : Duration(*reading.reset->at - at);
    EXPECT_GE(in, 47'500ms);
    EXPECT_LT(in, 48'500ms);
  }
}

TEST(LimitFields, lie_when_asked_to) {
  const auto told = [](ResetLie lie, ServiceReset form, WallTime when = at, std::uint64_t seed = 1) {
    return std::string(
        *limit_fields(admitted, when, {.reset = form, .lie = lie, .seed = seed}).get("X-RateLimit-Reset"));
  };
  EXPECT_EQ(told(ResetLie::hour_late, ServiceReset::delta), "3648");
  EXPECT_EQ(told(ResetLie::hour_late, ServiceReset::epoch), "1768914060");
  EXPECT_EQ(told(ResetLie::now, ServiceReset::delta), "0");
  EXPECT_EQ(told(ResetLie::now, ServiceReset::epoch_down), "1768910412");
  std::set<std::string> seen;
  for (int i = 0; i < 20; ++i) {
    const auto random = told(ResetLie::chance, ServiceReset::delta, at + i * 1ms);
    EXPECT_LE(std::stoi(random), 3600);
    seen.insert(random);
  }
  EXPECT_GT(seen.size(), 15U);
  EXPECT_EQ(told(ResetLie::chance, ServiceReset::delta), told(ResetLie::chance, ServiceReset::delta));
  EXPECT_NE(told(ResetLie::chance, ServiceReset::delta), told(ResetLie::chance, ServiceReset::delta, at, 2));
}

}  // namespace limit_fields_test
}  // namespace noun::testing
