// The verbs of an item: what goes out, and what comes back.
#include <noun/item.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "resource/scripted_client.hpp"

namespace resource_test {
namespace item_test {

using ::testing::AllOf;
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
  const auto wrong = item.get<std::vector<int>>();
  EXPECT_EQ(code_of(wrong), Errc::decode);
}

TEST(Item, replace_puts_its_body_as_json) {
  Bench bench;
  bench.script->expect(Method::put, "/v1/languages/deu")
      .with_body(R"({"alpha_3":"deu","name":"German"})")
      .reply(200, german);
  const auto got = bench.client().collection<Language>("languages")["deu"].replace({"deu", "German"});
  EXPECT_TRUE(got) << message_of(got);
  EXPECT_TRUE(bench.last().has_body);
  EXPECT_EQ(bench.last().headers.get("Content-Type"), "application/json");
  EXPECT_EQ(bench.script->complaint(), "");
}

TEST(Item, replace_without_a_body_sends_none) {
  Bench bench;
  bench.script->expect(Method::put, "/v1/issues/7/lock").reply(204);
  EXPECT_TRUE(bench.client().collection("issues")[7].singleton("lock").replace<void>(noun::no_body));
  EXPECT_FALSE(bench.last().has_body);
  EXPECT_FALSE(bench.last().headers.contains("Content-Type"));
}

TEST(Item, update_sends_the_dialects_patch_content_type) {
  for (const auto* type : {"application/json", "application/merge-patch+json", "application/json-patch+json"}) {
    Bench bench;
    bench.script->expect(Method::patch, "/v1/a/1")
        .with_body(R"({"name":null})")
        .with_header("Content-Type", type)
        .reply(200, "{}");
    noun::ClientOptions options;
    options.dialect.patch_content_type = type;
    EXPECT_TRUE(bench.client(options).collection("a")[1].update(Json{{"name", nullptr}}));
    EXPECT_EQ(bench.script->complaint(), "");
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
  Bench bench;
  bench.script->expect(Method::delete_, "/v1/a/1").reply(204);
  bench.script->expect(Method::delete_, "/v1/a/2").reply(200, R"({"gone": true})");
  const auto api = bench.client();
  const auto removed = api.collection("a")[1].remove();
  EXPECT_TRUE(removed);
  EXPECT_EQ(removed.response()->status, 204);
  EXPECT_FALSE(bench.last().has_body);
  EXPECT_EQ((*api.collection("a")[2].remove<Json>())["gone"], true);
  EXPECT_EQ(bench.script->complaint(), "");
}

TEST(Item, remove_that_finds_nothing_is_not_found) {
  Bench bench;
  bench.script->expect(Method::delete_, "/v1/a/1").reply(404);
  const auto removed = bench.client().collection("a")[1].remove();
  ASSERT_FALSE(removed);
  EXPECT_EQ(removed.error().code(), Errc::not_found);
  EXPECT_EQ(removed.error().sent(), Sent::answered);
}

TEST(Item, remove_that_finds_nothing_after_an_attempt_that_may_have_been_applied_is_done) {
  for (const auto code : {Errc::send, Errc::timeout, Errc::truncated}) {
    Bench bench;
    bench.script->expect(Method::delete_, "/v1/a/1").fail(code, Sent::maybe);
    bench.script->expect(Method::delete_, "/v1/a/1").reply(404, R"({"detail": "no such member"})");
    const auto removed = bench.client().collection("a")[1].remove();
    EXPECT_TRUE(removed) << message_of(removed);
    EXPECT_EQ(bench.script->complaint(), "");
  }
  Bench bench;
  bench.script->expect(Method::delete_, "/v1/a/1").reply(502);
  bench.script->expect(Method::delete_, "/v1/a/1").reply(404);
  EXPECT_TRUE(bench.client().collection("a")[1].remove());
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

TEST(Item, remove_that_finds_nothing_after_an_attempt_that_never_arrived_is_not_found) {
  Bench bench;
  bench.script->expect(Method::delete_, "/v1/a/1").fail(Errc::connect, Sent::no);
  bench.script->expect(Method::delete_, "/v1/a/1").reply(429, "", {{"Retry-After", 1}});
  bench.script->expect(Method::delete_, "/v1/a/1").reply(404);
  EXPECT_EQ(code_of(bench.client().collection("a")[1].remove()), Errc::not_found);
}

TEST(Item, get_that_finds_nothing_after_a_fault_is_not_found) {
  Bench bench;
  bench.script->expect(Method::get, "/v1/a/1").reply(503);
  bench.script->expect(Method::get, "/v1/a/1").reply(404);
  EXPECT_EQ(code_of(bench.client().collection("a")[1].get()), Errc::not_found);
}

TEST(Item, conditions_go_out_as_they_are_given) {
  Bench bench;
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
  EXPECT_EQ(bench.script->complaint(), "");
}

TEST(Item, body_that_cannot_be_written_is_refused_and_nothing_is_sent) {
  Bench bench;
  const auto item = bench.client({.limits = {.json_depth = 3}}).collection("a")[1];
  const std::vector<noun::Result<Json>> results = {
      item.replace(Json("\xff")), item.update(Json("\xff")), item.replace(Json::parse("[[[[1]]]]")),
      item.update(std::map<std::string, double>{{"a", std::numeric_limits<double>::quiet_NaN()}}),
      item.collection("b").create(Json::binary({1}))};
  for (const auto& result : results) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code(), Errc::invalid_argument);
    EXPECT_EQ(result.error().sent(), Sent::no);
    EXPECT_THAT(result.error().message(),
                AllOf(StartsWith(std::string(to_string(result.error().request().method)) + " " +
                                 result.error().request().url + ": the body cannot be written as JSON"),
                      HasSubstr("https://api.example.com/v1/a/1")));
    EXPECT_NE(result.error().request().method, Method::get);
  }
  EXPECT_EQ(bench.sent(), 0U);
}

TEST(Item, reply_that_does_not_decode_says_where_and_is_never_retried) {
  Bench bench;
  bench.script->expect(Method::get, "/v1/languages/deu").reply(200, R"({"alpha_3": "deu"})", {{"X-Request-Id", "r-9"}});
  const auto got = bench.client().collection<Language>("languages")["deu"].get();
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code(), Errc::decode);
  EXPECT_EQ(got.error().status(), 200);
  EXPECT_EQ(got.error().sent(), Sent::answered);
  EXPECT_EQ(got.error().attempts(), 1);
  EXPECT_EQ(got.error().request_id(), "r-9");
  EXPECT_THAT(got.error().message(),
              HasSubstr("GET https://api.example.com/v1/languages/deu: the body is not the JSON"));
  EXPECT_THAT(got.error().message(), HasSubstr("key 'name' not found"));
  ASSERT_NE(got.response(), nullptr);
  EXPECT_EQ(got.response()->body, R"({"alpha_3": "deu"})");
  EXPECT_EQ(bench.sent(), 1U);
}

TEST(Item, reply_nested_beyond_the_limit_is_too_large) {
  Bench bench;
  bench.script->expect(Method::get, "/v1/x").reply(200, "[[[[1]]]]");
  const auto got = bench.client({.limits = {.json_depth = 3}}).singleton("x").get();
  EXPECT_EQ(code_of(got), Errc::too_large);
  EXPECT_THAT(message_of(got), HasSubstr("limits.json_depth (3)"));
}

TEST(Item, result_of_a_temporary_chain_can_be_used) {
  Bench bench;
  bench.script->expect(Method::get, "/v1/languages/deu").reply(200, german).times(2);
  const auto languages = bench.client().collection<Language>("languages");
  EXPECT_EQ(languages["deu"].get()->name, "German");
  EXPECT_EQ(languages["deu"].get().value().alpha_3, "deu");
}

}  // namespace item_test
}  // namespace resource_test
