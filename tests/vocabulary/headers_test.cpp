// Lists of fields, and what braces make of them.
#include <noun/http.hpp>

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

namespace vocabulary_test { namespace headers_test {

using noun::Field;
using noun::FieldList;
using noun::Headers;
using noun::Query;

struct Options {
  Query query = {};
  Headers headers = {};
};

std::vector<Field> fields_of(const FieldList& list) { return {list.begin(), list.end()}; }

TEST(Headers, one_pair_of_braces_within_another_is_one_pair) {
  const Headers one = {{"a", "b"}};
  EXPECT_EQ(fields_of(one), (std::vector<Field>{{"a", "b"}}));
  const Headers direct{{"a", "b"}};
  EXPECT_EQ(direct, one);
  const Query query = {{"https://a", "https://b"}};
  EXPECT_EQ(fields_of(query), (std::vector<Field>{{"https://a", "https://b"}}));
  const Options options = {.query = {{"scope", "I"}}, .headers = {{"Accept", "text/csv"}}};
  EXPECT_EQ(options.query.get("scope"), "I");
  EXPECT_EQ(options.headers.get("accept"), "text/csv");
  const auto take = [](Headers headers) { return headers.size(); };
  EXPECT_EQ(take({{"a", "b"}}), 1U);
  EXPECT_EQ(take({}), 0U);
}

TEST(Headers, two_pairs_are_two_and_texts_of_any_kind_are_text) {
  const std::string name = "c";
  const std::string_view value = "d";
  const char* missing = nullptr;
  const Headers two = {{"a", std::string("b")}, {name, value}, {"e", missing}};
  EXPECT_EQ(fields_of(two), (std::vector<Field>{{"a", "b"}, {"c", "d"}, {"e", ""}}));
}

TEST(Headers, a_range_of_pairs_is_a_list_of_fields) {
  const std::map<std::string, std::string> sorted = {{"b", "2"}, {"a", "1"}};
  std::vector<std::pair<const char*, int>> ordered = {{"b", 2}, {"a", 1}};
  const std::pair<std::string_view, bool> plain[] = {{"c", true}};
  const Options options = {.query = sorted, .headers = ordered};
  EXPECT_EQ(fields_of(options.query), (std::vector<Field>{{"a", "1"}, {"b", "2"}}));
  EXPECT_EQ(fields_of(options.headers), (std::vector<Field>{{"b", "2"}, {"a", "1"}}));
  EXPECT_EQ(fields_of(Query(plain)), (std::vector<Field>{{"c", "true"}}));
  EXPECT_EQ(Query{sorted}, options.query);
  EXPECT_TRUE(Query(std::unordered_map<std::string, double>()).empty());
  Query copied = options.query;
  EXPECT_EQ(Query(copied), Query{copied}) << "not a list of one";
  static_assert(!std::is_convertible_v<std::vector<std::string>, Query>);
  static_assert(!std::is_convertible_v<std::map<int, std::string>, Query>);
}

TEST(Headers, a_list_of_texts_is_no_list_of_fields) {
  static_assert(!std::is_constructible_v<Headers, const char*> && !std::is_constructible_v<Query, std::string>);
  static_assert(!std::is_convertible_v<Headers, Query> && !std::is_convertible_v<Query, Headers>);
}

TEST(Headers, values_may_be_numbers_and_truths) {
  const Query query = {{"yes", true}, {"int", -7}, {"half", 0.5}};
  EXPECT_EQ(fields_of(query), (std::vector<Field>{{"yes", "true"}, {"int", "-7"}, {"half", "0.5"}}));
}

TEST(Headers, names_compare_without_case_in_ascii_alone) {
  using Names = std::pair<const char*, const char*>;
  for (const auto& [a, b] : {Names{"X-RateLimit-Reset", "x-ratelimit-RESET"}, {"AZaz", "azAZ"}, {"", ""}})
    EXPECT_TRUE(noun::same_name(a, b)) << a;
  for (const auto& [a, b] :
       {Names{"X-RateLimit", "X-RateLimit-Reset"}, {"a", "b"}, {"@", "`"}, {"[", "{"}, {"\xC4", "\xE4"}})
    EXPECT_FALSE(noun::same_name(a, b)) << a;
}

TEST(Headers, the_first_of_a_name_is_got_and_all_are_listed_in_order) {
  const Headers headers = {{"Link", "a"}, {"Date", "d"}, {"link", "b"}};
  EXPECT_EQ(headers.get("LINK"), "a");
  EXPECT_EQ(headers.values("Link"), (std::vector<std::string_view>{"a", "b"}));
  EXPECT_TRUE(headers.contains("date"));
  EXPECT_FALSE(headers.contains("Dat"));
  EXPECT_EQ(headers.get("ETag"), std::nullopt);
  EXPECT_TRUE(headers.values("ETag").empty());
}

TEST(Headers, set_replaces_all_of_a_name_in_the_place_of_the_first) {
  Headers headers = {{"a", 1}, {"Link", 2}, {"b", 3}, {"link", 4}, {"LINK", 5}, {"c", 6}};
  headers.set("link", "new");
  EXPECT_EQ(fields_of(headers), (std::vector<Field>{{"a", "1"}, {"link", "new"}, {"b", "3"}, {"c", "6"}}));
  headers.set("d", 7);
  EXPECT_EQ(headers.size(), 5U);
  EXPECT_EQ(headers.get("d"), "7");
}

TEST(Headers, set_may_be_given_its_own_field) {
  Headers headers = {{"a", "a value that is longer than a small string"}, {"A", "other"}};
  headers.set(headers.begin()->name, headers.begin()->value);
  EXPECT_EQ(fields_of(headers), (std::vector<Field>{{"a", "a value that is longer than a small string"}}));
}

TEST(Headers, erase_removes_all_of_a_name_and_counts_them) {
  Headers headers = {{"a", 1}, {"b", 2}, {"A", 3}};
  EXPECT_EQ(headers.erase("a"), 2U);
  EXPECT_EQ(headers.erase("a"), 0U);
  EXPECT_EQ(fields_of(headers), (std::vector<Field>{{"b", "2"}}));
  headers.clear();
  EXPECT_TRUE(headers.empty());
}

TEST(Headers, add_appends_whatever_is_there) {
  Headers headers;
  headers.reserve(3);
  headers.add("a", 1);
  headers.add("a", 2);
  headers.push_back({"a", "3"});
  EXPECT_EQ(headers.values("a"), (std::vector<std::string_view>{"1", "2", "3"}));
}

TEST(Query, names_compare_exactly) {
  Query query = {{"Page", 1}, {"page", 2}, {"page", 3}};
  EXPECT_EQ(query.get("page"), "2");
  EXPECT_EQ(query.get("PAGE"), std::nullopt);
  EXPECT_TRUE(query.contains("Page"));
  EXPECT_FALSE(query.contains("pag"));
  query.set("page", true);
  EXPECT_EQ(fields_of(query), (std::vector<Field>{{"Page", "1"}, {"page", "true"}}));
  query.set("new", "x");
  EXPECT_EQ(query.size(), 3U);
  EXPECT_EQ(query.erase("page"), 1U);
  EXPECT_EQ(query.erase("nothing"), 0U);
}

TEST(Query, the_order_is_kept_and_makes_a_difference) {
  const Query forth = {{"a", 1}, {"b", 2}};
  EXPECT_NE(forth, (Query{{"b", 2}, {"a", 1}}));
  EXPECT_EQ(forth, (Query{{"a", 1}, {"b", 2}}));
}

}}  // namespace vocabulary_test::headers_test
