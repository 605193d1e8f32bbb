// Tests of the rules for the limits in a dialect: each rule with a value on either side, and its message.
#include "resource/dialect_rules.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include <noun/dialect.hpp>

namespace resource_test { namespace dialect_rules_test {

using noun::Dialect;
using noun::QuotaHeaders;
using ::testing::HasSubstr;

using namespace std::chrono_literals;

std::string fault(const Dialect& dialect) { return noun::fault_of_limits(dialect).value_or("nothing"); }

Dialect with_quotas(const std::vector<std::string>& names) {
  Dialect dialect{.quotas = {}};
  for (const auto& name : names) dialect.quotas.push_back({.name = name});
  return dialect;
}

TEST(DialectRules, accept_the_ends_of_each_range_and_name_the_value_beyond) {
  const std::pair<Dialect, std::string> cases[] = {
      {{}, "nothing"},
      {{.poll_interval_header = "a b"},
       "ClientOptions::dialect.poll_interval_header must be the name of a header, not \"a b\""},
      {{.retry_verdict_header = "Should-Retry"}, "nothing"},
      {{.retry_verdict_header = "Should Retry"},
       "ClientOptions::dialect.retry_verdict_header must be the name of a header, not \"Should Retry\""},
      {{.limited_statuses = {400, 599}, .limited_if_exhausted = {400, 599}}, "nothing"},
      {{.limited_statuses = {399}}, "ClientOptions::dialect.limited_statuses must be 400 to 599, not 399"},
      {{.limited_statuses = {429, 600}}, "ClientOptions::dialect.limited_statuses must be 400 to 599, not 600"},
      {{.limited_if_exhausted = {600}}, "ClientOptions::dialect.limited_if_exhausted must be 400 to 599, not 600"},
      {{.limited_if_exhausted = {200}}, "ClientOptions::dialect.limited_if_exhausted must be 400 to 599, not 200"},
      {{.transient_statuses = {}}, "nothing"},
      {{.transient_statuses = {400, 599}}, "nothing"},
      {{.transient_statuses = {500, 399}}, "ClientOptions::dialect.transient_statuses must be 400 to 599, not 399"},
      {{.wait_pointer = "/wait"}, "nothing"},
      {{.wait_pointer = "wait"}, "ClientOptions::dialect.wait_pointer must be empty or begin with a slash (RFC 6901)"},
      {{.wait_pointer = "/a~2"},
       "ClientOptions::dialect.wait_pointer must write a tilde in a name as ~0 and a slash as ~1 (RFC 6901)"},
      {{.farthest_reset = 1ns}, "nothing"},
      {{.farthest_reset = 0s}, "ClientOptions::dialect.farthest_reset must be greater than zero"},
      {{.default_wait = 0s}, "nothing"},
      {{.default_wait = -1ns}, "ClientOptions::dialect.default_wait must not be negative"},
      {{.body_signs = {{{200, 599}, "", "limit"}}}, "nothing"},
      {{.body_signs = {{{}, "/a", "limit"}}}, "ClientOptions::dialect.body_signs[0].statuses must not be empty"},
      {{.body_signs = {{{199}, "/a", "limit"}}},
       "ClientOptions::dialect.body_signs[0].statuses must be 200 to 599, not 199"},
      {{.body_signs = {{{200, 600}, "/a", "limit"}}},
       "ClientOptions::dialect.body_signs[0].statuses must be 200 to 599, not 600"},
      {{.body_signs = {{{200}, "a", "limit"}}},
       "ClientOptions::dialect.body_signs[0].pointer must be empty or begin with a slash (RFC 6901)"},
      {{.body_signs = {{{200}, "/a", ""}}}, "ClientOptions::dialect.body_signs[0].text must not be empty"},
      {with_quotas({"day", "hour", "", ""}), "nothing"},
      {with_quotas({"day", "", "day"}), "ClientOptions::dialect.quotas[2].name must be unique"},
      {with_quotas({std::string(64, 'n')}), "nothing"},
      {with_quotas({std::string(65, 'n')}),
       "ClientOptions::dialect.quotas[0].name must be at most 64 printable ASCII characters"},
      {with_quotas({"a\tb"}), "ClientOptions::dialect.quotas[0].name must be at most 64 printable ASCII characters"},
      {with_quotas({"caf\xC3\xA9"}),
       "ClientOptions::dialect.quotas[0].name must be at most 64 printable ASCII characters"},
  };
  for (const auto& [dialect, expected] : cases) EXPECT_EQ(fault(dialect), expected);
}

TEST(DialectRules, header_names_are_tokens) {
  const std::pair<const char*, std::string Dialect::*> headers[] = {
      {"retry_after", &Dialect::retry_after},
      {"partition_header", &Dialect::partition_header},
      {"everywhere_header", &Dialect::everywhere_header},
      {"structured", &Dialect::structured},
      {"structured_policy", &Dialect::structured_policy}};
  for (const auto& [member, name] : headers) {
    const auto with = [name = name](const char* text) {
      Dialect dialect;
      dialect.*name = text;
      return fault(dialect);
    };
    EXPECT_EQ(with(""), "nothing") << member;
    EXPECT_EQ(with("X-Any"), "nothing") << member;
    EXPECT_EQ(with("a b"),
              std::string("ClientOptions::dialect.") + member + " must be the name of a header, not \"a b\"");
    EXPECT_THAT(with("X-Any:"), HasSubstr("must be the name of a header"));
    EXPECT_THAT(with("a\nb"), HasSubstr("not \"a b\""));
  }
}

TEST(DialectRules, quota_header_names_are_tokens) {
  const std::pair<const char*, std::string QuotaHeaders::*> headers[] = {
      {"limit", &QuotaHeaders::limit},
      {"remaining", &QuotaHeaders::remaining},
      {"reset", &QuotaHeaders::reset},
      {"used", &QuotaHeaders::used},
      {"used_of_limit", &QuotaHeaders::used_of_limit},
      {"refill_per_second", &QuotaHeaders::refill_per_second},
      {"retry_after", &QuotaHeaders::retry_after},
      {"prefix", &QuotaHeaders::prefix}};
  for (const auto& [member, name] : headers) {
    const auto with = [name = name](const char* text) {
      Dialect dialect{.quotas = {{}, {}}};
      dialect.quotas[1].limit = "X-Limit";
      dialect.quotas[1].*name = text;
      return fault(dialect);
    };
    EXPECT_EQ(with("x-any-"), "nothing") << member;
    EXPECT_EQ(with("a,b"),
              std::string("ClientOptions::dialect.quotas[1].") + member + " must be the name of a header, not \"a,b\"");
  }
}

TEST(DialectRules, a_used_count_needs_a_limit) {
  EXPECT_EQ(fault({.quotas = {{.limit = "Limit", .used = "Used"}}}), "nothing");
  EXPECT_EQ(fault({.quotas = {{.remaining = "Left", .used = "Used"}}}),
            "ClientOptions::dialect.quotas[0].used needs the header of the limit; set "
            "ClientOptions::dialect.quotas[0].limit");
}

}  // namespace dialect_rules_test
}  // namespace resource_test
