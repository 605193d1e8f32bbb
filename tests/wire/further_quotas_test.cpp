// What a response reports beside the three X-RateLimit fields: other spellings, further quotas, partitions and waits,
// and the bounds on them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "table.hpp"
#include "vectors.hpp"
#include "wire/rate_limit.hpp"

namespace noun::wire { namespace further_quotas_test {

using namespace std::literals;

using wire_test::noon;

/// Reads with the default dialect and further entries.
RateLimitReading read(const Headers& headers, const std::vector<QuotaHeaders>& more = {}) {
  Dialect dialect;
  dialect.quotas.insert(dialect.quotas.end(), more.begin(), more.end());
  return read_rate_limit(headers, dialect, noon);
}

std::string shown(const ReportedQuota& quota) {
  const auto reported = [](const auto& value) { return value ? fmt::format("{}", *value) : "-"; };
  const auto seconds = [](const auto& span) { return span ? fmt::format("{}s", *span / 1s) : "-"; };
  std::string reset = "-";
  if (quota.reset)
    reset = quota.reset->at ? "@" + seconds(std::optional(*quota.reset->at - noon)) : seconds(quota.reset->in);
  return fmt::format("{}({}/{} {} {} {})", quota.name, reported(quota.remaining), reported(quota.limit), reset,
                     seconds(quota.window), reported(quota.refill_per_second));
}

/// Each quota as `name(remaining/limit reset window refill)`, `-` for what is not reported, `!` for an implausible
/// reset. The first quota has no name.
std::string reported(const Headers& headers, const std::vector<QuotaHeaders>& more = {}) {
  const auto reading = read(headers, more);
  std::string all = shown(reading);
  for (const auto& quota : reading.more) all += " " + shown(quota);
  return all + (reading.implausible_reset ? " !" : "");
}

TEST(NamelessQuota, fills_each_gap_of_the_first_on_its_own) {
  const Headers headers = {{"X-RateLimit-Limit", 100}, {"L", 50}, {"R", 7}, {"T", 30}, {"F", "2.5"}};
  const QuotaHeaders other{.limit = "L", .remaining = "R", .reset = "T", .refill_per_second = "F"};
  EXPECT_EQ(reported(headers, {other}), "(7/100 30s - 2.5)");
}

TEST(NamelessQuota, replaces_an_implausible_reset) {
  const QuotaHeaders other{.reset = "T", .reset_form = ResetForm::http_date};
  const Headers headers = {{"X-RateLimit-Reset", "soon"}, {"T", "Tue, 20 Jan 2026 12:00:30 GMT"}};
  EXPECT_EQ(reported(headers, {other}), "(-/- @30s - -)");
  EXPECT_EQ(reported(headers), "(-/- - - -) !");
  EXPECT_EQ(reported({{"X-RateLimit-Reset", "soon"}, {"T", "later"}}, {other}), "(-/- - - -) !");
}

TEST(NamedQuota, is_separate_from_the_first_and_keeps_its_readable_parts) {
  const QuotaHeaders day{.name = "day", .limit = "L", .remaining = "R", .reset = "T", .refill_per_second = "F"};
  EXPECT_EQ(reported({{"X-RateLimit-Limit", 100}, {"L", 5000}, {"R", 4999}, {"T", 3600}}, {day}),
            "(-/100 - - -) day(4999/5000 3600s - -)");
  EXPECT_EQ(reported({}, {day}), "(-/- - - -)");
  EXPECT_EQ(reported({{"L", 0}, {"R", -1}, {"T", "soon"}, {"F", "fast"}}, {day}), "(-/- - - -) day(-/0 - - -) !");
  EXPECT_EQ(reported({{"R", 1}, {"T", "soon"}}, {day}), "(-/- - - -) day(1/- - - -) !");
}

TEST(UsedOfLimit, is_of_the_entry_and_its_keys_name_the_others) {
  const Headers headers = {{"U", "api-usage=18/5000; per-app=17/250(appName=a=b)"}};
  EXPECT_EQ(reported(headers, {{.used_of_limit = "U"}}), "(4982/5000 - - -) per-app(233/250 - - -)");
  EXPECT_EQ(reported(headers, {{.name = "calls", .used_of_limit = "U"}}),
            "(-/- - - -) calls(4982/5000 - - -) per-app(233/250 - - -)");
  EXPECT_EQ(reported({{"U", "1/2; 3/4"}}, {{.used_of_limit = "U"}}), "(1/2 - - -)") << "the second has no name";
}

TEST(Used, is_what_remains_of_the_limit) {
  EXPECT_EQ(reported({{"L", 50}, {"S", 8}}, {{.limit = "L", .used = "S"}}), "(42/50 - - -)");
  EXPECT_EQ(reported({{"L", 50}, {"S", 51}, {"T", 9}}, {{.name = "day", .limit = "L", .reset = "T", .used = "S"}}),
            "(-/- - - -) day(0/50 9s - -)");
  EXPECT_EQ(reported({{"L", 50}, {"R", 7}, {"S", 8}}, {{.limit = "L", .remaining = "R", .used = "S"}}),
            "(7/50 - - -)") << "what remains is reported";
  for (const auto* unreadable : {"", "-1", "some", "0x8"})
    EXPECT_EQ(reported({{"L", 50}, {"S", unreadable}}, {{.limit = "L", .used = "S"}}), "(-/50 - - -)") << unreadable;
  EXPECT_EQ(reported({{"L", 0}, {"S", 8}}, {{.limit = "L", .used = "S"}}), "(-/0 - - -)");
}

TEST(Used, in_two_lists_is_of_several_quotas) {
  EXPECT_EQ(reported({{"L", "200,2000"}, {"S", "198,905"}}, {{.limit = "L", .used = "S"}}),
            "(2/200 - - -) 2(1095/2000 - - -)");
  EXPECT_EQ(reported({{"L", "100"}, {"L", "1000"}, {"S", "9, 1001"}}, {{.name = "read", .limit = "L", .used = "S"}}),
            "(-/- - - -) read(91/100 - - -) read/2(0/1000 - - -)");
  EXPECT_EQ(reported({{"L", "200,2000"}, {"S", "198"}}, {{.limit = "L", .used = "S"}}), "(-/- - - -)")
      << "which of them it counts is not known";
}

TEST(Used, is_read_by_the_preset_of_strava) {
  const Headers headers = {{"X-RateLimit-Limit", "600,900"},
                           {"X-RateLimit-Usage", "314,100"},
                           {"X-ReadRateLimit-Limit", "300,15000"},
                           {"X-ReadRateLimit-Usage", "299,13000"}};
  const auto reading = read_rate_limit(headers, dialects::strava(), noon);
  ASSERT_EQ(reading.more.size(), 3U);
  EXPECT_EQ(shown(reading), "(286/600 - - -)");
  EXPECT_EQ(shown(reading.more[0]), "2(800/900 - - -)");
  EXPECT_EQ(shown(reading.more[1]), "read(1/300 - - -)");
  EXPECT_EQ(shown(reading.more[2]), "read/2(2000/15000 - - -)");
}

TEST(JoinedLines, have_the_smallest_count_and_the_latest_reset) {
  const auto first = [](const char* limit, const char* remaining, const char* reset) {
    return reported({{"X-RateLimit-Limit", limit}, {"X-RateLimit-Remaining", remaining}, {"X-RateLimit-Reset", reset}});
  };
  EXPECT_EQ(first("1000, 10", "962, 0", "30, 60"), "(0/1000 60s - -)");
  EXPECT_EQ(first("1,000", "1,000", "30"), "(-/- 30s - -)") << "such a comma may separate thousands";
  EXPECT_EQ(first("10", "962, -1", "30, soon"), "(-/10 - - -) !");
  EXPECT_EQ(reported({{"RateLimit-Remaining", "962, 0"}}), "(0/- - - -)") << "in other spellings too";
  EXPECT_EQ(reported({{"X-RateLimit-Remaining-Day", "962, 5"}}), "(-/- - - -) day(5/- - 86400s -)");
  EXPECT_EQ(reported({{"Left-Reads", "11999, 5"}}, {{.prefix = "Left-"}}), "(-/- - - -) reads(5/- - - -)");
  EXPECT_EQ(first("10, 10;w=1, 1000;w=60", "9", "1"), "(9/10 1s 1s -)") << "the windows of one line";
}

TEST(Prefix, names_a_quota_by_the_rest_of_the_headers_name) {
  EXPECT_EQ(reported({{"Zendesk-RateLimit-Tickets-Index", "total=100; remaining=99; resets=41"},
                      {"zendesk-ratelimit-", "5"},
                      {"zendesk-ratelimit", "5"},
                      {"zendesk-ratelimit-users", " 12 "}},
                     {{.reset_form = ResetForm::delta_seconds, .prefix = "zendesk-ratelimit-"}}),
            "(-/- - - -) tickets-index(99/100 41s - -) users(12/- - - -)");
}

TEST(Prefix, reads_several_named_quotas_from_one_line_or_many) {
  for (const Headers& headers : {Headers{{"x-left-resource", "A/B3;107"}, {"x-left-resource", "A/B30;587"}},
                                 Headers{{"x-left-resource", "A/B3;107,A/B30;587, A/B3;109"}}})
    EXPECT_EQ(reported(headers, {{.prefix = "x-left-"}}), "(-/- - - -) A/B3(107/- - - -) A/B30(587/- - - -)");
}

TEST(Structured, limits_with_a_name_are_quotas_of_their_own) {
  struct Case {
    const char *limits, *policies, *reported;
  };
  for (const auto& [limits, policies, expected] :
       {Case{R"("minute";r=5;t=30, "burst";r=3;t=1)", R"("minute";q=60;w=60, "day";q=1000;w=86400)",
             "(-/- - - -) minute(5/60 30s 60s -) burst(3/- 1s - -)"},
        // Quotas with other units are ignored.
        {R"("conc";r=1, "bytes";r=2, "minute";r=50;t=30)",
         R"("conc";q=4;qu="concurrent-requests", "bytes";q=9;qu="content-bytes", "minute";q=60;w=60;qu="requests")",
         "(-/- - - -) minute(50/60 30s 60s -)"},
        // The partition is part of the name; of two quotas with the same name the smaller remaining counts.
        {R"("a";r=9, "a";r=1;pk=:AQ==:, "a";r=7)", R"("a";q=9;pk=:Ag==:, "a";q=5;pk=:AQ==:)",
         "(-/- - - -) a(7/- - - -) a/AQ==(1/5 - - -)"},
        // Without a policy of the same partition, the only policy with that name counts.
        {R"("a";r=1;pk=:AQ==:, "b";r=2)", R"("a";q=5;w=60, "b";q=6;w=60;pk=:AQ==:)",
         "(-/- - - -) a/AQ==(1/5 - 60s -) b(2/6 - 60s -)"},
        {R"("a";r=1)", R"("a";q=5;qu="content-bytes";pk=:AQ==:)", "(-/- - - -)"},
        {"limit=9, remaining=1, reset=4", "9;w=10", "(1/9 4s 10s -)"},
        {R"("a";t=30)", "", "(-/- - - -) a(-/- 30s - -)"},
        {R"("a";r=1)", "", "(-/- - - -) a(1/- - - -)"},
        {R"("a")", "", "(-/- - - -)"},
        {R"("a";r=1)", R"("a";q=0)", "(-/- - - -) a(1/0 - - -)"},
        {R"("a";r=1;t=90000)", "", "(-/- - - -) a(1/- - - -) !"}})
    EXPECT_EQ(reported({{"RateLimit", limits}, {"RateLimit-Policy", policies}}), expected) << limits;
  EXPECT_EQ(reported({{"RateLimit", "limit=9, remaining=1, reset=4"}, {"X-RateLimit-Remaining", 3}}), "(3/9 4s - -)");
}

TEST(Structured, a_long_partition_key_is_named_by_a_digest) {
  const std::string same(63, 'A');
  const auto reading =
      read({{"RateLimit", R"("default";r=0;t=30;pk=:)" + same + R"(A:, "default";r=7;pk=:)" + same + "B:"}});
  ASSERT_EQ(reading.more.size(), 2U);
  EXPECT_EQ(reading.more[0].remaining, 0);
  EXPECT_EQ(reading.more[0].reset->in, 30s);
  EXPECT_EQ(reading.more[1].remaining, 7);
  EXPECT_NE(reading.more[0].name, reading.more[1].name);
  for (const auto& quota : reading.more) {
    EXPECT_EQ(quota.name.size(), std::string("default/").size() + 16);
    EXPECT_TRUE(quota.name.starts_with("default/")) << quota.name;
    EXPECT_EQ(quota.name.find("AAAA"), std::string::npos) << quota.name;
  }
}

TEST(Structured, fields_have_the_names_that_the_dialect_sets) {
  const Headers headers = {{"Beta-RateLimit", R"("a";r=5)"}, {"Beta-RateLimit-Policy", R"("a";q=60)"}};
  Dialect dialect;
  EXPECT_TRUE(read_rate_limit(headers, dialect, noon).more.empty());
  dialect.structured = "Beta-RateLimit";
  EXPECT_FALSE(read_rate_limit(headers, dialect, noon).more.at(0).limit);
  dialect.structured_policy = "Beta-RateLimit-Policy";
  EXPECT_EQ(read_rate_limit(headers, dialect, noon).more.at(0).limit, 60);
}

TEST(Bucket, is_named_by_its_header) {
  Dialect dialect;
  dialect.partition_header = "B";
  const std::string long_name(64, 'b');
  for (const auto& [text, name] : wire_test::Table<std::string_view>{{" core ", "core"}, {long_name, long_name}})
    EXPECT_EQ(read_rate_limit({{"B", text}}, dialect, noon).partition, name);
  for (const auto& text : {"a\x01"s, "a\x7F"s, "a\tb"s, "caf\xC3\xA9"s, long_name + "b"})
    EXPECT_EQ(read_rate_limit({{"B", text}}, dialect, noon).partition, "") << text;
  EXPECT_EQ(read({{"B", "core"}}).partition, "");
}

TEST(Everywhere, is_reported_by_the_presence_of_a_header) {
  Dialect dialect;
  dialect.everywhere_header = "E";
  for (const auto* value : {"true", "1", "TRUE", "yes"})
    EXPECT_TRUE(read_rate_limit({{"E", value}}, dialect, noon).everywhere) << value;
  for (const auto* value : {"false", "False", "0", "", " "})
    EXPECT_FALSE(read_rate_limit({{"E", value}}, dialect, noon).everywhere) << value;
  EXPECT_FALSE(read_rate_limit({}, dialect, noon).everywhere);
}

std::optional<Duration> wait(std::string_view text, ResetForm form, std::string_view standard = "") {
  const Headers headers = {{"Date", "Tue, 20 Jan 2026 12:00:00 GMT"}, {"W", text}, {"Retry-After", standard}};
  const Dialect dialect = {.quotas = {{.retry_after = "W", .retry_after_form = form}}};
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

TEST(RetryAfterOfADialect, precedes_the_standard_one_if_it_is_readable) {
  EXPECT_EQ(wait("1500", ResetForm::delta_milliseconds, "2"), 1500ms);
  for (const auto* text : {"soon", "-5", ""}) EXPECT_EQ(wait(text, ResetForm::delta_milliseconds, "2"), 2s) << text;
  EXPECT_EQ(wait("", ResetForm::delta_milliseconds), std::nullopt);
}

TEST(RetryAfterOfADialect, is_read_as_the_standard_one_without_a_form_of_its_own) {
  EXPECT_EQ(read({{"W", "60"}, {"W", "120"}}, {{.retry_after = "W"}}).retry_after, 120s);
  EXPECT_EQ(read({{"W", "60"}, {"W", "soon"}}, {{.retry_after = "W"}}).retry_after, 60s);
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
    if (i < 1000) structured += ",\"a" + number + "\";r=1";
    used += ";u" + number + "=1/2";
  }
  EXPECT_EQ(read({{"Left-x", list}}, {{.prefix = "Left-"}}).more.size(), 16U);
  EXPECT_EQ(read({{"RateLimit", structured}, {"RateLimit-Policy", structured}}, {}).more.size(), 16U);
  EXPECT_EQ(read({{"U", used}}, {{.used_of_limit = "U"}}).more.size(), 16U);

  const auto long_name = std::string(65, 'n');
  const Headers names = {{"Left-" + long_name, 1}, {"Left-x", long_name + ";1, \xC3\xA9;2, ;3, ok;4"}};
  EXPECT_EQ(reported(names, {{.prefix = "Left-"}}), "(-/- - - -) x(3/- - - -) ok(4/- - - -)");
  EXPECT_EQ(reported({{"RateLimit", "\"" + long_name + "\";r=1"}}),
            "(-/- - - -) 1e3fb6d54587d70a(1/- - - -)");
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

}}  // namespace noun::wire::further_quotas_test
