#include "wire/page_url.hpp"

#include <gtest/gtest.h>

namespace wire_test { namespace page_url_test {

TEST(PageUrl, a_parameter_is_found_by_its_exact_name) {
  using noun::wire::parameter_of;
  EXPECT_EQ(parameter_of("https://h/x?page=2&per_page=50", "page"), "2");
  EXPECT_EQ(parameter_of("https://h/x?per_page=50&page=2#page=9", "page"), "2");
  EXPECT_EQ(parameter_of("https://h/page=1?mypage=2", "page"), std::nullopt);
  EXPECT_EQ(parameter_of("https://h/x#f?page=2", "page"), std::nullopt);
  EXPECT_EQ(parameter_of("https://h/x?page", "page"), "");
  EXPECT_EQ(parameter_of("https://h/x?page=", "page"), "");
  EXPECT_EQ(parameter_of("https://h/x", "page"), std::nullopt);
  EXPECT_EQ(parameter_of("https://h/x?page%5Bnumber%5D=4", "page[number]"), "4");
  EXPECT_EQ(parameter_of("https://h/x?page[number]=4", "page[number]"), "4");
  EXPECT_EQ(parameter_of("https://h/x?a=b?page=3&page=4", "page"), "4");
}

TEST(PageUrl, setting_a_parameter_leaves_all_other_bytes) {
  using noun::wire::with_parameter;
  EXPECT_EQ(with_parameter("https://h/x", "page", "2"), "https://h/x?page=2");
  EXPECT_EQ(with_parameter("https://h/x?", "page", "2"), "https://h/x?page=2");
  EXPECT_EQ(with_parameter("https://h/x?q=%7e+a&", "page", "2"), "https://h/x?q=%7e+a&page=2");
  EXPECT_EQ(with_parameter("https://h/x?page=1&q=%7e", "page", "2"), "https://h/x?page=2&q=%7e");
  EXPECT_EQ(with_parameter("https://h/x?page&q=1", "page", "2"), "https://h/x?page=2&q=1");
  EXPECT_EQ(with_parameter("https://h/x?page=#f", "page", "2"), "https://h/x?page=2");
  EXPECT_EQ(with_parameter("https://h/x?q=1#f", "page", "2"), "https://h/x?q=1&page=2");
  EXPECT_EQ(with_parameter("https://h/x", "page[n]", "a b&c"), "https://h/x?page%5Bn%5D=a%20b%26c");
}

TEST(PageUrl, the_parameters_of_a_query_are_decoded_in_their_order) {
  const auto query = noun::wire::decoded_query("https://h.example/a?b=1%202&page%5Bsize%5D=3&c&=4&b=&bad=%zz#f=5");
  std::string written;
  for (const auto& [name, value] : query) written += name + "=" + value + ";";
  EXPECT_EQ(written, "b=1 2;page[size]=3;c=;=4;b=;");
  EXPECT_TRUE(noun::wire::decoded_query("https://h.example/a").empty());
}

}}  // namespace wire_test::page_url_test
