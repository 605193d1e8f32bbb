// Tests of the ranges of a client's options: each rule with a value on either side.
#include "resource/option_rules.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "resource/scripted_client.hpp"
#include "vocabulary/presets.hpp"

namespace resource_test { namespace option_rules_test {

using noun::ClientOptions;
using noun::fault_of_options;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(OptionRules, accept_the_defaults_and_the_presets) {
  EXPECT_EQ(fault_of_options({}), std::nullopt);
  EXPECT_EQ(fault_of_options({.dialect = noun::dialects::plain()}), std::nullopt);
  for (const auto& [name, make] : noun_test::presets)
    EXPECT_EQ(fault_of_options({.dialect = make()}), std::nullopt) << name;
}

TEST(OptionRules, refuse_values_out_of_range_when_the_client_is_created) {
  const std::pair<ClientOptions, const char*> cases[] = {
      {{.retry = {.max_attempts = 0}}, "ClientOptions::retry.max_attempts must be at least 1"},
      {{.retry = {.max_attempts = -1}}, "retry.max_attempts"},
      {{.retry = {.initial_backoff = 0s}}, "ClientOptions::retry.initial_backoff must be greater than zero"},
      {{.retry = {.initial_backoff = 10s, .max_backoff = 9s}}, "retry.max_backoff must be at least"},
      {{.retry = {.jitter = -0.01}}, "ClientOptions::retry.jitter must be 0 to 1"},
      {{.retry = {.jitter = 1.01}}, "retry.jitter"},
      {{.retry = {.jitter = nan}}, "retry.jitter"},
      {{.retry = {.give_up_after = -1s}}, "ClientOptions::retry.give_up_after must not be negative"},
      {{.budget = {.capacity = -1}}, "ClientOptions::budget.capacity must be 0 to 1e9"},
      {{.budget = {.capacity = nan}}, "budget.capacity"},
      {{.budget = {.capacity = infinity}}, "budget.capacity"},
      {{.budget = {.per_success = -1}}, "ClientOptions::budget.per_success must be 0 to 1e9"},
      {{.budget = {.per_success = infinity}}, "budget.per_success"},
      {{.quota = {.reserve = -1}}, "ClientOptions::quota.reserve must be 0 to 1,000,000,000,000"},
      {{.quota = {.max_wait = -1s}}, "ClientOptions::quota.max_wait must not be negative"},
      {{.quota = {.in_flight_unknown = 0}}, "ClientOptions::quota.in_flight_unknown must be 1 to 1,000,000"},
      {{.quota = {.in_flight_unknown = static_cast<std::size_t>(-1)}}, "quota.in_flight_unknown"},
      {{.timeouts = {.connect = 0s}}, "ClientOptions::timeouts.connect must be greater than zero"},
      {{.timeouts = {.attempt = -1s}}, "ClientOptions::timeouts.attempt must be greater than zero"},
      {{.timeouts = {.stall = 0s}}, "ClientOptions::timeouts.stall must be greater than zero"},
      {{.limits = {.head = 1023}}, "ClientOptions::limits.head must be 1024 to 100,000 bytes"},
      {{.limits = {.connections = 0}}, "ClientOptions::limits.connections must be 1 to 1,000,000"},
      {{.limits = {.connections = static_cast<std::size_t>(-1)}}, "limits.connections must be 1 to 1,000,000"},
      {{.limits = {.head = 100'001}}, "ClientOptions::limits.head must be 1024 to 100,000 bytes"},
      {{.limits = {.fields = 0}}, "ClientOptions::limits.fields must be at least 1"},
      {{.limits = {.ratio = 0}}, "ClientOptions::limits.ratio must be at least 1"},
      {{.limits = {.json_depth = 0}}, "ClientOptions::limits.json_depth must be 1 to 10,000"},
      {{.limits = {.json_depth = 10'001}}, "ClientOptions::limits.json_depth"},
      {{.limits = {.json_values = 0}}, "ClientOptions::limits.json_values must be at least 1"},
      {{.bookmark_key = "fifteen bytes.."}, "ClientOptions::bookmark_key must have at least 16 bytes"},
      {{.limits = {.pages = 0}}, "ClientOptions::limits.pages must be at least 1"},
      {{.limits = {.empty_pages = 0}}, "ClientOptions::limits.empty_pages must be at least 1"},
      {{.limits = {.idle_time = -1s}}, "ClientOptions::limits.idle_time must not be negative"},
      {{.dialect = {.limited_statuses = {}}},
       "ClientOptions::dialect.limited_statuses and limited_if_exhausted must not both be empty"},
      {{.dialect = {.wait_pointer = "wait"}},
       "ClientOptions::dialect.wait_pointer must be empty or begin with a slash"},
      {{.dialect = {.paging = {.style = noun::paging::PageNumber{.first = -1}}}},
       "ClientOptions::dialect.paging.style.first must not be negative"},
      {{.dialect = {.paging = {.style = noun::paging::PageNumber{.parameter = ""}}}}, "parameter must be given"},
      {{.dialect = {.paging = {.style = noun::paging::Automatic{"n"}, .size_parameter = "n"}}}, "must differ"},
      {{.dialect = {.paging = {.items = "items"}}}, "begin with a slash"},
      {{.dialect = {.member = {.reply = "data"}}},
       "ClientOptions::dialect.member.reply must be empty or begin with a slash"},
      {{.dialect = {.member = {.request = "data"}}},
       "ClientOptions::dialect.member.request must be empty or begin with a slash"},
      {{.dialect = {.content_type = "text/csv"}}, "ClientOptions::dialect.content_type must be"},
      {{.dialect = {.search_method = noun::Method::put}}, "ClientOptions::dialect.search_method must be POST or QUERY"},
      {{.dialect = {.not_modified_cost = 2}}, "ClientOptions::dialect.not_modified_cost must be 0 or 1"},
      {{.dialect = {.not_modified_cost = -1}}, "ClientOptions::dialect.not_modified_cost must be 0 or 1"},
      {{.dialect = {.patch_content_type = ""}}, "ClientOptions::dialect.patch_content_type must be"},
      {{.dialect = {.patch_content_type = "application/ndjson"}}, "ClientOptions::dialect.patch_content_type must be"},
      {{.dialect = {.patch_content_type = "application/a\r\nX: +json"}}, "control character"},
      {{.dialect = {.idempotency_header = "Host"}}, "is reserved: noun sets it"},
      {{.dialect = {.idempotency_header = "a b"}}, "has an invalid character"},
  };
  for (const auto& [options, clause] : cases)
    expect_error(noun::Client::create("https://api.example.com", options), Errc::invalid_argument, clause);
}

TEST(OptionRules, name_the_option_to_fix) {
  const auto advice = [](ClientOptions options) {
    return noun::Client::create("https://api.example.com", std::move(options)).error().advice();
  };
  EXPECT_EQ(advice({.retry = {.jitter = 2}}), "fix ClientOptions::retry.jitter");
  EXPECT_EQ(advice({.dialect = {.idempotency_header = "Host"}}), "fix ClientOptions::dialect");
  EXPECT_EQ(advice({.dialect = {.body_signs = {{{}, "/a", "limit"}}}}), "fix ClientOptions::dialect.body_signs");
}

TEST(OptionRules, accept_the_ends_of_the_ranges) {
  const std::vector<ClientOptions> options = {
      {.retry = {.max_attempts = 1, .initial_backoff = 1ns, .max_backoff = 1ns, .jitter = 0, .give_up_after = 0s}},
      {.retry = {.jitter = 1}},
      {.budget = {.capacity = 0, .per_success = 0}},
      {.budget = {.capacity = 1e9, .per_success = 1e9}},
      {.quota = {.reserve = 0, .max_wait = 0s, .in_flight_unknown = 1}},
      {.quota = {.in_flight_unknown = 1'000'000}},
      {.timeouts = {.connect = 1ns, .attempt = 1ns, .stall = 1ns}},
      {.timeouts = {.attempt = noun::Duration::max()}},
      {.limits = {.head = 1024,
                  .fields = 1,
                  .body = 0,
                  .ratio = 1,
                  .json_depth = 1,
                  .json_values = 1,
                  .pages = 1,
                  .empty_pages = 1,
                  .redirects = 0,
                  .connections = 1,
                  .idle_connections = 0,
                  .idle_time = 0s}},
      {.limits = {.head = 100'000, .json_depth = 10'000}},
      {.dialect = {.limited_statuses = {},
                   .limited_if_exhausted = {400, 599},
                   .paging = {.style = noun::paging::Automatic{""}, .items = "/data", .size_parameter = ""},
                   .patch_content_type = "Application/vnd.example+JSON ; version=2",
                   .idempotency_header = ""}},
  };
  for (const auto& each : options) EXPECT_EQ(fault_of_options(each), std::nullopt);
}

}  // namespace option_rules_test
}  // namespace resource_test
