// The verbs of an item: what goes out, and what comes back.
#include <noun/item.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "resource/scripted_client.hpp"

namespace resource_test { namespace item_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(Item, get_answers_the_member_and_its_response) {
  Bench bench;
  bench.script->expect(Method::get, "/v1/languages/deu").reply(200, german, {{"ETag", "\"1\""}});
  const auto got = bench.client().collection<Language>("languages")["deu"].get();
  ASSERT_TRUE(got) << message_of(got);
  EXPECT_EQ(*got, (Language{"deu", "German"}));
  EXPECT_EQ(got->name, "German");
  ASSERT_NE(got.response(), nullptr);
  EXPECT_EQ(got.response()->headers.get("etag"), "\"1\"");
  EXPECT_EQ(got.response()->url, "https://api.example.com/v1/languages/deu");
  EXPECT_FALSE(bench.last().has_body);
  EXPECT_EQ(bench.last().body, "");
  EXPECT_FALSE(bench.last().headers.contains("Content-Type"));
  EXPECT_EQ(bench.last().headers.get("Accept"), "application/json");
  EXPECT_THAT(bench.last().headers.get("User-Agent").value_or(""), HasSubstr("noun/"));
}

TEST(Item, get_as_another_type_or_as_void) {
  Bench bench;
  bench.script->expect(Method::get, "/v1/languages/deu").reply(200, german).times(3);
  const auto item = bench.client().collection<Language>("languages")["deu"];
  EXPECT_EQ((*item.get<Json>())["name"], "German");
  EXPECT_TRUE(item.get<void>());
  EXPECT_EQ(code_of(item.get<std::vector<int>>()), Errc::decode);
}

TEST(Item, replace_without_a_body_sends_none) {
  Bench bench;
  bench.script->expect(Method::put, "/v1/issues/7/lock").reply(204);
  EXPECT_TRUE(bench.client().collection("issues")[7].singleton("lock").replace<void>(noun::no_body));
  EXPECT_FALSE(bench.last().has_body);
  EXPECT_FALSE(bench.last().headers.contains("Content-Type"));
}

TEST(Item, replace_sends_json_and_update_the_dialects_patch_content_type) {
  for (const auto* type : {"application/json", "application/merge-patch+json", "application/json-patch+json"}) {
    WholeScript bench;
    bench.script->expect(Method::put, "/v1/a/deu").with_body(R"({"alpha_3":"deu","name":"German"})").reply(200, german);
    bench.script->expect(Method::patch, "/v1/a/deu").with_body(R"({"name":null})").reply(200, german);
    const auto item = bench.client({.dialect = {.patch_content_type = type}}).collection<Language>("a")["deu"];
    EXPECT_EQ(item.replace({"deu", "German"})->name, "German");
    EXPECT_TRUE(bench.last().has_body);
    EXPECT_THAT(bench.last().headers.values("Content-Type"), ElementsAre("application/json"));
    EXPECT_EQ(item.update(Json{{"name", nullptr}})->name, "German");
    EXPECT_THAT(bench.last().headers.values("Content-Type"), ElementsAre(type));
  }
}

TEST(Item, content_type_of_a_call_replaces_the_usual_one) {
  Bench bench;
  bench.script->expect(Method::patch, "/v1/a/1").reply(200, "{}").times(2);
  const auto item = bench.client().collection("a")[1];
  EXPECT_TRUE(item.update(Json::array(), {.headers = {{"content-type", "application/json-patch+json"}}}));
  EXPECT_THAT(bench.last().headers.values("Content-Type"), ElementsAre("application/json-patch+json"));
  EXPECT_TRUE(item.update(noun::no_body));
  EXPECT_FALSE(bench.last().headers.contains("Content-Type"));
}

TEST(Item, remove_deletes_and_needs_no_body) {
  WholeScript bench;
  bench.script->expect(Method::delete_, "/v1/a/1").reply(204);
  bench.script->expect(Method::delete_, "/v1/a/2").reply(200, R"({"gone": true})");
  const auto api = bench.client();
  const auto removed = api.collection("a")[1].remove();
  EXPECT_TRUE(removed);
  EXPECT_EQ(removed.response()->status, 204);
  EXPECT_FALSE(bench.last().has_body);
  EXPECT_EQ((*api.collection("a")[2].remove<Json>())["gone"], true);
}

TEST(Item, that_is_not_found_is_removed_if_an_attempt_before_may_have_done_that) {
  struct Case {
    Method method;
    std::vector<noun::Result<noun::Response>> before;
    std::optional<Errc> expected;
  };
  const auto failed = [](Errc code, Sent sent) { return noun::Error(code, "failed", sent); };
  const auto answered = [](int status, noun::Headers headers = {}) {
    return noun::Response{.status = status, .headers = std::move(headers)};
  };
  const Case cases[] = {
      {Method::delete_, {}, Errc::not_found},
      {Method::delete_, {failed(Errc::send, Sent::maybe)}, {}},
      {Method::delete_, {failed(Errc::timeout, Sent::maybe)}, {}},
      {Method::delete_, {failed(Errc::truncated, Sent::maybe)}, {}},
      {Method::delete_, {answered(502)}, {}},
      {Method::delete_, {failed(Errc::connect, Sent::no), answered(429, {{"Retry-After", 1}})}, Errc::not_found},
      {Method::get, {answered(503)}, Errc::not_found},
  };
  for (const auto& [method, before, expected] : cases) {
    WholeScript bench;
    for (const auto& result : before) {
      auto& expectation = bench.script->expect(method, "/v1/a/1");
      if (result)
        expectation.reply(result->status, "", result->headers);
      else
        expectation.fail(result.error());
    }
    bench.script->expect(method, "/v1/a/1").reply(404, R"({"detail": "no such member"})");
    const auto item = bench.client().collection("a")[1];
    const auto result = method == Method::get ? item.get<void>() : item.remove();
    EXPECT_EQ(code_of(result), expected) << message_of(result);
    if (!result) EXPECT_EQ(result.error().sent(), Sent::answered);
  }
}

TEST(Item, remove_that_finds_it_gone_does_not_take_the_words_about_that_for_the_reply) {
  const auto remove = [](auto verb) {
    Bench bench;
    bench.script->expect(Method::delete_, "/v1/a/1").fail(Errc::send, Sent::maybe);
    bench.script->expect(Method::delete_, "/v1/a/1").reply(404, R"({"alpha_3": "", "name": "no such member"})");
    return verb(bench.client().collection("a")[1]);
  };
  EXPECT_EQ(remove([](const auto& item) { return item.template remove<Json>().value(); }), nullptr);
  EXPECT_EQ(remove([](const auto& item) { return code_of(item.template remove<Language>()); }), Errc::no_content);
}

TEST(Item, conditions_go_out_as_they_are_given) {
  WholeScript bench;
  bench.script->expect(Method::put, "/v1/a/1").with_header("If-Match", "\"v1\"").reply(412);
  const auto item = bench.client().collection("a")[1];
  const auto replaced = item.replace(Json(1), {.if_match = "\"v1\""});
  EXPECT_EQ(code_of(replaced), Errc::conflict);
  EXPECT_FALSE(bench.last().headers.contains("If-None-Match"));
  bench.script->expect(Method::get, "/v1/a/1")
      .with_header("If-None-Match", "\"v1\"")
      .reply(304, "", {{"ETag", "\"v1\""}});
  const auto got = item.get({.if_none_match = "\"v1\""});
  EXPECT_EQ(code_of(got), Errc::not_modified);
  EXPECT_EQ(got.response()->headers.get("ETag"), "\"v1\"");
  bench.script->expect(Method::put, "/v1/a/1").with_header("If-None-Match", "*").reply(201, "1");
  EXPECT_TRUE(item.replace(Json(1), {.if_none_match = "*"}));
}

TEST(Item, body_that_cannot_be_written_is_refused_and_nothing_is_sent) {
  Bench bench;
  const auto item = bench.client({.limits = {.json_depth = 3}}).collection("a")[1];
  const std::vector<noun::Result<Json>> results = {
      item.replace(Json("\xff")), item.update(Json("\xff")), item.replace(Json::parse("[[[[1]]]]")),
      item.update(std::map<std::string, double>{{"a", std::numeric_limits<double>::quiet_NaN()}}),
      item.collection("b").create(Json::binary({1}))};
  for (const auto& result : results) {
    expect_refused(result, ": the body cannot be written as JSON");
    const auto& request = result.error().request();
    EXPECT_THAT(request.url, StartsWith("https://api.example.com/v1/a/1"));
    EXPECT_THAT(message_of(result), StartsWith(std::string(to_string(request.method)) + " " + request.url + ": "));
    EXPECT_NE(request.method, Method::get);
  }
  EXPECT_EQ(bench.sent(), 0U);
}

TEST(Item, reply_that_does_not_decode_says_where_and_is_never_retried) {
  Bench bench;
  bench.script->expect(Method::get, "/v1/languages/deu").reply(200, R"({"alpha_3": "deu"})", {{"X-Request-Id", "r-9"}});
  const auto got = bench.client().collection<Language>("languages")["deu"].get();
  expect_error(got, Errc::decode, "GET https://api.example.com/v1/languages/deu: the body cannot be decoded");
  EXPECT_THAT(message_of(got), HasSubstr("key 'name' not found"));
  EXPECT_EQ(got.error().status(), 200);
  EXPECT_EQ(got.error().sent(), Sent::answered);
  EXPECT_EQ(got.error().attempts(), 1);
  EXPECT_EQ(got.error().request_id(), "r-9");
  ASSERT_NE(got.response(), nullptr);
  EXPECT_EQ(got.response()->body, R"({"alpha_3": "deu"})");
  EXPECT_EQ(bench.sent(), 1U);
}

TEST(Item, reply_nested_beyond_the_limit_is_too_large) {
  Bench bench;
  bench.script->expect(Method::get, "/v1/x").reply(200, "[[[[1]]]]");
  const auto got = bench.client({.limits = {.json_depth = 3}}).singleton("x").get();
  expect_error(got, Errc::too_large, "limits.json_depth (3)");
}

}  // namespace item_test
}  // namespace resource_test
