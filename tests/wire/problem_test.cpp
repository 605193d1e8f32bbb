// Error bodies: problem reports, and the service's own words.
#include "wire/problem.hpp"

#include <gtest/gtest.h>

#include "vectors.hpp"
#include "wire/json_scan.hpp"

namespace noun::wire {
namespace problem_test {

using wire_test::json;
using wire_test::Vector;

class ErrorBodyVector : public testing::TestWithParam<Vector> {};

TEST_P(ErrorBodyVector, is_told_in_one_line) {
  const auto& data = GetParam().data;
  const auto& body = data.at("body");
  const auto text = body.is_string() ? body.get<std::string>() : body.dump();
  const auto line = service_message(data.at("content_type").get<std::string>(), text);
  const auto& expected = data.at("expect");

  if (expected.at("message").is_null()) {
    EXPECT_EQ(line, text);
    return;
  }
  EXPECT_TRUE(line.starts_with(expected.at("message").get<std::string>())) << line;
  for (const auto* key : {"code", "detail"}) {
    const auto words = expected.value(key, json());
    const bool told =
        !words.is_string() || words == "about:blank" || line.find(words.get<std::string>()) != std::string::npos;
    EXPECT_TRUE(told) << line;
  }
  for (const auto& field : expected.value("fields", json::array()))
    EXPECT_NE(line.find(field.get<std::string>()), std::string::npos) << line;
}

INSTANTIATE_TEST_SUITE_P(vectors, ErrorBodyVector, testing::ValuesIn(wire_test::vectors("error_body.json")),
                         wire_test::id_of);

TEST(ErrorBodyVectors, all_24_are_there) { EXPECT_EQ(wire_test::vectors("error_body.json").size(), 24U); }

constexpr const char* problem_type = "application/problem+json";

TEST(ParseProblem, a_full_report_is_read) {
  const auto problem =
      parse_problem("Application/Problem+JSON; charset=utf-8",
                    R"({"type":"https://a/b","title":"T","status":403,"detail":"D","instance":"/i","x":1})");
  ASSERT_TRUE(problem);
  EXPECT_EQ(problem->type, "https://a/b");
  EXPECT_EQ(problem->title, "T");
  EXPECT_EQ(problem->status, 403);
  EXPECT_EQ(problem->detail, "D");
  EXPECT_EQ(problem->instance, "/i");
}

TEST(ParseProblem, members_of_the_wrong_type_count_as_absent) {
  const auto problem =
      parse_problem(problem_type, R"({"type":7,"title":["T"],"status":"403","detail":null,"instance":{}})");
  ASSERT_TRUE(problem);
  EXPECT_EQ(problem->type, "about:blank");
  EXPECT_EQ(problem->title + problem->detail + problem->instance, "");
  EXPECT_EQ(problem->status, 0);
}

TEST(ParseProblem, a_status_that_is_none_counts_as_absent) {
  for (const auto* status : {"0", "99", "600", "-403", "403.5", "18446744073709551615", "4294967699"})
    EXPECT_EQ(parse_problem(problem_type, std::string(R"({"status":)") + status + "}")->status, 0) << status;
}

TEST(ParseProblem, plain_json_of_the_same_shape_is_a_report) {
  EXPECT_TRUE(parse_problem("application/json", R"({"title":"Forbidden","status":403})"));
  EXPECT_TRUE(parse_problem("application/json", R"({"type":"about:blank","status":403})"));
  EXPECT_TRUE(parse_problem("application/json", R"({"detail":"x","status":403})"));
}

TEST(ParseProblem, plain_json_of_another_shape_is_none) {
  EXPECT_FALSE(parse_problem("application/json", R"({"detail":"Not found."})"));
  EXPECT_FALSE(parse_problem("application/json", R"({"status":403})"));
  EXPECT_FALSE(parse_problem("application/json", R"({"status":"error","title":"x"})"));
  EXPECT_FALSE(parse_problem("application/json", R"({"message":"x","status":403})"));
}

TEST(ParseProblem, what_is_no_json_object_is_none) {
  for (const auto* body : {"", "[]", "null", "\"x\"", "{", "{\"title\":\"\xFF\"}", "{}{}", "{\"status\":1e999}"})
    EXPECT_FALSE(parse_problem(problem_type, body)) << body;
  EXPECT_FALSE(parse_problem("text/html", R"({"title":"x","status":403})"));
  EXPECT_FALSE(parse_problem("", R"({"title":"x","status":403})"));
}

TEST(ParseProblem, what_is_too_deep_or_too_large_is_none) {
  const auto wrapped = [](std::size_t depth) {
    return R"({"title":"T","x":)" + std::string(depth, '[') + std::string(depth, ']') + "}";
  };
  EXPECT_TRUE(parse_problem(problem_type, wrapped(63)));
  EXPECT_FALSE(parse_problem(problem_type, wrapped(64)));
  EXPECT_FALSE(parse_problem(problem_type, wrapped(1'000'000)));
  EXPECT_FALSE(parse_problem(problem_type, R"({"title":")" + std::string(2'000'000, 'x') + "\"}"));
}

TEST(ServiceMessage, nothing_to_say_is_empty) {
  for (const auto* body : {"", " \r\n\t", "null", " null ", "{}", "[]", "true", "7"})
    EXPECT_EQ(service_message("application/json", body), "") << body;
  EXPECT_EQ(service_message("text/html", " \n "), "");
}

TEST(ServiceMessage, a_form_that_is_not_known_is_quoted) {
  EXPECT_EQ(service_message("application/json", R"({"err": {"msg": "no such book"}})"),
            R"({"err": {"msg": "no such book"}})");
  EXPECT_EQ(service_message("application/json", R"({"ok":false})"), R"({"ok":false})");
}

TEST(ServiceMessage, other_media_than_text_say_nothing) {
  EXPECT_EQ(service_message("image/png", "\x89PNG"), "");
  EXPECT_EQ(service_message("application/octet-stream", "abc"), "");
}

TEST(ServiceMessage, text_and_markup_are_shown_by_their_beginning_in_one_line) {
  EXPECT_EQ(service_message("text/plain", "Retry later\r\n"), "Retry later");
  EXPECT_EQ(service_message("text/html; charset=utf-8", "<html>\n  <h1>502</h1>\n</html>\n"),
            "<html> <h1>502</h1> </html>");
  EXPECT_EQ(service_message("application/xml", "<e>x</e>"), "<e>x</e>");
  EXPECT_EQ(service_message("", "Too many"), "Too many");
  const auto cut = service_message("text/html", std::string(100'000'000, 'x'));
  EXPECT_EQ(cut.size(), 200U);
  EXPECT_TRUE(cut.ends_with("\u2026"));
}

TEST(ServiceMessage, json_without_a_content_type_is_read_as_json) {
  EXPECT_EQ(service_message("", R"({"message":"no"})"), "no");
  EXPECT_EQ(service_message("", R"([{"message":"no"}])"), "no");
}

TEST(ServiceMessage, a_message_is_one_printable_line) {
  EXPECT_EQ(service_message("application/json", R"({"message":"a\nb\u001b[31m\u0000  c"})"), "a b.[31m. c");
}

TEST(ServiceMessage, a_long_message_is_cut_between_characters) {
  for (std::size_t shift = 0; shift < 4; ++shift) {
    std::string text(shift, 'x');
    for (int i = 0; i < 200; ++i) text += "\u20AC";
    const auto line = service_message("application/json", json{{"message", text}}.dump());
    EXPECT_LE(line.size(), 300U);
    EXPECT_GT(line.size(), 293U);
    EXPECT_TRUE(valid_utf8(line));
  }
}

TEST(ServiceMessage, broken_json_is_shown_by_its_beginning) {
  EXPECT_EQ(service_message("application/json", R"({"message":"x")"), R"({"message":"x")");
  EXPECT_EQ(service_message("application/json", "[" + std::string(1'000'000, '[')).size(), 200U);
}

TEST(ServiceMessage, nothing_is_said_twice) {
  EXPECT_EQ(service_message("application/json", R"({"message":"NO_GO","code":"NO_GO","detail":"NO_GO"})"), "NO_GO");
  EXPECT_EQ(service_message(problem_type, R"({"title":"Not Found","detail":"no such item"})"),
            "Not Found: no such item");
  EXPECT_EQ(service_message(problem_type, R"({"title":"Stopped.","detail":"Pay first"})"), "Stopped. Pay first");
  EXPECT_EQ(service_message("application/json", R"({"message":"bad name","code":"E1","errors":{"name":""}})"),
            "bad name (E1)");
}

TEST(ServiceMessage, a_code_alone_is_shown) {
  EXPECT_EQ(service_message("application/json", R"({"code":20429})"), "20429");
}

}  // namespace problem_test
}  // namespace noun::wire
