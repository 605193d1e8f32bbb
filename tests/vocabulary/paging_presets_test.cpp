// The presets of noun::paging: all of them, and what is special to each.
#include <noun/paging.hpp>

#include <fstream>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "test_paths.hpp"
#include "vocabulary/paging_presets.hpp"

namespace vocabulary_test { namespace paging_presets_test {

namespace paging = noun::paging;
using noun::Paging;
using noun::TextList;

TEST(PagingPresets, all_that_the_header_declares_are_tested_and_have_a_source) {
  std::ifstream header(std::string(noun_test::source_dir) + "/include/noun/paging.hpp");
  std::set<std::string> declared;
  bool has_source = false;
  for (std::string line; std::getline(header, line);) {
    if (line.starts_with("/// @source https://")) has_source = true;
    if (const std::string start = "NOUN_API Paging "; line.starts_with(start)) {
      const auto name = line.substr(start.size(), line.find('(') - start.size());
      EXPECT_TRUE(declared.insert(name).second) << name;
      EXPECT_TRUE(has_source) << name;
      has_source = false;
    }
  }
  std::set<std::string> tested;
  for (const auto& [name, preset] : noun_test::paging_presets) EXPECT_TRUE(tested.insert(name).second) << name;
  EXPECT_EQ(declared, tested);
}

TEST(PagingPresets, recognize_the_end_as_the_api_reports_it) {
  for (const auto& [name, preset] : noun_test::paging_presets) {
    EXPECT_EQ(preset.end.more_value, name != "start_at" && name != "jira_token" && name != "salesforce") << name;
    EXPECT_EQ(preset.end.total, name == "start_at" || name == "total_count" || name == "scim") << name;
    EXPECT_EQ(preset.end.short_page, name == "total_count" || name == "discord" || name == "postgrest") << name;
    const bool has_total_header = name == "gitlab" || name == "total_count";
    EXPECT_EQ(!preset.totals.items_header.empty(), has_total_header) << name;
    EXPECT_EQ(preset.expired_statuses, std::vector{410}) << name;
  }
}

/// Where the body has what leads to the next page.
TextList next_of(const Paging& preset) {
  if (const auto* style = std::get_if<paging::PageNumber>(&preset.style)) return style->next;
  if (const auto* style = std::get_if<paging::Cursor>(&preset.style)) return style->from;
  if (const auto* style = std::get_if<paging::NextUrl>(&preset.style)) return style->from;
  return {};
}

/// The query parameter that the style changes.
std::string parameter_of(const Paging& preset) {
  if (const auto* style = std::get_if<paging::PageNumber>(&preset.style)) return style->parameter;
  if (const auto* style = std::get_if<paging::Offset>(&preset.style)) return style->parameter;
  if (const auto* style = std::get_if<paging::Cursor>(&preset.style)) return style->parameter;
  if (const auto* style = std::get_if<paging::LastItem>(&preset.style)) return style->parameter;
  return {};
}

/// The place in the body of the request that the style changes.
std::string place_in_body_of(const Paging& preset) {
  if (const auto* style = std::get_if<paging::Cursor>(&preset.style)) return style->into_body;
  if (const auto* style = std::get_if<paging::LastItem>(&preset.style)) return style->into_body;
  return {};
}

TEST(PagingPresets, have_pointers_in_the_body_and_no_empty_one) {
  for (const auto& [name, preset] : noun_test::paging_presets) {
    for (const auto& pointer : next_of(preset)) EXPECT_TRUE(pointer.starts_with('/')) << name;
    const bool reads_the_body =
        std::holds_alternative<paging::Cursor>(preset.style) || std::holds_alternative<paging::NextUrl>(preset.style);
    EXPECT_TRUE(!reads_the_body || !next_of(preset).empty()) << name;
  }
}

TEST(PagingPresets, have_the_items_where_the_api_has_them) {
  EXPECT_EQ(paging::slack("channels").items, "/channels");
  EXPECT_EQ(paging::slack("a/b~c").items, "/a~1b~0c");
  EXPECT_EQ(paging::start_at().items, "/values");
  EXPECT_EQ(paging::start_at("issues").items, "/issues");
  EXPECT_EQ(paging::hal().items, "/_embedded/*");
  EXPECT_EQ(paging::elasticsearch().items, "/hits/hits");
  for (const auto& preset : {paging::gitlab(), paging::discord(), paging::heroku(), paging::postgrest()})
    EXPECT_EQ(preset.items, "");
  for (const auto& preset : {paging::google("things"), paging::hal(), paging::x()})
    EXPECT_TRUE(preset.items_may_be_absent) << preset.items;
  EXPECT_FALSE(paging::slack("channels").items_may_be_absent);
}

TEST(PagingPresets, have_parameters_where_the_api_takes_them_in_the_query_or_the_body) {
  EXPECT_EQ(parameter_of(paging::stripe()), "starting_after");
  EXPECT_EQ(parameter_of(paging::stripe_search()), "page");
  EXPECT_EQ(parameter_of(paging::start_at()), "startAt");
  EXPECT_EQ(paging::start_at().size_parameter, "maxResults");
  EXPECT_EQ(paging::zendesk_cursor("tickets").size_parameter, "page[size]");
  EXPECT_EQ(parameter_of(paging::json_server()), "_page");
  EXPECT_EQ(std::get<paging::PageNumber>(paging::algolia().style).first, 0);
  EXPECT_EQ(parameter_of(paging::discord()), "before");
  EXPECT_EQ(parameter_of(paging::discord("after")), "after");
  for (const auto& preset : {paging::drf(), paging::odata(), paging::salesforce(), paging::heroku()})
    EXPECT_EQ(preset.size_parameter, "") << "the API has no parameter for it";
  EXPECT_EQ(place_in_body_of(paging::notion()), "/start_cursor");
  EXPECT_EQ(parameter_of(paging::notion()), "start_cursor");
  EXPECT_EQ(place_in_body_of(paging::elasticsearch()), "/search_after");
  EXPECT_EQ(parameter_of(paging::elasticsearch()), "");
  const auto table = paging::aws("Items", "LastEvaluatedKey", "ExclusiveStartKey");
  EXPECT_EQ(next_of(table), TextList("/LastEvaluatedKey"));
  EXPECT_EQ(place_in_body_of(table), "/ExclusiveStartKey");
  EXPECT_EQ(place_in_body_of(paging::aws("logGroups")), "/nextToken");
}

TEST(PagingPresets, for_graphql_have_everything_below_the_connection) {
  const auto issues = paging::graphql("/data/repository/issues", "edges", "cursor");
  EXPECT_EQ(issues.items, "/data/repository/issues/edges");
  EXPECT_EQ(next_of(issues), TextList("/data/repository/issues/pageInfo/endCursor"));
  EXPECT_EQ(issues.end.more_pointer, "/data/repository/issues/pageInfo/hasNextPage");
  EXPECT_EQ(place_in_body_of(issues), "/variables/cursor");
  EXPECT_EQ(paging::graphql("/data/x").items, "/data/x/nodes");
}

TEST(PagingPresets, read_whether_there_are_more_pages_where_the_api_reports_it) {
  for (const auto& [preset, more] : {std::pair(paging::stripe(), "/has_more"),
                                     {paging::zendesk_cursor("tickets"), "/meta/has_more"},
                                     {paging::salesforce(), "/done"},
                                     {paging::start_at(), "/isLast"},
                                     {paging::slack("channels"), ""}})
    EXPECT_EQ(preset.end.more_pointer, more);
}

TEST(PagingPresets, know_the_failures_that_a_response_with_200_reports) {
  const auto pointers_of = [](const Paging& preset) {
    std::vector<std::string> pointers;
    for (const auto& failure : preset.failures) pointers.push_back(failure.pointer + " " + failure.value);
    return pointers;
  };
  using Pointers = std::vector<std::string>;
  EXPECT_EQ(pointers_of(paging::slack("channels")), Pointers{"/ok false"});
  EXPECT_EQ(pointers_of(paging::odata()), Pointers{"/error "});
  EXPECT_EQ(pointers_of(paging::elasticsearch()), (Pointers{"/timed_out ", "/_shards/failed "}));
  EXPECT_EQ(pointers_of(paging::drf()), Pointers());
}

}}  // namespace vocabulary_test::paging_presets_test
