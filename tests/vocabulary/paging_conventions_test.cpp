// The conventions of paging by service: all of them, and what is peculiar to each.
#include <noun/paging_conventions.hpp>

#include <fstream>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "test_paths.hpp"
#include "vocabulary/paging_presets.hpp"
#include "vocabulary/paging_table.hpp"

namespace vocabulary_test { namespace paging_conventions_test {

namespace paging = noun::paging;
using noun::PagingConvention;
using noun::PagingStyle;
using Pointers = std::vector<std::string>;

TEST(PagingConventions, all_that_the_header_declares_are_tested_and_in_the_table) {
  std::ifstream header(std::string(noun_test::source_dir) + "/include/noun/paging_conventions.hpp");
  std::set<std::string> declared;
  int sources = 0;
  for (std::string line; std::getline(header, line);) {
    if (const std::string start = "NOUN_API PagingConvention "; line.starts_with(start))
      declared.insert(line.substr(start.size(), line.find('(') - start.size()));
    sources += line.starts_with("/// @source https://") ? 1 : 0;
  }
  std::set<std::string> tested;
  for (const auto& [name, convention] : noun_test::paging_presets) tested.insert(name);
  std::set<std::string> rows;
  for (const auto& row : noun::paging_rows) rows.insert(std::string(row.name));
  EXPECT_EQ(declared, tested);
  EXPECT_EQ(declared, rows);
  EXPECT_EQ(std::size(noun::paging_rows), rows.size());
  EXPECT_EQ(static_cast<std::size_t>(sources), declared.size());
}

TEST(PagingConventions, the_end_and_the_total_are_the_services_own) {
  for (const auto& [name, convention] : noun_test::paging_presets) {
    EXPECT_EQ(convention.more_value, name != "start_at" && name != "jira_token" && name != "salesforce") << name;
    EXPECT_EQ(convention.total_is_end, name == "start_at" || name == "total_count") << name;
    EXPECT_EQ(convention.short_page_is_last, name == "total_count" || name == "discord" || name == "postgrest") << name;
    const bool has_total_header = name == "gitlab" || name == "total_count";
    EXPECT_EQ(!convention.total_header.empty(), has_total_header) << name;
    EXPECT_EQ(convention.expired_statuses, std::vector{410}) << name;
    for (const auto& pointer : convention.next_pointers) EXPECT_EQ(pointer.front(), '/') << name;
  }
}

TEST(PagingConventions, the_items_are_where_the_service_has_them) {
  EXPECT_EQ(paging::slack("channels").items_pointer, "/channels");
  EXPECT_EQ(paging::slack("a/b~c").items_pointer, "/a~1b~0c");
  EXPECT_EQ(paging::start_at().items_pointer, "/values");
  EXPECT_EQ(paging::start_at("issues").items_pointer, "/issues");
  EXPECT_EQ(paging::hal().items_pointer, "/_embedded/*");
  EXPECT_EQ(paging::elasticsearch().items_pointer, "/hits/hits");
  for (const auto& convention : {paging::gitlab(), paging::discord(), paging::heroku(), paging::postgrest()})
    EXPECT_EQ(convention.items_pointer, "");
  for (const auto& convention : {paging::google("things"), paging::hal(), paging::x()})
    EXPECT_TRUE(convention.items_may_be_absent) << convention.items_pointer;
  EXPECT_FALSE(paging::slack("channels").items_may_be_absent);
}

TEST(PagingConventions, parameters_are_where_the_service_takes_them_in_the_query_or_the_body) {
  EXPECT_EQ(paging::stripe().cursor_parameter, "starting_after");
  EXPECT_EQ(paging::stripe_search().cursor_parameter, "page");
  EXPECT_EQ(paging::start_at().size_parameter, "maxResults");
  EXPECT_EQ(paging::zendesk_cursor("tickets").size_parameter, "page[size]");
  EXPECT_EQ(paging::json_server().page_parameter, "_page");
  EXPECT_EQ(paging::algolia().first_page, 0);
  EXPECT_EQ(paging::discord().cursor_parameter, "before");
  EXPECT_EQ(paging::discord("after").cursor_parameter, "after");
  for (const auto& convention : {paging::drf(), paging::odata(), paging::salesforce(), paging::heroku()})
    EXPECT_EQ(convention.size_parameter, "") << "the service has no parameter for it";
  EXPECT_EQ(paging::notion().cursor_pointer, "/start_cursor");
  EXPECT_EQ(paging::notion().cursor_parameter, "start_cursor");
  EXPECT_EQ(paging::elasticsearch().cursor_pointer, "/search_after");
  EXPECT_EQ(paging::elasticsearch().cursor_parameter, "");
  const auto table = paging::aws("Items", "LastEvaluatedKey", "ExclusiveStartKey");
  EXPECT_EQ(table.next_pointers, Pointers{"/LastEvaluatedKey"});
  EXPECT_EQ(table.cursor_pointer, "/ExclusiveStartKey");
  EXPECT_EQ(paging::aws("logGroups").cursor_pointer, "/nextToken");
}

TEST(PagingConventions, a_graphql_connection_is_all_below_one_pointer) {
  const auto issues = paging::graphql("/data/repository/issues", "edges", "cursor");
  EXPECT_EQ(issues.items_pointer, "/data/repository/issues/edges");
  EXPECT_EQ(issues.next_pointers, Pointers{"/data/repository/issues/pageInfo/endCursor"});
  EXPECT_EQ(issues.more_pointer, "/data/repository/issues/pageInfo/hasNextPage");
  EXPECT_EQ(issues.cursor_pointer, "/variables/cursor");
  EXPECT_EQ(paging::graphql("/data/x").items_pointer, "/data/x/nodes");
}

TEST(PagingConventions, a_next_page_is_told_where_the_service_tells_it) {
  for (const auto& [convention, more] : {std::pair(paging::stripe(), "/has_more"),
                                         {paging::zendesk_cursor("tickets"), "/meta/has_more"},
                                         {paging::salesforce(), "/done"},
                                         {paging::start_at(), "/isLast"},
                                         {paging::slack("channels"), ""}})
    EXPECT_EQ(convention.more_pointer, more);
}

}}  // namespace vocabulary_test::paging_conventions_test
