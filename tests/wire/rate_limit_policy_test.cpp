// RateLimit and RateLimit-Policy: the vectors, and further rules of the drafts.
#include "wire/rate_limit_policy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <noun/http.hpp>

#include "vectors.hpp"
#include "wire/base64url.hpp"
#include "wire/rate_limit.hpp"

namespace noun::wire { namespace rate_limit_policy_test {

using namespace std::literals;

using ::testing::ElementsAre;
using wire_test::json;

std::optional<std::int64_t> number(const json& said, const char* key) {
  const auto value = said.value(key, json());
  return value.is_null() ? std::nullopt : std::optional(value.get<std::int64_t>());
}

std::optional<Duration> span(const json& said, const char* key) {
  const auto seconds = number(said, key);
  return seconds ? std::optional<Duration>(*seconds * 1s) : std::nullopt;
}

std::string name(const json& said) { return said.at("name").is_null() ? "" : said["name"].get<std::string>(); }
std::string partition(const json& said) { return base64_decode(said.value("pk_base64", "")).value(); }

/// The limits that a vector expects; nothing if the field is to be ignored.
std::optional<std::vector<ReportedLimit>> limits(const json& expected) {
  if (expected == "ignored") return std::nullopt;
  std::vector<ReportedLimit> reported;
  for (const auto& said : expected)
    reported.push_back({name(said), partition(said), number(said, "limit"), number(said, "r"), span(said, "t"),
                        number(said, "c")});
  return reported;
}

std::optional<std::vector<ReportedPolicy>> policies(const json& expected) {
  if (expected == "ignored") return std::nullopt;
  std::vector<ReportedPolicy> reported;
  for (const auto& said : expected)
    reported.push_back(
        {name(said), partition(said), said.at("q").get<std::int64_t>(), span(said, "w"), said.value("qu", "")});
  return reported;
}

/// Reads the three separate fields, which the vectors contain too.
RateLimitReading trio_of(const Headers& headers) {
  const QuotaHeaders trio{.limit = "RateLimit-Limit",
                          .remaining = "RateLimit-Remaining",
                          .reset = "RateLimit-Reset",
                          .reset_form = ResetForm::delta_seconds};
  return read_rate_limit(headers, {.quotas = {trio}, .farthest_reset = Duration::max()}, wire_test::wall_time(0));
}

TEST(StructuredRateLimit, each_of_49_vectors_is_read) {
  const auto vectors = wire_test::vectors("structured_rate_limit.json");
  EXPECT_EQ(vectors.size(), 49U);
  for (const auto& vector : vectors) {
    SCOPED_TRACE(vector.id());
    Headers headers;
    for (const auto& field : vector.data.at("headers"))
      headers.push_back({field.at(0).get<std::string>(), field.at(1).get<std::string>()});
    auto reported_limits = parse_rate_limit_field(headers.values("RateLimit"));
    auto reported_policies = parse_rate_limit_policy(headers.values("RateLimit-Policy"));
    if (headers.contains("RateLimit-Limit")) {
      const auto trio = trio_of(headers);
      reported_limits = {
          {.limit = trio.limit, .remaining = trio.remaining, .resets_in = trio.reset ? trio.reset->in : std::nullopt}};
      reported_policies = {{.quota = trio.limit.value_or(0), .window = trio.window}};
    }
    const auto& expected = vector.data.at("expect");
    if (expected.contains("limits")) EXPECT_EQ(reported_limits, limits(expected["limits"]));
    if (expected.contains("policies")) EXPECT_EQ(reported_policies, policies(expected["policies"]));
  }
}

TEST(RateLimitField, requires_limit_and_reset_and_may_omit_remaining) {
  for (const auto* text : {"limit=100, remaining=5", "remaining=5, reset=1", "limit=100, remaining=-5, reset=1"})
    EXPECT_FALSE(parse_rate_limit_field({text})) << text;
  EXPECT_THAT(*parse_rate_limit_field({"limit=100, reset=1"}),
              ElementsAre(ReportedLimit{.limit = 100, .resets_in = 1s}));
  EXPECT_THAT(*parse_rate_limit_field({"quota;t=1"}), ElementsAre(ReportedLimit{.name = "quota", .resets_in = 1s}));
}

TEST(RateLimitField, has_the_cost_of_the_request) {
  EXPECT_THAT(*parse_rate_limit_field({"quota;r=5;c=3"}),
              ElementsAre(ReportedLimit{.name = "quota", .remaining = 5, .cost = 3}));
  EXPECT_EQ(parse_rate_limit_field({"quota;r=5;c=0"})->front().cost, 0);
  for (const auto* malformed : {"quota;r=5;c", "quota;r=5;c=-1", "quota;r=5;c=1.5", "quota;r=5;c=\"1\""})
    EXPECT_FALSE(parse_rate_limit_field({malformed})) << malformed;
}

TEST(RateLimitField, several_lines_are_one_field) {
  EXPECT_EQ(parse_rate_limit_field({R"("a";r=1)", R"("b";r=2)"})->size(), 2U);
  EXPECT_FALSE(parse_rate_limit_field({R"("a";r=1)", R"("b";r=x)"}));
}

TEST(RateLimitPolicy, counts_requests_unless_it_names_another_unit) {
  for (const auto* unit : {"", ";qu=\"requests\"", ";qu=\"request\"", ";qu=request"})
    EXPECT_TRUE(parse_rate_limit_policy({"a;q=9" + std::string(unit)})->front().counts_requests()) << unit;
  for (const auto* unit : {";qu=\"content-bytes\"", ";qu=\"concurrent-requests\""})
    EXPECT_FALSE(parse_rate_limit_policy({"a;q=9" + std::string(unit)})->front().counts_requests()) << unit;
}

TEST(RateLimitPolicy, names_its_unit_and_saturates_a_window) {
  EXPECT_EQ(parse_rate_limit_policy({R"("a";q=9;w=1;qu="content-bytes")"})->front().unit, "content-bytes");
  EXPECT_EQ(parse_rate_limit_policy({R"("a";q=9;w=1)"})->front().unit, "");
  EXPECT_GT(*parse_rate_limit_policy({R"("a";q=9;w=999999999999999)"})->front().window, 24h * 365 * 290);
}

}}  // namespace noun::wire::rate_limit_policy_test
