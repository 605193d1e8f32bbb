// Error bodies: RFC 9457 problem details, and server messages in other shapes.
#include "wire/problem.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "table.hpp"
#include "vectors.hpp"
#include "wire/utf8.hpp"

namespace noun::wire { namespace problem_test {

using wire_test::json;
using wire_test::Table;

std::string server_message(std::string_view type, std::string_view body) {
  return wire::server_message(type, body, [](std::string_view text) { return std::string(text); });
}

TEST(ErrorBody, each_of_24_vectors_becomes_one_line) {
  const auto vectors = wire_test::vectors("error_body.json");
  EXPECT_EQ(vectors.size(), 24U);
  for (const auto& vector : vectors) {
    SCOPED_TRACE(vector.id());
    const auto& body = vector.data.at("body");
    const auto text = body.is_string() ? body.get<std::string>() : body.dump();
    const auto line = server_message(vector.data.at("content_type").get<std::string>(), text);
    const auto& expected = vector.data.at("expect");

    if (expected.at("message").is_null()) {
      EXPECT_EQ(line, text);
      continue;
    }
    EXPECT_TRUE(line.starts_with(expected.at("message").get<std::string>())) << line;
    auto parts = expected.value("fields", json::array());
    for (const auto* key : {"code", "detail"})
      if (const auto words = expected.value(key, json()); words.is_string() && words != "about:blank")
        parts.push_back(words);
    for (const auto& part : parts) EXPECT_NE(line.find(part.get<std::string>()), std::string::npos) << line;
  }
}

constexpr const char* problem_type = "application/problem+json";

/// `type, title, status, detail, instance`
std::string problem_in(std::string_view body, std::string_view type = problem_type) {
  const auto problem = parse_problem(type, body);
  if (!problem) return "none";
  return fmt::format("{}, {}, {}, {}, {}", problem->type, problem->title, problem->status, problem->detail,
                     problem->instance);
}

TEST(ParseProblem, a_member_of_the_wrong_type_counts_as_absent) {
  EXPECT_EQ(problem_in(R"({"type":"https://a/b","title":"T","status":403,"detail":"D","instance":"/i","x":1})",
                       "Application/Problem+JSON; charset=utf-8"),
            "https://a/b, T, 403, D, /i");
  EXPECT_EQ(problem_in(R"({"type":7,"title":["T"],"status":"403","detail":null,"instance":{}})"),
            "about:blank, , 0, , ");
  for (const auto* status : {"0", "99", "600", "-403", "403.5", "18446744073709551615", "4294967699"})
    EXPECT_EQ(problem_in(std::string(R"({"status":)") + status + "}"), "about:blank, , 0, , ") << status;
}

TEST(ParseProblem, plain_json_with_the_members_of_a_problem_is_one) {
  for (const auto* body : {R"({"title":"Forbidden","status":403})", R"({"type":"about:blank","status":403})",
                           R"({"detail":"x","status":403})"})
    EXPECT_NE(problem_in(body, "application/json"), "none") << body;
  for (const auto* body : {R"({"detail":"Not found."})", R"({"status":403})", R"({"status":"error","title":"x"})",
                           R"({"message":"x","status":403})"})
    EXPECT_EQ(problem_in(body, "application/json"), "none") << body;
}

TEST(ErrorBody, names_the_quota_policies_that_the_request_exceeds) {
  const auto message = [](std::string_view policies) {
    return server_message(problem_type, fmt::format(R"({{"title":"Too many","violated-policies":{}}})", policies));
  };
  EXPECT_EQ(message(R"(["daily","bandwidth"])"), "Too many; violated policies: daily, bandwidth");
  EXPECT_EQ(message(R"([7, "daily", null])"), "Too many; violated policies: daily");
  for (const auto* other : {"[]", "[7]", "\"daily\"", "null", "{\"a\":1}"}) EXPECT_EQ(message(other), "Too many") << other;
  EXPECT_EQ(message("[\"" + std::string(64, 'x') + "\"]"), "Too many; violated policies: " + std::string(64, 'x'));
  EXPECT_EQ(message("[\"" + std::string(99, 'x') + "\"]"), "Too many; violated policies: a text of 99 bytes");
}

TEST(ParseProblem, only_a_json_object_is_a_problem) {
  for (const auto* body : {"", "[]", "null", "\"x\"", "{", "{\"title\":\"\xFF\"}", "{}{}", "{\"status\":1e999}"})
    EXPECT_EQ(problem_in(body), "none") << body;
  for (const auto* type : {"text/html", ""})
    EXPECT_EQ(problem_in(R"({"title":"x","status":403})", type), "none") << type;
}

TEST(ParseProblem, too_deep_and_too_large_bodies_are_not_problems) {
  const auto wrapped = [](std::size_t depth) {
    return R"({"title":"T","x":)" + std::string(depth, '[') + std::string(depth, ']') + "}";
  };
  EXPECT_NE(problem_in(wrapped(63)), "none");
  EXPECT_EQ(problem_in(wrapped(64)), "none");
  EXPECT_EQ(problem_in(wrapped(1'000'000)), "none");
  EXPECT_EQ(problem_in(R"({"title":")" + std::string(2'000'000, 'x') + "\"}"), "none");
}

TEST(ServiceMessage, of_json_is_its_message_in_one_printable_line_or_its_start) {
  for (const auto* body : {"", " \r\n\t", "null", " null ", "{}", "[]", "true", "7"})
    EXPECT_EQ(server_message("application/json", body), "") << body;
  for (const auto* quoted : {R"({"err": {"msg": "no such book"}})", R"({"ok":false})", R"({"message":"x")"})
    EXPECT_EQ(server_message("application/json", quoted), quoted);
  const Table<std::string_view> lines = {
      {R"({"message":"a\nb\u001b[31m\u0000  c"})", "a b.[31m. c"},
      {R"({"message":"NO_GO","code":"NO_GO","detail":"NO_GO"})", "NO_GO"},
      {R"({"message":"Bad name here","detail":"Bad name"})", "Bad name here"},
      {R"({"message":"bad name","code":"E1","errors":{"name":""}})", "bad name (E1)"},
      {R"({"code":20429})", "20429"}};
  for (const auto& [body, line] : lines) EXPECT_EQ(server_message("application/json", body), line);
  EXPECT_EQ(server_message("application/json", "[" + std::string(1'000'000, '[')).size(), 200U);
  EXPECT_EQ(server_message(problem_type, R"({"title":"Not Found","detail":"no such item"})"),
            "Not Found: no such item");
  EXPECT_EQ(server_message(problem_type, R"({"title":"Stopped.","detail":"Pay first"})"), "Stopped. Pay first");
}

TEST(ServiceMessage, of_text_and_markup_is_the_start_and_of_other_media_nothing) {
  struct Case {
    const char *type, *body, *line;
  };
  for (const auto& [type, body, line] :
       {Case{"text/html", " \n ", ""},
        {"image/png", "\x89PNG", ""},
        {"application/octet-stream", "abc", ""},
        {"text/plain", "Retry later\r\n", "Retry later"},
        {"text/plain", R"({"message": "busy"})", R"({"message": "busy"})"},
        {"text/html; charset=utf-8", "<html>\n  <h1>502</h1>\n</html>\n", "<html> <h1>502</h1> </html>"},
        {"application/xml", "<e>x</e>", "<e>x</e>"},
        {"", "Too many", "Too many"},
        {"", R"({"message":"no"})", "no"},
        {"", R"([{"message":"no"}])", "no"}})
    EXPECT_EQ(server_message(type, body), line) << type;
  const auto cut = server_message("text/html", std::string(100'000'000, 'x'));
  EXPECT_EQ(cut.size(), 200U);
  EXPECT_TRUE(cut.ends_with("\u2026"));
}

TEST(ServiceMessage, what_becomes_a_secret_by_being_printable_is_hidden) {
  const auto scrub = [](std::string_view text) {
    std::string shown(text);
    for (std::size_t at = 0; (at = shown.find("a.secret")) != std::string::npos;) shown.replace(at, 8, "***");
    return shown;
  };
  for (const std::string word : {"a.secret", "a\x0esecret"})
    EXPECT_EQ(wire::server_message("text/plain", "no " + word, scrub), "no ***");
  EXPECT_EQ(wire::server_message("application/json", R"({"message":"no a\u000esecret"})", scrub), "no ***");
}

TEST(ServiceMessage, a_long_message_is_cut_between_characters) {
  for (std::size_t shift = 0; shift < 4; ++shift) {
    const auto text = std::string(shift, 'x') + wire_test::repeated("\u20AC", 200);
    const auto line = server_message("application/json", json{{"message", text}}.dump());
    EXPECT_LE(line.size(), 300U);
    EXPECT_GT(line.size(), 293U);
    EXPECT_TRUE(valid_utf8(line));
  }
}

}}  // namespace noun::wire::problem_test
