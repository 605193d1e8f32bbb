// The presets, and the plain convention that they start from.
#include <noun/dialect.hpp>

#include <fstream>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <variant>

#include <gtest/gtest.h>

#include "test_paths.hpp"
#include "vocabulary/presets.hpp"

namespace vocabulary_test { namespace dialects_test {

using noun::Dialect;

TEST(Dialects, the_plain_one_is_the_plain_convention_and_others_name_what_differs) {
  const Dialect dialect = noun::dialects::plain();
  EXPECT_EQ(dialect.name, "plain");
  ASSERT_EQ(dialect.quotas.size(), 1U);
  EXPECT_EQ(dialect.quotas[0].name, "");
  EXPECT_EQ(dialect.quotas[0].limit, "X-RateLimit-Limit");
  EXPECT_EQ(dialect.quotas[0].remaining, "X-RateLimit-Remaining");
  EXPECT_EQ(dialect.quotas[0].reset, "X-RateLimit-Reset");
  EXPECT_EQ(dialect.quotas[0].reset_form, noun::ResetForm::automatic);
  EXPECT_EQ(dialect.retry_after, "Retry-After");
  EXPECT_EQ(dialect.limited_statuses, std::vector{429});
  EXPECT_TRUE(dialect.limited_if_exhausted.empty());
  EXPECT_EQ(dialect.transient_statuses, (std::vector{408, 500, 502, 503, 504}));
  ASSERT_TRUE(std::holds_alternative<noun::paging::Automatic>(dialect.paging.style));
  EXPECT_EQ(std::get<noun::paging::Automatic>(dialect.paging.style).page_parameter, "page");
  EXPECT_EQ(dialect.paging.size_parameter, "per_page");
  EXPECT_EQ(dialect.create_statuses, std::vector{201});
  EXPECT_EQ(dialect.remove_statuses, std::vector{204});
  EXPECT_EQ(dialect.patch_content_type, "application/json");
  EXPECT_EQ(dialect.idempotency_header, "Idempotency-Key");
  EXPECT_FALSE(dialect.retry_conflict_with_key);
  EXPECT_FALSE(dialect.unavailable_is_unprocessed);
  const Dialect mine{.name = "mine", .limited_statuses = {420}};
  EXPECT_EQ(mine.quotas.at(0).limit, "X-RateLimit-Limit");
  EXPECT_EQ(mine.limited_statuses, std::vector{420});
}

TEST(Dialects, all_that_the_header_declares_are_tested_and_have_names_of_their_own) {
  std::ifstream header(std::string(noun_test::source_dir) + "/include/noun/dialect.hpp");
  std::set<std::string> declared;
  for (std::string line; std::getline(header, line);)
    if (const std::string start = "NOUN_API Dialect "; line.starts_with(start))
      declared.insert(line.substr(start.size(), line.find('(') - start.size()));
  EXPECT_EQ(declared.erase("plain"), 1U);
  std::set<std::string> tested;
  for (const auto& [name, make] : noun_test::presets) {
    EXPECT_EQ(make().name, name);
    EXPECT_TRUE(tested.insert(name).second) << name;
  }
  EXPECT_EQ(declared, tested);
}

TEST(Dialects, but_for_limits_paging_and_the_statuses_of_services_that_reply_200_a_preset_is_as_plain) {
  const std::set<std::string_view> replies_ok = {"stripe", "slack", "notion",    "airtable",
                                                 "linear", "openai", "groq", "anthropic"};
  for (const auto& [name, make] : noun_test::presets) {
    const Dialect dialect = make();
    const bool ok = replies_ok.contains(name);
    EXPECT_EQ(dialect.create_statuses, ok ? (std::vector{200, 201}) : std::vector{201}) << name;
    EXPECT_EQ(dialect.remove_statuses, ok ? (std::vector{200, 204}) : std::vector{204}) << name;
    EXPECT_EQ(dialect.idempotency_header, "Idempotency-Key") << name;
    EXPECT_EQ(dialect.farthest_reset, std::chrono::hours(24)) << name;
    EXPECT_FALSE(dialect.limited_statuses.empty()) << name;
  }
}

TEST(Dialects, only_the_plain_one_and_those_of_servers_read_the_common_spellings) {
  EXPECT_TRUE(noun::dialects::plain().common_spellings);
  const std::set<std::string> servers = {"nginx", "aspnet", "django", "json_api"};
  for (const auto& [name, make] : noun_test::presets)
    EXPECT_EQ(make().common_spellings, servers.contains(name)) << name;
}

TEST(Dialects, githubs_counts_epochs_and_rejects_with_403_too) {
  const Dialect dialect = noun::dialects::github();
  ASSERT_EQ(dialect.quotas.size(), 1U);
  EXPECT_EQ(dialect.quotas[0].reset_form, noun::ResetForm::epoch_seconds);
  EXPECT_EQ(dialect.partition_header, "X-RateLimit-Resource");
  EXPECT_EQ(dialect.limited_statuses, std::vector{429});
  EXPECT_EQ(dialect.limited_if_exhausted, std::vector{403});
  ASSERT_EQ(dialect.body_signs.size(), 2U);
  EXPECT_EQ(dialect.body_signs[0].statuses, std::vector{403});
  EXPECT_EQ(dialect.body_signs[1].statuses, std::vector{200}) << "GraphQL";
  EXPECT_EQ(dialect.default_wait, std::chrono::minutes(1));
  EXPECT_TRUE(std::holds_alternative<noun::paging::LinkHeader>(dialect.paging.style));
  EXPECT_EQ(dialect.request_id_headers, noun::TextList{"X-GitHub-Request-Id"});
  EXPECT_EQ(dialect.not_modified_cost, 0);
  EXPECT_TRUE(dialect.etag_depends_on_credentials);
  EXPECT_EQ(noun::dialects::plain().not_modified_cost, 1);
  EXPECT_FALSE(noun::dialects::plain().etag_depends_on_credentials);
}

TEST(Dialects, a_preset_has_what_is_special_to_its_api) {
  namespace dialects = noun::dialects;
  EXPECT_EQ(dialects::gitlab().partition_header, "RateLimit-Name");
  EXPECT_EQ(dialects::datadog().partition_header, "X-RateLimit-Name");
  EXPECT_EQ(dialects::discord().everywhere_header, "X-RateLimit-Global");
  EXPECT_EQ(dialects::discord().wait_pointer, "/retry_after");
  EXPECT_EQ(dialects::airtable().default_wait, std::chrono::seconds(30));
  EXPECT_TRUE(dialects::azure_devops().retry_after_on_success);
  EXPECT_EQ(dialects::sharepoint().limited_if_exhausted, std::vector{503});
  EXPECT_EQ(dialects::jira().structured, "RateLimit") << "limits in Beta-RateLimit are not enforced";
  EXPECT_EQ(dialects::jira().structured_policy, "RateLimit-Policy");
  ASSERT_EQ(dialects::hubspot().quotas.size(), 2U) << "the limit of the Secondly fields is not enforced";
  EXPECT_EQ(dialects::hubspot().quotas[1].name, "daily");
  for (const auto& make : {dialects::stripe, dialects::azure_resource_manager}) {
    ASSERT_EQ(make().body_signs.size(), 1U) << make().name;
    EXPECT_FALSE(make().body_signs[0].limited) << make().name << ": a lock, not a quota";
  }
  for (const auto& make : {dialects::nginx, dialects::aspnet}) {
    EXPECT_EQ(make().limited_statuses, (std::vector{429, 503})) << make().name;
    EXPECT_EQ(make().quotas.at(0).remaining, "X-RateLimit-Remaining") << make().name;
  }
  for (const auto& make : {dialects::notion, dialects::anthropic})
    EXPECT_EQ(make().limited_statuses, (std::vector{429, 529})) << make().name;
  EXPECT_EQ(dialects::github().poll_interval_header, "X-Poll-Interval");
  EXPECT_EQ(dialects::openai().retry_verdict_header, "X-Should-Retry");
  EXPECT_EQ(dialects::stripe().retry_verdict_header, "Stripe-Should-Retry");
  EXPECT_EQ(dialects::sentry().quotas.at(0).remaining, "X-Sentry-Rate-Limit-Remaining");
  const auto slack = dialects::slack();
  EXPECT_TRUE(slack.quotas.empty()) << "it sends none";
  EXPECT_TRUE(slack.quota_by_route);
  EXPECT_TRUE(dialects::x().quota_by_route);
  EXPECT_EQ(slack.retry_after, "Retry-After");
  EXPECT_EQ(slack.limited_statuses, std::vector{429});
  EXPECT_TRUE(dialects::azure_devops().quotas.empty()) << "it counts no requests";
  for (const auto& make : {dialects::openai, dialects::groq, dialects::anthropic})
    for (const auto& quota : make().quotas) EXPECT_EQ(quota.name, "") << make().name << ": of tokens";
}

TEST(Dialects, django_has_slashes_and_json_api_has_documents) {
  EXPECT_TRUE(noun::dialects::django().trailing_slash);
  const auto dialect = noun::dialects::json_api();
  EXPECT_EQ(dialect.member.reply, "/data");
  EXPECT_EQ(dialect.member.request, "/data");
  EXPECT_EQ(dialect.accept, "application/vnd.api+json");
  EXPECT_EQ(dialect.content_type, "application/vnd.api+json");
  EXPECT_EQ(dialect.patch_content_type, "application/vnd.api+json");
}

/// The name of the style's struct.
const char* style_of(const noun::Paging& paging) {
  constexpr const char* names[] = {"Automatic", "SinglePage", "LinkHeader", "PageNumber", "Offset",
                                   "Cursor",    "NextUrl",    "LastItem",   "ItemRange",  "PageStrategy"};
  static_assert(std::size(names) == std::variant_size_v<noun::paging::Style>);
  return names[paging.style.index()];
}

TEST(Dialects, a_preset_has_paging_if_all_lists_of_its_api_are_paged_alike) {
  const std::map<std::string, std::pair<std::string, std::string>> paged = {
      {"github", {"LinkHeader", ""}},
      {"gitlab", {"LinkHeader", ""}},
      {"okta", {"LinkHeader", ""}},
      {"sentry", {"LinkHeader", ""}},
      {"stripe", {"LastItem", "/data"}},
      {"x", {"Cursor", "/data"}},
      {"reddit", {"Cursor", "/data/children"}},
      {"hubspot", {"Cursor", "/results"}},
      {"notion", {"Cursor", "/results"}},
      {"airtable", {"Cursor", "/records"}},
      {"sharepoint", {"NextUrl", "/value"}},
      {"django", {"NextUrl", "/results"}},
      {"json_api", {"NextUrl", "/data"}},
  };
  for (const auto& [name, make] : noun_test::presets) {
    const auto paging = make().paging;
    const auto found = paged.find(name);
    const bool is_plain = found == paged.end();
    EXPECT_EQ(style_of(paging), is_plain ? "Automatic" : found->second.first) << name;
    EXPECT_EQ(paging.items, is_plain ? "" : found->second.second) << name;
  }
  EXPECT_EQ(noun::dialects::gitlab().paging.totals.items_header, "X-Total");
  EXPECT_EQ(noun::dialects::gitlab().paging.totals.pages_header, "X-Total-Pages");
}

}}  // namespace vocabulary_test::dialects_test
