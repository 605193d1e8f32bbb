// What may stand in a header field that a caller gives, wherever it is given.
#include "resource/field_rules.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "resource/scripted_client.hpp"

namespace resource_test {
namespace field_rules_test {

using ::testing::HasSubstr;
using ::testing::Not;

using namespace std::literals;

TEST(FieldRules, refuse_names_that_are_no_tokens) {
  for (const auto name :
       {""sv, "a b"sv, "a:"sv, "a\r\n"sv, "a\0"sv, "\xc3\xa4"sv, "a(b)"sv, "a/b"sv, "\"a\""sv, "a\x7f"sv}) {
    const auto fault = noun::fault_of_headers({{name, "s3cret"}});
    ASSERT_TRUE(fault) << name;
    EXPECT_THAT(*fault, Not(HasSubstr("s3cret")));
    EXPECT_THAT(*fault, HasSubstr(name.empty() ? "has no name" : "has a character that may not be in one"));
  }
  EXPECT_EQ(noun::fault_of_headers({{"!#$%&'*+-.^_`|~09azAZ", ""}}), std::nullopt);
}

TEST(FieldRules, refuse_control_characters_in_values_and_never_show_them) {
  for (const auto value :
       {"s3cret\r\nX: y"sv, "s3cret\n"sv, "s3cret\r"sv, "s3cret\0"sv, "s3cret\x1b[0m"sv, "s3cret\x7f"sv}) {
    const auto fault = noun::fault_of_headers({{"X-Mine", value}});
    ASSERT_TRUE(fault);
    EXPECT_EQ(*fault, "the value of the header X-Mine has a control character in it");
  }
  EXPECT_EQ(noun::fault_of_headers({{"X", "tab\tspace \xc3\xa4 \xff"}, {"Y", ""}}), std::nullopt);
}

TEST(FieldRules, refuse_what_is_nouns_to_set_in_any_case) {
  for (const auto* name :
       {"Host", "host", "CONTENT-LENGTH", "Transfer-Encoding", "connection", "Keep-Alive", "TE", "Upgrade", "Expect"})
    EXPECT_THAT(noun::fault_of_headers({{name, "x"}}).value_or(""), HasSubstr("is noun's to set")) << name;
  EXPECT_EQ(noun::fault_of_headers({{"Accept", "x"}, {"Cookie", "a=b"}, {"X-Host", "x"}}), std::nullopt);
}

TEST(FieldRules, look_at_every_field) {
  EXPECT_TRUE(noun::fault_of_headers({{"A", "1"}, {"B", "2"}, {"C", "\n"}}));
  EXPECT_EQ(noun::fault_of_headers({}), std::nullopt);
}

TEST(FieldRules, hold_wherever_a_header_is_given) {
  Bench bench;
  EXPECT_EQ(code_of(bench.create("https://api.example.com", {.headers = {{"X", "a\r\nb"}}})), Errc::invalid_argument);
  EXPECT_EQ(code_of(bench.create("https://api.example.com", {.headers = {{"Host", "evil"}}})), Errc::invalid_argument);
  const auto item = bench.client().singleton("x");
  const noun::CallOptions bad[] = {
      {.headers = {{"X", "a\r\nb"}}},
      {.headers = {{"X y", "a"}}},
      {.headers = {{"Content-Length", 0}}},
      {.if_match = "\"a\"\r\nX: y"},
      {.if_none_match = "\n"},
      {.idempotency_key = "a\r\nX: y"},
      {.idempotency_key = std::string("a\0b", 3)},
  };
  for (const auto& options : bad) {
    const auto got = item.replace(Json(1), options);
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().code(), Errc::invalid_argument);
    EXPECT_EQ(got.error().sent(), Sent::no);
    EXPECT_THAT(got.error().message(), HasSubstr("nothing was sent"));
  }
  auto listing = bench.client().collection("x").list({.headers = {{"X", "\n"}}});
  EXPECT_EQ(code_of(*listing.begin()), Errc::invalid_argument);
  EXPECT_EQ(bench.sent(), 0U);
}

}  // namespace field_rules_test
}  // namespace resource_test
