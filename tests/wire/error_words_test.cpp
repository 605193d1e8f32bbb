// Shapes of JSON error bodies that the vectors do not cover.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "table.hpp"
#include "wire/problem.hpp"

namespace noun::wire { namespace error_words_test {

using Fields = std::vector<std::string>;
using nlohmann::json;

/// `code | message | detail | field | field`
std::string shown(const ErrorWords& words) {
  std::string line = words.code + " | " + words.message + " | " + words.detail;
  for (const auto& field : words.fields) line += " | " + field;
  return line;
}

// Bare text, GitHub, OAuth, Anthropic, Cloudflare, Google, Discord, Rails, Jira, JSON:API, PostgREST, DigitalOcean.
const wire_test::Table<std::string_view> bodies = {
    {R"("no")", " | no | "},
    {R"({"message":"Validation Failed","errors":[{"resource":"Issue","field":"title","code":"missing_field"},
         {"message":"x"},"Too many"],"documentation_url":"u"})",
     " | Validation Failed |  | title missing_field | Too many"},
    {R"({"error":"invalid_grant","error_description":"The token has expired."})",
     "invalid_grant | The token has expired. | "},
    {R"({"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}})",
     "overloaded_error | Overloaded | "},
    {R"({"success":false,"errors":[{"code":1003,"message":"Invalid zone"}],"messages":[]})", "1003 | Invalid zone | "},
    {R"({"error":{"message":"m","status":"NOT_FOUND"}})", "NOT_FOUND | m | "},
    {R"({"message":"m","status":"error"})", " | m | "},
    {R"({"message":"m","status":"422"})", " | m | "},
    {R"({"message":"m","type":"error"})", " | m | "},
    {R"({"code":50035,"message":"Invalid","errors":
         {"user":{"name":{"_errors":[{"code":"X","message":"Too long"}]},"age":["Too young"]}}})",
     "50035 | Invalid |  | user.age: Too young | user.name: Too long"},
    {R"({"errors":{"title":["can't be blank"],"email":"Invalid","x":[]}})",
     " |  |  | email: Invalid | title can't be blank"},
    {R"({"errorMessages":["First","Second"],"errors":{}})", " | First |  | Second"},
    {R"({"errors":[{"title":"T","source":{"parameter":"page"}},{"detail":"D","source":{"pointer":"/x"}}]})",
     " | T |  | page | /x: D"},
    {R"({"code":"PGRST116","details":"The result contains 0 rows","hint":null,"message":"Cannot coerce the result"})",
     "PGRST116 | Cannot coerce the result | The result contains 0 rows"},
    {R"({"code":"42501","details":null,"hint":"Grant it.","message":"permission denied"})",
     "42501 | permission denied | "},
    {R"({"details":"Only this"})", " | Only this | "},
    {R"({"id":"not_found","message":"The resource could not be found.","request_id":"4d9d8375"})",
     "not_found | The resource could not be found. | "},
    {R"({"id":"missing","code":"c","message":"m"})", "c | m | "},
    {R"({"id":"4d9d8375-c56b-4925","message":"m"})", " | m | "},
    {R"({"id":"deadbeef00","message":"m"})", " | m | "},
    {R"({"id":7,"message":"m"})", " | m | "},
    {R"({"id":"not_found"})", " |  | "}};

TEST(ErrorWords, are_found_in_every_shape) {
  for (const auto& [body, words] : bodies) EXPECT_EQ(shown(error_words(json::parse(body))), words) << body;
}

TEST(ErrorWords, a_body_without_a_message_is_empty) {
  for (const auto* body : {"null", "1", "[]", "{}", "[[]]", "[1]", R"({"a":1})", R"({"error":null})", R"({"errors":7})",
                           R"({"a":["x"],"b":1})", R"({"message":{}})", R"({"source":1})"})
    EXPECT_EQ(shown(error_words(json::parse(body))), " |  | ") << body;
}

TEST(ErrorWords, fields_are_limited_in_number_and_depth) {
  json map;
  json list = json::array();
  for (int i = 0; i < 1000; ++i) {
    map["k" + std::to_string(i)] = "is bad";
    list.push_back({{"field", "f" + std::to_string(i)}, {"message", "is bad"}});
  }
  EXPECT_EQ(error_words({{"errors", map}}).fields.size(), 8U);
  EXPECT_EQ(error_words({{"errors", list}}).fields.size(), 8U);
  json deep = "is bad";
  for (int i = 0; i < 50; ++i) deep = json{{"k", deep}};
  EXPECT_TRUE(error_words({{"errors", deep}}).fields.empty());
}

TEST(ErrorWords, long_names_are_not_copied_into_every_path) {
  json children;
  for (int i = 0; i < 20'000; ++i) children["k" + std::to_string(i)] = json::object();
  children["z"] = "is bad";
  const auto said = error_words({{"errors", {{std::string(500'000, 'n'), children}}}});
  EXPECT_EQ(said.fields, (Fields{"a text of 500000 bytes.z is bad"}));
}

}}  // namespace noun::wire::error_words_test
