// Text and values as arguments.
#include <noun/text.hpp>

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <type_traits>

namespace vocabulary_test { namespace text_test {

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

static_assert(std::is_convertible_v<const char*, Text> && std::is_convertible_v<std::string, Text>);
static_assert(Text("constant").view().size() == 8);

template <class... Values>
constexpr bool none_is_text = (!std::is_constructible_v<Text, Values> && ...);
static_assert(none_is_text<std::nullptr_t, int, char>);

template <class... Values>
constexpr bool none_is_a_value = (!std::is_constructible_v<FieldValue, Values> && ...);
static_assert(none_is_a_value<char, char8_t, unsigned char, wchar_t, const int*, int*, void*, std::nullptr_t>);
static_assert(noun::IntegerNumber<int> && !noun::IntegerNumber<bool> && !noun::IntegerNumber<double>);

TEST(Text, a_bool_is_a_truth_and_a_number_as_short_as_reads_back_the_same) {
  for (const auto& [value, text] : {std::pair<FieldValue, const char*>(true, "true"),
                                    {false, "false"},
                                    {0, "0"},
                                    {short{-3}, "-3"},
                                    {std::numeric_limits<std::int64_t>::min(), "-9223372036854775808"},
                                    {std::numeric_limits<std::uint64_t>::max(), "18446744073709551615"},
                                    {0.1, "0.1"},
                                    {0.1f, "0.1"},
                                    {0.5, "0.5"},
                                    {1.0 / 3, "0.3333333333333333"},
                                    {-1e-300, "-1e-300"},
                                    {1e300, "1e+300"},
                                    {3.0, "3"}})
    EXPECT_EQ(value.str(), text);
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

}}  // namespace vocabulary_test::text_test
