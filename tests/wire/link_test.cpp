// Link: every vector, and hostile lines.
#include "wire/link.hpp"

#include <gtest/gtest.h>

#include "vectors.hpp"

namespace noun::wire {
namespace link_test {

using namespace std::literals;

using wire_test::Vector;

const std::string base = "https://api.example.com/v1/items?page=1";

Headers link_headers(const std::vector<std::string>& lines) {
  Headers headers;
  for (const auto& line : lines) headers.add("Link", std::string_view(line));
  return headers;
}

std::optional<std::string> next_of(std::string_view line) {
  return find_link(link_headers({std::string(line)}), "next", base);
}

class LinkVector : public testing::TestWithParam<Vector> {};

TEST_P(LinkVector, gives_its_relations_and_no_other) {
  const auto& data = GetParam().data;
  const auto from = data.at("base").get<std::string>();
  const auto lines = wire_test::lines_of(data.at("header"));
  const auto headers = link_headers(lines);
  const auto& expected = data.at("expect");

  for (const auto& [relation, target] : expected.items())
    EXPECT_EQ(find_link(headers, relation, from), target.get<std::string>()) << relation;
  EXPECT_EQ(find_link(headers, "next", from).has_value(), expected.contains("next"));
  for (const auto& link : parse_links(wire_test::views_of(lines), from))
    EXPECT_EQ(find_link(headers, link.relation, from).has_value(), expected.contains(link.relation)) << link.relation;
}

INSTANTIATE_TEST_SUITE_P(vectors, LinkVector, testing::ValuesIn(wire_test::vectors("link.json")), wire_test::id_of);

TEST(LinkVectors, all_34_are_there) { EXPECT_EQ(wire_test::vectors("link.json").size(), 34U); }

TEST(FindLink, a_relation_is_found_whatever_its_case) {
  EXPECT_TRUE(find_link(link_headers({"<a>; rel=Next"}), "NEXT", base));
}

TEST(FindLink, previous_and_prev_are_one) {
  EXPECT_TRUE(find_link(link_headers({"<a>; rel=prev"}), "previous", base));
  EXPECT_TRUE(find_link(link_headers({"<a>; rel=previous"}), "prev", base));
}

TEST(FindLink, one_of_several_types_is_found) {
  EXPECT_EQ(next_of("<a>; rel=\"last  next\titem\""), "https://api.example.com/v1/a");
  EXPECT_EQ(next_of("<a>; rel=\"nextish xnext\""), std::nullopt);
}

TEST(FindLink, fields_of_other_names_are_not_read) {
  Headers headers = {{"Links", "<a>; rel=next"}, {"LINK", "<b>; rel=next"}};
  EXPECT_EQ(find_link(headers, "next", base), "https://api.example.com/v1/b");
}

TEST(FindLink, a_second_rel_is_ignored) {
  EXPECT_EQ(next_of("<a>; rel=last; rel=next"), std::nullopt);
  EXPECT_EQ(next_of("<a>; rel=\"\"; rel=next"), std::nullopt);
}

TEST(FindLink, an_anchor_that_names_the_page_itself_is_no_other_context) {
  EXPECT_TRUE(next_of("<a>; rel=next; anchor=\"\""));
  EXPECT_TRUE(next_of("<a>; rel=next; anchor=\"?page=1\""));
  EXPECT_FALSE(next_of("<a>; rel=next; anchor=\"#part\""));
  EXPECT_FALSE(next_of("<a>; rel=next; anchor=\"/v1/items\""));
}

TEST(FindLink, after_a_link_of_another_context_the_next_one_counts) {
  EXPECT_EQ(next_of("<a>; rel=next; anchor=\"/x\", <b>; rel=next"), "https://api.example.com/v1/b");
}

TEST(FindLink, a_link_that_has_no_results_is_none) {
  EXPECT_FALSE(next_of("<a>; rel=next; results=\"false\""));
  EXPECT_FALSE(next_of("<a>; rel=next; results=False, <b>; rel=next"));
  EXPECT_TRUE(next_of("<a>; rel=next; results=true"));
}

TEST(FindLink, a_garbled_line_ends_alone) {
  EXPECT_EQ(find_link(link_headers({"garbage", "<b>; rel=next"}), "next", base), "https://api.example.com/v1/b");
}

TEST(ParseLinks, empty_members_are_skipped) {
  const auto links = parse_links({", ,<a>; rel=next,,\t,<b>; rel=last, "}, base);
  ASSERT_EQ(links.size(), 2U);
  EXPECT_EQ(links[1].relation, "last");
}

TEST(ParseLinks, parameters_keep_their_order_and_lose_their_quotes) {
  const auto links = parse_links({"<a>; Title=\"x \\\"y\\\\\"; rel=next; flag; title*=UTF-8''z ; =v;"}, base);
  ASSERT_EQ(links.size(), 1U);
  const std::vector<std::pair<std::string, std::string>> expected = {
      {"title", "x \"y\\"}, {"flag", ""}, {"title*", "UTF-8''z"}};
  EXPECT_EQ(links[0].parameters, expected);
}

TEST(ParseLinks, what_is_cut_off_gives_what_is_whole) {
  EXPECT_TRUE(parse_links({"<a"}, base).empty());
  EXPECT_TRUE(parse_links({"<a>"}, base).empty());
  EXPECT_TRUE(parse_links({"<a>; rel"}, base).empty());
  EXPECT_TRUE(parse_links({"<a>; rel="}, base).empty());
  EXPECT_EQ(parse_links({"<a>; rel=\"next\\"}, base).size(), 1U);
}

TEST(ParseLinks, a_target_is_kept_byte_for_byte) {
  const auto links = parse_links({"<b%2f\xFF\0\"c>; rel=x"sv}, base);
  ASSERT_EQ(links.size(), 1U);
  EXPECT_EQ(links[0].target, "https://api.example.com/v1/b%2f\xFF\0\"c"s);
}

std::string repeated(std::string_view text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
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
  EXPECT_LE(parse_links({line}, base).size(), 16U);
  EXPECT_TRUE(next_of(line));
}

TEST(ParseLinks, a_link_with_a_million_parameters_takes_linear_time) {
  EXPECT_TRUE(next_of("<a>" + repeated(";p=1", 250'000) + ";rel=next"));
}

}  // namespace link_test
}  // namespace noun::wire
