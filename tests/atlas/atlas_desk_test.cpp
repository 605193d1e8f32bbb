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

TEST_F(AtlasDesk, a_list_is_cut_into_pages_in_order) {
  EXPECT_EQ(body("/letters?page=2&per_page=2"), R"([{"id":"c","kind":"late"},{"id":"d","kind":"late"}])");
  EXPECT_EQ(body("/letters?page=3&per_page=2"), R"([{"id":"e","kind":"late"}])");
}

TEST_F(AtlasDesk, links_lead_to_the_other_pages) {
  const auto link = [&](const std::string& target) { return field(ask("GET", target), "Link"); };
  EXPECT_EQ(link("/letters?per_page=2"), R"(<http://host/letters?page=1&per_page=2>; rel="first", )"
                                         R"(<http://host/letters?page=2&per_page=2>; rel="next", )"
                                         R"(<http://host/letters?page=3&per_page=2>; rel="last")");
  EXPECT_EQ(link("/letters?per_page=2&page=3"), R"(<http://host/letters?page=1&per_page=2>; rel="first", )"
                                                R"(<http://host/letters?page=2&per_page=2>; rel="prev", )"
                                                R"(<http://host/letters?page=3&per_page=2>; rel="last")");
}

TEST_F(AtlasDesk, links_keep_the_filters_encoded) {
  const auto answer = ask("GET", "/letters?kind=a%3E%26+b&%C3%BC=1");
  EXPECT_EQ(field(answer, "Link"),
            R"(<http://host/letters?kind=a%3E%26%20b&%C3%BC=1&page=1&per_page=30>; rel="first", )"
            R"(<http://host/letters?kind=a%3E%26%20b&%C3%BC=1&page=1&per_page=30>; rel="last")");
}

TEST_F(AtlasDesk, a_page_behind_the_end_is_empty_and_leads_back) {
  const auto answer = ask("GET", "/letters?per_page=2&page=9223372036854775809");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "[]");
  EXPECT_NE(field(answer, "Link").find(R"(page=3&per_page=2>; rel="prev")"), std::string::npos);
}

TEST_F(AtlasDesk, pages_hold_30_unless_asked_and_100_at_most) {
  EXPECT_NE(field(ask("GET", "/letters"), "Link").find("per_page=30>"), std::string::npos);
  EXPECT_NE(field(ask("GET", "/letters?per_page=101"), "Link").find("per_page=100>"), std::string::npos);
}

TEST_F(AtlasDesk, a_page_that_is_no_number_from_1_is_refused) {
  for (const auto* query :
       {"page=0", "page=-1", "page=x", "page=", "page=1.5", "per_page=0", "per_page=18446744073709551616"}) {
    EXPECT_EQ(ask("GET", std::string("/letters?") + query).status, 400) << query;
  }
  EXPECT_EQ(detail(ask("GET", "/letters?page=x")), "page must be a whole number from 1, not 'x'");
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

TEST_F(AtlasDesk, creating_what_exists_is_a_conflict) {
  const auto answer = ask("POST", "/letters", R"({"id":"a"})");
  EXPECT_EQ(answer.status, 409);
  EXPECT_EQ(detail(answer), "/letters/a exists already");
  EXPECT_EQ(body("/letters/a"), R"({"id":"a","kind":"early"})");
}

TEST_F(AtlasDesk, a_body_that_is_no_object_with_an_id_is_refused) {
  for (const auto* text : {"", "{", "[]", "1", R"({"id":1})", R"({"id":""})", R"({"name":"x"})", "{\"id\":\"\xff\"}"}) {
    const auto answer = ask("POST", "/letters", text);
    EXPECT_EQ(answer.status, 400) << text;
    EXPECT_NE(detail(answer), "") << text;
  }
  EXPECT_EQ(desk.applied_writes(), 0U);
}

TEST_F(AtlasDesk, a_replacement_or_patch_that_is_no_object_is_refused) {
  EXPECT_EQ(ask("PUT", "/letters/a", "[]").status, 400);
  EXPECT_EQ(ask("PATCH", "/letters/a", "null").status, 400);
  EXPECT_EQ(body("/letters/a"), R"({"id":"a","kind":"early"})");
}

TEST_F(AtlasDesk, a_body_nested_without_end_is_refused) {
  const auto answer = ask("POST", "/letters", R"({"id":"z","x":)" + std::string(500'000, '['));
  EXPECT_EQ(answer.status, 400);
  EXPECT_EQ(detail(answer), "the body is nested more than 64 deep");
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

TEST_F(AtlasDesk, the_id_of_a_member_cannot_change) {
  EXPECT_EQ(ask("PUT", "/letters/a", R"({"id":"b"})").status, 400);
  EXPECT_EQ(ask("PATCH", "/letters/a", R"({"id":"b"})").status, 400);
  EXPECT_EQ(ask("PATCH", "/letters/a", R"({"id":null})").status, 400);
  EXPECT_EQ(body("/letters/a"), R"({"id":"a","kind":"early"})");
}

TEST_F(AtlasDesk, an_id_that_is_not_utf8_is_refused) {
  EXPECT_EQ(ask("PUT", "/letters/%FF", "{}").status, 400);
  EXPECT_EQ(desk.items()["letters"], 5U);
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
  EXPECT_EQ(ask("GET", "/houses/other/rooms").status, 404);
  ask("POST", "/houses", R"({"id":"new"})");
  EXPECT_EQ(body("/houses/new/rooms"), "[]");
  ask("PUT", "/houses/h", "{}");
  EXPECT_EQ(desk.items()["rooms"], 1U);
  ask("DELETE", "/houses/h");
  EXPECT_EQ(desk.items()["rooms"], 0U);
}

TEST_F(AtlasDesk, an_encoded_slash_stays_inside_its_segment) {
  EXPECT_EQ(ask("GET", "/houses%2Fh").status, 404);
  EXPECT_EQ(ask("GET", "/houses/h%2Frooms").status, 404);
  EXPECT_EQ(ask("GET", "/%68ouses/h").status, 200);
}

TEST_F(AtlasDesk, an_unknown_path_is_not_found_and_named) {
  for (const auto* path : {"/nope", "/letters/", "//letters", "/letters/a/", "/letters/a/rooms", "/houses/h/rooms/1/x",
                           "/letters/zz", "*"}) {
    const auto answer = ask("GET", path);
    EXPECT_EQ(answer.status, 404) << path;
    EXPECT_NE(detail(answer).find(path), std::string::npos) << path;
  }
}

TEST_F(AtlasDesk, an_empty_segment_names_nothing_that_could_be_written) {
  for (const auto* path : {"/letters/", "/letters/a//x", "/houses/h/rooms/"}) {
    EXPECT_EQ(ask("PUT", path, "{}").status, 404) << path;
    EXPECT_EQ(ask("DELETE", path).status, 404) << path;
  }
  EXPECT_EQ(desk.applied_writes(), 0U);
}

TEST_F(AtlasDesk, a_percent_without_two_digits_is_refused) {
  for (const auto* target : {"/letters/%", "/letters/%4", "/letters/%zz", "/letters?kind=%+1"}) {
    EXPECT_EQ(ask("GET", target).status, 400) << target;
  }
}

TEST_F(AtlasDesk, an_absolute_target_is_understood) {
  EXPECT_EQ(body("http://host:80/letters/a"), R"({"id":"a","kind":"early"})");
  EXPECT_EQ(ask("GET", "http://host").status, 200);
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

TEST_F(AtlasDesk, the_same_idempotency_key_creates_once) {
  const Question question{.method = "POST", .target = "/letters", .body = R"({"id":"k"})", .idempotency_key = "1"};
  const auto first = ask(question);
  const auto again = ask(question);
  EXPECT_EQ(first.status, 201);
  EXPECT_EQ(again.status, 201);
  EXPECT_EQ(again.body, first.body);
  EXPECT_EQ(field(again, "Location"), field(first, "Location"));
  EXPECT_EQ(field(again, "Idempotency-Replayed"), "true");
  EXPECT_EQ(desk.applied_writes(), 1U);
}

TEST_F(AtlasDesk, an_idempotency_key_holds_for_one_body_and_one_collection) {
  ask({.method = "POST", .target = "/letters", .body = R"({"id":"k"})", .idempotency_key = "1"});
  EXPECT_EQ(ask({.method = "POST", .target = "/letters", .body = R"({"id":"l"})", .idempotency_key = "1"}).status, 422);
  EXPECT_EQ(ask({.method = "POST", .target = "/houses", .body = R"({"id":"k"})", .idempotency_key = "1"}).status, 201);
  EXPECT_EQ(desk.applied_writes(), 2U);
}

TEST_F(AtlasDesk, a_refused_creation_does_not_use_up_its_idempotency_key) {
  EXPECT_EQ(ask({.method = "POST", .target = "/letters", .body = "{", .idempotency_key = "1"}).status, 400);
  EXPECT_EQ(ask({.method = "POST", .target = "/letters", .body = R"({"id":"k"})", .idempotency_key = "1"}).status, 201);
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
