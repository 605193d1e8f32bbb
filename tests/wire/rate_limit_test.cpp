// The rate-limit fields: the trio and the structured ones, each form and trouble on its own. The vectors are in
// tests/policy, where their meaning is.
#include "wire/rate_limit.hpp"

#include <gtest/gtest.h>

#include "vectors.hpp"

namespace noun::wire {
namespace rate_limit_test {

using namespace std::literals;

using wire_test::wall_time;

const WallTime noon = wall_time(1768910400);

RateLimitReading read(std::string_view limit, std::string_view remaining, std::string_view reset = "",
                      ResetForm form = ResetForm::automatic) {
  Dialect dialect;
  dialect.rate_limit.reset_form = form;
  const Headers headers = {{"Date", "Tue, 20 Jan 2026 12:00:00 GMT"},
                           {"x-ratelimit-limit", limit},
                           {"x-ratelimit-remaining", remaining},
                           {"x-ratelimit-reset", reset}};
  return read_rate_limit(headers, dialect, noon + 1h);
}

std::optional<Duration> delta(std::string_view reset, ResetForm form = ResetForm::automatic) {
  const auto reading = read("", "", reset, form);
  EXPECT_NE(reading.reset.has_value(), reading.implausible_reset);
  return reading.reset ? reading.reset->in : std::nullopt;
}

std::optional<WallTime> instant(std::string_view reset, ResetForm form = ResetForm::automatic) {
  const auto reading = read("", "", reset, form);
  EXPECT_NE(reading.reset.has_value(), reading.implausible_reset);
  return reading.reset ? reading.reset->at : std::nullopt;
}

TEST(RateLimit, an_answer_without_the_fields_says_nothing) {
  const auto reading = read_rate_limit({}, {}, noon);
  EXPECT_FALSE(reading.limit || reading.remaining || reading.reset || reading.retry_after || reading.date);
  EXPECT_FALSE(reading.implausible_reset);
}

TEST(RateLimit, an_empty_name_is_not_read) {
  const Headers headers = {{"", "7"}, {"Retry-After", "7"}};
  const RateLimitHeaders none = {"", "", "", "", ResetForm::automatic, "", "", "", ""};
  const auto reading = read_rate_limit(headers, {.rate_limit = none}, noon);
  EXPECT_FALSE(reading.limit || reading.remaining || reading.reset || reading.retry_after);
}

TEST(RateLimit, minus_one_and_a_limit_of_zero_are_unknown) {
  EXPECT_EQ(read("-1", "-1").limit, std::nullopt);
  EXPECT_EQ(read("-1", "-1").remaining, std::nullopt);
  EXPECT_EQ(read("0", "0").limit, std::nullopt);
  EXPECT_EQ(read("0", "0").remaining, 0);
}

TEST(RateLimit, a_fraction_of_a_request_cannot_be_spent) {
  EXPECT_EQ(read("100.9", "0.9").limit, 100);
  EXPECT_EQ(read("100.9", "0.9").remaining, 0);
}

TEST(RateLimit, counts_that_are_no_numbers_are_ignored) {
  for (const auto* text : {"", " ", "abc", "1e30", "-5", "+5", "5x", "0x10", "5.", ".5", "NaN", "inf",
                           "99999999999999999999", "5 6", "5/10", "1,000", "5, 6", "\"5\"", "=5"}) {
    EXPECT_EQ(read(text, "3").limit, std::nullopt) << text;
    EXPECT_EQ(read("3", text).remaining, std::nullopt) << text;
  }
  EXPECT_EQ(read(std::string(1'000'000, '9'), "5\0"sv).limit, std::nullopt);
}

TEST(RateLimit, a_count_may_say_how_long_its_windows_are) {
  EXPECT_EQ(read("100;w=21600", "76;w=21600").window, 6h);
  EXPECT_EQ(read("100", "76;w=21600").window, 6h);
  EXPECT_EQ(read("10, 10;w=1, 50;w=60", "").window, 1s);
  EXPECT_EQ(read("100", "76").window, std::nullopt);
}

TEST(RateLimit, a_list_of_policies_may_say_how_long_the_windows_are) {
  const auto window = [](std::string_view limit, std::string_view policies) {
    return read_rate_limit({{"X-RateLimit-Limit", limit}, {"RateLimit-Policy", policies}}, {}, noon).window;
  };
  EXPECT_EQ(window("100", "100;w=900"), 15min);
  EXPECT_EQ(window("50", "10;w=1, 50;w=60, 1000;w=3600"), 1min);
  EXPECT_EQ(window("100;w=60", "100;w=900"), 1min) << "the field's own word comes first";
  EXPECT_EQ(window("7", "10;w=1, 50;w=60"), std::nullopt) << "none allows so many";
  EXPECT_EQ(window("10", "10;w=1, 10;w=60"), std::nullopt) << "two do";
  EXPECT_EQ(window("100", R"("a";q=100;w=900)"), std::nullopt) << "it is another quota's";
  EXPECT_EQ(window("", "10;w=1"), std::nullopt);
}

TEST(RateLimit, parameters_and_further_windows_behind_a_count_are_skipped) {
  EXPECT_EQ(read("100;w=60", "7 ; w=60").limit, 100);
  EXPECT_EQ(read("100;w=60", "7 ; w=60").remaining, 7);
  EXPECT_EQ(read("10, 10;w=1, 50;w=60", "").limit, 10);
}

TEST(RateLimit, of_a_repeated_field_the_first_counts) {
  const Headers headers = {{"X-RateLimit-Remaining", 4}, {"X-RateLimit-Remaining", 9}};
  EXPECT_EQ(read_rate_limit(headers, {}, noon).remaining, 4);
}

TEST(RateLimitReset, a_number_is_judged_by_its_size) {
  EXPECT_EQ(delta("0"), 0s);
  EXPECT_EQ(delta("3600.5"), 3600500ms);
  EXPECT_EQ(delta("000000000000060"), 60s);
  EXPECT_EQ(instant("1768910460"), noon + 1min);
  EXPECT_EQ(instant("1768910460.5"), noon + 60500ms);
  EXPECT_EQ(instant("1768910460000"), noon + 1min);
  EXPECT_EQ(instant("1768910460000000"), noon + 1min);
}

TEST(RateLimitReset, the_borders_between_the_sizes_are_where_the_dialect_puts_them) {
  const auto form = [&](std::string_view text) {
    const Headers headers = {{"X-RateLimit-Reset", text}};
    return read_rate_limit(headers, {.farthest_reset = Duration::max()}, noon).reset;
  };
  EXPECT_EQ(form("999999999")->in, 999999999s);
  EXPECT_EQ(form("1000000000")->at, wall_time(1000000000));
  EXPECT_TRUE(form("99999999999")->at);
  EXPECT_EQ(form("100000000000")->at, wall_time(100000000));
  EXPECT_EQ(form("09000000000000")->at, wall_time(9000000000));
  EXPECT_TRUE(form("99999999999999")->at);
  EXPECT_EQ(form("100000000000000")->at, wall_time(100000000));
  EXPECT_FALSE(form("100000000000000000"));
}

TEST(RateLimitReset, texts_tell_themselves_apart) {
  EXPECT_EQ(instant("Tue, 20 Jan 2026 12:00:30 GMT"), noon + 30s);
  EXPECT_EQ(instant("2026-01-20T12:00:30Z"), noon + 30s);
  EXPECT_EQ(instant("2026-01-20T12:01Z", ResetForm::epoch_seconds), noon + 1min);
  EXPECT_EQ(delta("6m0s"), 6min);
  EXPECT_EQ(delta("120ms", ResetForm::rfc3339), 120ms);
}

TEST(RateLimitReset, what_javascript_makes_of_a_date_is_read) {
  EXPECT_EQ(instant("Tue Jan 20 2026 13:00:30 GMT+0100 (Central European Standard Time)"), noon + 30s);
}

TEST(RateLimitReset, the_dialects_form_decides_what_a_number_means) {
  EXPECT_EQ(delta("1500", ResetForm::delta_milliseconds), 1500ms);
  EXPECT_EQ(delta("1500", ResetForm::delta_seconds), 1500s);
  EXPECT_EQ(instant("1768910460", ResetForm::epoch_seconds), noon + 1min);
  EXPECT_EQ(instant("60", ResetForm::epoch_seconds), wall_time(60));
  EXPECT_EQ(instant("1768910460000", ResetForm::epoch_milliseconds), noon + 1min);
  EXPECT_EQ(delta("7", ResetForm::duration_text), 7s);
  EXPECT_EQ(instant("1768910460", ResetForm::http_date), noon + 1min);
}

TEST(RateLimitReset, an_epoch_read_as_a_delta_is_not_believed) {
  EXPECT_EQ(delta("1768910460", ResetForm::delta_seconds), std::nullopt);
  EXPECT_EQ(instant("1768910460000", ResetForm::epoch_seconds), std::nullopt);
}

TEST(RateLimitReset, more_than_a_day_ahead_is_not_believed) {
  EXPECT_EQ(delta("86400"), 24h);
  EXPECT_EQ(delta("86400.1"), std::nullopt);
  EXPECT_EQ(instant("1768996800"), noon + 24h);
  EXPECT_EQ(instant("1768996801"), std::nullopt);
  EXPECT_EQ(delta("99999h"), std::nullopt);
}

TEST(RateLimitReset, an_instant_in_the_past_is_given_as_it_is) {
  EXPECT_EQ(instant("1768910390"), noon - 10s);
  EXPECT_EQ(instant("Thu, 01 Jan 1970 00:00:00 GMT"), wall_time(0));
}

TEST(RateLimitReset, what_is_of_no_known_form_is_not_believed) {
  for (const auto* text : {"soon", "-5", "1e30", "99999999999999999999", "1,5", "12:00", "NaN", "5 s"})
    EXPECT_TRUE(read("", "", text).implausible_reset) << text;
  EXPECT_TRUE(read("", "", std::string(1'000'000, '9')).implausible_reset);
}

TEST(RateLimitReset, without_a_date_the_local_clock_is_the_measure) {
  const Headers headers = {{"Date", "yesterday-ish"}, {"X-RateLimit-Reset", 1768910400 + 86400 + 1800}};
  EXPECT_TRUE(read_rate_limit(headers, {}, noon).implausible_reset);
  EXPECT_TRUE(read_rate_limit(headers, {}, noon + 1h).reset);
}

TEST(RateLimitReset, dates_beyond_the_clocks_range_are_harmless) {
  const Headers far = {{"Date", "Fri, 31 Dec 9999 23:59:59 GMT"},
                       {"X-RateLimit-Reset", "Fri, 31 Dec 9999 23:59:59 GMT"}};
  EXPECT_TRUE(read_rate_limit(far, {}, noon).reset);
  const Headers early = {{"Date", "Sat, 01 Jan 0000 00:00:00 GMT"},
                         {"X-RateLimit-Reset", "Fri, 31 Dec 9999 23:59:59 GMT"}};
  EXPECT_TRUE(read_rate_limit(early, {}, noon).implausible_reset);
  EXPECT_TRUE(read_rate_limit(early, {}, WallTime::min()).implausible_reset);
}

TEST(RateLimit, retry_after_is_measured_against_the_answers_date) {
  const Headers headers = {{"Date", "Tue, 20 Jan 2026 12:00:00 GMT"}, {"Retry-After", "Tue, 20 Jan 2026 12:00:30 GMT"}};
  EXPECT_EQ(read_rate_limit(headers, {}, noon + 5h).retry_after, 30s);
}

}  // namespace rate_limit_test
}  // namespace noun::wire
