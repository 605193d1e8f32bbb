// Text, lists of texts and values as arguments.
#include <noun/text.hpp>

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace vocabulary_test { namespace text_test {

using noun::FieldValue;
using noun::Text;
using noun::TextList;

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
static_assert(noun::detail::IntegerNumber<int> && !noun::detail::IntegerNumber<bool> &&
              !noun::detail::IntegerNumber<double>);

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

std::vector<std::string> texts_of(const TextList& list) { return {list.begin(), list.end()}; }
using Texts = std::vector<std::string>;

/// A struct with a list, as the styles of paging have one.
struct WithList {
  TextList from = {};
};

TEST(TextList, one_text_is_a_list_of_one) {
  const std::string owned = "/a";
  const char* pointer = "/a";
  EXPECT_EQ(texts_of("/a"), Texts{"/a"});
  EXPECT_EQ(texts_of(owned), Texts{"/a"});
  EXPECT_EQ(texts_of(std::string_view(owned)), Texts{"/a"});
  EXPECT_EQ(texts_of(pointer), Texts{"/a"});
  EXPECT_EQ(texts_of(Text("/a")), Texts{"/a"});
  EXPECT_EQ(texts_of(WithList{.from = "/a"}.from), Texts{"/a"});
  EXPECT_EQ(texts_of({"/a"}), Texts{"/a"});
}

TEST(TextList, several_texts_keep_their_order) {
  const std::string owned = "/b";
  EXPECT_EQ(texts_of({"/a", "/b"}), (Texts{"/a", "/b"}));
  EXPECT_EQ(texts_of({"/a", owned, std::string_view("/c")}), (Texts{"/a", "/b", "/c"}));
  EXPECT_EQ(texts_of({{"/a", "/b"}}), (Texts{"/a", "/b"}));
  EXPECT_EQ(texts_of({{"/a", "/b", "/c"}}), (Texts{"/a", "/b", "/c"}));
  EXPECT_EQ(texts_of(WithList{.from = {"/a", "/b"}}.from), (Texts{"/a", "/b"}));
  EXPECT_EQ(texts_of(WithList{{"/a", "/b"}}.from), (Texts{"/a", "/b"}));
  EXPECT_EQ(texts_of(WithList{.from = {{"/a", "/b"}}}.from), (Texts{"/a", "/b"}));
}

TEST(TextList, an_empty_text_is_an_empty_list_but_stays_among_others) {
  const char* null = nullptr;
  for (const TextList& list : {TextList(), TextList{}, TextList(""), TextList(null), TextList(std::string()),
                               TextList(std::string_view()), WithList{}.from, WithList{.from = ""}.from}) {
    EXPECT_TRUE(list.empty());
    EXPECT_EQ(list.size(), 0U);
    EXPECT_EQ(list.begin(), list.end());
  }
  EXPECT_EQ(texts_of({"", "/a", null}), (Texts{"", "/a", ""})) << "the rules of paging refuse it";
}

TEST(TextList, owns_its_texts_and_compares_them) {
  std::string text = "/a";
  const TextList list = {text, "/b"};
  text = "/x";
  EXPECT_EQ(list, (TextList{"/a", "/b"}));
  EXPECT_NE(list, (TextList{"/b", "/a"}));
  EXPECT_EQ(list.size(), 2U);
  EXPECT_FALSE(list.empty());
}

TEST(TextList, is_of_a_vector_and_grows) {
  TextList list = std::vector<std::string>{"/a", "/b"};
  list.push_back("/c");
  EXPECT_EQ(list, (TextList{"/a", "/b", "/c"}));
}

static_assert(!std::is_constructible_v<TextList, std::nullptr_t> && !std::is_constructible_v<TextList, int>);
static_assert(std::is_convertible_v<const char*, TextList> && std::is_convertible_v<std::string, TextList>);

}}  // namespace vocabulary_test::text_test
