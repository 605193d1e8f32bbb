// The shapes of JSON error bodies beyond the vectors.
#include "wire/error_words.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace noun::wire {
namespace error_words_test {

using Fields = std::vector<std::string>;

ErrorWords words(const char* body) { return error_words(nlohmann::json::parse(body)); }

TEST(ErrorWords, a_bare_text_is_the_message) { EXPECT_EQ(words(R"("no")").message, "no"); }

TEST(ErrorWords, github_names_the_fields_in_a_list) {
  const auto said = words(R"({"message":"Validation Failed","errors":[
      {"resource":"Issue","field":"title","code":"missing_field"},{"message":"x"},"Too many"],
      "documentation_url":"u"})");
  EXPECT_EQ(said.message, "Validation Failed");
  EXPECT_EQ(said.fields, (Fields{"title missing_field", "Too many"}));
}

TEST(ErrorWords, oauth_describes_its_code) {
  const auto said = words(R"({"error":"invalid_grant","error_description":"The token has expired."})");
  EXPECT_EQ(said.message, "The token has expired.");
  EXPECT_EQ(said.code, "invalid_grant");
}

TEST(ErrorWords, anthropic_and_cloudflare_wrap_their_error) {
  EXPECT_EQ(words(R"({"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}})").code,
            "overloaded_error");
  const auto said = words(R"({"success":false,"errors":[{"code":1003,"message":"Invalid zone"}],"messages":[]})");
  EXPECT_EQ(said.message, "Invalid zone");
  EXPECT_EQ(said.code, "1003");
}

TEST(ErrorWords, a_status_is_a_code_only_when_it_is_a_constant) {
  EXPECT_EQ(words(R"({"error":{"message":"m","status":"NOT_FOUND"}})").code, "NOT_FOUND");
  EXPECT_EQ(words(R"({"message":"m","status":"error"})").code, "");
  EXPECT_EQ(words(R"({"message":"m","status":"422"})").code, "");
}

TEST(ErrorWords, trees_of_field_errors_give_paths) {
  const auto said = words(R"({"code":50035,"message":"Invalid","errors":
      {"user":{"name":{"_errors":[{"code":"X","message":"Too long"}]},"age":["Too young"]}}})");
  EXPECT_EQ(said.fields, (Fields{"user.age: Too young", "user.name: Too long"}));
}

TEST(ErrorWords, a_predicate_goes_on_from_its_field) {
  EXPECT_EQ(words(R"({"errors":{"title":["can't be blank"],"email":"Invalid","x":[]}})").fields,
            (Fields{"email: Invalid", "title can't be blank"}));
}

TEST(ErrorWords, lists_of_texts_give_the_first_as_message) {
  const auto said = words(R"({"errorMessages":["First","Second"],"errors":{}})");
  EXPECT_EQ(said.message, "First");
  EXPECT_EQ(said.fields, (Fields{"Second"}));
}

TEST(ErrorWords, sources_of_json_api_are_fields) {
  const auto said =
      words(R"({"errors":[{"title":"T","source":{"parameter":"page"}},{"detail":"D","source":{"pointer":"/x"}}]})");
  EXPECT_EQ(said.message, "T");
  EXPECT_EQ(said.fields, (Fields{"page", "/x: D"}));
}

TEST(ErrorWords, what_has_no_words_says_nothing) {
  for (const auto* body : {"null", "1", "[]", "{}", "[[]]", "[1]", R"({"a":1})", R"({"error":null})", R"({"errors":7})",
                           R"({"a":["x"],"b":1})", R"({"message":{}})", R"({"source":1})"}) {
    const auto said = words(body);
    EXPECT_TRUE(said.message.empty() && said.code.empty() && said.fields.empty()) << body;
  }
}

TEST(ErrorWords, fields_are_few_and_shallow_whatever_the_body) {
  nlohmann::json map;
  for (int i = 0; i < 1000; ++i) map["k" + std::to_string(i)] = "is bad";
  EXPECT_EQ(error_words({{"errors", map}}).fields.size(), 8U);
  nlohmann::json list = nlohmann::json::array();
  for (int i = 0; i < 1000; ++i) list.push_back({{"field", "f" + std::to_string(i)}, {"message", "is bad"}});
  EXPECT_EQ(error_words({{"errors", list}}).fields.size(), 8U);
  nlohmann::json deep = "is bad";
  for (int i = 0; i < 50; ++i) deep = nlohmann::json{{"k", deep}};
  EXPECT_TRUE(error_words({{"errors", deep}}).fields.empty());
}

TEST(ErrorWords, long_names_are_not_copied_into_every_path) {
  nlohmann::json children;
  for (int i = 0; i < 20'000; ++i) children["k" + std::to_string(i)] = nlohmann::json::object();
  children["z"] = "is bad";
  const auto said = error_words({{"errors", {{std::string(500'000, 'n'), children}}}});
  EXPECT_EQ(said.fields, (Fields{std::string(64, 'n') + ".z is bad"}));
}

}  // namespace error_words_test
}  // namespace noun::wire
