// Tests of the rules for header fields of the caller.
#include "resource/field_rules.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

#include "resource/scripted_client.hpp"

namespace resource_test { namespace field_rules_test {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

using namespace std::literals;

std::string fault(const noun::Headers& headers) { return noun::fault_of_headers(headers).value_or("nothing"); }

TEST(FieldRules, name_the_invalid_part_of_a_field_and_hide_its_value) {
  EXPECT_EQ(fault({{"", "s3cret"}}), "a header has no name");
  for (const auto name : {"a b"sv, "a:"sv, "a\r\n"sv, "a\0"sv, "\xc3\xa4"sv, "a(b)"sv, "a/b"sv, "\"a\""sv, "a\x7f"sv})
    EXPECT_THAT(fault({{name, "s3cret"}}),
                AllOf(HasSubstr("has an invalid character"), Not(HasSubstr("s3cret"))));
  for (const auto value :
       {"s3cret\r\nX: y"sv, "s3cret\n"sv, "s3cret\r"sv, "s3cret\0"sv, "s3cret\x1b[0m"sv, "s3cret\x7f"sv})
    EXPECT_EQ(fault({{"X-Mine", value}}), "the value of the header X-Mine has a control character");
  for (const auto* name :
       {"Host", "host", "CONTENT-LENGTH", "Transfer-Encoding", "connection", "Keep-Alive", "TE", "Upgrade", "Expect",
        "Proxy-Authorization"})
    EXPECT_THAT(fault({{name, "x"}}), HasSubstr("is reserved: noun sets it")) << name;
  EXPECT_EQ(fault({{"Authorization: Bearer s3cret", ""}}),
            "the header name \"Authorization…\" has an invalid character");
  EXPECT_EQ(fault({{"A", "1"}, {"B", "2"}, {"C", "\n"}}), "the value of the header C has a control character");
  const noun::Headers fit[] = {{},
                               {{"!#$%&'*+-.^_`|~09azAZ", ""}},
                               {{"X", "tab\tspace \xc3\xa4 \xff"}, {"Y", ""}},
                               {{"Accept", "x"}, {"Cookie", "a=b"}, {"X-Host", "x"}}};
  for (const auto& headers : fit) EXPECT_EQ(fault(headers), "nothing");
}

TEST(FieldRules, apply_to_headers_of_clients_calls_and_listings) {
  Bench bench;
  EXPECT_EQ(code_of(bench.create("https://api.example.com", {.headers = {{"X", "a\r\nb"}}})), Errc::invalid_argument);
  EXPECT_EQ(code_of(bench.create("https://api.example.com", {.headers = {{"Host", "evil"}}})), Errc::invalid_argument);
  const auto item = bench.client().singleton("x");
  const std::pair<noun::CallOptions, const char*> bad[] = {
      {{.headers = {{"X", "a\r\nb"}}}, "the header X has a control character"},
      {{.headers = {{"X y", "a"}}}, "has an invalid character"},
      {{.headers = {{"Content-Length", 0}}}, "is reserved: noun sets it"},
      {{.if_match = "\"a\"\r\nX: y"}, "the header If-Match has a control character"},
      {{.if_none_match = "\n"}, "the header If-None-Match has a control character"},
      {{.if_match = ""}, "CallOptions::if_match is empty: the response that it came from had no ETag"},
      {{.if_none_match = ""}, "CallOptions::if_none_match is empty"},
      {{.if_match = "W/\"a\""}, "CallOptions::if_match is a weak ETag, which never matches"},
      {{.idempotency_key = "a\r\nX: y"}, "the header Idempotency-Key has a control character"},
      {{.idempotency_key = std::string("a\0b", 3)}, "the header Idempotency-Key has a control character"},
  };
  for (const auto& [options, because] : bad) expect_refused(item.replace(Json(1), options), because);
  auto listing = bench.client().collection("x").list({.headers = {{"X", "\n"}}});
  EXPECT_EQ(code_of(*listing.begin()), Errc::invalid_argument);
  EXPECT_EQ(bench.sent(), 0U);
}

TEST(FieldRules, let_a_weak_if_match_pass_where_the_api_compares_it) {
  Bench bench;
  bench.script->expect(noun::Method::patch, "/v1/x").with_header("If-Match", "W/\"a\"").reply(204);
  const auto api = bench.client({.dialect = {.weak_if_match = true}});
  EXPECT_TRUE(api.singleton("x").update<void>({{"done", true}}, {.if_match = "W/\"a\""}));
}

}  // namespace field_rules_test
}  // namespace resource_test
