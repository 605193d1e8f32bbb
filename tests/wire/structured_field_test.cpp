// Structured fields: each type, each way to be wrong, and lists and dictionaries over several lines.
#include "wire/structured_field.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace noun::wire {
namespace structured_field_test {

using testing::ElementsAre;
using testing::Pair;

/// The only member of a list, if it is an item.
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
BareItem text(std::string value, BareKind kind = BareKind::string) { return {kind, 0, std::move(value)}; }

TEST(StructuredField, reads_integers_of_up_to_15_digits) {
  EXPECT_EQ(bare("42"), number(42));
  EXPECT_EQ(bare("-42"), number(-42));
  EXPECT_EQ(bare("0042"), number(42));
  EXPECT_EQ(bare("999999999999999"), number(999'999'999'999'999));
  EXPECT_EQ(bare("-999999999999999"), number(-999'999'999'999'999));
  for (const auto* wrong : {"1000000000000000", "-", "+1", "- 1", "--1"}) EXPECT_EQ(bare(wrong), std::nullopt) << wrong;
}

TEST(StructuredField, reads_decimals_in_thousandths) {
  EXPECT_EQ(bare("4.5"), number(4500, BareKind::decimal));
  EXPECT_EQ(bare("-0.123"), number(-123, BareKind::decimal));
  EXPECT_EQ(bare("123456789012.1"), number(123'456'789'012'100, BareKind::decimal));
  for (const auto* wrong : {"1.", ".5", "1.1234", "1234567890123.1", "1..5"})
    EXPECT_EQ(bare(wrong), std::nullopt) << wrong;
}

TEST(StructuredField, reads_strings_with_two_escapes) {
  EXPECT_EQ(bare(R"("say \"hi\" \\")"), text(R"(say "hi" \)"));
  EXPECT_EQ(bare(R"("")"), text(""));
  for (const auto* wrong : {R"("open)", R"("a\n")", R"("a\)", "\"d\xc3\xa9\"", "\"tab\t\"", "'single'"})
    EXPECT_EQ(bare(wrong), std::nullopt) << wrong;
}

TEST(StructuredField, reads_tokens) {
  EXPECT_EQ(bare("foo123/456:x"), text("foo123/456:x", BareKind::token));
  EXPECT_EQ(bare("*any"), text("*any", BareKind::token));
  EXPECT_EQ(bare("a\"b"), std::nullopt);
}

TEST(StructuredField, reads_bytes_with_or_without_padding) {
  EXPECT_EQ(bare(":aGVsbG8=:"), text("hello", BareKind::bytes));
  EXPECT_EQ(bare(":aGVsbG8:"), text("hello", BareKind::bytes));
  EXPECT_EQ(bare(":aGVsbG9=:"), text("hello", BareKind::bytes));  // unused bits are set
  EXPECT_EQ(bare("::"), text("", BareKind::bytes));
  for (const auto* wrong : {":aGVsbG8=", ":aGVs_G8=:", ":aGVs=bG8:", ":a:", ":aGVsbG8===:"})
    EXPECT_EQ(bare(wrong), std::nullopt) << wrong;
}

TEST(StructuredField, reads_booleans_dates_and_display_strings) {
  EXPECT_EQ(bare("?1"), number(1, BareKind::boolean));
  EXPECT_EQ(bare("?0"), number(0, BareKind::boolean));
  EXPECT_EQ(bare("@1688169599"), number(1'688'169'599, BareKind::date));
  EXPECT_EQ(bare("@-1"), number(-1, BareKind::date));
  EXPECT_EQ(bare(R"(%"f%c3%bc")"), text("f\xc3\xbc", BareKind::display_string));
  EXPECT_EQ(bare(R"(%"50%25")"), text("50%", BareKind::display_string));
  for (const auto* wrong : {"?2", "?", "@1.5", "@", R"(%"%C3%BC")", R"(%"%c3")", R"(%"%c)", R"(%"a)", "%a"})
    EXPECT_EQ(bare(wrong), std::nullopt) << wrong;
}

TEST(StructuredField, reads_parameters_of_which_the_last_of_a_key_counts) {
  const auto found = item("a;q=1;  b ;q=2");
  EXPECT_EQ(found, std::nullopt) << "no space before a semicolon";
  const auto good = item("a;q=1;  b;q=2;*c-d_e.f=?0");
  ASSERT_TRUE(good);
  EXPECT_THAT(good->parameters, ElementsAre(Pair("q", number(2)), Pair("b", number(1, BareKind::boolean)),
                                            Pair("*c-d_e.f", number(0, BareKind::boolean))));
  EXPECT_EQ(*good->parameter("q"), number(2));
  EXPECT_EQ(good->parameter("absent"), nullptr);
  for (const auto* wrong : {"a;", "a;Q=1", "a;q=", "a;q =1", "a;q= 1", "a;1=2", "a;\tq=1"})
    EXPECT_EQ(item(wrong), std::nullopt) << wrong;
}

TEST(StructuredField, joins_the_lines_of_a_list) {
  const auto list = parse_structured_list({"  1,\t2 ", "3;a"});
  ASSERT_TRUE(list);
  EXPECT_EQ(list->size(), 3U);
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
  EXPECT_EQ(inner.items[0].value, text("a"));
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

}  // namespace structured_field_test
}  // namespace noun::wire
