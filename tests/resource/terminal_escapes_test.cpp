// Tests of responses with terminal escapes and direction marks in every place: what noun shows has none of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "resource/scripted_client.hpp"
#include "wire/utf8.hpp"

namespace resource_test { namespace terminal_escapes_test {

/// Sets the title of a terminal, clears it, is a C1 control sequence, and turns the text around.
const std::string escapes = "\x1b]0;x\x07\x1b[2J\xc2\x9b" "31m\xe2\x80\xae\x7f\x08\xff";
/// The same without what a JSON text must escape, and what is no UTF-8.
const std::string marks = "\xc2\x9b" "31m\xe2\x80\xae\xe2\x80\xa8\x7f";

/// Expects text that a terminal shows as it is: UTF-8, without controls and marks for the direction; lines may end.
void expect_printable(const std::string& text, const char* where) {
  EXPECT_TRUE(noun::wire::valid_utf8(text)) << where << ": " << text;
  const bool has_control = std::any_of(text.begin(), text.end(), [](char c) {
    return (c != '\n' && static_cast<unsigned char>(c) < 0x20) || c == '\x7f';
  });
  EXPECT_FALSE(has_control) << where << ": " << ::testing::PrintToString(text);
  for (const auto* mark : {"\u009b", "\u202e", "\u2028"})
    EXPECT_EQ(text.find(mark), std::string::npos) << where << ": " << text;
}

/// A response of the server to the first request.
struct Odd {
  const char* where;
  int status = 400;
  std::string body = {};
  noun::Headers headers = {};
};

noun::Headers json_with(const char* name, const std::string& value) {
  return {{"Content-Type", "application/json"}, {name, value}};
}

std::vector<Odd> odd_responses() {
  const auto json = [](const char* name, const Json& value) {
    return Json{{name, value}, {"status", 400}, {marks, marks}}.dump();
  };
  const noun::Headers as_json = {{"Content-Type", "application/json"}};
  const noun::Headers as_problem = {{"Content-Type", "application/problem+json"}};
  return {
      {"text", 400, escapes, {{"Content-Type", "text/plain"}}},
      {"html", 502, "<html><h1>" + escapes + "</h1></html>", {{"Content-Type", "text/html"}}},
      {"content type", 400, "x", {{"Content-Type", "text/" + marks}}},
      {"message", 400, json("message", escapes.substr(0, escapes.size() - 1)), as_json},
      {"errors", 422, json("errors", {{marks, {marks, "x"}}}), as_json},
      {"title", 400, json("title", marks), as_problem},
      {"detail", 400, json("detail", escapes.substr(0, escapes.size() - 1)), as_problem},
      {"type", 400, json("type", "https://x/" + marks), as_problem},
      {"instance", 400, json("instance", marks), as_problem},
      {"request id", 500, "{}", json_with("X-Request-Id", escapes)},
      {"location of another origin", 302, "", {{"Location", "https://evil.example/" + escapes}}},
      {"location of another host", 302, "", {{"Location", "https://" + marks + "/"}}},
      {"location in the origin", 302, "", {{"Location", "/v1/y" + marks}}},
      {"location of a choice", 300, "", {{"Location", escapes}}},
      {"retry after", 429, "", {{"Retry-After", escapes}}},
      {"quota", 429, "", {{"X-RateLimit-Limit", escapes}, {"X-RateLimit-Remaining", marks}}},
      {"policy", 429, "", {{"RateLimit", "\"" + marks + "\";r=0;t=900"}, {"RateLimit-Policy", marks}}},
      {"partition", 429, "", {{"X-Partition", escapes}, {"X-RateLimit-Remaining", "0"}, {"X-RateLimit-Reset", "900"}}},
      {"item", 200, "[{\"alpha_3\": 1, \"" + marks + "\": \"" + marks + "\"}]", as_json},
      {"no JSON", 200, escapes, as_json},
      {"no page", 200, json("name", marks), as_json},
      {"link", 200, "[]", json_with("Link", "<https://evil.example/" + marks + ">; rel=\"next\"")},
      {"link in the origin", 200, "[]", json_with("Link", "</v1/y" + marks + ">; rel=\"next\"")},
      {"encoding", 200, "[]", json_with("Content-Encoding", marks)},
      {"challenge", 401, "", {{"WWW-Authenticate", "Bearer realm=\"" + escapes + "\""}}},
      {"allow", 405, "", {{"Allow", escapes}}},
      {"unusual status", 299, "[]", json_with("Content-Type", escapes)},
  };
}

struct Shown : Bench {
  std::FILE* log = std::tmpfile();
  std::vector<std::pair<const char*, std::string>> texts;

  Shown() = default;
  Shown(const Shown&) = delete;
  Shown& operator=(const Shown&) = delete;
  ~Shown() { std::fclose(log); }

  noun::ClientOptions watched() {
    return {.dialect = {.partition_header = "X-Partition"},
            .retry = {.max_attempts = 2},
            .quota = {.when_exhausted = noun::WhenExhausted::fail},
            .observer = [this, write = noun::log_to(log)](const noun::Event& event) {
              write(event);
              texts.emplace_back("event", noun::to_string(event));
              texts.emplace_back("note", event.note);
              texts.emplace_back("url", event.url);
              texts.emplace_back("partition", event.partition);
            }};
  }
  void see(const noun::Error& error) {
    const std::pair<const char*, std::string> members[] = {
        {"message", error.message()},     {"what", error.what()},
        {"advice", error.advice()},       {"exception", noun::Exception(error).what()},
        {"url", error.request().url},     {"curl", error.request().curl}};
    texts.insert(texts.end(), std::begin(members), std::end(members));
  }
  void read_log() {
    std::rewind(log);
    std::array<char, 65536> bytes;
    texts.emplace_back("log", std::string(bytes.data(), std::fread(bytes.data(), 1, bytes.size(), log)));
  }
};

TEST(TerminalEscapes, of_a_server_are_shown_nowhere) {
  for (const auto& odd : odd_responses()) {
    SCOPED_TRACE(odd.where);
    Shown bench;
    for (const auto* path : {"/v1/x", "/v1/y"})
      bench.script->expect(Method::get, path).reply(odd.status, odd.body, odd.headers).times(9);
    const auto api = bench.client(bench.watched());
    const auto got = api.singleton<Language>("x").get();
    if (!got) bench.see(got.error());
    for (const auto& item : api.collection<Language>("x").list())
      if (!item) bench.see(item.error());
    bench.read_log();
    EXPECT_GT(bench.texts.size(), 8U);
    for (const auto& [where, text] : bench.texts) expect_printable(text, where);
  }
}

}  // namespace terminal_escapes_test
}  // namespace resource_test
