// Tests of the verbs of an item: requests and results.
#include <noun/item.hpp>

#include <fmt/format.h>
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

TEST(Item, a_verb_that_reads_nothing_accepts_any_type) {
  Bench bench;
  const auto accepted = [&](const auto& call) {
    static_cast<void>(call());
    const auto sent = bench.last();
    const auto values = sent.headers.values("Accept");
    return std::vector<std::string>(values.begin(), values.end());
  };
  const auto api = bench.client();
  const auto item = api.collection("a")[1];
  const std::string json = "application/json";
  const std::string any = "application/json, */*;q=0.1";
  EXPECT_THAT(accepted([&] { return item.remove(); }), ElementsAre(any));
  EXPECT_THAT(accepted([&] { return item.replace<void>(Json(1)); }), ElementsAre(any));
  EXPECT_THAT(accepted([&] { return item.update<void>({{"a", 1}}); }), ElementsAre(any));
  EXPECT_THAT(accepted([&] { return api.collection("a").create<void>(Json(1)); }), ElementsAre(any));
  EXPECT_THAT(accepted([&] { return noun::op::remove(item).run(); }), ElementsAre(any));
  EXPECT_THAT(accepted([&] { return item.remove<Json>(); }), ElementsAre(json));
  EXPECT_THAT(accepted([&] { return item.replace(Json(1)); }), ElementsAre(json));
  EXPECT_THAT(accepted([&] { return item.get(); }), ElementsAre(json));
  EXPECT_THAT(accepted([&] { return item.remove({.headers = {{"accept", "a/b"}}}); }), ElementsAre("a/b"));
  const auto removed = [&](noun::ClientOptions options) {
    return accepted([&] { return bench.client(std::move(options)).collection("a")[1].remove(); });
  };
  EXPECT_THAT(removed({.headers = {{"Accept", "a/b"}}}), ElementsAre("a/b"));
  EXPECT_THAT(removed({.dialect = {.accept = "a/b, */*"}}), ElementsAre("a/b, */*"));
  EXPECT_THAT(removed({.dialect = {.accept = "application/vnd.api+json"}}),
              ElementsAre("application/vnd.api+json, */*;q=0.1"));
}

TEST(Item, get_returns_the_item_and_its_response) {
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

TEST(Item, get_returns_another_type_or_void) {
  Bench bench;
  bench.script->expect(Method::get, "/v1/languages/deu").reply(200, german).times(3);
  const auto item = bench.client().collection<Language>("languages")["deu"];
  EXPECT_EQ((*item.get<Json>())["name"], "German");
  EXPECT_TRUE(item.get<void>());
  EXPECT_EQ(code_of(item.get<std::vector<int>>()), Errc::decode);
}

TEST(Item, remove_sends_a_body_if_there_is_one) {
  WholeScript bench;
  bench.script->expect(Method::delete_, "/v1/a/1").with_body(R"({"ids":[1,2]})").reply(204).times(2);
  bench.script->expect(Method::delete_, "/v1/a/1").with_body("a=b").reply(200, "7");
  bench.script->expect(Method::delete_, "/v1/a/1").with_header("If-Match", "\"1\"").reply(204).times(3);
  const auto item = bench.client().collection("a")[1];
  const Json ids{{"ids", {1, 2}}};
  const noun::CallOptions options{.if_match = "\"1\""};
  EXPECT_TRUE(item.remove(ids));
  EXPECT_EQ(bench.last().headers.get("Content-Type"), "application/json");
  EXPECT_TRUE(noun::op::remove(item, ids).run());
  EXPECT_EQ(*item.remove<int>(noun::body::form({{"a", "b"}})), 7);
  EXPECT_TRUE(item.remove(options));
  EXPECT_FALSE(bench.last().has_body);
  EXPECT_TRUE(noun::op::remove(item, options).run());
  EXPECT_FALSE(bench.last().has_body);
  EXPECT_TRUE(item.remove(ids, options));
  EXPECT_TRUE(bench.last().has_body);
}

TEST(Item, a_range_of_the_caller_in_its_own_unit_is_sent_and_its_206_is_usual) {
  WholeScript bench;
  bench.script->expect(Method::get, "/v1/a/1")
      .with_header("Range", "items=0-1")
      .reply(206, "[1, 2]", {{"Content-Range", "items 0-1/9"}});
  bench.script->expect(Method::get, "/v1/a/1").reply(206, "[1, 2]", {{"Content-Range", "items 0-1/9"}});
  const auto item = bench.client({.strict_statuses = true}).collection<std::vector<int>>("a")[1];
  const auto got = item.get({.headers = {{"Range", "items=0-1"}}});
  ASSERT_TRUE(got) << message_of(got);
  EXPECT_THAT(*got, ElementsAre(1, 2));
  EXPECT_EQ(code_of(item.get()), Errc::protocol) << "nobody asked for a part";
}

TEST(Item, replace_without_a_body_sends_none) {
  Bench bench;
  bench.script->expect(Method::put, "/v1/issues/7/lock").reply(204);
  EXPECT_TRUE(bench.client().collection("issues")[7].singleton("lock").replace<void>(noun::no_body));
  EXPECT_FALSE(bench.last().has_body);
  EXPECT_FALSE(bench.last().headers.contains("Content-Type"));
}

TEST(Item, replace_sends_json_and_update_the_patch_content_type_of_the_dialect) {
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

TEST(Item, member_is_read_and_sent_inside_the_dialects_envelope) {
  Bench bench;
  const noun::Dialect dialect{.member = {.reply = "/data", .request = "/a~1b/data"},
                              .content_type = "application/vnd.api+json"};
  const auto languages = bench.client({.dialect = dialect}).collection<Language>("languages");
  const auto sent = [](std::string_view member) { return fmt::format(R"({{"a/b":{{"data":{}}}}})", member); };
  const auto reply = std::string(R"({"links":{"self":"/"},"data":)") + german + "}";
  bench.script->expect(Method::get, "/v1/languages/deu").reply(200, reply);
  EXPECT_EQ(languages["deu"].get()->name, "German");
  bench.script->expect(Method::post, "/v1/languages")
      .with_body(sent(R"({"alpha_3":"deu","name":"German"})"))
      .reply(201, reply);
  const auto created = languages.create({"deu", "German"});
  ASSERT_TRUE(created) << message_of(created);
  EXPECT_EQ(created->name, "German");
  EXPECT_THAT(bench.last().headers.values("Content-Type"), ElementsAre("application/vnd.api+json"));
  bench.script->expect(Method::patch, "/v1/languages/deu").with_body(sent("{}")).reply(204);
  EXPECT_TRUE(languages["deu"].update<void>(Json::object()));
  bench.script->expect(Method::patch, "/v1/languages/deu").with_body("[]").reply(204);
  EXPECT_TRUE(languages["deu"].update<void>(
      Json::array(), {.headers = {{"Content-Type", "application/json-patch+json; charset=utf-8"}}}));
  bench.script->expect(Method::put, "/v1/languages/deu/lock").reply(200, R"({"data":[7]})");
  EXPECT_EQ(languages["deu"].singleton<std::vector<int>>("lock").replace(noun::no_body).value(), std::vector{7});
}

TEST(Item, accept_is_the_dialects_unless_the_client_has_its_own) {
  Bench bench;
  bench.script->expect(Method::get, "/v1/a/1").reply(200, "{}").times(2);
  const noun::Dialect dialect{.accept = "application/vnd.api+json"};
  EXPECT_TRUE(bench.client({.dialect = dialect}).collection("a")[1].get());
  EXPECT_THAT(bench.last().headers.values("Accept"), ElementsAre("application/vnd.api+json"));
  EXPECT_TRUE(bench.client({.dialect = dialect, .headers = {{"Accept", "a/b"}}}).collection("a")[1].get());
  EXPECT_THAT(bench.last().headers.values("Accept"), ElementsAre("a/b"));
}

TEST(Item, envelope_without_the_member_is_a_decode_error_that_names_the_option) {
  const std::pair<std::string, std::string> cases[] = {
      {R"({"meta":1})", "the response has no value at \"/data\""},
      {R"({"data":{"id":7})", "the body cannot be decoded"},  // cut
      {R"([1])", "the body cannot be decoded: object expected, array found"},
  };
  for (const auto& [body, what] : cases) {
    Bench bench;
    bench.script->expect(Method::get, "/v1/a/1").reply(200, body);
    const auto read = bench.client({.dialect = {.member = {.reply = "/data"}}}).collection("a")[1].get();
    ASSERT_EQ(code_of(read), Errc::decode) << body;
    EXPECT_THAT(read.error().what(), HasSubstr(what));
    EXPECT_THAT(read.error().advice(), HasSubstr("ClientOptions::dialect.member.reply"));
  }
  Bench bench;
  bench.script->expect(Method::get, "/v1/a/1").reply(204);
  EXPECT_TRUE(bench.client({.dialect = {.member = {.reply = "/data"}}}).collection("a")[1].get()->is_null());
}

TEST(Item, paths_end_with_a_slash_if_the_dialect_says_so) {
  Bench bench;
  const auto api = bench.client({.dialect = {.trailing_slash = true}});
  bench.script->expect(Method::get, "/v1/a/1/").reply(200, "1");
  EXPECT_EQ(api.collection<int>("a")[1].get().value(), 1);
  bench.script->expect(Method::get, "/v1/user/?b=2").reply(200, "1");
  EXPECT_TRUE(api.singleton("user").get({.query = {{"b", "2"}}}));
  bench.script->expect(Method::get, "/v1/a/").reply(200, "[1]");
  for (auto& item : api.collection<int>("a").list()) EXPECT_EQ(item.value(), 1);
  bench.script->expect(Method::get, "/v1/raw").reply(200);
  EXPECT_TRUE(api.send({.path = "/raw"}));
}

TEST(Item, content_type_of_a_call_replaces_the_default) {
  Bench bench;
  bench.script->expect(Method::patch, "/v1/a/1").reply(200, "{}").times(2);
  const auto item = bench.client().collection("a")[1];
  EXPECT_TRUE(item.update(Json::array(), {.headers = {{"content-type", "application/json-patch+json"}}}));
  EXPECT_THAT(bench.last().headers.values("Content-Type"), ElementsAre("application/json-patch+json"));
  EXPECT_TRUE(item.update(noun::no_body));
  EXPECT_FALSE(bench.last().headers.contains("Content-Type"));
}

TEST(Item, update_takes_the_members_of_a_patch) {
  WholeScript bench;
  bench.script->expect(Method::patch, "/v1/a/1").reply(200, german).times(3);
  bench.script->expect(Method::patch, "/v1/a/1").reply(204);
  const auto item = bench.client().collection<Language>("a")[1];
  EXPECT_EQ(item.update({{"name", "German"}})->name, "German");
  EXPECT_EQ(Json::parse(bench.last().body), Json::parse(R"({"name": "German"})"));
  const std::vector<std::string> labels = {"a", "b"};
  EXPECT_TRUE(item.update({{"labels", labels}, {"due", nullptr}, {"user", {{"id", 7}}}}, {.if_match = "\"e\""}));
  EXPECT_EQ(Json::parse(bench.last().body), Json::parse(R"({"labels": ["a", "b"], "due": null, "user": {"id": 7}})"));
  EXPECT_EQ(bench.last().headers.get("If-Match"), "\"e\"");
  EXPECT_TRUE(noun::op::update(item, {{"names", {"a", "b"}}}).run());
  EXPECT_EQ(Json::parse(bench.last().body), Json::parse(R"({"names": ["a", "b"]})"));
  EXPECT_TRUE(item.update<void>({{"name", 1}}));
}

TEST(Item, remove_sends_delete_without_a_body) {
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

TEST(Item, a_404_to_a_repeated_remove_is_a_success) {
  struct Case {
    Method method;
    std::vector<noun::Result<noun::Response>> before;
    std::optional<Errc> expected;
  };
  const auto failed = [](Errc code, Sent sent) { return noun::Error(code, "failed", sent); };
  const auto response = [](int status, noun::Headers headers = {}) {
    return noun::Response{.status = status, .headers = std::move(headers)};
  };
  const Case cases[] = {
      {Method::delete_, {}, Errc::not_found},
      {Method::delete_, {failed(Errc::send, Sent::maybe)}, {}},
      {Method::delete_, {failed(Errc::timeout, Sent::maybe)}, {}},
      {Method::delete_, {failed(Errc::truncated, Sent::maybe)}, {}},
      {Method::delete_, {response(502)}, {}},
      {Method::delete_, {failed(Errc::connect, Sent::no), response(429, {{"Retry-After", 1}})}, Errc::not_found},
      {Method::get, {response(503)}, Errc::not_found},
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

TEST(Item, the_404_body_of_a_repeated_remove_is_not_decoded) {
  const auto remove = [](auto verb) {
    Bench bench;
    bench.script->expect(Method::delete_, "/v1/a/1").fail(Errc::send, Sent::maybe);
    bench.script->expect(Method::delete_, "/v1/a/1").reply(404, R"({"alpha_3": "", "name": "no such member"})");
    return verb(bench.client().collection("a")[1]);
  };
  EXPECT_EQ(remove([](const auto& item) { return item.template remove<Json>().value(); }), nullptr);
  EXPECT_EQ(remove([](const auto& item) { return code_of(item.template remove<Language>()); }), Errc::no_content);
}

TEST(Item, conditions_are_sent_unchanged) {
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

TEST(Item, a_body_that_cannot_be_encoded_is_refused_and_nothing_is_sent) {
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

TEST(Item, a_body_of_another_type_names_it) {
  Bench bench;
  const auto language = bench.client().collection<Language>("languages")["deu"];
  const auto message_for = [&](std::string type, std::string body) {
    bench.script->expect(Method::get, "/v1/languages/deu").reply(200, std::move(body), {{"Content-Type", std::move(type)}});
    return message_of(language.get());
  };
  EXPECT_THAT(message_for("text/plain; charset=utf-8", "German"),
              HasSubstr("the body is text/plain; charset=utf-8, not JSON: check the path, or read it with Client::send()"));
  EXPECT_THAT(message_for("text/plain", R"({"alpha_3": "deu"})"), HasSubstr("compare the type with the response"))
      << "some servers send JSON so";
  EXPECT_THAT(message_for("application/problem+json", "German"), HasSubstr("compare the type with the response"));
}

TEST(Item, a_write_whose_response_cannot_be_decoded_says_its_status_and_not_to_send_it_again) {
  Bench bench;
  bench.script->expect(Method::post, "/v1/languages").reply(201, R"({"alpha_3": "deu"})");
  bench.script->expect(Method::patch, "/v1/languages/deu").reply(200, "<html>", {{"Content-Type", "text/html"}});
  const auto languages = bench.client().collection<Language>("languages");
  const auto made = languages.create({"deu", "German"});
  expect_error(made, Errc::decode,
               "POST https://api.example.com/v1/languages: the server responded 201 Created, but the body cannot be decoded: ");
  constexpr auto advice = "do not send the request again; compare the type with the response in Error::response()";
  EXPECT_EQ(made.error().advice(), advice);
  const auto changed = languages["deu"].update({{"name", "German"}});
  EXPECT_THAT(message_of(changed), HasSubstr("the server responded 200 OK, but the body cannot be decoded: "));
  EXPECT_EQ(changed.error().advice(), advice) << "not to read it with Client::send(), which would write once more";
}

TEST(Item, a_body_that_cannot_be_decoded_is_an_error_and_never_retried) {
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

TEST(Item, a_body_nested_beyond_the_limit_is_too_large) {
  Bench bench;
  bench.script->expect(Method::get, "/v1/x").reply(200, "[[[[1]]]]");
  const auto got = bench.client({.limits = {.json_depth = 3}}).singleton("x").get();
  expect_error(got, Errc::too_large, "nested deeper than 3 levels");
}

TEST(Item, a_body_with_more_values_than_the_limit_is_too_large) {
  Bench bench;
  const auto api = bench.client({.limits = {.json_values = 3}});
  bench.script->expect(Method::get, "/v1/x").reply(200, "[[],[]]");
  EXPECT_TRUE(api.singleton("x").get());
  bench.script->expect(Method::get, "/v1/x").reply(200, "[[],[],\"\"]");
  const auto got = api.singleton("x").get();
  expect_error(got, Errc::too_large, "the JSON has more than 3 values");
  EXPECT_EQ(got.error().advice(), "raise ClientOptions::limits.json_values if you trust the server");
}

TEST(Item, the_usual_limit_of_values_bounds_the_memory_of_a_small_compressed_body) {
  Bench bench;
  std::string body = "[[]";
  for (int i = 0; i < 2'000'000; ++i) body += ",[]";
  bench.script->expect(Method::get, "/v1/x").reply(200, body + "]");
  expect_error(bench.client().singleton("x").get(), Errc::too_large, "the JSON has more than 2000000 values");
}

}  // namespace item_test
}  // namespace resource_test
