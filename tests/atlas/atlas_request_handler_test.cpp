// The sample server's resources and methods, without a socket.
#include "atlas_request_handler.hpp"

#include <gtest/gtest.h>

#include <string>

namespace atlas_request_handler_test {

using atlas::Collection;
using atlas::Json;
using atlas::Request;
using atlas::RequestHandler;
using atlas::Response;

std::vector<Collection> small_dataset() {
  Collection letters({"letters", "id"});
  for (const auto* id : {"a", "b", "c", "d", "e"}) {
    letters.put(id, Json{{"id", id}, {"kind", *id < 'c' ? "early" : "late"}});
  }
  Collection houses({"houses", "id", "rooms", "no"});
  houses.put("h", Json{{"id", "h"}});
  houses.subcollection("h")->put("1", Json{{"no", "1"}});
  return {letters, houses};
}

class AtlasRequestHandler : public ::testing::Test {
 protected:
  Response send(const std::string& method, const std::string& target, const std::string& body = "") {
    return send(Request{.method = method, .target = target, .body = body});
  }

  Response send(Request request) {
    request.origin = "http://host";
    return handler.handle(request);
  }

  std::string body(const std::string& target) { return send("GET", target).body; }

  RequestHandler handler{small_dataset(), ""};
};

std::string field(const Response& response, const std::string& name) {
  for (const auto& [key, value] : response.fields) {
    if (key == name) return value;
  }
  return "(none)";
}

std::string detail(const Response& response) {
  EXPECT_EQ(response.content_type, "application/problem+json");
  const auto document = Json::parse(response.body);
  EXPECT_EQ(document["status"], response.status);
  return document["detail"];
}

TEST_F(AtlasRequestHandler, an_invalid_request_is_rejected_with_a_reason_and_changes_nothing) {
  const auto nested = R"({"id":"z","x":)" + std::string(500'000, '[');
  const struct {
    const char* method;
    std::string target;
    std::string body;
    int status;
    std::string reason;
  } cases[] = {
      {"GET", "/letters?page=0", "", 400, "page must be a whole number of at least 1, not '0'"},
      {"GET", "/letters?page=-1", "", 400, "page must be a whole number of at least 1, not '-1'"},
      {"GET", "/letters?page=x", "", 400, "page must be a whole number of at least 1, not 'x'"},
      {"GET", "/letters?page=", "", 400, "page must be a whole number of at least 1, not ''"},
      {"GET", "/letters?page=1.5", "", 400, "page must be a whole number of at least 1, not '1.5'"},
      {"GET", "/letters?per_page=0", "", 400, "per_page must be a whole number of at least 1, not '0'"},
      {"GET", "/letters?per_page=18446744073709551616", "", 400, "per_page must be a whole number of at least 1"},
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
      {"POST", "/letters", nested, 400, "the body is nested more than 64 levels deep"},
      {"POST", "/letters", R"({"id":1})", 400, "'id' must be a non-empty string"},
      {"POST", "/letters", R"({"id":""})", 400, "'id' must be a non-empty string"},
      {"POST", "/letters", R"({"name":"x"})", 400, "the body has no 'id', the id of the member"},
      {"PUT", "/letters/a", R"({"id":"b"})", 400, "'id' must be 'a', as in the path"},
      {"PATCH", "/letters/a", R"({"id":"b"})", 400, "'id' must be 'a', as in the path"},
      {"PATCH", "/letters/a", R"({"id":null})", 400, "'id' must be 'a', as in the path"},
      {"PUT", "/letters/%FF", "{}", 400, "the id in the path is not UTF-8"},
      {"POST", "/letters", R"({"id":"a"})", 409, "/letters/a already exists"},
  };
  for (const auto& [method, target, body, status, reason] : cases) {
    SCOPED_TRACE(std::string(method) + " " + target + " " + body.substr(0, 20));
    const auto response = send(method, target, body);
    EXPECT_EQ(response.status, status);
    EXPECT_TRUE(detail(response).starts_with(reason)) << detail(response);
  }
  EXPECT_EQ(handler.applied_writes(), 0U);
  EXPECT_EQ(handler.items()["letters"], 5U);
  EXPECT_EQ(body("/letters/a"), R"({"id":"a","kind":"early"})");
}

TEST_F(AtlasRequestHandler, an_unknown_path_is_404_and_named) {
  for (const auto* path : {"/nope", "/letters/", "//letters", "/letters/a/", "/letters/a/rooms", "/houses/h/rooms/1/x",
                           "/letters/zz", "*", "/houses%2Fh", "/houses/h%2Frooms", "/houses/other/rooms"}) {
    const auto response = send("GET", path);
    EXPECT_EQ(response.status, 404) << path;
    EXPECT_NE(detail(response).find(path), std::string::npos) << path;
  }
  // An empty segment is not a member id.
  for (const auto* path : {"/letters/", "/letters/a//x", "/houses/h/rooms/"}) {
    EXPECT_EQ(send("PUT", path, "{}").status, 404) << path;
    EXPECT_EQ(send("DELETE", path).status, 404) << path;
  }
  EXPECT_EQ(handler.applied_writes(), 0U);
}

TEST_F(AtlasRequestHandler, a_target_may_be_encoded_or_absolute) {
  EXPECT_EQ(send("GET", "/%68ouses/h").status, 200);
  EXPECT_EQ(body("http://host:80/letters/a"), R"({"id":"a","kind":"early"})");
  EXPECT_EQ(send("GET", "http://host").status, 200);
}

TEST_F(AtlasRequestHandler, the_pages_of_a_list_link_to_each_other) {
  const struct {
    const char* query;
    const char* body;
    const char* links;  // without their common prefix
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
      // A page after the end is empty and links back.
      {"per_page=2&page=9223372036854775809", "[]",
       R"(<page=1&per_page=2>; rel="first", <page=3&per_page=2>; rel="prev", <page=3&per_page=2>; rel="last")"},
  };
  const std::string begin = "<http://host/letters?";
  for (const auto& [query, body, links] : cases) {
    const auto response = send("GET", std::string("/letters?") + query);
    EXPECT_EQ(response.status, 200) << query;
    EXPECT_EQ(response.body, body);
    auto link = field(response, "Link");
    for (auto at = link.find(begin); at != std::string::npos; at = link.find(begin))
      link.replace(at, begin.size(), "<");
    EXPECT_EQ(link, links);
  }
  EXPECT_NE(field(send("GET", "/letters"), "Link").find("per_page=30>"), std::string::npos);
  EXPECT_NE(field(send("GET", "/letters?per_page=101"), "Link").find("per_page=100>"), std::string::npos);
}

TEST_F(AtlasRequestHandler, a_filter_selects_by_exact_match) {
  const auto response = send("GET", "/letters?kind=early");
  EXPECT_EQ(field(response, "X-Total-Count"), "2");
  EXPECT_EQ(response.body, R"([{"id":"a","kind":"early"},{"id":"b","kind":"early"}])");
  EXPECT_EQ(field(send("GET", "/letters?kind=earl"), "X-Total-Count"), "0");
  EXPECT_EQ(field(send("GET", "/letters?colour=red"), "X-Total-Count"), "0");
  EXPECT_EQ(field(send("GET", "/letters?kind=early&id=b"), "X-Total-Count"), "1");
}

TEST_F(AtlasRequestHandler, a_created_member_is_the_last_of_the_list_and_at_its_location) {
  const auto made = send("POST", "/letters", R"({"name":"ü","id":"x/y?"})");
  EXPECT_EQ(made.status, 201);
  EXPECT_EQ(made.body, R"({"name":"ü","id":"x/y?"})");
  EXPECT_EQ(field(made, "Location"), "http://host/letters/x%2Fy%3F");
  EXPECT_EQ(body("/letters/x%2Fy%3F"), made.body);
  EXPECT_EQ(body("/letters?page=6&per_page=1"), "[" + made.body + "]");
  EXPECT_EQ(handler.items()["letters"], 6U);
  EXPECT_EQ(handler.applied_writes(), 1U);
}

TEST_F(AtlasRequestHandler, put_replaces_a_member_in_its_position_or_creates_it) {
  const auto replaced = send("PUT", "/letters/a", R"({"kind":"new"})");
  EXPECT_EQ(replaced.status, 200);
  EXPECT_EQ(body("/letters?per_page=1"), R"([{"kind":"new","id":"a"}])");
  const auto made = send("PUT", "/letters/q", R"({"id":"q"})");
  EXPECT_EQ(made.status, 201);
  EXPECT_EQ(field(made, "Location"), "http://host/letters/q");
  EXPECT_EQ(handler.applied_writes(), 2U);
}

TEST_F(AtlasRequestHandler, patch_merges_and_null_removes) {
  const auto response = send("PATCH", "/letters/a", R"({"kind":null,"size":{"w":1}})");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, R"({"id":"a","size":{"w":1}})");
  EXPECT_EQ(send("PATCH", "/letters/a", R"({"size":{"h":2}})").body, R"({"id":"a","size":{"w":1,"h":2}})");
}

TEST_F(AtlasRequestHandler, delete_removes_one_member_and_keeps_the_order_of_the_others) {
  EXPECT_EQ(send("DELETE", "/letters/b").status, 204);
  EXPECT_EQ(send("GET", "/letters/b").status, 404);
  EXPECT_EQ(send("DELETE", "/letters/b").status, 404);
  EXPECT_EQ(body("/letters/c"), R"({"id":"c","kind":"late"})");
  EXPECT_EQ(body("/letters?per_page=1&page=2"), R"([{"id":"c","kind":"late"}])");
}

TEST_F(AtlasRequestHandler, a_subcollection_belongs_to_its_member) {
  EXPECT_EQ(body("/houses/h/rooms"), R"([{"no":"1"}])");
  EXPECT_EQ(body("/houses/h/rooms/1"), R"({"no":"1"})");
  send("POST", "/houses", R"({"id":"new"})");
  EXPECT_EQ(body("/houses/new/rooms"), "[]");
  send("PUT", "/houses/h", "{}");
  EXPECT_EQ(handler.items()["rooms"], 1U);
  send("DELETE", "/houses/h");
  EXPECT_EQ(handler.items()["rooms"], 0U);
}

TEST_F(AtlasRequestHandler, the_response_to_an_unsupported_method_lists_the_supported_ones) {
  for (const auto* method : {"PUT", "PATCH", "DELETE"}) {
    const auto response = send(method, "/letters", "{}");
    EXPECT_EQ(response.status, 405) << method;
    EXPECT_EQ(field(response, "Allow"), "GET, HEAD, POST, OPTIONS");
  }
  EXPECT_EQ(send("POST", "/letters/a", "{}").status, 405);
  EXPECT_EQ(field(send("POST", "/letters/a"), "Allow"), "GET, HEAD, PUT, PATCH, DELETE, OPTIONS");
  EXPECT_EQ(field(send("DELETE", "/"), "Allow"), "GET, HEAD, OPTIONS");
  EXPECT_EQ(send("OPTIONS", "/letters").status, 204);
}

TEST_F(AtlasRequestHandler, an_entity_tag_depends_on_the_content) {
  const auto first = field(send("GET", "/letters/a"), "ETag");
  EXPECT_EQ(first.front(), '"');
  EXPECT_EQ(first.size(), 18U);
  EXPECT_EQ(field(send("GET", "/letters/a"), "ETag"), first);
  const auto patched = field(send("PATCH", "/letters/a", R"({"kind":"x"})"), "ETag");
  EXPECT_NE(patched, first);
  EXPECT_EQ(field(send("PATCH", "/letters/a", R"({"kind":"early"})"), "ETag"), first);
}

TEST_F(AtlasRequestHandler, a_read_with_the_current_entity_tag_is_304) {
  const auto etag = field(send("GET", "/letters/a"), "ETag");
  for (const auto& known : {etag, "\"x\", W/" + etag, std::string("*")}) {
    const auto response = send({.method = "GET", .target = "/letters/a", .conditions = {.if_none_match = known}});
    EXPECT_EQ(response.status, 304) << known;
    EXPECT_EQ(response.body, "");
    EXPECT_EQ(field(response, "ETag"), etag);
  }
  EXPECT_EQ(send({.method = "GET", .target = "/letters/a", .conditions = {.if_none_match = "\"x\""}}).status, 200);
}

TEST_F(AtlasRequestHandler, a_write_whose_condition_fails_changes_nothing) {
  const auto etag = field(send("GET", "/letters/a"), "ETag");
  for (const auto* method : {"PUT", "PATCH", "DELETE"}) {
    EXPECT_EQ(send({method, "/letters/a", R"({"kind":"x"})", {.if_match = "\"old\""}}).status, 412) << method;
    EXPECT_EQ(send({method, "/letters/a", R"({"kind":"x"})", {.if_match = "W/" + etag}}).status, 412) << method;
  }
  EXPECT_EQ(send({"PUT", "/letters/a", "{}", {.if_none_match = "*"}}).status, 412);
  EXPECT_EQ(send({"PUT", "/letters/new", "{}", {.if_match = "*"}}).status, 412);
  EXPECT_EQ(handler.applied_writes(), 0U);
  EXPECT_EQ(send({"DELETE", "/letters/a", "", {.if_match = etag}}).status, 204);
}

TEST_F(AtlasRequestHandler, an_idempotency_key_creates_once_per_body_and_collection) {
  const auto post = [&](const std::string& target, const std::string& body) {
    return send({.method = "POST", .target = target, .body = body, .idempotency_key = "1"});
  };
  // A rejected creation does not use the key.
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
  EXPECT_EQ(handler.applied_writes(), 2U);
}

TEST_F(AtlasRequestHandler, the_index_links_to_the_collections) {
  const auto index = Json::parse(body("/"));
  EXPECT_EQ(index["collections"]["letters"], "http://host/letters");
  EXPECT_EQ(index["collections"]["rooms"], "http://host/houses/{id}/rooms");
  EXPECT_EQ(index["items"]["letters"], 5);
}

TEST(AtlasRequestHandlerPrefix, precedes_every_path) {
  RequestHandler handler(small_dataset(), "/api/v1/");
  const auto send = [&](const std::string& target) {
    return handler.handle({.method = "GET", .target = target, .origin = "http://host"});
  };
  EXPECT_EQ(send("/api/v1/letters/a").status, 200);
  EXPECT_EQ(send("/letters/a").status, 404);
  EXPECT_EQ(send("/api/v2/letters/a").status, 404);
  EXPECT_EQ(send("/api").status, 404);
  EXPECT_EQ(Json::parse(send("/api/v1").body)["collections"]["letters"], "http://host/api/v1/letters");
  EXPECT_EQ(send("/api/v1/").status, 200);
  EXPECT_EQ(send("/").status, 200);
  EXPECT_NE(field(send("/api/v1/letters"), "Link").find("<http://host/api/v1/letters?page=1"), std::string::npos);
}

}  // namespace atlas_request_handler_test
