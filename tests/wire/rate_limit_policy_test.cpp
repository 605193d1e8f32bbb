// RateLimit and RateLimit-Policy: every vector, and what the drafts say beyond them.
#include "wire/rate_limit_policy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <noun/headers.hpp>

#include "vectors.hpp"
#include "wire/base64url.hpp"
#include "wire/rate_limit.hpp"

namespace noun::wire {
namespace rate_limit_policy_test {

using namespace std::literals;

using testing::ElementsAre;
using wire_test::json;
using wire_test::Vector;

/// What a vector says of one limit, but for what it does not mention.
json shown(const ToldLimit& limit, const json& expected) {
  json seen = {{"name", limit.name}, {"r", nullptr}, {"t", nullptr}, {"limit", nullptr}};
  if (limit.name.empty()) seen["name"] = nullptr;
  if (limit.remaining) seen["r"] = *limit.remaining;
  if (limit.resets_in) seen["t"] = *limit.resets_in / 1s;
  if (limit.limit) seen["limit"] = *limit.limit;
  if (!limit.partition.empty()) seen["pk_base64"] = base64_encode(limit.partition);
  for (const auto* const key : {"r", "t", "limit"})
    if (seen[key].is_null() && !expected.contains(key)) seen.erase(key);
  return seen;
}

json shown(const ToldPolicy& policy, const json&) {
  json seen = {{"name", policy.name}, {"q", policy.quota}};
  if (policy.name.empty()) seen["name"] = nullptr;
  if (policy.window) seen["w"] = *policy.window / 1s;
  if (!policy.partition.empty()) seen["pk_base64"] = base64_encode(policy.partition);
  return seen;
}

template <class Told>
void expect_same(const std::optional<std::vector<Told>>& told, const json& expected) {
  if (expected == "ignored") {
    EXPECT_FALSE(told);
    return;
  }
  ASSERT_TRUE(told);
  ASSERT_EQ(told->size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(shown(told->at(i), expected[i]), expected[i]);
}

/// The trio of separate fields, of which the vectors speak too.
RateLimitReading trio_of(const Headers& headers) {
  const RateLimitHeaders names{.limit = "RateLimit-Limit",
                               .remaining = "RateLimit-Remaining",
                               .reset = "RateLimit-Reset",
                               .reset_form = ResetForm::delta_seconds};
  return read_rate_limit(headers, {.rate_limit = names, .farthest_reset = Duration::max()}, wire_test::wall_time(0));
}

std::optional<std::vector<ToldLimit>> limits_of_trio(const Headers& headers) {
  const auto reading = trio_of(headers);
  ToldLimit limit{.limit = reading.limit, .remaining = reading.remaining};
  if (reading.reset) limit.resets_in = reading.reset->in;
  return std::vector{limit};
}

std::optional<std::vector<ToldPolicy>> policies_of_trio(const Headers& headers) {
  const auto reading = trio_of(headers);
  return std::vector{ToldPolicy{.quota = reading.limit.value_or(0), .window = reading.window}};
}

class StructuredRateLimitVector : public testing::TestWithParam<Vector> {};

TEST_P(StructuredRateLimitVector, is_read) {
  const auto& data = GetParam().data;
  Headers headers;
  for (const auto& field : data.at("headers"))
    headers.push_back({field.at(0).get<std::string>(), field.at(1).get<std::string>()});
  const auto& expected = data.at("expect");
  const bool is_trio = headers.contains("RateLimit-Limit");
  if (expected.contains("limits"))
    expect_same(is_trio ? limits_of_trio(headers) : parse_rate_limit_field(headers.values("RateLimit")),
                expected["limits"]);
  if (expected.contains("policies"))
    expect_same(is_trio ? policies_of_trio(headers) : parse_rate_limit_policy(headers.values("RateLimit-Policy")),
                expected["policies"]);
}

INSTANTIATE_TEST_SUITE_P(vectors, StructuredRateLimitVector,
                         testing::ValuesIn(wire_test::vectors("structured_rate_limit.json")), wire_test::id_of);

TEST(StructuredRateLimitVectors, all_45_are_there) {
  EXPECT_EQ(wire_test::vectors("structured_rate_limit.json").size(), 45U);
}

TEST(RateLimitField, may_leave_out_what_is_left) {
  EXPECT_THAT(*parse_rate_limit_field({"quota;t=1"}), ElementsAre(ToldLimit{.name = "quota", .resets_in = 1s}));
}

TEST(RateLimitField, wants_limit_and_reset_in_a_dictionary) {
  EXPECT_FALSE(parse_rate_limit_field({"limit=100, remaining=5"}));
  EXPECT_FALSE(parse_rate_limit_field({"remaining=5, reset=1"}));
  EXPECT_FALSE(parse_rate_limit_field({"limit=100, remaining=-5, reset=1"}));
  EXPECT_THAT(*parse_rate_limit_field({"limit=100, reset=1"}), ElementsAre(ToldLimit{.limit = 100, .resets_in = 1s}));
}

TEST(RateLimitField, of_several_lines_is_one_field) {
  EXPECT_EQ(parse_rate_limit_field({R"("a";r=1)", R"("b";r=2)"})->size(), 2U);
  EXPECT_FALSE(parse_rate_limit_field({R"("a";r=1)", R"("b";r=x)"}));
}

TEST(RateLimitPolicy, names_its_unit) {
  EXPECT_EQ(parse_rate_limit_policy({R"("a";q=9;w=1;qu="content-bytes")"})->front().unit, "content-bytes");
  EXPECT_EQ(parse_rate_limit_policy({R"("a";q=9;w=1)"})->front().unit, "");
}

TEST(RateLimitPolicy, saturates_a_window) {
  EXPECT_GT(*parse_rate_limit_policy({R"("a";q=9;w=999999999999999)"})->front().window, 24h * 365 * 290);
}

}  // namespace rate_limit_policy_test
}  // namespace noun::wire
