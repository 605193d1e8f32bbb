// The separate and the structured rate-limit fields: each form and each fault by itself. tests/quota runs the vectors.
#include "wire/rate_limit.hpp"

#include <gtest/gtest.h>

#include <initializer_list>

#include "table.hpp"
#include "vectors.hpp"

namespace noun::wire { namespace rate_limit_test {

using namespace std::literals;

using wire_test::noon;
using wire_test::Table;
using wire_test::wall_time;

RateLimitReading read(std::string_view limit, std::string_view remaining, std::string_view reset = "",
                      ResetForm form = ResetForm::automatic) {
  Dialect dialect;
  dialect.quotas[0].reset_form = form;
  const Headers headers = {{"Date", "Tue, 20 Jan 2026 12:00:00 GMT"},
                           {"x-ratelimit-limit", limit},
                           {"x-ratelimit-remaining", remaining},
                           {"x-ratelimit-reset", reset}};
  return read_rate_limit(headers, dialect, noon + 1h);
}

TEST(RateLimit, missing_and_unnamed_fields_report_nothing) {
  const Headers headers = {{"", "7"}, {"X-RateLimit-Limit", "7"}, {"RateLimit", "\"a\";r=7"}, {"Retry-After", "7"}};
  const Dialect unnamed = {.quotas = {{}}, .retry_after = "", .structured = "", .structured_policy = ""};
  const Dialect without = {.quotas = {}, .retry_after = "", .structured = "", .structured_policy = ""};
  for (const auto& reading : {read_rate_limit({}, {}, noon), read_rate_limit(headers, unnamed, noon),
                              read_rate_limit(headers, without, noon)}) {
    EXPECT_FALSE(reading.limit || reading.remaining || reading.reset || reading.retry_after || reading.date);
    EXPECT_FALSE(reading.implausible_reset);
    EXPECT_TRUE(reading.more.empty());
  }
}

TEST(RateLimit, what_a_cache_kept_says_nothing_about_now) {
  const auto aged = [](const char* age) {
    return read_rate_limit({{"Age", age}, {"X-RateLimit-Remaining", "0"}, {"Retry-After", "7"}}, {}, noon);
  };
  for (const auto* now : {"0", "2", "", "old", "-7"}) EXPECT_EQ(aged(now).remaining, 0) << now;
  for (const auto* then : {"3", "72000", " 72000 ", "99999999999999999999", "300, 1"})
    EXPECT_EQ(aged(then).remaining, std::nullopt) << then;
  EXPECT_EQ(aged("72000").retry_after, 7s);
}

TEST(RateLimit, counts_are_integers_and_minus_one_is_unknown) {
  for (const auto& [text, count] :
       Table<int>{{"100.9", 100}, {"100;w=60", 100}, {"7 ; w=60", 7}, {"5, 6", 5}, {"10, 10;w=1, 50;w=60", 10}}) {
    EXPECT_EQ(read(text, "").limit, count) << text;
    EXPECT_EQ(read("", text).remaining, count) << text;
  }
  for (const auto* zero : {"0", "0.9"}) {
    EXPECT_EQ(read(zero, "").limit, 0) << zero;
    EXPECT_EQ(read("", zero).remaining, 0) << zero;
  }
  EXPECT_EQ(read("-1", "0").remaining, std::nullopt) << "without a limit, what remains is none";
  for (const auto* text : {"",    " ",    "abc",   "1e30", "-1",    "-5",  "+5",
                           "5x",  "0x10", "5.",    ".5",   "NaN",   "inf", "99999999999999999999",
                           "5 6", "5/10", "1,000", "5,6", "\"5\"", "=5"}) {
    EXPECT_EQ(read(text, "3").limit, std::nullopt) << text;
    EXPECT_EQ(read("3", text).remaining, std::nullopt) << text;
  }
  EXPECT_EQ(read(std::string(1'000'000, '9'), "").limit, std::nullopt);
  EXPECT_EQ(read("", "5\0"sv).remaining, std::nullopt);
}

TEST(RateLimit, larger_counts_are_as_good_as_unlimited) {
  const auto limited = [](const ReportedQuota& quota, std::optional<std::int64_t> limit) {
    EXPECT_EQ(quota.limit, limit);
    EXPECT_EQ(quota.remaining, largest_count);
  };
  limited(read("9223372036854775807", "1000000000001"), largest_count);
  limited(read_rate_limit({{"RateLimit", "limit=999999999999999, remaining=999999999999998, reset=9"}}, {}, noon),
          largest_count);
  limited(read_rate_limit({{"U", "1/9223372036854775807"}}, {.quotas = {{.used_of_limit = "U"}}}, noon), largest_count);
  const Headers structured = {{"RateLimit", R"("a";r=999999999999999;c=1000000000001, "b";r=1000000000001)"},
                              {"RateLimit-Policy", R"("a";q=999999999999999)"}};
  const auto more = read_rate_limit(structured, {}, noon).more;
  ASSERT_EQ(more.size(), 2U);
  limited(more[0], largest_count);
  EXPECT_EQ(more[0].cost, largest_count);
  limited(more[1], std::nullopt);
}

TEST(RateLimit, a_count_may_have_a_window) {
  EXPECT_EQ(read("100;w=21600", "76;w=21600").window, 6h);
  EXPECT_EQ(read("100", "76;w=21600").window, 6h);
  EXPECT_EQ(read("10, 10;w=1, 50;w=60", "").window, 1s);
  EXPECT_EQ(read("100", "76").window, std::nullopt);
}

TEST(RateLimit, a_list_of_policies_may_have_the_window) {
  const auto window = [](std::string_view limit, std::string_view policies) {
    return read_rate_limit({{"X-RateLimit-Limit", limit}, {"RateLimit-Policy", policies}}, {}, noon).window;
  };
  EXPECT_EQ(window("100", "100;w=900"), 15min);
  EXPECT_EQ(window("50", "10;w=1, 50;w=60, 1000;w=3600"), 1min);
  EXPECT_EQ(window("100;w=60", "100;w=900"), 1min) << "the window in the field is used first";
  EXPECT_EQ(window("7", "10;w=1, 50;w=60"), std::nullopt) << "no policy has this limit";
  EXPECT_EQ(window("10", "10;w=1, 10;w=60"), std::nullopt) << "two policies have this limit";
  EXPECT_EQ(window("100", R"("a";q=100;w=900)"), std::nullopt) << "the policy is that of another quota";
  EXPECT_EQ(window("", "10;w=1"), std::nullopt);
}

TEST(RateLimit, the_smallest_remaining_and_the_latest_reset_of_repeated_fields_are_used) {
  for (const std::string prefix : {"X-RateLimit-", "RateLimit-"}) {
    const Headers headers = {{prefix + "Limit", 10},     {prefix + "Limit", 20},      {prefix + "Remaining", 5},
                             {prefix + "Remaining", "-"}, {prefix + "Remaining", 0},   {prefix + "Reset", 30},
                             {prefix + "Reset", "soon"},  {prefix + "Reset", "1768910460"}, {prefix + "Reset", 40}};
    const auto reading = read_rate_limit(headers, {}, noon);
    EXPECT_EQ(reading.limit, 10) << prefix;
    EXPECT_EQ(reading.remaining, 0) << prefix;
    EXPECT_EQ(reading.reset, (ResetReading{{}, noon + 1min})) << prefix;
    EXPECT_FALSE(reading.implausible_reset) << prefix;
  }
  const Headers empty_first = {{"X-RateLimit-Remaining", ""}, {"X-RateLimit-Remaining", 9}};
  EXPECT_EQ(read_rate_limit(empty_first, {}, noon).remaining, 9);
  const Headers decade = {{"X-RateLimit-Reset", 30}, {"X-RateLimit-Reset", "2000000000"}};
  EXPECT_EQ(read_rate_limit(decade, {}, noon).reset, (ResetReading{30s, {}}));
}

TEST(RateLimit, a_limit_of_zero_says_nothing_about_another_limit) {
  const auto both = [](const Headers& headers) {
    const auto reading = read_rate_limit(headers, {}, noon);
    EXPECT_EQ(reading.limit, 10);
    EXPECT_EQ(reading.remaining, 5);
  };
  both({{"X-RateLimit-Limit", "0, 10"}, {"X-RateLimit-Remaining", "0, 5"}});
  both({{"X-RateLimit-Limit", "10, 0"}, {"X-RateLimit-Remaining", "5, 0"}});
  both({{"X-RateLimit-Limit", 0}, {"X-RateLimit-Remaining", 0}, {"RateLimit-Limit", 10}, {"RateLimit-Remaining", 5}});
  both({{"X-RateLimit-Limit", 10}, {"X-RateLimit-Remaining", 5}, {"RateLimit-Limit", 0}, {"RateLimit-Remaining", 0}});
}

TEST(RateLimit, a_named_limit_of_zero_says_nothing_about_another_limit) {
  const auto both = [](const Headers& headers, const Dialect& dialect = {}) {
    const auto more = read_rate_limit(headers, dialect, noon).more;
    ASSERT_EQ(more.size(), 1U);
    EXPECT_EQ(more.front().name, "a");
    EXPECT_EQ(more.front().limit, 100);
    EXPECT_EQ(more.front().remaining, 50);
  };
  both({{"RateLimit-Policy", R"("a";q=100;w=60, "a";q=0;w=60)"}, {"RateLimit", R"("a";r=50;t=30, "a";r=0;t=30)"}});
  both({{"RateLimit-Policy", R"("a";q=0;w=60, "a";q=100;w=60)"}, {"RateLimit", R"("a";r=0;t=30, "a";r=50;t=30)"}});
}

TEST(RateLimit, of_lines_with_the_same_name_the_smallest_remaining_and_the_latest_reset_are_used) {
  const auto only = [](const Headers& headers, const Dialect& dialect = {}) {
    const auto more = read_rate_limit(headers, dialect, noon).more;
    EXPECT_EQ(more.size(), 1U);
    return more.empty() ? ReportedQuota() : more.front();
  };
  const auto gateway_and_backend = only({{"RateLimit", R"("default";r=999;t=60)"},
                                         {"RateLimit-Policy", R"("default";q=1000;w=60)"},
                                         {"RateLimit", R"("default";r=0;t=2)"},
                                         {"RateLimit-Policy", R"("default";q=5;w=2)"}});
  EXPECT_EQ(gateway_and_backend.limit, 5);
  EXPECT_EQ(gateway_and_backend.remaining, 0);
  EXPECT_EQ(gateway_and_backend.window, 2s);
  EXPECT_EQ(gateway_and_backend.reset, (ResetReading{60s, {}}));
  const Dialect prefixed{.quotas = {{.prefix = "Left-"}}};
  EXPECT_EQ(only({{"Left-Reads", "total=9; remaining=7"}, {"Left-Reads", "total=5; remaining=1"}}, prefixed).limit, 5);
  EXPECT_EQ(only({{"Left-Reads", "5"}, {"Left-Reads", "7"}}, prefixed).remaining, 5);
  const Dialect again{.quotas = {{.name = "day", .remaining = "R"}, {.name = "day", .remaining = "S"}}};
  EXPECT_EQ(only({{"R", 5}, {"S", 3}}, again).remaining, 5) << "the first source of a name is used";
}

ResetReading in(Duration span) { return {span, {}}; }
ResetReading at(WallTime when) { return {{}, when}; }

void expect_resets(ResetForm form, const Table<ResetReading>& resets) {
  for (const auto& [text, reset] : resets) {
    const auto reading = read("", "", text, form);
    EXPECT_EQ(reading.reset, reset) << text;
    EXPECT_FALSE(reading.implausible_reset) << text;
  }
}

void expect_implausible(ResetForm form, std::initializer_list<std::string_view> texts) {
  for (const auto text : texts) {
    const auto reading = read("", "", text, form);
    EXPECT_FALSE(reading.reset) << text;
    EXPECT_TRUE(reading.implausible_reset) << text;
  }
}

TEST(RateLimitReset, a_number_is_read_by_its_size_and_text_by_its_format) {
  expect_resets(ResetForm::automatic, {{"0", in(0s)},
                                       {"3600.5", in(3600500ms)},
                                       {"000000000000060", in(60s)},
                                       {"1768910460", at(noon + 1min)},
                                       {"1768910460.5", at(noon + 60500ms)},
                                       {"1768910460000", at(noon + 1min)},
                                       {"1768910460000000", at(noon + 1min)},
                                       {"1768910390", at(noon - 10s)},
                                       {"Thu, 01 Jan 1970 00:00:00 GMT", at(wall_time(0))},
                                       {"Tue, 20 Jan 2026 12:00:30 GMT", at(noon + 30s)},
                                       {"2026-01-20T12:00:30Z", at(noon + 30s)},
                                       {"6m0s", in(6min)},
                                       {"Tue Jan 20 2026 13:00:30 GMT+0100 (CET)", at(noon + 30s)}});
}

TEST(RateLimitReset, the_borders_between_the_sizes_are_where_the_dialect_puts_them) {
  const auto read_far = [](std::string_view text) {
    return read_rate_limit({{"X-RateLimit-Reset", text}}, {.farthest_reset = Duration::max()}, noon).reset;
  };
  for (const auto& [text, reset] : Table<ResetReading>{{"999999999", in(999999999s)},
                                                       {"1000000000", at(wall_time(1000000000))},
                                                       {"100000000000", at(wall_time(100000000))},
                                                       {"09000000000000", at(wall_time(9000000000))},
                                                       {"100000000000000", at(wall_time(100000000))}})
    EXPECT_EQ(read_far(text), reset) << text;
  for (const auto* text : {"99999999999", "99999999999999"}) EXPECT_EQ(read_far(text), at(WallTime::max())) << text;
  EXPECT_FALSE(read_far("100000000000000000"));
}

TEST(RateLimitReset, the_reset_form_of_the_dialect_decides_how_a_number_is_read) {
  expect_resets(ResetForm::delta_milliseconds, {{"1500", in(1500ms)}});
  expect_resets(ResetForm::delta_seconds, {{"1500", in(1500s)}});
  expect_resets(ResetForm::epoch_seconds,
                {{"1768910460", at(noon + 1min)}, {"60", at(wall_time(60))}, {"2026-01-20T12:01Z", at(noon + 1min)}});
  expect_resets(ResetForm::epoch_milliseconds, {{"1768910460000", at(noon + 1min)}});
  expect_resets(ResetForm::duration_text, {{"7", in(7s)}});
  expect_resets(ResetForm::http_date, {{"1768910460", at(noon + 1min)}});
  expect_resets(ResetForm::rfc3339, {{"120ms", in(120ms)}});
  expect_implausible(ResetForm::delta_seconds, {"1768910460"});
  expect_implausible(ResetForm::epoch_seconds, {"1768910460000"});
}

TEST(RateLimitReset, of_unknown_form_or_more_than_a_day_ahead_is_implausible) {
  expect_resets(ResetForm::automatic, {{"86400", in(24h)}, {"1768996800", at(noon + 24h)}});
  expect_implausible(ResetForm::automatic,
                     {"86400.1", "1768996801", "99999h", "soon", "-5", "1e30", "99999999999999999999", "1,5", "12:00",
                      "NaN", "5 s", std::string(1'000'000, '9')});
}

TEST(RateLimitReset, without_a_date_the_local_clock_is_used) {
  const Headers headers = {{"Date", "yesterday-ish"}, {"X-RateLimit-Reset", 1768910400 + 86400 + 1800}};
  EXPECT_TRUE(read_rate_limit(headers, {}, noon).implausible_reset);
  EXPECT_TRUE(read_rate_limit(headers, {}, noon + 1h).reset);
}

TEST(RateLimitReset, dates_beyond_the_clocks_range_are_harmless) {
  constexpr auto last = "Fri, 31 Dec 9999 23:59:59 GMT";
  EXPECT_TRUE(read_rate_limit({{"Date", last}, {"X-RateLimit-Reset", last}}, {}, noon).reset);
  const Headers early = {{"Date", "Sat, 01 Jan 0000 00:00:00 GMT"}, {"X-RateLimit-Reset", last}};
  EXPECT_TRUE(read_rate_limit(early, {}, noon).implausible_reset);
  EXPECT_TRUE(read_rate_limit(early, {}, WallTime::min()).implausible_reset);
}

TEST(RateLimit, retry_after_is_relative_to_the_date_of_the_response) {
  const Headers headers = {{"Date", "Tue, 20 Jan 2026 12:00:00 GMT"}, {"Retry-After", "Tue, 20 Jan 2026 12:00:30 GMT"}};
  EXPECT_EQ(read_rate_limit(headers, {}, noon + 5h).retry_after, 30s);
}

}}  // namespace noun::wire::rate_limit_test
