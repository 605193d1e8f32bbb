// The Link vectors, and malicious lines.
#include "wire/link.hpp"

#include <gtest/gtest.h>

#include "table.hpp"
#include "vectors.hpp"

namespace noun::wire { namespace link_test {

using namespace std::literals;

using wire_test::repeated;
using wire_test::Table;

const std::string base = "https://api.example.com/v1/items?page=1";

Headers link_headers(const std::vector<std::string>& lines) {
  Headers headers;
  for (const auto& line : lines) headers.add("Link", std::string_view(line));
  return headers;
}

std::optional<std::string> next_of(std::string_view line) {
  return find_link(link_headers({std::string(line)}), "next", base);
}

TEST(Link, at_most_16_anchors_are_resolved) {
  const auto own = "<a>; rel=next; anchor=\"\""s;
  EXPECT_TRUE(next_of(repeated("<x>; rel=next; anchor=\"/x\",", 15) + own));
  EXPECT_FALSE(next_of(repeated("<x>; rel=next; anchor=\"/x\",", 16) + own));
  EXPECT_TRUE(next_of(repeated("<x>; rel=prev; anchor=\"/x\",", 16) + own)) << "of other relations none is";
}

TEST(Link, each_of_34_vectors_has_its_relations_only) {
  const auto vectors = wire_test::vectors("link.json");
  EXPECT_EQ(vectors.size(), 34U);
  for (const auto& vector : vectors) {
    SCOPED_TRACE(vector.id());
    const auto from = vector.data.at("base").get<std::string>();
    const auto lines = wire_test::lines_of(vector.data.at("header"));
    const auto headers = link_headers(lines);
    const auto& expected = vector.data.at("expect");

    for (const auto& [relation, target] : expected.items())
      EXPECT_EQ(find_link(headers, relation, from), target.get<std::string>()) << relation;
    EXPECT_EQ(find_link(headers, "next", from).has_value(), expected.contains("next"));
    for (const auto& link : parse_links(wire_test::views_of(lines), from))
      EXPECT_EQ(find_link(headers, link.relation, from).has_value(), expected.contains(link.relation)) << link.relation;
  }
}

TEST(FindLink, a_relation_is_found_in_any_case_and_previous_and_prev_are_one) {
  for (const auto& [line, relation] :
       Table<std::string_view>{{"<a>; rel=Next", "NEXT"}, {"<a>; rel=prev", "previous"}, {"<a>; rel=previous", "prev"}})
    EXPECT_TRUE(find_link(link_headers({std::string(line)}), relation, base)) << line;
}

TEST(FindLink, only_link_fields_are_read_and_a_malformed_line_affects_no_other) {
  for (const auto& headers :
       {Headers{{"Links", "<a>; rel=next"}, {"LINK", "<b>; rel=next"}}, link_headers({"garbage", "<b>; rel=next"})})
    EXPECT_EQ(find_link(headers, "next", base), "https://api.example.com/v1/b");
}

TEST(FindLink, the_first_link_with_results_in_the_context_of_the_page_is_used) {
  for (const auto* line :
       {"<a>; rel=\"last  next\titem\"", "<a>; rel=next; anchor=\"\"", "<a>; rel=next; anchor=\"?page=1\"",
        "<a>; rel=next; anchor=\"/v1/items\"", "<a>; rel=next; anchor=\"HTTPS://API.example.com/v1/items\"",
        "<a>; rel=next; results=true", "<x>; rel=next; anchor=\"/x\", <a>; rel=next"})
    EXPECT_EQ(next_of(line), "https://api.example.com/v1/a") << line;
  for (const auto* line : {"<a>; rel=\"nextish xnext\"", "<a>; rel=last; rel=next", "<a>; rel=\"\"; rel=next",
                           "<a>; rel=next; anchor=\"#part\"", "<a>; rel=next; anchor=\"/v1/items/\"",
                           "<a>; rel=next; anchor=\"/v1/items?page=2\"", "<a>; rel=next; anchor=\"/v1/items#part\"",
                           "<a>; rel=next; anchor=\"http://api.example.com/v1/items\"",
                           "<a>; rel=next; results=\"false\"", "<a>; rel=next; results=False, <b>; rel=next"})
    EXPECT_EQ(next_of(line), std::nullopt) << line;
}

TEST(ParseLinks, empty_members_are_skipped) {
  const auto links = parse_links({", ,<a>; rel=next,,\t,<b>; rel=last, "}, base);
  ASSERT_EQ(links.size(), 2U);
  EXPECT_EQ(links[1].relation, "last");
}

TEST(FindLink, parameters_lose_their_quotes) {
  const auto* line = "<a>; Title=\"x \\\"y\\\\\"; rel=next; flag; title*=UTF-8''z ; =v; Anchor=\"\\?page=\\1\"";
  EXPECT_EQ(next_of(line), "https://api.example.com/v1/a");
}

TEST(ParseLinks, of_truncated_text_complete_links_are_read) {
  for (const auto* line : {"<a", "<a>", "<a>; rel", "<a>; rel="})
    EXPECT_TRUE(parse_links({line}, base).empty()) << line;
  EXPECT_EQ(parse_links({"<a>; rel=\"next\\"}, base).size(), 1U);
}

TEST(ParseLinks, a_target_keeps_its_escapes_and_control_characters) {
  const auto links = parse_links({"<b%2f\xFF\0\"c>; rel=x"sv}, base);
  ASSERT_EQ(links.size(), 1U);
  EXPECT_EQ(links[0].target(), "https://api.example.com/v1/b%2f%FF\0%22c"s);
}

TEST(ParseLinks, megabytes_of_brackets_quotes_and_commas_take_linear_time) {
  for (const auto* piece :
       {"<", ">", "<>", "\"", "\\", ",", ";", "=", " ", "<>;rel=\"", "<>;a=\"\\\"", ";rel=", "<a>,", "\xFF"})
    EXPECT_LE(parse_links({repeated(piece, 300'000)}, base).size(), 300'000U) << piece;
  EXPECT_EQ(parse_links({repeated("<a>;rel=x,", 100'000)}, base).size(), 100'000U);
  EXPECT_FALSE(next_of("<" + repeated("<", 1'000'000)));
}

TEST(ParseLinks, a_link_with_a_million_types_is_not_copied_a_million_times) {
  const auto line = "<" + std::string(500'000, 'a') + ">; rel=\"" + repeated("x ", 250'000) + "next\"";
  EXPECT_EQ(parse_links({line}, base).size(), 16U);
  EXPECT_TRUE(next_of(line));
}

TEST(ParseLinks, a_link_with_a_million_parameters_takes_linear_time) {
  EXPECT_TRUE(next_of("<a>" + repeated(";p=1", 250'000) + ";rel=next"));
}

}}  // namespace noun::wire::link_test
