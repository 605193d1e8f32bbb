// Structured fields: each type, each kind of fault, and lists and dictionaries over several lines.
#include "wire/structured_field.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "table.hpp"

namespace noun::wire { namespace structured_field_test {

using ::testing::ElementsAre;
using ::testing::Pair;
using wire_test::Table;

/// The only member of a list if it is an item; otherwise nothing.
std::optional<StructuredItem> item(std::string_view text) {
  const auto list = parse_structured_list({text});
  if (!list || list->size() != 1) return std::nullopt;
  const auto* const only = std::get_if<StructuredItem>(&list->front());
  return only == nullptr ? std::nullopt : std::optional(*only);
}

std::optional<BareItem> bare(std::string_view text) {
  const auto found = item(text);
  return found ? std::optional(found->value) : std::nullopt;
}

BareItem number(std::int64_t value, BareKind kind = BareKind::integer) { return {kind, value, {}}; }

TEST(StructuredField, reads_items_of_every_type) {
  const std::vector<std::pair<BareKind, Table<std::int64_t>>> numbers = {
      {BareKind::integer, {{"42", 42}, {"-42", -42}, {"0042", 42}}},
      {BareKind::integer, {{"999999999999999", 999'999'999'999'999}, {"-999999999999999", -999'999'999'999'999}}},
      {BareKind::decimal, {{"4.5", 4500}, {"-0.123", -123}, {"123456789012.1", 123'456'789'012'100}}},
      {BareKind::boolean, {{"?1", 1}, {"?0", 0}}},
      {BareKind::date, {{"@1688169599", 1'688'169'599}, {"@-1", -1}}}};
  for (const auto& [kind, table] : numbers)
    for (const auto& [text, value] : table) EXPECT_EQ(bare(text), number(value, kind)) << text;
  // The third byte sequence has unused bits set.
  const std::vector<std::pair<BareKind, Table<std::string>>> texts = {
      {BareKind::string, {{R"("say \"hi\" \\")", R"(say "hi" \)"}, {R"("")", ""}}},
      {BareKind::token, {{"foo123/456:x", "foo123/456:x"}, {"*any", "*any"}}},
      {BareKind::bytes, {{":aGVsbG8=:", "hello"}, {":aGVsbG8:", "hello"}, {":aGVsbG9=:", "hello"}, {"::", ""}}},
      {BareKind::display_string, {{R"(%"f%c3%bc")", "f\xc3\xbc"}, {R"(%"50%25")", "50%"}}}};
  for (const auto& [kind, table] : texts)
    for (const auto& [text, value] : table) EXPECT_EQ(bare(text), (BareItem{kind, 0, value})) << text;
}

TEST(StructuredField, refuses_items_that_are_malformed_or_too_large) {
  for (const auto* number :
       {"1000000000000000", "-", "+1", "- 1", "--1", "1.", ".5", "1.1234", "1234567890123.1", "1..5", "@1.5", "@"})
    EXPECT_EQ(bare(number), std::nullopt) << number;
  for (const auto* text : {R"("open)", R"("a\n")", R"("a\)", "\"d\xc3\xa9\"", "\"tab\t\"", "'single'", "a\"b",
                           R"(%"%C3%BC")", R"(%"%c3")", R"(%"%c)", R"(%"a)", "%a"})
    EXPECT_EQ(bare(text), std::nullopt) << text;
  for (const auto* other : {":aGVsbG8=", ":aGVs_G8=:", ":aGVs=bG8:", ":a:", ":aGVsbG8===:", "?2", "?"})
    EXPECT_EQ(bare(other), std::nullopt) << other;
}

TEST(StructuredField, reads_parameters_of_which_the_last_of_a_key_counts) {
  const auto good = item("a;q=1;  b;q=2;*c-d_e.f=?0");
  ASSERT_TRUE(good);
  EXPECT_THAT(good->parameters, ElementsAre(Pair("q", number(2)), Pair("b", number(1, BareKind::boolean)),
                                            Pair("*c-d_e.f", number(0, BareKind::boolean))));
  EXPECT_EQ(*good->parameter("q"), number(2));
  EXPECT_EQ(good->parameter("absent"), nullptr);
  for (const auto* wrong : {"a;", "a;Q=1", "a;q=", "a;q =1", "a;q= 1", "a;1=2", "a;\tq=1", "a;q=1;  b ;q=2"})
    EXPECT_EQ(item(wrong), std::nullopt) << wrong;
}

/// `before`, then `each` with the numbers from 1 to `count` in place of `#`, then `after`.
std::string numbered(std::string_view before, std::string_view each, int count, std::string_view after = "") {
  std::string text(before);
  const auto number = each.find('#');
  for (int i = 1; i <= count; ++i) (text += each.substr(0, number)) += std::to_string(i) += each.substr(number + 1);
  return text += after;
}

TEST(StructuredField, refuses_more_members_and_parameters_than_every_parser_must_support) {
  const auto is_list = [](std::string_view text) { return parse_structured_list({text}).has_value(); };
  const auto is_dictionary = [](std::string_view text) { return parse_structured_dictionary({text}).has_value(); };
  EXPECT_TRUE(is_list(numbered("a", ";k#", 256)));
  EXPECT_FALSE(is_list(numbered("a", ";k#", 257)));
  EXPECT_TRUE(is_list(numbered("a", ";k#;k1", 256))) << "of equal keys one counts";
  EXPECT_TRUE(is_list(numbered("(", " #", 256, ")")));
  EXPECT_FALSE(is_list(numbered("(", " #", 257, ")")));
  EXPECT_TRUE(is_list(numbered("0", ",#", 1023)));
  EXPECT_FALSE(is_list(numbered("0", ",#", 1024)));
  EXPECT_TRUE(is_dictionary(numbered("k=0", ",k#", 1023)));
  EXPECT_FALSE(is_dictionary(numbered("k=0", ",k#", 1024)));
  EXPECT_FALSE(is_dictionary(numbered("k", ";p#", 257)));
}

TEST(StructuredField, joins_the_lines_of_a_list) {
  EXPECT_EQ(parse_structured_list({"  1,\t2 ", "3;a"})->size(), 3U);
  EXPECT_EQ(parse_structured_list({})->size(), 0U);
  EXPECT_EQ(parse_structured_list({""})->size(), 0U);
  EXPECT_FALSE(parse_structured_list({"", "1"}));
  for (const auto* wrong : {"1,", "1,,2", ",1", "1 2", "1;a 2"}) EXPECT_FALSE(parse_structured_list({wrong})) << wrong;
}

TEST(StructuredField, reads_inner_lists) {
  const auto list = parse_structured_list({R"(( "a"  b;x=1 );y, ())"});
  ASSERT_TRUE(list);
  const auto& inner = std::get<InnerList>(list->at(0));
  ASSERT_EQ(inner.items.size(), 2U);
  EXPECT_EQ(inner.items[0].value, (BareItem{BareKind::string, 0, "a"}));
  EXPECT_EQ(*inner.items[1].parameter("x"), number(1));
  EXPECT_THAT(inner.parameters, ElementsAre(Pair("y", number(1, BareKind::boolean))));
  EXPECT_TRUE(std::get<InnerList>(list->at(1)).items.empty());
  for (const auto* wrong : {"(1", "(1\t2)", "((1))", "(\"a\"b)", "(1,2)", ")"})
    EXPECT_FALSE(parse_structured_list({wrong})) << wrong;
}

TEST(StructuredField, reads_a_dictionary_of_which_the_last_of_a_key_counts) {
  const auto found = parse_structured_dictionary({"a=1, b;x=2, c=(1 2)", "a=3"});
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 3U);
  EXPECT_EQ(found->at(0).first, "a");
  EXPECT_EQ(std::get<StructuredItem>(found->at(0).second).value, number(3));
  EXPECT_EQ(std::get<StructuredItem>(found->at(1).second).value, number(1, BareKind::boolean));
  EXPECT_EQ(*std::get<StructuredItem>(found->at(1).second).parameter("x"), number(2));
  EXPECT_EQ(std::get<InnerList>(found->at(2).second).items.size(), 2U);
  for (const auto* wrong : {"a=", "A=1", "1=2", "a=1,", "a=1 b=2", "a =1"})
    EXPECT_FALSE(parse_structured_dictionary({wrong})) << wrong;
}

TEST(StructuredField, is_written_in_the_strict_form_of_what_was_read) {
  const Table<std::string> members = {{"1", "1"},
                                      {"-999999999999999", "-999999999999999"},
                                      {"4.500", "4.5"},
                                      {"-0.120", "-0.12"},
                                      {"7.0", "7.0"},
                                      {R"("a\"b\\c")", R"("a\"b\\c")"},
                                      {"*a/b:c", "*a/b:c"},
                                      {":aGVsbG8:", ":aGVsbG8=:"},
                                      {"?0", "?0"},
                                      {"@-1", "@-1"},
                                      {R"(%"f%c3%bc%25 x%22")", R"(%"f%c3%bc%25 x%22")"},
                                      {"a; b=?1;c=?0;d=\"x\"", "a;b;c=?0;d=\"x\""},
                                      {"( 1   \"b\";x=2 );y", "(1 \"b\";x=2);y"},
                                      {"()", "()"}};
  for (const auto& [text, written] : members) {
    const auto list = parse_structured_list({text});
    ASSERT_TRUE(list) << text;
    EXPECT_EQ(to_text(list->front()), written);
  }
}

}}  // namespace noun::wire::structured_field_test
