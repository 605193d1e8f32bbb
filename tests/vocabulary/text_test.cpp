// Text and values as arguments.
#include <noun/text.hpp>

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <type_traits>

namespace vocabulary_test {
namespace text_test {

using noun::FieldValue;
using noun::Text;

TEST(Text, every_kind_of_text_is_text_and_null_is_empty) {
  const std::string owned = "owned";
  const char* null = nullptr;
  EXPECT_EQ(Text("literal").view(), "literal");
  EXPECT_EQ(Text(owned).view(), "owned");
  EXPECT_EQ(Text(std::string_view("view")).str(), "view");
  EXPECT_EQ(Text(null).view(), "");
  EXPECT_EQ(Text().view(), "");
  EXPECT_EQ(Text(std::string_view("a\0b", 3)).str().size(), 3U);
}

TEST(Text, nothing_else_is) {
  static_assert(!std::is_constructible_v<Text, std::nullptr_t>);
  static_assert(!std::is_constructible_v<Text, int> && !std::is_constructible_v<Text, char>);
  static_assert(std::is_convertible_v<const char*, Text> && std::is_convertible_v<std::string, Text>);
  static_assert(Text("constant").view().size() == 8);
}

TEST(Text, a_bool_is_a_truth_and_an_integer_a_number) {
  EXPECT_EQ(FieldValue(true).str(), "true");
  EXPECT_EQ(FieldValue(false).str(), "false");
  EXPECT_EQ(FieldValue(0).str(), "0");
  EXPECT_EQ(FieldValue(std::numeric_limits<std::int64_t>::min()).str(), "-9223372036854775808");
  EXPECT_EQ(FieldValue(std::numeric_limits<std::uint64_t>::max()).str(), "18446744073709551615");
  EXPECT_EQ(FieldValue(short{-3}).str(), "-3");
}

TEST(Text, a_floating_number_is_as_short_as_reads_back_the_same) {
  EXPECT_EQ(FieldValue(0.1).str(), "0.1");
  EXPECT_EQ(FieldValue(1.0 / 3).str(), "0.3333333333333333");
  EXPECT_EQ(FieldValue(-1e-300).str(), "-1e-300");
  EXPECT_LT(FieldValue(std::numeric_limits<long double>::denorm_min()).str().size(), 64U);
  EXPECT_LT(FieldValue(std::numeric_limits<double>::max()).str().size(), 64U);
}

TEST(Text, a_value_of_text_is_that_text) {
  const char* null = nullptr;
  EXPECT_EQ(FieldValue("1").str(), "1");
  EXPECT_EQ(FieldValue(std::string("s")).str(), "s");
  EXPECT_EQ(FieldValue(std::string_view("v")).str(), "v");
  EXPECT_EQ(FieldValue(null).str(), "");
  FieldValue value("x");
  value.str() += "y";
  EXPECT_EQ(std::as_const(value).str(), "xy");
}

TEST(Text, characters_and_pointers_are_no_values) {
  static_assert(!std::is_constructible_v<FieldValue, char> && !std::is_constructible_v<FieldValue, char8_t>);
  static_assert(!std::is_constructible_v<FieldValue, unsigned char> && !std::is_constructible_v<FieldValue, wchar_t>);
  static_assert(!std::is_constructible_v<FieldValue, const int*> && !std::is_constructible_v<FieldValue, void*>);
  static_assert(!std::is_constructible_v<FieldValue, std::nullptr_t>);
  static_assert(noun::IntegerNumber<int> && !noun::IntegerNumber<bool> && !noun::IntegerNumber<double>);
}

}  // namespace text_test
}  // namespace vocabulary_test
