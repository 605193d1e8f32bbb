// The rate-limit vectors: each is read and interpreted correctly, with the preset of its API if there is one.
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "decision/classify.hpp"
#include "vocabulary/presets.hpp"
#include "wire/rate_limit.hpp"
#include "wire/vectors.hpp"

namespace noun::quota_tests { namespace rate_limit_vectors_test {

using wire::RateLimitReading;
using wire::ReportedQuota;
using wire_test::json;
using wire_test::Vector;

/// What a vector expects and noun does not read, and why.
const std::map<std::pair<std::string, std::string>, std::string> unread = {
    {{"rl-016", "scope"}, "reported on rejections only: which requests it counts is not learned from it"},
    {{"rl-028", "scope"}, "whose limit it was has no effect: the partition is named as well"},
    {{"rl-029", "scope"}, "read as `everywhere`"},
    {{"rl-030", "scope"}, "only in the vector's comment: no header reports it"},
    {{"rl-048", "scope"}, "the policyName of the body, which no member of a dialect refers to"},
    {{"rl-082", "limited"}, "the request was served: Retry-After holds the next ones back (retry_after_on_success)"},
    {{"rl-086", "window"}, "the reset is sufficient; no member of a dialect names a header of windows"},
};
/// What is never read: `used` follows from limit and remaining, and `near_limit` implies no number.
const std::set<std::string> unread_everywhere = {"used", "near_limit"};
const std::set<std::string> checked = {
    "limit", "remaining", "seconds_until_reset", "limited", "wait", "scope", "bucket", "extra", "window", "retryable"};

ResetForm form_named(const std::string& name) {
  static const std::map<std::string, ResetForm> forms = {{"automatic", ResetForm::automatic},
                                                         {"epoch_seconds", ResetForm::epoch_seconds},
                                                         {"delta_seconds", ResetForm::delta_seconds},
                                                         {"delta_milliseconds", ResetForm::delta_milliseconds},
                                                         {"rfc3339", ResetForm::rfc3339}};
  return forms.at(name);
}

QuotaHeaders quota_of(const json& data) {
  const auto form = [&](const char* key) { return form_named(data.value(key, "automatic")); };
  return {.name = data.value("name", ""),
          .limit = data.value("limit", ""),
          .remaining = data.value("remaining", ""),
          .reset = data.value("reset", ""),
          .reset_form = form("reset_form"),
          .used = data.value("used", ""),
          .used_of_limit = data.value("used_of_limit", ""),
          .refill_per_second = data.value("refill_per_second", ""),
          .retry_after = data.value("retry_after", ""),
          .retry_after_form = form("retry_after_form"),
          .prefix = data.value("prefix", "")};
}

Dialect base_of(const json& data) {
  for (const auto& [name, make] : noun_test::presets)
    if (data.value("preset", "") == name) return make();
  return {.quotas = {}, .partition_header = data.value("partition_header", "")};
}

Dialect dialect_called(const std::string& id) {
  for (const auto& [data] : wire_test::vectors("rate_limit_dialects.json")) {
    if (data.at("id") != id) continue;
    Dialect dialect = base_of(data);
    for (const auto& quota : data.value("quotas", json::array())) dialect.quotas.push_back(quota_of(quota));
    dialect.retry_after_on_success = data.value("retry_after_on_success", dialect.retry_after_on_success);
    dialect.farthest_reset = std::chrono::hours(data.value("farthest_reset_hours", 24));
    return dialect;
  }
  ADD_FAILURE() << id;
  return {};
}

Response response_of(const json& data) {
  Response response{.status = data.at("status").get<int>()};
  for (const auto& field : data.at("headers"))
    response.headers.push_back({field.at(0).get<std::string>(), field.at(1).get<std::string>()});
  if (data.contains("body")) response.body = data.at("body").dump();
  return response;
}

/// The quota that a vector's numbers are about: the first, or, if that has none, the first of the others.
const ReportedQuota& quota_of(const RateLimitReading& reading) {
  const bool silent = !reading.limit && !reading.remaining && !reading.reset && !reading.refill_per_second;
  return silent && !reading.more.empty() ? reading.more.front() : reading;
}

std::optional<double> seconds_of(std::optional<Duration> span) {
  return span ? std::optional(std::chrono::duration<double>(*span).count()) : std::nullopt;
}

void expect_near(std::optional<double> value, const json& expected, const char* what) {
  ASSERT_EQ(value.has_value(), !expected.is_null()) << what;
  if (value) {
    EXPECT_NEAR(*value, expected.get<double>(), 1e-6) << what;
  }
}

void expect_numbers(const ReportedQuota& quota, const json& expected, WallTime reference) {
  const auto count = [&](const char* key) -> std::optional<std::int64_t> {
    if (!expected.contains(key) || expected[key].is_null()) return std::nullopt;
    return static_cast<std::int64_t>(expected[key].get<double>());
  };
  EXPECT_EQ(quota.limit, count("limit"));
  EXPECT_EQ(quota.remaining, count("remaining"));
  std::optional<Duration> until;
  if (quota.reset) until = time_until(*quota.reset, reference);
  expect_near(seconds_of(until), expected.value("seconds_until_reset", json()), "seconds_until_reset");
}

/// How long the API asks to wait: the first of its values that counts.
std::optional<Duration> reported_wait(const Response& response, const Dialect& dialect, const RateLimitReading& reading,
                                      bool limited, WallTime reference) {
  if (const auto wait = wait_in_body(response, dialect)) return wait;
  if (reading.retry_after) return reading.retry_after;
  if (!limited) return std::nullopt;
  const auto& quota = quota_of(reading);
  if (quota.remaining == 0 && quota.reset) return time_until(*quota.reset, reference);
  if (quota.refill_per_second)
    return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(1 / *quota.refill_per_second));
  return dialect.default_wait > Duration::zero() ? std::optional(dialect.default_wait) : std::nullopt;
}

class RateLimitVector : public ::testing::TestWithParam<Vector> {};

TEST_P(RateLimitVector, is_read_and_interpreted) {
  const auto& data = GetParam().data;
  const auto& expected = data.at("expect");
  const auto dialect = dialect_called(data.at("dialect"));
  const auto response = response_of(data);
  const auto now = wire_test::wall_time(data.at("now").get<std::int64_t>());
  const auto reading = wire::read_rate_limit(response.headers, dialect, now);
  const auto reference = reading.date ? WallTime(*reading.date) : now;
  const auto& quota = quota_of(reading);
  const auto is_read = [&](const std::string& key) {
    return expected.contains(key) && !unread.contains({GetParam().id(), key});
  };

  EXPECT_EQ(reading.date.has_value(), response.headers.contains("Date"));
  expect_numbers(quota, expected, reference);
  if (is_read("window")) expect_near(seconds_of(quota.window), expected["window"], "window");
  if (is_read("bucket")) EXPECT_EQ(json(reading.partition), expected["bucket"]);
  if (is_read("scope")) EXPECT_EQ(json(quota.name.empty() ? reading.partition : quota.name), expected["scope"]);
  EXPECT_EQ(reading.everywhere, expected.value("scope", "") == "global");
  if (expected.contains("extra")) {
    const auto name = expected["extra"]["name"].get<std::string>();
    const auto named = [&](const ReportedQuota& one) { return one.name == name; };
    const auto found = std::find_if(reading.more.begin(), reading.more.end(), named);
    ASSERT_NE(found, reading.more.end());
    expect_numbers(*found, expected["extra"], reference);
  }

  const bool exhausted = reading.remaining == 0 || reading.retry_after;
  const auto verdict = classify_response(response, dialect, exhausted, false);
  const bool limited = verdict == Verdict::limited;
  if (is_read("limited")) EXPECT_EQ(json(limited), expected["limited"]);
  if (is_read("retryable")) EXPECT_EQ(json(verdict == Verdict::maybe_processed), expected["retryable"]);
  expect_near(seconds_of(reported_wait(response, dialect, reading, limited, reference)), expected["wait"], "wait");
}

INSTANTIATE_TEST_SUITE_P(vectors, RateLimitVector, ::testing::ValuesIn(wire_test::vectors("rate_limit.json")),
                         wire_test::id_of);

/// Dialects whose headers the default dialect reads as their own dialect does.
const std::set<std::string> read_by_default = {
    "auto-hyphenated", "datadog", "digitalocean", "envoy",    "express-legacy", "ietf-draft06", "kong", "lemlist",
    "mailerlite",      "okta",    "reddit",       "sendgrid", "sharepoint",     "vimeo",        "x"};

TEST(RateLimitVectors, the_default_dialect_reads_the_common_spellings) {
  std::set<std::string> seen;
  for (const auto& vector : wire_test::vectors("rate_limit.json")) {
    const auto dialect = vector.data.at("dialect").get<std::string>();
    if (!read_by_default.contains(dialect)) continue;
    SCOPED_TRACE(vector.id());
    seen.insert(dialect);
    const auto headers = response_of(vector.data).headers;
    const auto now = wire_test::wall_time(vector.data.at("now").get<std::int64_t>());
    const auto own = wire::read_rate_limit(headers, dialect_called(dialect), now);
    const auto plain = wire::read_rate_limit(headers, {}, now);
    EXPECT_EQ(plain.limit, own.limit);
    EXPECT_EQ(plain.remaining, own.remaining);
    EXPECT_EQ(plain.reset, own.reset);
    EXPECT_EQ(plain.window, own.window);
    EXPECT_EQ(plain.retry_after, own.retry_after);
    EXPECT_EQ(plain.more.size(), own.more.size());
  }
  EXPECT_EQ(seen, read_by_default);
}

TEST(RateLimitVectors, all_76_exist_and_everything_expected_is_checked) {
  const auto all = wire_test::vectors("rate_limit.json");
  EXPECT_EQ(all.size(), 76U);
  std::set<std::pair<std::string, std::string>> expected;
  for (const auto& vector : all)
    for (const auto& [key, value] : vector.data.at("expect").items()) {
      EXPECT_TRUE(checked.contains(key) || unread_everywhere.contains(key)) << key;
      expected.emplace(vector.id(), key);
    }
  for (const auto& [what, reason] : unread) EXPECT_TRUE(expected.contains(what)) << what.first;
}

}  // namespace rate_limit_vectors_test
}  // namespace noun::quota_tests
