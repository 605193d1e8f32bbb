// The sample service's resources and verbs, without a socket: questions in, answers out.
#include "atlas_desk.hpp"

#include <gtest/gtest.h>

#include <string>

namespace atlas_desk_test {

using atlas::Answer;
using atlas::Desk;
using atlas::Json;
using atlas::Question;
using atlas::Shelf;

std::vector<Shelf> small_world() {
  Shelf letters({"letters", "id"});
  for (const auto* id : {"a", "b", "c", "d", "e"}) {
    letters.put(id, Json{{"id", id}, {"kind", *id < 'c' ? "early" : "late"}});
  }
  Shelf houses({"houses", "id", "rooms", "no"});
  houses.put("h", Json{{"id", "h"}});
  houses.below("h")->put("1", Json{{"no", "1"}});
  return {letters, houses};
}

class AtlasDesk : public testing::Test {
 protected:
  Answer ask(const std::string& method, const std::string& target, const std::string& body = "") {
    return ask(Question{.method = method, .target = target, .body = body});
  }

  Answer ask(Question question) {
    question.origin = "http://host";
    return desk.answer(question);
  }

  std::string body(const std::string& target) { return ask("GET", target).body; }

  Desk desk{small_world(), ""};
};

std::string field(const Answer& answer, const std::string& name) {
  for (const auto& [key, value] : answer.fields) {
    if (key == name) return value;
  }
  return "(none)";
}

std::string detail(const Answer& answer) {
  EXPECT_EQ(answer.content_type, "application/problem+json");
  const auto document = Json::parse(answer.body);
  EXPECT_EQ(document["status"], answer.status);
  return document["detail"];
}

TEST_F(AtlasDesk, a_request_that_makes_no_sense_is_refused_with_its_reason_and_changes_nothing) {
  const auto nested = R"({"id":"z","x":)" + std::string(500'000, '[');
  const struct {
    const char* method;
    std::string target;
    std::string body;
    int status;
    std::string reason;
  } cases[] = {
      {"GET", "/letters?page=0", "", 400, "page must be a whole number from 1, not '0'"},
      {"GET", "/letters?page=-1", "", 400, "page must be a whole number from 1, not '-1'"},
      {"GET", "/letters?page=x", "", 400, "page must be a whole number from 1, not 'x'"},
      {"GET", "/letters?page=", "", 400, "page must be a whole number from 1, not ''"},
      {"GET", "/letters?page=1.5", "", 400, "page must be a whole number from 1, not '1.5'"},
      {"GET", "/letters?per_page=0", "", 400, "per_page must be a whole number from 1, not '0'"},
      {"GET", "/letters?per_page=18446744073709551616", "", 400, "per_page must be a whole number from 1, not '1844"},
      {"GET", "/letters/%", "", 400, "a % is not followed by two hexadecimal digits in '%'"},
      {"GET", "/letters/%4", "", 400, "a % is not followed by two hexadecimal digits in '%4'"},
      {"GET", "/letters/%zz", "", 400, "a % is not followed by two hexadecimal digits in '%zz'"},
      {"GET", "/letters?kind=%+1", "", 400, "a % is not followed by two hexadecimal digits in '% 1'"},
      {"POST", "/letters", "", 400, "the body is not JSON: "},
      {"POST", "/letters", "{", 400, "the body is not JSON: "},
      {"POST", "/letters", "{\"id\":\"\xff\"}", 400, "the body is not JSON: "},
      {"POST", "/letters", "[]", 400, "the body must be a JSON object"},
      {"POST", "/letters", "1", 400, "the body must be a JSON object"},
      {"PUT", "/letters/a", "[]", 400, "the body must be a JSON object"},
      {"PATCH", "/letters/a", "null", 400, "the body must be a JSON object"},
      {"POST", "/letters", nested, 400, "the body is nested more than 64 deep"},
      {"POST", "/letters", R"({"id":1})", 400, "'id' must be a text that is not empty"},
      {"POST", "/letters", R"({"id":""})", 400, "'id' must be a text that is not empty"},
      {"POST", "/letters", R"({"name":"x"})", 400, "the body has no 'id', which identifies the member"},
      {"PUT", "/letters/a", R"({"id":"b"})", 400, "'id' must stay 'a', as the path says"},
      {"PATCH", "/letters/a", R"({"id":"b"})", 400, "'id' must stay 'a', as the path says"},
      {"PATCH", "/letters/a", R"({"id":null})", 400, "'id' must stay 'a', as the path says"},
      {"PUT", "/letters/%FF", "{}", 400, "the id in the path is not UTF-8"},
      {"POST", "/letters", R"({"id":"a"})", 409, "/letters/a exists already"},
  };
  for (const auto& [method, target, body, status, reason] : cases) {
    SCOPED_TRACE(std::string(method) + " " + target + " " + body.substr(0, 20));
    const auto answer = ask(method, target, body);
    EXPECT_EQ(answer.status, status);
    EXPECT_TRUE(detail(answer).starts_with(reason)) << detail(answer);
  }
  EXPECT_EQ(desk.applied_writes(), 0U);
  EXPECT_EQ(desk.items()["letters"], 5U);
  EXPECT_EQ(body("/letters/a"), R"({"id":"a","kind":"early"})");
}

TEST_F(AtlasDesk, an_unknown_path_is_not_found_and_named) {
  for (const auto* path : {"/nope", "/letters/", "//letters", "/letters/a/", "/letters/a/rooms", "/houses/h/rooms/1/x",
                           "/letters/zz", "*", "/houses%2Fh", "/houses/h%2Frooms", "/houses/other/rooms"}) {
    const auto answer = ask("GET", path);
    EXPECT_EQ(answer.status, 404) << path;
    EXPECT_NE(detail(answer).find(path), std::string::npos) << path;
  }
  // An empty segment names nothing that could be written.
  for (const auto* path : {"/letters/", "/letters/a//x", "/houses/h/rooms/"}) {
    EXPECT_EQ(ask("PUT", path, "{}").status, 404) << path;
    EXPECT_EQ(ask("DELETE", path).status, 404) << path;
  }
  EXPECT_EQ(desk.applied_writes(), 0U);
}

TEST_F(AtlasDesk, a_target_may_be_encoded_or_absolute) {
  EXPECT_EQ(ask("GET", "/%68ouses/h").status, 200);
  EXPECT_EQ(body("http://host:80/letters/a"), R"({"id":"a","kind":"early"})");
  EXPECT_EQ(ask("GET", "http://host").status, 200);
}

TEST_F(AtlasDesk, a_list_is_cut_into_pages_that_lead_to_each_other) {
  const struct {
    const char* query;
    const char* body;
    const char* links;  // without what they begin with
  } cases[] = {
      {"per_page=2", R"([{"id":"a","kind":"early"},{"id":"b","kind":"early"}])",
       R"(<page=1&per_page=2>; rel="first", <page=2&per_page=2>; rel="next", <page=3&per_page=2>; rel="last")"},
      {"per_page=2&page=3", R"([{"id":"e","kind":"late"}])",
       R"(<page=1&per_page=2>; rel="first", <page=2&per_page=2>; rel="prev", <page=3&per_page=2>; rel="last")"},
      {"page=2&per_page=2", R"([{"id":"c","kind":"late"},{"id":"d","kind":"late"}])",
       R"(<page=1&per_page=2>; rel="first", <page=1&per_page=2>; rel="prev", )"
       R"(<page=3&per_page=2>; rel="next", <page=3&per_page=2>; rel="last")"},
      {"kind=a%3E%26+b&%C3%BC=1", "[]",
       R"(<kind=a%3E%26%20b&%C3%BC=1&page=1&per_page=30>; rel="first", )"
       R"(<kind=a%3E%26%20b&%C3%BC=1&page=1&per_page=30>; rel="last")"},
      // A page behind the end is empty and leads back.
      {"per_page=2&page=9223372036854775809", "[]",
       R"(<page=1&per_page=2>; rel="first", <page=3&per_page=2>; rel="prev", <page=3&per_page=2>; rel="last")"},
  };
  const std::string begin = "<http://host/letters?";
  for (const auto& [query, body, links] : cases) {
    const auto answer = ask("GET", std::string("/letters?") + query);
    EXPECT_EQ(answer.status, 200) << query;
    EXPECT_EQ(answer.body, body);
    auto link = field(answer, "Link");
    for (auto at = link.find(begin); at != std::string::npos; at = link.find(begin))
      link.replace(at, begin.size(), "<");
    EXPECT_EQ(link, links);
  }
  EXPECT_NE(field(ask("GET", "/letters"), "Link").find("per_page=30>"), std::string::npos);
  EXPECT_NE(field(ask("GET", "/letters?per_page=101"), "Link").find("per_page=100>"), std::string::npos);
}

TEST_F(AtlasDesk, a_filter_selects_by_exact_match) {
  const auto answer = ask("GET", "/letters?kind=early");
  EXPECT_EQ(field(answer, "X-Total-Count"), "2");
  EXPECT_EQ(answer.body, R"([{"id":"a","kind":"early"},{"id":"b","kind":"early"}])");
  EXPECT_EQ(field(ask("GET", "/letters?kind=earl"), "X-Total-Count"), "0");
  EXPECT_EQ(field(ask("GET", "/letters?colour=red"), "X-Total-Count"), "0");
  EXPECT_EQ(field(ask("GET", "/letters?kind=early&id=b"), "X-Total-Count"), "1");
}

TEST_F(AtlasDesk, what_is_created_stands_at_the_end_and_where_its_location_says) {
  const auto made = ask("POST", "/letters", R"({"name":"ü","id":"x/y?"})");
  EXPECT_EQ(made.status, 201);
  EXPECT_EQ(made.body, R"({"name":"ü","id":"x/y?"})");
  EXPECT_EQ(field(made, "Location"), "http://host/letters/x%2Fy%3F");
  EXPECT_EQ(body("/letters/x%2Fy%3F"), made.body);
  EXPECT_EQ(body("/letters?page=6&per_page=1"), "[" + made.body + "]");
  EXPECT_EQ(desk.items()["letters"], 6U);
  EXPECT_EQ(desk.applied_writes(), 1U);
}

TEST_F(AtlasDesk, put_replaces_in_place_and_creates_what_is_missing) {
  const auto replaced = ask("PUT", "/letters/a", R"({"kind":"new"})");
  EXPECT_EQ(replaced.status, 200);
  EXPECT_EQ(body("/letters?per_page=1"), R"([{"kind":"new","id":"a"}])");
  const auto made = ask("PUT", "/letters/q", R"({"id":"q"})");
  EXPECT_EQ(made.status, 201);
  EXPECT_EQ(field(made, "Location"), "http://host/letters/q");
  EXPECT_EQ(desk.applied_writes(), 2U);
}

TEST_F(AtlasDesk, patch_merges_and_null_removes) {
  const auto answer = ask("PATCH", "/letters/a", R"({"kind":null,"size":{"w":1}})");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, R"({"id":"a","size":{"w":1}})");
  EXPECT_EQ(ask("PATCH", "/letters/a", R"({"size":{"h":2}})").body, R"({"id":"a","size":{"w":1,"h":2}})");
}

TEST_F(AtlasDesk, delete_removes_one_and_leaves_the_others_where_they_were) {
  EXPECT_EQ(ask("DELETE", "/letters/b").status, 204);
  EXPECT_EQ(ask("GET", "/letters/b").status, 404);
  EXPECT_EQ(ask("DELETE", "/letters/b").status, 404);
  EXPECT_EQ(body("/letters/c"), R"({"id":"c","kind":"late"})");
  EXPECT_EQ(body("/letters?per_page=1&page=2"), R"([{"id":"c","kind":"late"}])");
}

TEST_F(AtlasDesk, a_sub_collection_belongs_to_its_member) {
  EXPECT_EQ(body("/houses/h/rooms"), R"([{"no":"1"}])");
  EXPECT_EQ(body("/houses/h/rooms/1"), R"({"no":"1"})");
  ask("POST", "/houses", R"({"id":"new"})");
  EXPECT_EQ(body("/houses/new/rooms"), "[]");
  ask("PUT", "/houses/h", "{}");
  EXPECT_EQ(desk.items()["rooms"], 1U);
  ask("DELETE", "/houses/h");
  EXPECT_EQ(desk.items()["rooms"], 0U);
}

TEST_F(AtlasDesk, a_method_that_a_path_does_not_take_is_answered_with_those_it_takes) {
  for (const auto* method : {"PUT", "PATCH", "DELETE"}) {
    const auto answer = ask(method, "/letters", "{}");
    EXPECT_EQ(answer.status, 405) << method;
    EXPECT_EQ(field(answer, "Allow"), "GET, HEAD, POST, OPTIONS");
  }
  EXPECT_EQ(ask("POST", "/letters/a", "{}").status, 405);
  EXPECT_EQ(field(ask("POST", "/letters/a"), "Allow"), "GET, HEAD, PUT, PATCH, DELETE, OPTIONS");
  EXPECT_EQ(field(ask("DELETE", "/"), "Allow"), "GET, HEAD, OPTIONS");
  EXPECT_EQ(ask("OPTIONS", "/letters").status, 204);
}

TEST_F(AtlasDesk, an_entity_tag_follows_the_content) {
  const auto first = field(ask("GET", "/letters/a"), "ETag");
  EXPECT_EQ(first.front(), '"');
  EXPECT_EQ(first.size(), 18U);
  EXPECT_EQ(field(ask("GET", "/letters/a"), "ETag"), first);
  const auto patched = field(ask("PATCH", "/letters/a", R"({"kind":"x"})"), "ETag");
  EXPECT_NE(patched, first);
  EXPECT_EQ(field(ask("PATCH", "/letters/a", R"({"kind":"early"})"), "ETag"), first);
}

TEST_F(AtlasDesk, a_read_of_what_the_client_has_is_not_modified) {
  const auto etag = field(ask("GET", "/letters/a"), "ETag");
  for (const auto& known : {etag, "\"x\", W/" + etag, std::string("*")}) {
    const auto answer = ask({.method = "GET", .target = "/letters/a", .conditions = {.if_none_match = known}});
    EXPECT_EQ(answer.status, 304) << known;
    EXPECT_EQ(answer.body, "");
    EXPECT_EQ(field(answer, "ETag"), etag);
  }
  EXPECT_EQ(ask({.method = "GET", .target = "/letters/a", .conditions = {.if_none_match = "\"x\""}}).status, 200);
}

TEST_F(AtlasDesk, a_write_whose_condition_fails_changes_nothing) {
  const auto etag = field(ask("GET", "/letters/a"), "ETag");
  for (const auto* method : {"PUT", "PATCH", "DELETE"}) {
    EXPECT_EQ(ask({method, "/letters/a", R"({"kind":"x"})", {.if_match = "\"old\""}}).status, 412) << method;
    EXPECT_EQ(ask({method, "/letters/a", R"({"kind":"x"})", {.if_match = "W/" + etag}}).status, 412) << method;
  }
  EXPECT_EQ(ask({"PUT", "/letters/a", "{}", {.if_none_match = "*"}}).status, 412);
  EXPECT_EQ(ask({"PUT", "/letters/new", "{}", {.if_match = "*"}}).status, 412);
  EXPECT_EQ(desk.applied_writes(), 0U);
  EXPECT_EQ(ask({"DELETE", "/letters/a", "", {.if_match = etag}}).status, 204);
}

TEST_F(AtlasDesk, an_idempotency_key_creates_once_for_one_body_and_one_collection) {
  const auto post = [&](const std::string& target, const std::string& body) {
    return ask({.method = "POST", .target = target, .body = body, .idempotency_key = "1"});
  };
  // A refused creation does not use it up.
  EXPECT_EQ(post("/letters", "{").status, 400);
  const auto first = post("/letters", R"({"id":"k"})");
  const auto again = post("/letters", R"({"id":"k"})");
  EXPECT_EQ(first.status, 201);
  EXPECT_EQ(again.status, 201);
  EXPECT_EQ(again.body, first.body);
  EXPECT_EQ(field(again, "Location"), field(first, "Location"));
  EXPECT_EQ(field(again, "Idempotency-Replayed"), "true");
  EXPECT_EQ(post("/letters", R"({"id":"l"})").status, 422);
  EXPECT_EQ(post("/houses", R"({"id":"k"})").status, 201);
  EXPECT_EQ(desk.applied_writes(), 2U);
}

TEST_F(AtlasDesk, the_index_shows_the_way) {
  const auto index = Json::parse(body("/"));
  EXPECT_EQ(index["collections"]["letters"], "http://host/letters");
  EXPECT_EQ(index["collections"]["rooms"], "http://host/houses/{id}/rooms");
  EXPECT_EQ(index["items"]["letters"], 5);
}

TEST(AtlasDeskPrefix, stands_in_front_of_everything) {
  Desk desk(small_world(), "/api/v1/");
  const auto ask = [&](const std::string& target) {
    return desk.answer({.method = "GET", .target = target, .origin = "http://host"});
  };
  EXPECT_EQ(ask("/api/v1/letters/a").status, 200);
  EXPECT_EQ(ask("/letters/a").status, 404);
  EXPECT_EQ(ask("/api/v2/letters/a").status, 404);
  EXPECT_EQ(ask("/api").status, 404);
  EXPECT_EQ(Json::parse(ask("/api/v1").body)["collections"]["letters"], "http://host/api/v1/letters");
  EXPECT_EQ(ask("/api/v1/").status, 200);
  EXPECT_EQ(ask("/").status, 200);
  EXPECT_NE(field(ask("/api/v1/letters"), "Link").find("<http://host/api/v1/letters?page=1"), std::string::npos);
}

}  // namespace atlas_desk_test
