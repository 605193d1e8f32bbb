// What may stand in a dialect about the limits of a service: each rule with a value on either side, and its sentence.
#include "resource/dialect_rules.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "resource/scripted_client.hpp"

namespace resource_test {
namespace dialect_rules_test {

using noun::BodySign;
using noun::Dialect;
using noun::fault_of_limits;
using noun::QuotaHeaders;
using ::testing::HasSubstr;

std::string fault(const std::function<void(Dialect&)>& change) {
  Dialect dialect;
  change(dialect);
  return fault_of_limits(dialect).value_or("nothing");
}

TEST(DialectRules, every_header_is_named_by_a_token) {
  const std::pair<const char*, std::string noun::RateLimitHeaders::*> headers[] = {
      {"limit", &noun::RateLimitHeaders::limit},
      {"remaining", &noun::RateLimitHeaders::remaining},
      {"reset", &noun::RateLimitHeaders::reset},
      {"retry_after", &noun::RateLimitHeaders::retry_after},
      {"bucket", &noun::RateLimitHeaders::bucket},
      {"everywhere", &noun::RateLimitHeaders::everywhere},
      {"structured", &noun::RateLimitHeaders::structured},
      {"structured_policy", &noun::RateLimitHeaders::structured_policy}};
  for (const auto& [member, name] : headers) {
    const auto with = [&](const char* text) { return fault([&](Dialect& d) { d.rate_limit.*name = text; }); };
    EXPECT_EQ(with(""), "nothing") << member;
    EXPECT_EQ(with("X-Any"), "nothing") << member;
    EXPECT_EQ(with("a b"), std::string("dialect.rate_limit.") + member + " must be the name of a header, not \"a b\"");
    EXPECT_THAT(with("X-Any:"), HasSubstr("must be the name of a header"));
    EXPECT_THAT(with("a\nb"), HasSubstr("not \"a.b\""));
  }
  EXPECT_EQ(fault([](Dialect& d) { d.retry_verdict_header = "Should Retry"; }),
            "dialect.retry_verdict_header must be the name of a header, not \"Should Retry\"");
  EXPECT_EQ(fault([](Dialect& d) { d.retry_verdict_header = "Should-Retry"; }), "nothing");
}

TEST(DialectRules, every_header_of_a_further_quota_is_named_by_a_token) {
  const std::pair<const char*, std::string QuotaHeaders::*> headers[] = {
      {"limit", &QuotaHeaders::limit},
      {"remaining", &QuotaHeaders::remaining},
      {"reset", &QuotaHeaders::reset},
      {"used_of_limit", &QuotaHeaders::used_of_limit},
      {"refill_per_second", &QuotaHeaders::refill_per_second},
      {"retry_after", &QuotaHeaders::retry_after},
      {"prefix", &QuotaHeaders::prefix}};
  for (const auto& [member, name] : headers) {
    const auto with = [&](const char* text) {
      QuotaHeaders quota;
      quota.*name = text;
      return fault([&](Dialect& d) { d.more_quotas = {QuotaHeaders{}, quota}; });
    };
    EXPECT_EQ(with("x-any-"), "nothing") << member;
    EXPECT_EQ(with("a,b"),
              std::string("dialect.more_quotas[1].") + member + " must be the name of a header, not \"a,b\"");
  }
}

TEST(DialectRules, quotas_have_names_of_their_own) {
  const auto with = [](const std::vector<std::string>& names) {
    return fault([&](Dialect& d) {
      for (const auto& name : names) d.more_quotas.push_back({.name = name});
    });
  };
  EXPECT_EQ(with({"day", "hour", "", ""}), "nothing");
  EXPECT_EQ(with({"day", "", "day"}), "dialect.more_quotas[2].name must be another than those before it");
  EXPECT_EQ(with({std::string(64, 'n')}), "nothing");
  EXPECT_EQ(with({std::string(65, 'n')}), "dialect.more_quotas[0].name must be at most 64 printable ASCII characters");
  EXPECT_THAT(with({"a\tb"}), HasSubstr("printable ASCII"));
  EXPECT_THAT(with({"caf\xC3\xA9"}), HasSubstr("printable ASCII"));
}

TEST(DialectRules, signs_say_where_to_look_and_for_what) {
  const auto with = [](const BodySign& sign) { return fault([&](Dialect& d) { d.body_signs = {sign}; }); };
  EXPECT_EQ(with({{200, 599}, "", "limit"}), "nothing");
  EXPECT_EQ(with({{}, "/a", "limit"}), "dialect.body_signs[0].statuses must name a status");
  EXPECT_EQ(with({{199}, "/a", "limit"}), "dialect.body_signs[0].statuses must be 200 to 599, not 199");
  EXPECT_EQ(with({{200, 600}, "/a", "limit"}), "dialect.body_signs[0].statuses must be 200 to 599, not 600");
  EXPECT_EQ(with({{200}, "a", "limit"}),
            "dialect.body_signs[0].pointer must be empty or begin with a slash (RFC 6901)");
  EXPECT_EQ(with({{200}, "/a", ""}), "dialect.body_signs[0].text must not be empty");
}

TEST(DialectRules, statuses_pointers_and_times_are_in_their_ranges) {
  EXPECT_EQ(fault([](Dialect& d) { d.limited_statuses = {399}; }),
            "dialect.limited_statuses must be 400 to 599, not 399");
  EXPECT_EQ(fault([](Dialect& d) { d.limited_if_exhausted = {600}; }),
            "dialect.limited_if_exhausted must be 400 to 599, not 600");
  EXPECT_EQ(fault([](Dialect& d) { d.wait_pointer = "wait"; }),
            "dialect.wait_pointer must be empty or begin with a slash (RFC 6901)");
  EXPECT_EQ(fault([](Dialect& d) { d.wait_pointer = "/wait"; }), "nothing");
  EXPECT_EQ(fault([](Dialect& d) { d.farthest_reset = 0s; }), "dialect.farthest_reset must be greater than zero");
  EXPECT_EQ(fault([](Dialect& d) { d.farthest_reset = 1ns; }), "nothing");
  EXPECT_EQ(fault([](Dialect& d) { d.default_wait = -1ns; }), "dialect.default_wait must not be negative");
  EXPECT_EQ(fault([](Dialect& d) { d.default_wait = 0s; }), "nothing");
}

TEST(DialectRules, hold_before_there_is_a_client) {
  noun::ClientOptions options;
  options.dialect.wait_pointer = "wait";
  const auto client = Bench().create("https://api.example.com", options);
  ASSERT_FALSE(client);
  EXPECT_EQ(client.error().code(), Errc::invalid_argument);
  EXPECT_THAT(client.error().message(), HasSubstr("dialect.wait_pointer"));
}

}  // namespace dialect_rules_test
}  // namespace resource_test
