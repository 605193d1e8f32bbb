// The exact fields that a simulated server writes, and that noun reads them correctly.
#include "laboratory/limit_fields.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <set>
#include <string>
#include <utility>

#include "wire/rate_limit.hpp"

namespace laboratory { namespace limit_fields_test {

using namespace std::chrono_literals;
using noun::Duration;
using noun::Headers;
using noun::WallTime;

constexpr WallTime at{1'768'910'412'300ms};  // 2026-01-20T12:00:12.3Z
constexpr LimitVerdict admitted{.admitted = true, .limit = 60, .remaining = 7, .resets_in = 47'500ms};
constexpr LimitVerdict rejected{.limit = 60, .resets_in = 47'500ms, .retry_in = 47'500ms};

TEST(LimitFields, are_written_in_the_configured_forms) {
  const Headers date{{"Date", "Tue, 20 Jan 2026 12:00:12 GMT"}};
  const Headers counts{
      {"X-RateLimit-Limit", "60"}, {"X-RateLimit-Remaining", "0"}, {"X-RateLimit-Reset", "1768910460"}};
  const Headers retry{{"Retry-After", "48"}};
  const auto joined = [](std::initializer_list<Headers> parts) {
    Headers all;
    for (const auto& part : parts)
      for (const auto& field : part) all.push_back(field);
    return all;
  };
  EXPECT_EQ(limit_fields(rejected, at), joined({date, counts, retry}));
  EXPECT_EQ(limit_fields(rejected, at, {.counts = false}), joined({date, retry}));
  EXPECT_EQ(limit_fields(rejected, at, {.retry_after = false}), joined({date, counts}));
  EXPECT_EQ(limit_fields(rejected, at, {.date = false}), joined({counts, retry}));
  EXPECT_EQ(limit_fields(admitted, at).get("X-RateLimit-Remaining"), "7");
  EXPECT_FALSE(limit_fields(admitted, at).contains("Retry-After"));
  EXPECT_EQ(limit_fields({}, at).get("Retry-After"), "1") << "zero would be no wait";
}

std::string told(const LimitFieldOptions& options, WallTime when = at) {
  return std::string(limit_fields(admitted, when, options).get("X-RateLimit-Reset").value_or("none"));
}

TEST(LimitFields, write_the_reset_in_each_form_and_wrong_if_configured) {
  const std::pair<LimitFieldOptions, const char*> cases[] = {
      {{.reset = WrittenReset::epoch}, "1768910460"},
      {{.reset = WrittenReset::epoch_down}, "1768910459"},
      {{.reset = WrittenReset::delta}, "48"},
      {{.reset = WrittenReset::delta_down}, "47"},
      {{.reset = WrittenReset::delta_fraction}, "47.500"},
      {{.reset = WrittenReset::epoch_milliseconds}, "1768910459800"},
      {{.reset = WrittenReset::rfc3339}, "2026-01-20T12:01:00Z"},
      {{.reset = WrittenReset::http_date}, "Tue, 20 Jan 2026 12:01:00 GMT"},
      {{.reset = WrittenReset::absent}, "none"},
      {{.reset = WrittenReset::delta, .lie = ResetLie::hour_late}, "3648"},
      {{.reset = WrittenReset::epoch, .lie = ResetLie::hour_late}, "1768914060"},
      {{.reset = WrittenReset::delta, .lie = ResetLie::now}, "0"},
      {{.reset = WrittenReset::epoch_down, .lie = ResetLie::now}, "1768910412"},
  };
  for (const auto& [options, text] : cases) EXPECT_EQ(told(options), text);
}

TEST(LimitFields, lie_by_the_seed_and_the_instant) {
  const auto by_seed = [](std::uint64_t seed, WallTime when = at) {
    return told({.reset = WrittenReset::delta, .lie = ResetLie::chance, .seed = seed}, when);
  };
  std::set<std::string> seen;
  for (int i = 0; i < 20; ++i) {
    seen.insert(by_seed(1, at + i * 1ms));
    EXPECT_LE(std::stoi(by_seed(1, at + i * 1ms)), 3600);
  }
  EXPECT_GT(seen.size(), 15U);
  EXPECT_EQ(by_seed(1), by_seed(1));
  EXPECT_NE(by_seed(1), by_seed(2));
}

TEST(LimitFields, successes_may_have_retry_after) {
  EXPECT_FALSE(limit_fields(admitted, at).contains("Retry-After"));
  EXPECT_EQ(limit_fields(admitted, at, {.waits = true}).get("Retry-After"), "47.500");
}

TEST(LimitFields, are_read_back) {
  for (const auto form : {WrittenReset::epoch, WrittenReset::epoch_milliseconds, WrittenReset::rfc3339,
                          WrittenReset::http_date, WrittenReset::delta, WrittenReset::delta_fraction}) {
    const auto reading = noun::wire::read_rate_limit(limit_fields(admitted, at, {.reset = form}), {}, at);
    EXPECT_EQ(reading.limit, 60);
    EXPECT_EQ(reading.remaining, 7);
    ASSERT_TRUE(reading.reset);
    const Duration in = reading.reset->in ? *reading.reset->in : Duration(*reading.reset->at - at);
    EXPECT_GE(in, 47'500ms);
    EXPECT_LT(in, 48'500ms);
  }
}

}}  // namespace laboratory::limit_fields_test
