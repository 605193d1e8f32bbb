// The rate-limit fields: every vector that the trio of headers can express, and each form and trouble on its own.
#include "wire/rate_limit.hpp"

#include <map>

#include <gtest/gtest.h>

#include "vectors.hpp"

namespace noun::wire {
namespace {

using namespace std::literals;

using wire_test::json;
using wire_test::Vector;
using wire_test::wall_time;

const WallTime noon = wall_time(1768910400);

/// The vectors that the trio cannot express, and what they need. Each is a test to come.
const std::map<std::string, std::string> left_out = {
    {"rl-012", "a second name for reset, of another form (RateLimit-ResetTime)"},
    {"rl-021", "used/limit in one field"},
    {"rl-022", "used/limit in one field"},
    {"rl-023", "used/limit in one field"},
    {"rl-024", "used/limit in one field"},
    {"rl-045", "a second name for limit and remaining"},
    {"rl-046", "several key=value pairs in one field, named by a prefix"},
    {"rl-050", "used/limit in one field"},
    {"rl-076", "a second Retry-After in milliseconds"},
    {"rl-079", "one of several names for remaining"},
    {"rl-080", "several named buckets in one field"},
    {"rl-081", "several named buckets in one field"},
    {"rl-098", "the text of a JavaScript Date"},
};

ResetForm form_named(const std::string& name) {
  static const std::map<std::string, ResetForm> forms = {{"automatic", ResetForm::automatic},
                                                         {"epoch_seconds", ResetForm::epoch_seconds},
                                                         {"delta_seconds", ResetForm::delta_seconds},
                                                         {"epoch_milliseconds", ResetForm::epoch_milliseconds},
                                                         {"http_date", ResetForm::http_date},
                                                         {"delta_milliseconds", ResetForm::delta_milliseconds},
                                                         {"rfc3339", ResetForm::rfc3339},
                                                         {"duration_text", ResetForm::duration_text}};
  return forms.at(name);
}

RateLimitHeaders names_of(const std::string& dialect) {
  for (const auto& [data] : wire_test::vectors("rate_limit_dialects.json"))
    if (data.at("id") == dialect)
      return {data.at("limit"), data.at("remaining"), data.at("reset"), data.value("retry_after", "Retry-After"),
              form_named(data.at("reset_form"))};
  ADD_FAILURE() << dialect;
  return {};
}

Headers headers_of(const json& fields) {
  Headers headers;
  for (const auto& field : fields) headers.push_back({field.at(0).get<std::string>(), field.at(1).get<std::string>()});
  return headers;
}

std::vector<Vector> readable_vectors() {
  auto all = wire_test::vectors("rate_limit.json");
  std::erase_if(all, [](const Vector& vector) { return left_out.count(vector.id()) == 1; });
  return all;
}

/// A count, in whole requests.
std::optional<std::int64_t> expected_count(const json& value) {
  if (value.is_null()) return std::nullopt;
  return static_cast<std::int64_t>(value.get<double>());
}

std::optional<double> seconds_until(const std::optional<ResetReading>& reset, WallTime reference) {
  if (!reset) return std::nullopt;
  EXPECT_NE(reset->in.has_value(), reset->at.has_value());
  const Duration span = reset->in ? *reset->in : *reset->at - reference;
  return std::max(0.0, std::chrono::duration<double>(span).count());
}

class RateLimitVector : public testing::TestWithParam<Vector> {};

TEST_P(RateLimitVector, is_read) {
  const auto& data = GetParam().data;
  const auto names = names_of(data.at("dialect"));
  const auto headers = headers_of(data.at("headers"));
  const auto now = wall_time(data.at("now").get<std::int64_t>());
  const auto reading = read_rate_limit(headers, names, now, 720h);
  const auto& expected = data.at("expect");

  const auto limit = expected_count(expected.at("limit"));
  EXPECT_EQ(reading.limit, limit == 0 ? std::nullopt : limit);
  EXPECT_EQ(reading.remaining, expected_count(expected.at("remaining")));
  EXPECT_EQ(reading.date.has_value(), headers.contains("Date"));

  const auto until = seconds_until(reading.reset, reading.date ? WallTime(*reading.date) : now);
  const auto& expected_reset = expected.at("seconds_until_reset");
  ASSERT_EQ(until.has_value(), !expected_reset.is_null());
  if (until) {
    EXPECT_NEAR(*until, expected_reset.get<double>(), 1e-6);
  }

  ASSERT_EQ(reading.retry_after.has_value(), headers.contains(names.retry_after));
  if (reading.retry_after) {
    EXPECT_NEAR(std::chrono::duration<double>(*reading.retry_after).count(), expected.at("wait").get<double>(), 1e-6);
  }
}

INSTANTIATE_TEST_SUITE_P(vectors, RateLimitVector, testing::ValuesIn(readable_vectors()), wire_test::id_of);

TEST(RateLimitVectors, all_76_are_there_and_13_are_left_out) {
  EXPECT_EQ(wire_test::vectors("rate_limit.json").size(), 76U);
  EXPECT_EQ(left_out.size(), 13U);
  EXPECT_EQ(readable_vectors().size(), 63U);
}

RateLimitReading read(std::string_view limit, std::string_view remaining, std::string_view reset = "",
                      ResetForm form = ResetForm::automatic) {
  RateLimitHeaders names;
  names.reset_form = form;
  const Headers headers = {{"Date", "Tue, 20 Jan 2026 12:00:00 GMT"},
                           {"x-ratelimit-limit", limit},
                           {"x-ratelimit-remaining", remaining},
                           {"x-ratelimit-reset", reset}};
  return read_rate_limit(headers, names, noon + 1h);
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
  const auto reading = read_rate_limit(headers, {"", "", "", "", ResetForm::automatic}, noon);
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

TEST(RateLimit, parameters_and_further_windows_behind_a_count_are_skipped) {
  EXPECT_EQ(read("100;w=60", "7 ; w=60").limit, 100);
  EXPECT_EQ(read("100;w=60", "7 ; w=60").remaining, 7);
  EXPECT_EQ(read("10, 10;w=1, 50;w=60", "").limit, 10);
}

TEST(RateLimit, the_structured_fields_tell_where_the_named_ones_do_not) {
  const Headers headers = {{"RateLimit", R"("minute";r=5;t=30, "burst";r=3;t=1, "day";r=3;t=7200)"},
                           {"RateLimit-Policy", R"("minute";q=60;w=60, "day";q=1000;w=86400)"}};
  const auto reading = read_rate_limit(headers, {}, noon);
  EXPECT_EQ(reading.limit, 1000);
  EXPECT_EQ(reading.remaining, 3);
  EXPECT_EQ(reading.reset->in, 2h);
}

TEST(RateLimit, a_structured_limit_of_another_unit_is_left_out) {
  const Headers headers = {{"RateLimit", R"("conc";r=1, "bytes";r=2, "minute";r=50;t=30)"},
                           {"RateLimit-Policy", R"("conc";q=4;qu="concurrent-requests", "bytes";q=9;qu="content-bytes", )"
                                                R"("minute";q=60;w=60;qu="requests")"}};
  EXPECT_EQ(read_rate_limit(headers, {}, noon).remaining, 50);
  EXPECT_EQ(read_rate_limit(headers, {}, noon).limit, 60);
}

TEST(RateLimit, a_structured_limit_is_joined_to_its_own_policy) {
  const Headers partitions = {{"RateLimit", R"("a";r=1;pk=:AQ==:)"},
                              {"RateLimit-Policy", R"("a";q=9;pk=:Ag==:, "a";q=5;pk=:AQ==:)"}};
  EXPECT_EQ(read_rate_limit(partitions, {}, noon).limit, 5);
  const Headers dictionary = {{"RateLimit", "limit=9, remaining=1, reset=4"}, {"RateLimit-Policy", "100;w=10"}};
  EXPECT_EQ(read_rate_limit(dictionary, {}, noon).limit, 9);
}

TEST(RateLimit, a_named_field_comes_before_the_structured_ones) {
  const Headers headers = {{"X-RateLimit-Remaining", 9}, {"RateLimit", R"("minute";r=5;t=30)"}};
  const auto reading = read_rate_limit(headers, {}, noon);
  EXPECT_EQ(reading.remaining, 9);
  EXPECT_FALSE(reading.reset);
}

TEST(RateLimit, a_structured_limit_may_say_less) {
  EXPECT_FALSE(read_rate_limit({{"RateLimit", R"("a";t=30)"}}, {}, noon).remaining) << "nothing is said to be left";
  EXPECT_FALSE(read_rate_limit({{"RateLimit", R"("a";r=1)"}}, {}, noon).reset);
  EXPECT_FALSE(read_rate_limit({{"RateLimit", R"("a";r=1)"}, {"RateLimit-Policy", R"("b";q=9)"}}, {}, noon).limit);
  const Headers zero = {{"RateLimit", R"("a";r=1)"}, {"RateLimit-Policy", R"("a";q=0)"}};
  EXPECT_FALSE(read_rate_limit(zero, {}, noon).limit);
  const auto far = read_rate_limit({{"RateLimit", R"("a";r=1;t=90000)"}}, {}, noon);
  EXPECT_TRUE(far.implausible_reset && !far.reset);
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
  const auto all = Duration::max();
  const auto form = [&](std::string_view text) {
    const Headers headers = {{"X-RateLimit-Reset", text}};
    return read_rate_limit(headers, {}, noon, all).reset;
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

}  // namespace
}  // namespace noun::wire
