// The sample server in process, over loopback.
#include "atlas_service.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <set>
#include <string>

#include <nlohmann/json.hpp>

#include "atlas/atlas_client.hpp"
#include "atlas_clock.hpp"

namespace atlas_test { namespace atlas_test {

using namespace std::chrono_literals;
using atlas::Options;
using atlas::Service;
using nlohmann::json;

/// Options whose window has just started and lasts a day: it does not reset during a test.
Options limited(std::uint64_t limit) {
  const auto now = std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
  return {.limit = limit, .period = 24h, .window_phase = now.time_since_epoch() % 24h};
}

TEST(Atlas, serves_the_lists_of_iso_codes_as_installed) {
  const Service service;
  auto items = service.stats().items;
  EXPECT_GT(items["languages"], 7800U);
  EXPECT_EQ(items["countries"], 249U);
  EXPECT_GT(items["subdivisions"], 4800U);
  EXPECT_GT(items["currencies"], 150U);
  EXPECT_GT(items["scripts"], 150U);
}

TEST(Atlas, members_are_served_as_utf8_json) {
  const Service service;
  Client client(service);
  const auto response = client.get("/countries/DE/subdivisions/DE-BW");
  ASSERT_TRUE(response);
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.field("Content-Type"), "application/json");
  EXPECT_EQ(response.body, R"({"code":"DE-BW","name":"Baden-Württemberg","type":"Land"})");
}

TEST(Atlas, a_member_supports_all_methods) {
  const Service service;
  Client client(service);
  const auto made = client.send("POST", "/scripts", R"({"alpha_4":"Zz/1"})");
  EXPECT_EQ(made.status, 201);
  EXPECT_EQ(made.field("Location"), service.base_url() + "/scripts/Zz%2F1");
  EXPECT_EQ(client.get("/scripts/Zz%2F1").body, R"({"alpha_4":"Zz/1"})");
  EXPECT_EQ(client.send("PUT", "/scripts/Zz%2F1", R"({"name":"x"})").status, 200);
  EXPECT_EQ(client.send("PATCH", "/scripts/Zz%2F1", R"({"name":"y"})").body,
            R"({"name":"y","alpha_4":"Zz/1"})");
  const auto removed = client.remove("/scripts/Zz%2F1");
  EXPECT_EQ(removed.status, 204);
  EXPECT_EQ(removed.field("Content-Length"), "");
  EXPECT_EQ(client.get("/scripts/Zz%2F1").status, 404);
  EXPECT_EQ(service.stats().applied_writes, 4U);
}

TEST(Atlas, preconditions_and_idempotency_keys_are_read_from_their_fields) {
  const Service service;
  Client client(service);
  const auto etag = client.get("/languages/deu").field("ETag");
  const auto unchanged = client.get("/languages/deu", {{"If-None-Match", etag}});
  EXPECT_EQ(unchanged.status, 304);
  EXPECT_EQ(unchanged.field("Content-Length"), "");
  EXPECT_EQ(client.remove("/languages/deu", {{"If-Match", "\"old\""}}).status, 412);
  const atlas::Fields key{{"Idempotency-Key", "k"}};
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(client.send("POST", "/scripts", R"({"alpha_4":"Zzz1"})", key).status, 201);
  EXPECT_EQ(service.stats().applied_writes, 1U);
}

TEST(Atlas, head_has_the_fields_of_get_and_ranges_and_codings_are_ignored) {
  const Service service;
  Client client(service);
  const auto get = client.get("/languages/deu");
  const auto head = client.head("/languages/deu");
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.body, "");
  for (const auto* name : {"Content-Length", "ETag"})
    EXPECT_EQ(head.field(name), get.field(name)) << name;
  const auto ranged = client.get("/languages/deu", {{"Accept-Encoding", "gzip"}, {"Range", "bytes=0-3"}});
  EXPECT_EQ(ranged.status, 200);
  EXPECT_EQ(ranged.body, get.body);
  EXPECT_EQ(ranged.field("Content-Encoding"), "");
}

TEST(Atlas, links_use_the_host_of_the_request) {
  const Service service({.prefix = "/v1"});
  Client client(service);
  const auto link = [&](const char* host) {
    return client.get("/v1/scripts", {{"Host", host}}).field("Link");
  };
  EXPECT_TRUE(link("localhost:99").starts_with("<http://localhost:99/v1/scripts?page=1"));
  EXPECT_TRUE(link("evil>; rel=next").starts_with("<" + service.base_url() + "/scripts?page=1"));
}

TEST(Atlas, a_request_over_the_limit_is_rejected_with_retry_after) {
  const Service service(limited(1));
  Client client(service);
  const auto first = client.get("/languages/deu");
  EXPECT_EQ(first.status, 200);
  EXPECT_EQ(first.field("X-RateLimit-Limit"), "1");
  EXPECT_EQ(first.field("X-RateLimit-Remaining"), "0");
  const auto second = client.remove("/languages/deu");
  EXPECT_EQ(second.status, 429);
  EXPECT_EQ(second.field("Content-Type"), "application/problem+json");
  EXPECT_GT(std::stol(second.field("Retry-After")), 86'000);
  EXPECT_EQ(second.field("X-RateLimit-Remaining"), "0");
  EXPECT_EQ(service.stats().rejected, 1U);
  EXPECT_EQ(service.stats().applied_writes, 0U);
}

TEST(Atlas, rate_limit_fields_and_retry_after_can_be_omitted) {
  auto options = limited(1);
  options.rate_headers = false;
  options.retry_after = false;
  const Service service(options);
  Client client(service);
  EXPECT_EQ(client.get("/scripts").field("X-RateLimit-Limit"), "");
  const auto rejected = client.get("/scripts");
  EXPECT_EQ(rejected.status, 429);
  EXPECT_EQ(rejected.field("Retry-After"), "");
  EXPECT_EQ(rejected.field("X-RateLimit-Reset"), "");
  const Service unlimited;
  EXPECT_EQ(Client(unlimited).get("/scripts").field("X-RateLimit-Limit"), "");
}

TEST(Atlas, dates_and_resets_are_by_the_server_clock) {
  auto options = limited(5);
  options.clock_offset = -100h;
  const Service service(options);
  const auto before = std::chrono::system_clock::now() - 100h;
  const auto response = Client(service).get("/scripts");
  const auto after = std::chrono::system_clock::now() - 100h;
  std::set<std::string> possible;
  for (auto t = before; t < after + 1s; t += 1s) possible.insert(atlas::http_date_text(t));
  EXPECT_EQ(possible.count(response.field("Date")), 1U);
  const std::chrono::system_clock::time_point reset{
      std::chrono::seconds{std::stoll(response.field("X-RateLimit-Reset"))}};
  EXPECT_GT(reset, before);
  EXPECT_LT(reset, after + 25h);
}

TEST(Atlas, requests_for_stats_are_not_counted) {
  const Service service({.prefix = "/v1", .limit = 1, .drop = 1.0});
  Client client(service);
  for (const auto* path : {"/_stats", "/v1/_stats", "/_stats?x"}) {
    const auto response = client.get(path);
    ASSERT_TRUE(response) << path;
    EXPECT_EQ(json::parse(response.body), json::parse(atlas::to_json(service.stats()))) << path;
  }
  EXPECT_EQ(client.send("POST", "/_stats", "{}").status, 405);
  EXPECT_EQ(service.stats().requests, 0U);
  EXPECT_EQ(service.stats().connections, 1U);
}

TEST(Atlas, latency_delays_the_response) {
  const Service service({.latency = 30ms});
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(Client(service).get("/scripts").status, 200);
  EXPECT_GE(std::chrono::steady_clock::now() - start, 30ms);
}

TEST(Atlas, a_request_rejected_with_503_is_not_applied) {
  const Service service({.unavailable = 1.0});
  const auto response = Client(service).remove("/languages/deu");
  EXPECT_EQ(response.status, 503);
  EXPECT_EQ(response.field("Content-Type"), "application/problem+json");
  EXPECT_EQ(service.stats().applied_writes, 0U);
  EXPECT_EQ(service.stats().unavailable, 1U);
}

const std::string removal = "DELETE /languages/deu HTTP/1.1\r\nHost: x\r\n\r\n";

TEST(Atlas, a_connection_is_dropped_before_or_after_the_request_is_applied) {
  const Service before({.drop = 1.0});
  EXPECT_EQ(stream_of(before, removal), (Stream{"", ECONNRESET}));
  EXPECT_EQ(before.stats().applied_writes, 0U);
  EXPECT_EQ(before.stats().dropped, 1U);
  const Service after({.latency = 1h, .drop_after = 1.0});
  EXPECT_EQ(stream_of(after, removal), Stream());
  EXPECT_EQ(after.stats().applied_writes, 1U);
  EXPECT_EQ(after.stats().dropped, 1U);
}

TEST(Atlas, a_response_is_cut_in_the_middle_of_its_body_after_the_request_is_applied) {
  const Service whole;
  const auto body = Client(whole).get("/languages/deu").body;
  const Service service({.truncate = 1.0});
  const auto [response, ending] = stream_of(service, "GET /languages/deu HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_TRUE(response.starts_with("HTTP/1.1 200 OK\r\n"));
  EXPECT_NE(response.find("Content-Length: " + std::to_string(body.size())), std::string::npos);
  EXPECT_TRUE(response.ends_with("\r\n\r\n" + body.substr(0, body.size() / 2)));
  EXPECT_EQ(ending, 0);
  EXPECT_FALSE(Client(service).send("PUT", "/scripts/Zzz1", "{}"));
  EXPECT_EQ(service.stats().applied_writes, 1U);
  EXPECT_EQ(service.stats().truncated, 2U);
}

TEST(Atlas, a_response_without_a_body_is_cut_in_the_middle_of_its_head) {
  const Service service({.truncate = 1.0});
  const auto [response, ending] = stream_of(service, removal);
  EXPECT_TRUE(response.starts_with("HTTP/1.1 204 No Content\r\n"));
  EXPECT_EQ(response.find("\r\n\r\n"), std::string::npos);
  EXPECT_EQ(ending, 0);
  EXPECT_EQ(service.stats().applied_writes, 1U);
}

}  // namespace atlas_test
}  // namespace atlas_test
