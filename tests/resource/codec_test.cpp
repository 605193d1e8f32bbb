// Tests of JSON to typed values and back: what decodes, and the errors of what does not.
#include <noun/json.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "resource/scripted_client.hpp"

namespace resource_test {

struct Throwing {
  int kind = 0;
};
void to_json(Json&, const Throwing& value) {
  if (value.kind == 0) throw std::runtime_error("not today");
  throw value.kind;
}
void from_json(const Json& json, Throwing& value) {
  value.kind = json.get<int>();
  if (value.kind == 0) throw std::runtime_error("not today");
  if (value.kind == 1) throw 7;
  if (value.kind == 2) throw std::bad_alloc();
}

struct Account {
  std::int64_t id = 0;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Account, id)

/// A type that is read without nlohmann.
struct Grade {
  char letter = 'F';
};

}  // namespace resource_test

template <>
struct noun::Codec<resource_test::Grade> {
  static Result<resource_test::Grade> decode(std::string_view text) {
    if (text.empty()) return Error(Errc::resource, "it is too long");
    if (text == "7") return Error(Errc::not_found, "it is no letter", "ask for grades");
    return resource_test::Grade{text.front()};
  }
};

namespace resource_test {

namespace codec_test {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

using namespace std::literals;

constexpr noun::Limits limits;
constexpr std::size_t depth = limits.json_depth;

/// Why a text does not decode as a T; empty if it does.
template <class T>
std::string fault_of(std::string_view text) {
  noun::detail::DecodeFault fault;
  return noun::detail::decode_value<T>(text, limits, fault) ? std::string() : fault.what;
}

std::string nested(std::size_t levels) { return std::string(levels, '[') + std::string(levels, ']'); }

TEST(DecodeValue, reads_a_type_with_from_json) {
  noun::detail::DecodeFault fault;
  EXPECT_EQ(noun::detail::decode_value<Language>(german, limits, fault), (Language{"deu", "German"}));
  EXPECT_EQ(noun::detail::decode_value<std::string>(R"("x")", limits, fault), "x");
  EXPECT_EQ(noun::detail::decode_value<bool>("true", limits, fault), true);
  EXPECT_EQ(noun::detail::decode_value<std::vector<int>>(" [1, 2] ", limits, fault), (std::vector{1, 2}));
  EXPECT_EQ(noun::detail::decode_value<Json>("[1]", limits, fault), Json::array({1}));
  EXPECT_EQ(fault.what, "");
}

TEST(DecodeValue, names_the_missing_member_and_the_expected_type) {
  const std::pair<std::string, const char*> cases[] = {
      {fault_of<Language>(R"({"alpha_3": "deu"})"), "the body cannot be decoded: key 'name' not found"},
      {fault_of<Language>(R"({"alpha_3": 7, "name": ""})"), "type must be string, but is number"},
      {fault_of<std::vector<int>>("{}"), "type must be array, but is object"},
      {fault_of<int>(R"("7")"), "a number is expected, not string"},
      {fault_of<int>("null"), "a number is expected, not null"},
      {fault_of<int>("true"), "a number is expected, not boolean"},
      {fault_of<Throwing>("0"), "not today"},
      {fault_of<Throwing>("1"), "threw something other than a std::exception"},
  };
  for (const auto& [fault, words] : cases) EXPECT_THAT(fault, HasSubstr(words));
  EXPECT_EQ(fault_of<Throwing>("3"), "");
}

TEST(DecodeValue, has_code_and_advice) {
  noun::detail::DecodeFault fault;
  EXPECT_FALSE(noun::detail::decode_value<Language>("{}", limits, fault));
  EXPECT_EQ(fault.code, Errc::decode);
  EXPECT_EQ(fault.text, "{}");
  EXPECT_EQ(fault.advice, "compare the type with the response");
  EXPECT_FALSE(noun::detail::decode_value<Throwing>("2", limits, fault));
  EXPECT_EQ(fault.code, Errc::resource);
}

TEST(DecodeValue, rejects_invalid_json) {
  for (const auto text : {"<html>"sv, "{"sv, "[1,]"sv, "1 2"sv, "{} {}"sv, "NaN"sv, "1e400"sv, "\"\xff\""sv,
                          R"("\ud800")"sv, "'a'"sv, ""sv, "\0"sv, "[1"sv, "nul"sv, "// c\n1"sv})
    EXPECT_NE(fault_of<Json>(text), "") << text;
  EXPECT_EQ(fault_of<Json>("\xEF\xBB\xBF{}"), "");
}

TEST(DecodeValue, rejects_text_after_a_nul_which_nlohmann_would_ignore) {
  for (const auto text : {"{\"id\":7}\0"sv, "{\"id\":7}\0 and more"sv, "7\0"sv, "null\0"sv})
    EXPECT_THAT(fault_of<Json>(text), HasSubstr("it has a NUL byte at offset ")) << text;
  EXPECT_THAT(fault_of<std::optional<int>>("null\0"sv), HasSubstr("a NUL byte at offset 4"));
  EXPECT_THAT(fault_of<int>("7\0"sv), HasSubstr("a NUL byte at offset 1"));
  EXPECT_EQ(fault_of<Json>(R"("a\u0000b")"), "");
}

TEST(DecodeValue, rejects_an_integer_that_json_would_change_into_a_double) {
  for (const auto* text : {"18446744073709551616", "-9223372036854775809", "[1,[-99999999999999999999]]",
                           R"({"a":"1","id":18446744073709551616})"})
    EXPECT_THAT(fault_of<Json>(text), HasSubstr("is beyond 64 bits")) << text;
  EXPECT_EQ(fault_of<Account>(R"({"id": 18446744073709551616})"),
            "the body cannot be decoded: the integer 18446744073709551616 is beyond 64 bits");
  const std::string forty(40, '9');
  EXPECT_THAT(fault_of<Json>(forty), HasSubstr("the integer " + forty + " is beyond 64 bits"));
  EXPECT_THAT(fault_of<Json>(forty + "9"), HasSubstr("the integer of 41 characters is beyond 64 bits"));
  EXPECT_THAT(fault_of<Json>("[1e400]"), HasSubstr("the number 1e400 is beyond the range of a double"));
  const auto digits = std::string(1'000'000, '9');
  EXPECT_LT(fault_of<Json>('[' + digits + ']').size(), 200U);
  for (const auto& text : std::vector<std::string>{
           "18446744073709551615", "-9223372036854775808", "[9223372036854775807]", "123456789012345678901.5", "1e300",
           "0.18446744073709551616", "12345678901234567890e1", "\"18446744073709551616\"",
           R"({"\"18446744073709551616":"\\"})", R"(["99999999999999999999",7])", '"' + digits + '"'})
    EXPECT_EQ(fault_of<Json>(text), "") << text.substr(0, 60);
  EXPECT_EQ(fault_of<double>("18446744073709551616"), "");
}

TEST(DecodeValue, shows_a_short_printable_excerpt) {
  const auto fault = fault_of<Language>("\"\x1b[31m" + std::string(10'000, 'x'));
  EXPECT_LT(fault.size(), 400U);
  EXPECT_EQ(fault.find('\x1b'), std::string::npos);
}

TEST(DecodeValue, rejects_too_deep_nesting_before_parsing) {
  noun::detail::DecodeFault fault;
  EXPECT_TRUE(noun::detail::decode_value<Json>(nested(depth), limits, fault));
  EXPECT_FALSE(noun::detail::decode_value<Json>(nested(depth + 1), limits, fault));
  EXPECT_EQ(fault.code, Errc::too_large);
  EXPECT_THAT(fault.what, HasSubstr("nested deeper than 128 levels"));
  EXPECT_FALSE(noun::detail::decode_value<Json>(std::string(1'000'000, '['), limits, fault));
  EXPECT_EQ(fault.code, Errc::too_large);
  fault = {};
  EXPECT_TRUE(noun::detail::decode_value<Json>('"' + std::string(1000, '[') + '"', limits, fault));
}

TEST(DecodeResponse, without_a_body_is_null_for_a_json_and_no_content_for_others) {
  noun::detail::DecodeFault fault;
  for (const int status : {200, 201, 204, 205}) {
    const noun::Response response{.status = status};
    EXPECT_EQ(noun::detail::decode_response<Json>(response, "", limits, fault), Json(nullptr));
    EXPECT_FALSE(noun::detail::decode_response<Language>(response, "", limits, fault));
    EXPECT_EQ(fault.code, Errc::no_content);
    EXPECT_THAT(fault.what, HasSubstr(std::to_string(status) + ": done"));
    EXPECT_THAT(fault.advice, HasSubstr("<void>"));
  }
  for (const int status : {204, 205, 404})
    EXPECT_FALSE(noun::detail::decode_response<int>({.status = status, .body = "7"}, "7", limits, fault)) << status;
  EXPECT_EQ(noun::detail::decode_response<int>({.status = 200, .body = "7"}, "7", limits, fault), 7);
}

TEST(Codec, that_throws_is_an_error_with_advice) {
  EXPECT_EQ(noun::Codec<Grade>::decode("A")->letter, 'A');
  noun::detail::DecodeFault fault;
  EXPECT_TRUE(noun::detail::decode_value<Grade>("B", limits, fault));
  EXPECT_FALSE(noun::detail::decode_value<Grade>("7", limits, fault));
  EXPECT_EQ(fault.code, Errc::decode);
  EXPECT_THAT(fault.what, HasSubstr("it is no letter"));
  EXPECT_EQ(fault.advice, "ask for grades");
  EXPECT_FALSE(noun::detail::decode_value<Grade>("", limits, fault));
  EXPECT_EQ(fault.code, Errc::resource);
}

TEST(EncodeBody, writes_types_with_to_json) {
  const std::pair<noun::Result<std::string>, const char*> cases[] = {
      {noun::detail::encode_body(Language{"deu", "German"}, depth), R"({"alpha_3":"deu","name":"German"})"},
      {noun::detail::encode_body("text", depth), R"("text")"},
      {noun::detail::encode_body(7, depth), "7"},
      {noun::detail::encode_body(nullptr, depth), "null"},
      {noun::detail::encode_body(std::map<std::string, int>{{"a", 1}}, depth), R"({"a":1})"},
      {noun::detail::encode_body(Json::array({1, "gr\u00fcn"}), depth), "[1,\"gr\u00fcn\"]"},
      {noun::detail::encode_body(std::vector<Language>{}, depth), "[]"},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(text.value(), expected);
}

TEST(EncodeBody, rejects_values_that_json_cannot_represent) {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::pair<Json, const char*> cases[] = {
      {Json("a\xff"), "invalid UTF-8 byte"},
      {Json({{"k\xff", 1}}), "invalid UTF-8 byte"},
      {Json("\xed\xa0\x80"), "invalid UTF-8 byte"},
      {Json(std::nan("")), "a number that is not finite"},
      {Json(infinity), "a number that is not finite"},
      {Json::array({1, Json{{"deep", -infinity}}}), "a number that is not finite"},
      {Json::binary({1, 2}), "binary data"},
      {Json(Json::value_t::discarded), "a discarded value"},
      {Json{{"a", Json(Json::value_t::discarded)}}, "a discarded value"},
  };
  for (const auto& [body, because] : cases) {
    const auto text = noun::detail::encode_body(body, depth);
    expect_refused(text, because);
    EXPECT_THAT(message_of(text),
                AllOf(HasSubstr("the body cannot be written as JSON"), Not(HasSubstr("[json.exception"))));
  }
}

TEST(EncodeBody, rejects_a_body_that_is_nested_too_deeply) {
  EXPECT_TRUE(noun::detail::encode_body(Json::parse(nested(depth)), depth));
  for (const std::size_t levels : {depth + 1, std::size_t{1'000'000}})
    expect_refused(noun::detail::encode_body(Json::parse(nested(levels)), depth),
                   "nested deeper than ClientOptions::limits.json_depth (128)");
  const std::vector<std::vector<std::vector<int>>> typed = {{{1}}};
  EXPECT_TRUE(noun::detail::encode_body(typed, 3));
  expect_refused(noun::detail::encode_body(typed, 2), "nested deeper than ClientOptions::limits.json_depth (2)");
}

TEST(EncodeBody, catches_every_exception_of_a_hook) {
  expect_refused(noun::detail::encode_body(Throwing{0}, depth), "not today");
  expect_refused(noun::detail::encode_body(Throwing{1}, depth), "threw something other than a std::exception");
}

TEST(PlainWhat, removes_only_the_tag_of_nlohmann) {
  const std::pair<const char*, const char*> cases[] = {
      {"plain", "plain"},
      {"[json.exception.out_of_range.403] key 'x' not found", "key 'x' not found"},
      {"[json.exception.cut", "[json.exception.cut"},
      {"[json.exception.parse_error.101] invalid string; last read: '\"s3cret'", "invalid string"},
      {"mine; last read: a page", "mine; last read: a page"},
  };
  for (const auto& [what, words] : cases) EXPECT_EQ(noun::detail::plain_what(what), words);
}

TEST(BodyAs, reads_the_error_format_of_the_server) {
  Bench bench;
  bench.script->expect(Method::get, "/v1/x").reply(422, R"({"code": 1201, "fields": ["name"]})");
  const auto got = bench.client().singleton("x").get();
  ASSERT_EQ(code_of(got), Errc::client_error);
  const auto body = got.error().body_as<Json>();
  ASSERT_TRUE(body);
  EXPECT_EQ((*body)["code"], 1201);
  EXPECT_EQ(body.response()->status, 422);
  const auto wrong = got.error().body_as<Language>();
  expect_error(wrong, Errc::decode, "the body of the response cannot be decoded as this type");
  EXPECT_EQ(wrong.error().status(), 422);
}

TEST(BodyAs, does_not_show_the_text_of_the_server) {
  Bench bench;
  bench.script->expect(Method::get, "/v1/x").reply(422, R"("s3cret-token")");
  const auto got = bench.client({.credentials = noun::bearer("s3cret-token")}).singleton("x").get();
  expect_error(got.error().body_as<noun::as_text<int>>(), Errc::decode, "compare the type with Error::response()");
}

TEST(BodyAs, is_too_large_beyond_128_levels_whatever_the_options_say) {
  Bench bench;
  bench.script->expect(Method::get, "/v1/x").reply(422, std::string(129, '[') + std::string(129, ']'));
  const auto got = bench.client({.limits = {.json_depth = 1000}}).singleton("x").get();
  const auto body = got.error().body_as<Json>();
  expect_error(body, Errc::too_large, "nested deeper than 128 levels");
  EXPECT_EQ(body.error().advice(), "");
}

TEST(BodyAs, is_no_content_without_response_or_body) {
  EXPECT_EQ(code_of(noun::Error(Errc::connect, "no").body_as<Json>()), Errc::no_content);
  Bench bench;
  bench.script->expect(Method::get, "/v1/x").reply(404);
  const auto got = bench.client().singleton("x").get();
  expect_error(got.error().body_as<Language>(), Errc::no_content, "without a body");
}

TEST(Problem, is_in_the_error_and_its_message) {
  Bench bench;
  bench.script->expect(Method::get, "/v1/x")
      .reply(403,
             R"({"type": "https://example.com/out", "title": "Out of credit", "detail": "30 < 50", "status": 403})",
             {{"Content-Type", "application/problem+json"}, {"X-Request-Id", "r-1"}});
  const auto got = bench.client().singleton("x").get();
  expect_error(got, Errc::forbidden, "Out of credit");
  ASSERT_TRUE(got.error().problem());
  EXPECT_EQ(got.error().problem()->title, "Out of credit");
  EXPECT_EQ(got.error().problem()->detail, "30 < 50");
  EXPECT_EQ(got.error().request_id(), "r-1");
}

}  // namespace codec_test
}  // namespace resource_test
