// The headers of common rate limiters, copied literally and read with the default dialect.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <noun/dialect.hpp>

#include "vectors.hpp"
#include "wire/rate_limit.hpp"

namespace noun::wire { namespace limit_spellings_test {

using namespace std::literals;

using wire_test::noon;

RateLimitReading read(const Headers& headers, const Dialect& dialect = {}) {
  return read_rate_limit(headers, dialect, noon);
}

std::string shown(const ReportedQuota& quota) {
  const auto count = [](const auto& value) { return value ? fmt::format("{}", *value) : "-"; };
  const auto seconds = [](Duration span) { return fmt::format("{}s", std::chrono::duration<double>(span).count()); };
  std::string reset = "-";
  if (quota.reset) reset = quota.reset->at ? "@" + seconds(*quota.reset->at - noon) : seconds(*quota.reset->in);
  return fmt::format("{}({}/{} {} {})", quota.name, count(quota.remaining), count(quota.limit), reset,
                     quota.window ? seconds(*quota.window) : "-");
}

/// Each quota as `name(remaining/limit reset window)`, `-` for what is not reported, `@` for an absolute reset, in
/// seconds after noon.
std::string quotas(const Headers& headers, const Dialect& dialect = {}) {
  const auto reading = read(headers, dialect);
  std::string all = shown(reading);
  for (const auto& quota : reading.more) all += " " + shown(quota);
  return all;
}

TEST(CommonSpellings, express_rate_limit_with_the_headers_of_draft_6) {
  EXPECT_EQ(quotas({{"RateLimit-Policy", "50;w=3"},
                    {"RateLimit-Limit", 50},
                    {"RateLimit-Remaining", 49},
                    {"RateLimit-Reset", 3}}),
            "(49/50 3s 3s)");
}

TEST(CommonSpellings, express_rate_limit_with_the_headers_of_draft_7) {
  EXPECT_EQ(quotas({{"RateLimit-Policy", "50;w=3"}, {"RateLimit", "limit=50, remaining=49, reset=3"}}),
            "(49/50 3s 3s)");
}

TEST(CommonSpellings, express_rate_limit_with_the_headers_of_draft_8) {
  EXPECT_EQ(quotas({{"RateLimit-Policy", R"("50-in-3sec"; q=50; w=3; pk=:ZGU4NTlkOTdiZTFl:)"},
                    {"RateLimit", R"("50-in-3sec"; r=49; t=3)"}}),
            "(-/- - -) 50-in-3sec(49/50 3s 3s)");
}

TEST(CommonSpellings, express_rate_limit_with_the_headers_from_before_the_drafts) {
  EXPECT_EQ(quotas({{"X-RateLimit-Limit", 50}, {"X-RateLimit-Remaining", 49}, {"X-RateLimit-Reset", "1768910403"}}),
            "(49/50 @3s -)");
}

TEST(CommonSpellings, a_reset_of_a_draft_may_be_an_epoch) {
  EXPECT_EQ(quotas({{"RateLimit-Limit", 60}, {"RateLimit-Remaining", 0}, {"RateLimit-Reset", "1768910430"}}),
            "(0/60 @30s -)");
  EXPECT_EQ(quotas({{"RateLimit-Remaining", 0}, {"RateLimit-Reset", "1768910430.25"}}), "(0/- @30.25s -)");
}

TEST(CommonSpellings, two_spellings_are_one_quota_and_the_first_in_the_dialect_is_used) {
  const Headers headers = {{"Rate-Limit-Limit", 4},       {"Rate-Limit-Remaining", 4},   {"Rate-Limit-Reset", 4},
                           {"X-Rate-Limit-Limit", 3},     {"X-Rate-Limit-Remaining", 3}, {"RateLimit-Limit", 2},
                           {"X-RateLimit-Remaining", "1"}};
  EXPECT_EQ(quotas(headers), "(1/2 4s -)");
  EXPECT_EQ(quotas({{"X-RateLimit-Reset", "soon"}, {"RateLimit-Reset", 30}}), "(-/- 30s -)");
  EXPECT_FALSE(read({{"X-RateLimit-Reset", "soon"}, {"RateLimit-Reset", 30}}).implausible_reset);
  EXPECT_TRUE(read({{"RateLimit-Reset", "soon"}}).implausible_reset);
  EXPECT_EQ(quotas({{"X-RateLimit-Remaining", " "}, {"ratelimit-remaining", 7}, {"RateLimit-Remaining", 8}}),
            "(7/- - -)");
}

TEST(CommonSpellings, koa_ratelimit_with_the_headers_of_its_readme) {
  EXPECT_EQ(quotas({{"Rate-Limit-Total", 100}, {"Rate-Limit-Remaining", 99}, {"Rate-Limit-Reset", "1768910460"}}),
            "(99/100 @60s -)");
  EXPECT_EQ(quotas({{"Rate-Limit-Limit", 100}, {"Rate-Limit-Total", 90}}), "(-/100 - -)");
}

TEST(CommonSpellings, spring_and_others_hyphenate) {
  EXPECT_EQ(
      quotas({{"x-rate-limit-limit", 900}, {"x-rate-limit-remaining", 899}, {"x-rate-limit-reset", "1768911300"}}),
      "(899/900 @900s -)");
  // AspNetCoreRateLimit puts the window into the limit field.
  EXPECT_EQ(quotas({{"X-Rate-Limit-Limit", "1m"},
                    {"X-Rate-Limit-Remaining", 4},
                    {"X-Rate-Limit-Reset", "2026-01-20T12:01:00.0000000Z"}}),
            "(4/- @60s -)");
}

TEST(CommonSpellings, bucket4j_reports_a_wait) {
  EXPECT_EQ(quotas({{"X-Rate-Limit-Remaining", 9}}), "(9/- - -)");
  EXPECT_EQ(read({{"X-Rate-Limit-Retry-After-Seconds", 59}}).retry_after, 59s);
  EXPECT_EQ(read({{"X-Rate-Limit-Retry-After-Seconds", 59}, {"Retry-After", 7}}).retry_after, 7s);
  EXPECT_EQ(read({{"X-Rate-Limit-Retry-After-Milliseconds", 1500}}).retry_after, 1500ms);
}

TEST(CommonSpellings, nest_names_its_throttlers_in_a_suffix) {
  EXPECT_EQ(quotas({{"X-RateLimit-Limit-short", 17},
                    {"X-RateLimit-Remaining-short", 16},
                    {"X-RateLimit-Reset-short", 1},
                    {"X-RateLimit-Limit-long", 100},
                    {"X-RateLimit-Remaining-long", 99},
                    {"X-RateLimit-Reset-long", 60}}),
            "(-/- - -) short(16/17 1s -) long(99/100 60s -)");
  EXPECT_EQ(quotas({{"X-RateLimit-Limit", 10}, {"X-RateLimit-Remaining", 9}, {"X-RateLimit-Remaining-Long", 99}}),
            "(9/10 - -) long(99/- - -)")
      << "the throttler called default has no suffix";
}

TEST(CommonSpellings, nest_reports_a_wait_with_a_suffix) {
  EXPECT_EQ(read({{"Retry-After-short", 1}}).retry_after, 1s);
  EXPECT_EQ(read({{"Retry-After-short", 1}, {"Retry-After-long", 42}, {"Retry-After-medium", 9}}).retry_after, 42s)
      << "the longest";
  EXPECT_EQ(read({{"Retry-After-long", 42}, {"Retry-After", 3}}).retry_after, 3s);
  EXPECT_EQ(read({{"Retry-After-short", 1}, {"Retry-After-long", "soon"}}).retry_after, 1s);
  EXPECT_EQ(read({{"Retry-After-", 1}, {"Retry-Afterward", 1}, {"X-Retry-After-short", 1}}).retry_after, std::nullopt);
}

TEST(CommonSpellings, kong_names_its_windows_in_a_suffix) {
  EXPECT_EQ(quotas({{"X-RateLimit-Limit-Minute", 60},
                    {"X-RateLimit-Remaining-Minute", 1},
                    {"X-RateLimit-Limit-Hour", 1000},
                    {"X-RateLimit-Remaining-Hour", 400},
                    {"RateLimit-Limit", 60},
                    {"RateLimit-Remaining", 1},
                    {"RateLimit-Reset", 17}}),
            "(1/60 17s -) minute(1/60 - 60s) hour(400/1000 - 3600s)");
  EXPECT_EQ(
      quotas(
          {{"X-RateLimit-Remaining-Second", 1}, {"X-RateLimit-Remaining-Day", 2}, {"X-RateLimit-Remaining-Month", 3}}),
      "(-/- - -) second(1/- - 1s) day(2/- - 86400s) month(3/- - -)");
}

TEST(CommonSpellings, a_reported_window_or_reset_precedes_the_name_of_a_window) {
  EXPECT_EQ(quotas({{"X-RateLimit-Remaining-Minute", "1;w=30"}}), "(-/- - -) minute(1/- - 30s)");
  EXPECT_EQ(quotas({{"X-RateLimit-Remaining-second", 5}, {"X-RateLimit-Reset-second", 40}}),
            "(-/- - -) second(5/- 40s -)")
      << "a throttler called second may follow one called first";
}

TEST(CommonSpellings, a_suffix_is_a_quota_only_with_a_remaining_count) {
  EXPECT_EQ(quotas({{"X-RateLimit-Reset-After", "1.0"},
                    {"X-RateLimit-Limit-Minute", 60},
                    {"X-RateLimit-Limit-Bucket", "abcd1234"},
                    {"X-RateLimit-Remaining-Bucket", "abcd1234"},
                    {"X-RateLimit-Limit-None", 5},
                    {"X-RateLimit-Remaining-None", -1},
                    {"X-RateLimit-Remaining-", 1},
                    {"X-RateLimit-Remaining-" + std::string(65, 'n'), 1}}),
            "(-/- - -)");
  EXPECT_FALSE(read({{"X-RateLimit-Reset-After", "soon"}}).implausible_reset);
}

TEST(CommonSpellings, other_headers_of_well_known_apis_are_not_quotas) {
  EXPECT_EQ(quotas({{"X-RateLimit-Limit", 5},
                    {"X-RateLimit-Remaining", 4},
                    {"X-RateLimit-Reset", "1768910464.5"},
                    {"X-RateLimit-Reset-After", "64.5"},
                    {"X-RateLimit-Bucket", "abcd1234"},
                    {"X-RateLimit-Scope", "user"},
                    {"X-RateLimit-Global", "true"}}),
            "(4/5 @64.5s -)");
  EXPECT_EQ(quotas({{"X-RateLimit-Used", 4},
                    {"X-RateLimit-Resource", "core"},
                    {"X-RateLimit-NearLimit", "true"},
                    {"X-RateLimit-Delay", "0.5"},
                    {"X-RateLimit-UserLimit", 500},
                    {"X-RateLimit-LimitX", 500},
                    {"X-RateLimit-Requests-Remaining", 7},
                    {"X-Shopify-Shop-Api-Call-Limit", "32/40"},
                    {"X-HubSpot-RateLimit-Remaining", 9},
                    {"x-ms-ratelimit-remaining-subscription-reads", 11999},
                    {"Fastly-RateLimit-Remaining", 3},
                    {"Rate-Limiter", 3},
                    {"RateLimit", 3}}),
            "(-/- - -)");
}

TEST(CommonSpellings, quotas_of_other_units_are_left_out) {
  EXPECT_EQ(quotas({{"x-ratelimit-limit-requests", 60},
                    {"x-ratelimit-remaining-requests", 59},
                    {"x-ratelimit-reset-requests", "1s"},
                    {"x-ratelimit-limit-tokens", 150000},
                    {"x-ratelimit-remaining-tokens", 149984},
                    {"x-ratelimit-reset-tokens", "6m0s"},
                    {"x-ratelimit-remaining-project-tokens", 9},
                    {"X-RateLimit-Remaining-Concurrent-Requests", 3},
                    {"X-RateLimit-Remaining-Bytes", 3},
                    {"X-RateLimit-Remaining-Seconds", 3},
                    {"X-RateLimit-Remaining-Percent", 3}}),
            "(-/- - -) requests(59/60 1s -)");
  EXPECT_EQ(read({{"Retry-After-Ms", 1500}}).retry_after, 1500ms) << "not 1500 s";
}

TEST(CommonSpellings, a_wait_keeps_its_fraction) {
  EXPECT_EQ(read({{"Retry-After", "2.973"}}).retry_after, 2973ms);
  EXPECT_EQ(read({{"Retry-After-short", "2.973"}}).retry_after, 2973ms);
  EXPECT_EQ(quotas({{"X-RateLimit-Reset", "1768910402.973"}}), "(-/- @2.973s -)");
}

TEST(CommonSpellings, are_read_in_the_form_of_the_dialect) {
  Dialect milliseconds;
  milliseconds.quotas[0].reset_form = ResetForm::delta_milliseconds;
  EXPECT_EQ(
      quotas({{"RateLimit-Reset", 1500}, {"X-RateLimit-Remaining-a", 1}, {"X-RateLimit-Reset-a", 2500}}, milliseconds),
      "(-/- 1.5s -) a(1/- 2.5s -)");
}

TEST(CommonSpellings, quotas_that_the_dialect_names_come_first) {
  Dialect dialect;
  dialect.quotas.push_back({.limit = "L"});
  dialect.quotas.push_back({.name = "minute", .remaining = "X-RateLimit-Remaining-Minute"});
  EXPECT_EQ(quotas({{"L", 7}, {"RateLimit-Limit", 8}, {"X-RateLimit-Remaining-Minute", 5}}, dialect),
            "(-/7 - -) minute(5/- - -)");
}

const Headers every_spelling = {{"RateLimit-Remaining", 1}, {"X-Rate-Limit-Limit", 2},
                                {"Rate-Limit-Reset", 3},    {"X-RateLimit-Remaining-Minute", 4},
                                {"Retry-After-short", 5},   {"X-Rate-Limit-Retry-After-Seconds", 6}};

void expect_nothing(const Dialect& dialect) {
  EXPECT_EQ(quotas(every_spelling, dialect), "(-/- - -)") << dialect.name;
  EXPECT_EQ(read(every_spelling, dialect).retry_after, std::nullopt) << dialect.name;
}

TEST(CommonSpellings, can_be_switched_off) {
  EXPECT_EQ(quotas(every_spelling), "(1/2 3s -) minute(4/- - 60s)");
  EXPECT_EQ(read(every_spelling).retry_after, 6s);
  expect_nothing({.common_spellings = false});
}

TEST(CommonSpellings, are_not_read_if_the_dialect_has_its_own_names) {
  const auto with = [](std::string QuotaHeaders::*member, const char* text) {
    Dialect dialect;
    dialect.quotas[0].*member = text;
    return dialect;
  };
  expect_nothing(with(&QuotaHeaders::name, "first"));
  expect_nothing(with(&QuotaHeaders::limit, "X-Quota"));
  expect_nothing(with(&QuotaHeaders::remaining, ""));
  expect_nothing(with(&QuotaHeaders::reset, "RateLimit-ResetTime"));
  expect_nothing({.retry_after = ""});
  expect_nothing({.quotas = {}});
  expect_nothing({.quotas = {{}}});
  const auto in_lower_case = with(&QuotaHeaders::limit, "x-ratelimit-limit");
  EXPECT_EQ(quotas(every_spelling, in_lower_case), quotas(every_spelling));
}

TEST(CommonSpellings, are_not_read_by_the_preset_of_an_api) {
  expect_nothing(dialects::github());
  expect_nothing(dialects::sendgrid());
  expect_nothing(dialects::slack());
}

TEST(CommonSpellings, are_read_by_the_preset_of_a_server_product) {
  for (const auto& dialect : {dialects::nginx(), dialects::aspnet()})
    EXPECT_EQ(quotas(every_spelling, dialect), quotas(every_spelling)) << dialect.name;
}

TEST(CommonSpellings, of_thousands_of_suffixes_sixteen_are_kept) {
  Headers headers;
  for (int i = 0; i < 20'000; ++i) {
    headers.add("X-RateLimit-Remaining-" + std::to_string(i), i);
    headers.add("Retry-After-" + std::to_string(i), i);
  }
  const auto reading = read(headers);
  ASSERT_EQ(reading.more.size(), 16U);
  EXPECT_EQ(reading.more.front().name, "0");
  EXPECT_EQ(reading.retry_after, 19'999s);
}

}}  // namespace noun::wire::limit_spellings_test
