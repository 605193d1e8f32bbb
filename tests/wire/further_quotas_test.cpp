// What an answer says beside the trio of fields: other spellings, further quotas, buckets and waits, and how much of it
// is kept at most.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "vectors.hpp"
#include "wire/rate_limit.hpp"

namespace noun::wire {
namespace further_quotas_test {

using namespace std::literals;

using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;
using wire_test::wall_time;

const WallTime noon = wall_time(1768910400);

RateLimitReading read(const Headers& headers, std::vector<QuotaHeaders> more) {
  return read_rate_limit(headers, {.more_quotas = std::move(more)}, noon);
}

auto named(const std::string& name) { return Field("name", &ToldQuota::name, name); }

TEST(NamelessQuota, fills_each_gap_of_the_first_on_its_own) {
  const QuotaHeaders other{.limit = "L", .remaining = "R", .reset = "T", .refill_per_second = "F"};
  const Headers headers = {{"X-RateLimit-Limit", 100}, {"L", 50}, {"R", 7}, {"T", 30}, {"F", "2.5"}};
  const auto reading = read(headers, {other});
  EXPECT_EQ(reading.limit, 100);
  EXPECT_EQ(reading.remaining, 7);
  EXPECT_EQ(reading.reset->in, 30s);
  EXPECT_EQ(reading.refill_per_second, 2.5);
  EXPECT_THAT(reading.more, IsEmpty());
}

TEST(NamelessQuota, stands_in_for_a_reset_that_cannot_be_believed) {
  const QuotaHeaders other{.reset = "T", .reset_form = ResetForm::http_date};
  const Headers headers = {{"X-RateLimit-Reset", "soon"}, {"T", "Tue, 20 Jan 2026 12:00:30 GMT"}};
  EXPECT_EQ(read(headers, {other}).reset->at, noon + 30s);
  EXPECT_FALSE(read(headers, {other}).implausible_reset);
  EXPECT_TRUE(read(headers, {}).implausible_reset);
  EXPECT_TRUE(read({{"X-RateLimit-Reset", "soon"}, {"T", "later"}}, {other}).implausible_reset);
}

TEST(NamedQuota, is_told_apart_from_the_first) {
  const Headers headers = {{"X-RateLimit-Limit", 100}, {"L", 5000}, {"R", 4999}, {"T", 3600}};
  const auto reading = read(headers, {{.name = "day", .limit = "L", .remaining = "R", .reset = "T"}});
  EXPECT_EQ(reading.limit, 100);
  EXPECT_FALSE(reading.remaining || reading.reset);
  ASSERT_THAT(reading.more, ElementsAre(named("day")));
  EXPECT_EQ(reading.more[0].limit, 5000);
  EXPECT_EQ(reading.more[0].remaining, 4999);
  EXPECT_EQ(reading.more[0].reset->in, 1h);
}

TEST(NamedQuota, is_not_told_by_what_cannot_be_read) {
  const QuotaHeaders day{.name = "day", .limit = "L", .remaining = "R", .reset = "T", .refill_per_second = "F"};
  EXPECT_THAT(read({}, {day}).more, IsEmpty());
  const auto reading = read({{"L", 0}, {"R", -1}, {"T", "soon"}, {"F", "fast"}}, {day});
  EXPECT_THAT(reading.more, IsEmpty());
  EXPECT_TRUE(reading.implausible_reset);
  EXPECT_THAT(read({{"R", 1}, {"T", "soon"}}, {day}).more, ElementsAre(named("day")));
}

TEST(UsedOfLimit, is_of_the_entry_and_its_keys_name_the_others) {
  const Headers headers = {{"U", "api-usage=18/5000; per-app=17/250(appName=a=b)"}};
  const auto first = read(headers, {{.used_of_limit = "U"}});
  EXPECT_EQ(first.limit, 5000);
  EXPECT_EQ(first.remaining, 4982);
  ASSERT_THAT(first.more, ElementsAre(named("per-app")));
  EXPECT_EQ(first.more[0].remaining, 233);
  EXPECT_THAT(read(headers, {{.name = "calls", .used_of_limit = "U"}}).more,
              ElementsAre(named("calls"), named("per-app")));
  EXPECT_THAT(read({{"U", "1/2; 3/4"}}, {{.used_of_limit = "U"}}).more, IsEmpty()) << "nothing names the second";
}

TEST(Prefix, names_a_quota_by_the_rest_of_the_headers_name) {
  const std::vector<QuotaHeaders> prefixes = {{.reset_form = ResetForm::delta_seconds, .prefix = "zendesk-ratelimit-"}};
  const auto reading = read({{"Zendesk-RateLimit-Tickets-Index", "total=100; remaining=99; resets=41"},
                             {"zendesk-ratelimit-", "5"},
                             {"zendesk-ratelimit", "5"},
                             {"zendesk-ratelimit-users", " 12 "}},
                            prefixes);
  ASSERT_THAT(reading.more, ElementsAre(named("tickets-index"), named("users")));
  EXPECT_EQ(reading.more[0].limit, 100);
  EXPECT_EQ(reading.more[0].remaining, 99);
  EXPECT_EQ(reading.more[0].reset->in, 41s);
  EXPECT_EQ(reading.more[1].remaining, 12);
  EXPECT_FALSE(reading.limit || reading.remaining);
}

TEST(Prefix, lets_several_quotas_name_themselves_on_one_line_or_on_many) {
  const std::vector<QuotaHeaders> prefixes = {{.prefix = "x-left-"}};
  for (const Headers& headers : {Headers{{"x-left-resource", "A/B3;107"}, {"x-left-resource", "A/B30;587"}},
                                 Headers{{"x-left-resource", "A/B3;107,A/B30;587, A/B3;1"}}}) {
    const auto reading = read(headers, prefixes);
    ASSERT_THAT(reading.more, ElementsAre(named("A/B3"), named("A/B30")));
    EXPECT_EQ(reading.more[0].remaining, 107);
    EXPECT_EQ(reading.more[1].remaining, 587);
  }
}

TEST(Structured, limits_are_quotas_of_their_own) {
  const Headers headers = {{"RateLimit", R"("minute";r=5;t=30, "burst";r=3;t=1)"},
                           {"RateLimit-Policy", R"("minute";q=60;w=60, "day";q=1000;w=86400)"}};
  const auto reading = read(headers, {});
  EXPECT_FALSE(reading.limit || reading.remaining || reading.reset || reading.window);
  ASSERT_THAT(reading.more, ElementsAre(named("minute"), named("burst")));
  EXPECT_EQ(reading.more[0].limit, 60);
  EXPECT_EQ(reading.more[0].remaining, 5);
  EXPECT_EQ(reading.more[0].reset->in, 30s);
  EXPECT_EQ(reading.more[0].window, 1min);
  EXPECT_FALSE(reading.more[1].limit || reading.more[1].window);
}

TEST(Structured, fields_have_the_names_that_the_dialect_says) {
  const Headers headers = {{"Beta-RateLimit", R"("a";r=5)"}, {"Beta-RateLimit-Policy", R"("a";q=60)"}};
  Dialect dialect;
  EXPECT_THAT(read_rate_limit(headers, dialect, noon).more, IsEmpty());
  dialect.rate_limit.structured = "Beta-RateLimit";
  EXPECT_FALSE(read_rate_limit(headers, dialect, noon).more.at(0).limit);
  dialect.rate_limit.structured_policy = "Beta-RateLimit-Policy";
  EXPECT_EQ(read_rate_limit(headers, dialect, noon).more.at(0).limit, 60);
}

TEST(Structured, limit_of_another_unit_is_left_out) {
  const Headers headers = {{"RateLimit", R"("conc";r=1, "bytes";r=2, "minute";r=50;t=30)"},
                           {"RateLimit-Policy", R"("conc";q=4;qu="concurrent-requests", "bytes";q=9;qu="content-bytes")"
                                                R"(, "minute";q=60;w=60;qu="requests")"}};
  EXPECT_THAT(read(headers, {}).more, ElementsAre(named("minute")));
}

TEST(Structured, limits_of_one_name_differ_by_their_partition) {
  const Headers headers = {{"RateLimit", R"("a";r=9, "a";r=1;pk=:AQ==:, "a";r=7)"},
                           {"RateLimit-Policy", R"("a";q=9;pk=:Ag==:, "a";q=5;pk=:AQ==:)"}};
  const auto reading = read(headers, {});
  ASSERT_THAT(reading.more, ElementsAre(named("a"), named("a/AQ==")));
  EXPECT_EQ(reading.more[0].remaining, 9) << "of two the first";
  EXPECT_FALSE(reading.more[0].limit);
  EXPECT_EQ(reading.more[1].limit, 5);
}

TEST(Structured, limit_without_a_name_is_the_first_where_the_fields_do_not_tell) {
  const Headers dictionary = {{"RateLimit", "limit=9, remaining=1, reset=4"}, {"RateLimit-Policy", "9;w=10"}};
  const auto reading = read(dictionary, {});
  EXPECT_EQ(reading.limit, 9);
  EXPECT_EQ(reading.remaining, 1);
  EXPECT_EQ(reading.reset->in, 4s);
  EXPECT_EQ(reading.window, 10s);
  EXPECT_THAT(reading.more, IsEmpty());
  EXPECT_EQ(read({{"RateLimit", "limit=9, remaining=1, reset=4"}, {"X-RateLimit-Remaining", 3}}, {}).remaining, 3);
}

TEST(Structured, limit_may_say_less) {
  EXPECT_FALSE(read({{"RateLimit", R"("a";t=30)"}}, {}).more.at(0).remaining);
  EXPECT_FALSE(read({{"RateLimit", R"("a";r=1)"}}, {}).more.at(0).reset);
  EXPECT_THAT(read({{"RateLimit", R"("a")"}}, {}).more, IsEmpty());
  const Headers zero = {{"RateLimit", R"("a";r=1)"}, {"RateLimit-Policy", R"("a";q=0)"}};
  EXPECT_FALSE(read(zero, {}).more.at(0).limit);
  const auto far = read({{"RateLimit", R"("a";r=1;t=90000)"}}, {});
  EXPECT_TRUE(far.implausible_reset && !far.more.at(0).reset);
}

TEST(Bucket, is_named_by_its_header) {
  Dialect dialect;
  dialect.rate_limit.bucket = "B";
  EXPECT_EQ(read_rate_limit({{"B", " core "}}, dialect, noon).bucket, "core");
  for (const auto* text : {"a\x01", "a\x7F", "a\tb"})
    EXPECT_EQ(read_rate_limit({{"B", text}}, dialect, noon).bucket, "") << text;
  EXPECT_EQ(read_rate_limit({{"B", "caf\xC3\xA9"}}, dialect, noon).bucket, "");
  EXPECT_EQ(read_rate_limit({{"B", std::string(64, 'b')}}, dialect, noon).bucket.size(), 64U);
  EXPECT_EQ(read_rate_limit({{"B", std::string(65, 'b')}}, dialect, noon).bucket, "");
  EXPECT_EQ(read_rate_limit({{"B", "core"}}, {}, noon).bucket, "");
}

TEST(Everywhere, is_said_by_the_headers_presence) {
  Dialect dialect;
  dialect.rate_limit.everywhere = "E";
  for (const auto* value : {"true", "1", "TRUE", "yes"})
    EXPECT_TRUE(read_rate_limit({{"E", value}}, dialect, noon).everywhere) << value;
  for (const auto* value : {"false", "False", "0", "", " "})
    EXPECT_FALSE(read_rate_limit({{"E", value}}, dialect, noon).everywhere) << value;
  EXPECT_FALSE(read_rate_limit({}, dialect, noon).everywhere);
}

std::optional<Duration> wait(std::string_view text, ResetForm form, std::string_view standard = "") {
  const Headers headers = {{"Date", "Tue, 20 Jan 2026 12:00:00 GMT"}, {"W", text}, {"Retry-After", standard}};
  const Dialect dialect = {.more_quotas = {{.retry_after = "W", .retry_after_form = form}}};
  return read_rate_limit(headers, dialect, noon + 1h).retry_after;
}

TEST(RetryAfterOfADialect, is_read_in_its_form) {
  EXPECT_EQ(wait("1500", ResetForm::delta_milliseconds), 1500ms);
  EXPECT_EQ(wait("21", ResetForm::delta_seconds), 21s);
  EXPECT_EQ(wait("21", ResetForm::automatic), 21s);
  EXPECT_EQ(wait("Tue, 20 Jan 2026 12:00:30 GMT", ResetForm::automatic), 30s);
  EXPECT_EQ(wait("1m30s", ResetForm::duration_text), 90s);
  EXPECT_EQ(wait("2026-01-20T12:00:30Z", ResetForm::rfc3339), 30s);
  EXPECT_EQ(wait("1768910430", ResetForm::epoch_seconds), 30s);
  EXPECT_EQ(wait("1768910390000", ResetForm::epoch_milliseconds), 0s) << "past";
}

TEST(RetryAfterOfADialect, comes_before_the_standard_one_where_it_can_be_read) {
  EXPECT_EQ(wait("1500", ResetForm::delta_milliseconds, "2"), 1500ms);
  EXPECT_EQ(wait("soon", ResetForm::delta_milliseconds, "2"), 2s);
  EXPECT_EQ(wait("-5", ResetForm::delta_milliseconds, "2"), 2s);
  EXPECT_EQ(wait("", ResetForm::delta_milliseconds, "2"), 2s);
  EXPECT_EQ(wait("", ResetForm::delta_milliseconds), std::nullopt);
}

TEST(RetryAfterOfADialect, is_read_as_the_standard_one_without_a_form_of_its_own) {
  EXPECT_EQ(read({{"W", "60"}, {"W", "120"}}, {{.retry_after = "W"}}).retry_after, 120s);
  EXPECT_EQ(read({{"W", "60"}, {"W", "soon"}}, {{.retry_after = "W"}}).retry_after, std::nullopt);
}

TEST(FurtherQuotas, are_sixteen_at_most_with_short_printable_names) {
  Headers headers;
  for (int i = 0; i < 5000; ++i) headers.add("Left-" + std::to_string(i), i);
  EXPECT_EQ(read(headers, {{.prefix = "Left-"}}).more.size(), 16U);

  std::string list = "total;1";
  std::string structured = R"("a0";r=1)";
  std::string used = "1/2";
  for (int i = 1; i < 20'000; ++i) {
    const auto number = std::to_string(i);
    list += ",n" + number + ";" + number;
    structured += ",\"a" + number + "\";r=1";
    used += ";u" + number + "=1/2";
  }
  EXPECT_EQ(read({{"Left-x", list}}, {{.prefix = "Left-"}}).more.size(), 16U);
  EXPECT_EQ(read({{"RateLimit", structured}, {"RateLimit-Policy", structured}}, {}).more.size(), 16U);
  EXPECT_EQ(read({{"U", used}}, {{.used_of_limit = "U"}}).more.size(), 16U);

  const auto long_name = std::string(65, 'n');
  const Headers names = {{"Left-" + long_name, 1}, {"Left-x", long_name + ";1, \xC3\xA9;2, ;3, ok;4"}};
  EXPECT_THAT(read(names, {{.prefix = "Left-"}}).more, ElementsAre(named("x"), named("ok")));
  EXPECT_THAT(read({{"RateLimit", "\"" + long_name + "\";r=1, \"a\";r=1;pk=:" + std::string(88, 'A') + ":"}}, {}).more,
              IsEmpty());
}

TEST(FurtherQuotas, long_text_in_any_field_takes_linear_time) {
  for (const auto* piece : {"9", ";", ",", "=", "/", "(", "a=1/2;", "n;1,", "total=1; ", "10;w=1, ", "\"a\";r=1,"}) {
    std::string text;
    while (text.size() < 200'000) text += piece;
    Headers headers;
    for (const auto* name : {"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "U", "F", "W", "Left-x",
                             "RateLimit", "RateLimit-Policy", "Retry-After"})
      headers.add(name, text);
    const QuotaHeaders all{.used_of_limit = "U", .refill_per_second = "F", .retry_after = "W", .prefix = "Left-"};
    EXPECT_LE(read(headers, {all}).more.size(), 16U) << piece;
  }
}

}  // namespace further_quotas_test
}  // namespace noun::wire
