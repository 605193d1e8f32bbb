// The server of the testing kit: collections, windows, options, and faults.
#include <noun/testing/simulated_service.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <noun/noun.hpp>
#include <noun/stop.hpp>

#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "curl/caller.hpp"

namespace noun::testing { namespace simulated_service_test {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using Fault = std::optional<std::pair<Result<Response>, SimulatedService::When>>;

struct Stage {
  std::shared_ptr<ManualClock> clock = std::make_shared<ManualClock>();
  std::shared_ptr<SimulatedService> transport;
  SimulatedService& service = *transport;
  noun_test::Caller call{.transport = transport};
  Instant begin = clock->now().steady;

  explicit Stage(ServiceOptions options = {})
      : transport(std::make_shared<SimulatedService>(clock, std::move(options))) {}

  Result<Response> send(Method method, const std::string& target, const std::string& body = "") const {
    return call(method, "https://h.example" + target,
                body.empty() ? std::nullopt : std::optional<std::string_view>(body));
  }
  Response get(const std::string& target) const { return send(Method::get, target).value(); }
  /// A field of the response to a GET of the root.
  std::string told(std::string_view field) const {
    return std::string(get("/").headers.get(field).value_or("nothing"));
  }
  void fill(int count) {
    for (int i = 1; i <= count; ++i) service.add("/numbers", std::to_string(i), i);
  }
  Duration took() const { return clock->now().steady - begin; }
};

TEST(SimulatedService, serves_members_by_every_verb) {
  Stage stage;
  stage.service.add_collection("/things");
  const auto made = stage.send(Method::post, "/things", R"({"id": "a/b", "n": 1, "m": 2})").value();
  EXPECT_EQ(made.status, 201);
  EXPECT_EQ(made.headers.get("Location"), "/things/a%2Fb");
  EXPECT_EQ(stage.send(Method::post, "/things", R"({"id": "a/b"})")->status, 409);
  EXPECT_EQ(stage.get("/things/a%2Fb").body, made.body);
  EXPECT_EQ(stage.send(Method::patch, "/things/a%2Fb", R"({"n": 5, "m": null})")->body, R"({"id":"a/b","n":5})");
  EXPECT_EQ(stage.send(Method::put, "/things/a%2Fb", "[1]")->status, 200);
  EXPECT_EQ(stage.service.member("/things", "a/b"), "[1]");
  EXPECT_EQ(stage.send(Method::put, "/things/new", "7")->status, 201);
  EXPECT_EQ(stage.service.size("/things"), 2U);
  EXPECT_EQ(stage.send(Method::delete_, "/things/new")->status, 204);
  EXPECT_EQ(stage.send(Method::delete_, "/things/new")->status, 404);
  EXPECT_EQ(stage.service.member("/things", "new"), std::nullopt);
  EXPECT_EQ(stage.service.size("/nothing"), 0U);
  EXPECT_EQ(stage.service.member("/nothing", "new"), std::nullopt);
}

TEST(SimulatedService, refuses_invalid_requests_with_a_problem) {
  Stage stage;
  stage.service.add_collection("/things");
  stage.service.add_json("/things", "1", "{}");
  const std::tuple<Method, std::string, std::string, int> cases[] = {
      {Method::get, "/nothing", "", 404},
      {Method::get, "/things/2", "", 404},
      {Method::get, "/", "", 404},
      {Method::get, "/things/%zz", "", 404},
      {Method::get, "/things/", "", 404},
      {Method::post, "/things/1", "{}", 405},
      {Method::put, "/things", "{}", 405},
      {Method::delete_, "/things", "", 405},
      {Method::post, "/things", "{", 400},
      {Method::post, "/things", "[1]", 400},
      {Method::put, "/things/1", "{", 400},
      {Method::patch, "/things/1", "{", 400},
      {Method::patch, "/things/2", "{}", 404},
      {Method::get, "/things/%FF%FE", "", 404},
  };
  for (const auto& [method, target, body, status] : cases) {
    const auto response = stage.send(method, target, body).value();
    EXPECT_EQ(response.status, status) << to_string(method) << target;
    EXPECT_EQ(response.headers.get("Content-Type"), "application/problem+json");
    EXPECT_EQ(Json::parse(response.body)["status"], status);
  }
}

TEST(SimulatedService, the_id_of_a_member_may_be_a_number_with_another_name) {
  Stage stage({.id_member = "alpha_3"});
  stage.service.add_collection("/languages");
  EXPECT_EQ(stage.send(Method::post, "/languages", R"({"alpha_3": 7})")->headers.get("Location"), "/languages/7");
  EXPECT_TRUE(stage.service.member("/languages", "7"));
}

TEST(SimulatedService, a_member_without_an_id_gets_a_new_one) {
  Stage stage;
  stage.service.add_collection("/things");
  stage.service.add("/things", "2", Json{{"id", 2}});
  EXPECT_EQ(stage.send(Method::post, "/things", R"({"n":1})")->body, R"({"id":3,"n":1})");
  EXPECT_EQ(stage.send(Method::post, "/things", "{}")->headers.get("Location"), "/things/4");
  stage.service.add("/texts", "2", Json{{"id", "2"}});
  EXPECT_EQ(stage.send(Method::post, "/texts", "{}")->body, R"({"id":"3"})") << "2 is taken";
}

TEST(SimulatedService, if_none_match_is_a_list_compared_weakly) {
  Stage stage;
  stage.fill(3);
  const auto status_of = [&](const std::string& target, const std::string& condition) {
    stage.call.headers = {{"If-None-Match", condition}};
    return stage.get(target).status;
  };
  for (const std::string target : {"/numbers", "/numbers/2"}) {
    stage.call.headers = {};
    const auto etag = stage.get(target).etag();
    const auto opaque = etag.substr(etag.find('"'));
    for (const auto& known : {etag, opaque, "W/" + opaque, "\"a,b\", " + etag, "W/\"a\" ,\t" + etag + ", \"b\"",
                              std::string("*")})
      EXPECT_EQ(status_of(target, known), 304) << target << known;
    for (const auto& other : {std::string("\"other\""), opaque.substr(1, opaque.size() - 2), "\"a" + opaque.substr(1),
                              "\"a," + opaque.substr(1), opaque.substr(0, opaque.size() - 1), std::string("W/"),
                              std::string()})
      EXPECT_EQ(status_of(target, other), 200) << target << other;
  }
  EXPECT_EQ(status_of("/numbers/4", "*"), 404);
}

TEST(SimulatedService, if_match_is_compared_strongly) {
  Stage stage;
  stage.fill(1);
  const auto etag = stage.get("/numbers/1").etag();
  stage.call.headers = {{"If-Match", "W/" + etag}};
  EXPECT_EQ(stage.send(Method::put, "/numbers/1", "2")->status, 412);
  stage.call.headers = {{"If-Match", "\"a\", " + etag}};
  EXPECT_EQ(stage.send(Method::put, "/numbers/1", "2")->status, 200);
  stage.call.headers = {{"If-None-Match", "*"}};
  EXPECT_EQ(stage.send(Method::put, "/numbers/1", "3")->status, 412);
  EXPECT_EQ(stage.send(Method::put, "/numbers/2", "3")->status, 201);
}

TEST(SimulatedService, a_page_that_did_not_change_is_a_304_with_its_fields_and_no_body) {
  Stage stage({.dialect = dialects::github(), .limit = 10, .page_size = 2});
  stage.fill(5);
  const auto page = stage.get("/numbers?page=2");
  stage.call.headers = {{"If-None-Match", page.etag()}};
  const auto again = stage.get("/numbers?page=2");
  EXPECT_EQ(again.status, 304);
  EXPECT_EQ(again.body, "");
  EXPECT_EQ(again.headers.get("Content-Type"), std::nullopt);
  EXPECT_EQ(again.etag(), page.etag());
  EXPECT_EQ(again.headers.get("Link"), page.headers.get("Link"));
  EXPECT_EQ(again.headers.get("X-RateLimit-Remaining"), "8") << "it has no credentials, so it counts";
  stage.service.replace("/numbers", "5", 50);
  EXPECT_EQ(stage.get("/numbers?page=2").status, 304) << "the item is on another page";
  stage.service.replace("/numbers", "3", 30);
  const auto changed = stage.get("/numbers?page=2");
  EXPECT_EQ(changed.status, 200);
  EXPECT_EQ(changed.body, "[30,4]");
  stage.call.headers = {{"If-None-Match", changed.etag()}};
  stage.service.add("/numbers", "6", 6);
  stage.service.add("/numbers", "7", 7);
  EXPECT_EQ(stage.get("/numbers?page=2").status, 200) << "the last page is another one";
}

TEST(SimulatedService, a_304_with_credentials_is_not_counted_if_it_costs_nothing) {
  Stage stage({.dialect = dialects::github(), .limit = 3});
  stage.fill(2);
  const auto page = stage.get("/numbers");
  stage.call.headers = {{"If-None-Match", page.etag()}, {"Authorization", "Bearer token"}};
  for (int i = 0; i < 5; ++i) EXPECT_EQ(stage.get("/numbers").headers.get("X-RateLimit-Remaining"), "2");
  EXPECT_EQ(stage.service.requests(), 6U);
  EXPECT_EQ(stage.service.uncounted(), 5U);
  for (const auto left : {"1", "0"}) {
    stage.service.replace("/numbers", "1", left);
    EXPECT_EQ(stage.get("/numbers").headers.get("X-RateLimit-Remaining"), left);
  }
  stage.call.headers.set("If-None-Match", "*");
  EXPECT_EQ(stage.get("/numbers").status, 429) << "nothing remains";
  EXPECT_EQ(stage.service.rejected(), 1U);
}

TEST(SimulatedService, a_304_is_counted_by_other_dialects) {
  Stage stage({.limit = 3});
  stage.fill(2);
  const auto page = stage.get("/numbers");
  stage.call.headers = {{"If-None-Match", page.etag()}, {"Authorization", "Bearer token"}};
  for (int i = 0; i < 2; ++i) EXPECT_EQ(stage.get("/numbers").status, 304);
  EXPECT_EQ(stage.get("/numbers").status, 429);
  EXPECT_EQ(stage.service.uncounted(), 0U);
}

TEST(SimulatedService, replaces_a_member_as_another_client_would) {
  Stage stage;
  stage.service.add_json("/things", "1", R"({"n":1})");
  const auto etag = stage.get("/things/1").etag();
  stage.service.replace("/things", "1", Json{{"n", 2}});
  EXPECT_EQ(stage.service.member("/things", "1"), R"({"n":2})");
  EXPECT_NE(stage.get("/things/1").etag(), etag);
  EXPECT_EQ(stage.service.requests(), 2U);
  EXPECT_THROW(stage.service.replace("/things", "2", 1), std::invalid_argument);
  EXPECT_THROW(stage.service.replace("/nothing", "1", 1), std::invalid_argument);
  EXPECT_THROW(stage.service.replace_json("/things", "1", "{"), std::invalid_argument);
}

TEST(SimulatedService, head_is_get_without_a_body) {
  Stage stage;
  stage.fill(3);
  const auto list = stage.send(Method::head, "/numbers").value();
  EXPECT_EQ(list.status, 200);
  EXPECT_EQ(list.body, "");
  EXPECT_EQ(list.headers.get("X-Total-Count"), "3");
  EXPECT_EQ(stage.send(Method::head, "/numbers/1")->body, "");
  EXPECT_EQ(stage.send(Method::head, "/numbers/9")->status, 404);
}

TEST(SimulatedService, pages_its_collections_with_links) {
  Stage stage({.parameters = {"q"}, .page_size = 3, .largest_page = 4});
  stage.fill(8);
  EXPECT_EQ(stage.get("/numbers").body, "[1,2,3]");
  const auto first = stage.get("/numbers?per_page=100&q=a%20b");
  EXPECT_EQ(first.body, "[1,2,3,4]");
  EXPECT_EQ(first.headers.get("X-Total-Count"), "8");
  EXPECT_EQ(first.headers.get("Link"),
            "<https://h.example/numbers?per_page=4&q=a%20b&page=2>; rel=\"next\", "
            "<https://h.example/numbers?per_page=4&q=a%20b&page=2>; rel=\"last\"");
  const auto last = stage.get("/numbers?per_page=4&page=2");
  EXPECT_EQ(last.body, "[5,6,7,8]");
  EXPECT_EQ(last.headers.get("Link"), "<https://h.example/numbers?per_page=4&page=2>; rel=\"last\"");
  EXPECT_EQ(stage.get("/numbers?page=3&per_page=4").body, "[]");
  EXPECT_EQ(stage.get("/numbers?page=0&per_page=0").body, "[1]");
  EXPECT_EQ(stage.get("/numbers?page=x&per_page=y").body, "[1,2,3]");
  stage.service.add_collection("/empty");
  EXPECT_EQ(stage.get("/empty").body, "[]");
}

TEST(SimulatedService, an_empty_collection_has_a_list_whatever_is_selected) {
  Stage stage;
  stage.service.add("/tasks", "1", Json{{"id", 1}, {"done", true}});
  EXPECT_EQ(stage.get("/tasks?donne=true").status, 400);
  EXPECT_EQ(stage.send(Method::delete_, "/tasks/1")->status, 204);
  const auto list = stage.get("/tasks?done=true");
  EXPECT_EQ(list.status, 200);
  EXPECT_EQ(list.body, "[]");
  EXPECT_EQ(stage.send(Method::query, "/tasks", R"({"done": true})")->body, "[]");
}

TEST(SimulatedService, selects_by_the_body_of_a_query) {
  Stage stage;
  for (int id = 1; id <= 6; ++id)
    stage.service.add("/tasks", std::to_string(id), Json{{"id", id}, {"done", id % 2 == 0}, {"of", "x"}});
  EXPECT_EQ(stage.send(Method::query, "/tasks?per_page=2", R"({"done": true})")->body,
            R"([{"done":true,"id":2,"of":"x"},{"done":true,"id":4,"of":"x"}])");
  EXPECT_EQ(stage.send(Method::query, "/tasks?id=6", R"({"done": true, "of": "x"})")->body,
            R"([{"done":true,"id":6,"of":"x"}])");
  EXPECT_EQ(stage.send(Method::query, "/tasks", R"({"donne": true})")->status, 400);
  EXPECT_THAT(stage.send(Method::query, "/tasks", "done")->body, HasSubstr("not a JSON object"));
  EXPECT_EQ(stage.send(Method::query, "/tasks/1", "{}")->status, 405);
  const noun::Client api("https://h.example",
                         {.dialect = {.search_method = Method::query}, .transport = stage.transport, .clock = stage.clock});
  int found = 0;
  for (const auto& task : api.collection("tasks").list({.page_size = 1, .body = Json{{"done", false}}}))
    EXPECT_EQ(task.value()["id"], 2 * found++ + 1);
  EXPECT_EQ(found, 3);
}

TEST(SimulatedService, advances_the_clock_by_its_latency_and_dates_the_middle) {
  Stage stage({.latency = 3s, .clock_offset = -1h});
  EXPECT_EQ(stage.told("Date"), "Tue, 20 Jan 2026 11:00:01 GMT");
  EXPECT_EQ(stage.took(), 3s);
}

TEST(SimulatedService, slower_than_the_attempt_timeout_times_out) {
  Stage stage({.latency = 10s});
  stage.service.add_collection("/things");
  stage.call.timeout = 4s;
  EXPECT_EQ(stage.send(Method::post, "/things", R"({"id": 1})").error().code(), Errc::timeout);
  EXPECT_EQ(stage.took(), 4s);
  EXPECT_EQ(stage.service.size("/things"), 0U) << "it had not arrived";
  stage.call.timeout = 6s;
  EXPECT_EQ(stage.send(Method::post, "/things", R"({"id": 1})").error().code(), Errc::timeout);
  EXPECT_EQ(stage.took(), 10s);
  EXPECT_EQ(stage.service.size("/things"), 1U) << "it had arrived, but the answer had not";
  stage.call.timeout = 10s;
  EXPECT_TRUE(stage.send(Method::get, "/things"));
}

TEST(SimulatedService, counts_a_window_and_rejects_requests_over_its_limit) {
  Stage stage({.limit = 2, .period = 60s, .latency = 0s});
  stage.clock->advance(12'300ms);
  const auto first = stage.get("/");
  EXPECT_EQ(first.headers.get("X-RateLimit-Limit"), "2");
  EXPECT_EQ(first.headers.get("X-RateLimit-Remaining"), "1");
  EXPECT_EQ(first.headers.get("X-RateLimit-Reset"), "1768910460");
  EXPECT_EQ(stage.told("X-RateLimit-Remaining"), "0");
  const auto over = stage.get("/");
  EXPECT_EQ(over.status, 429);
  EXPECT_EQ(over.headers.get("Retry-After"), "48");
  EXPECT_EQ(over.headers.get("X-RateLimit-Remaining"), "0");
  EXPECT_TRUE(over.headers.contains("Date"));
  EXPECT_THAT(over.body, HasSubstr("the quota of this window is used up"));
  EXPECT_EQ(stage.service.rejected(), 1U);
  stage.clock->advance(47'699ms);
  EXPECT_EQ(stage.get("/").status, 429);
  stage.clock->advance(1ms);
  EXPECT_EQ(stage.told("X-RateLimit-Remaining"), "1");
  EXPECT_EQ(stage.service.requests(), 5U);
  EXPECT_EQ(stage.service.rejected(), 2U);
}

TEST(SimulatedService, counts_and_reports_its_limit_as_configured) {
  struct Case {
    ServiceOptions options;
    std::string field;
    std::vector<std::string> told;  // of successive responses, starting 12 s after a full minute
  };
  for (const auto& [options, field, told] : {
           Case{{.phase = 300ms, .reset = ServiceReset::delta}, "X-RateLimit-Reset", {"49"}},
           Case{{.retry_after = false}, "Retry-After", {"nothing", "nothing", "nothing"}},
           Case{{.reset = ServiceReset::absent}, "X-RateLimit-Reset", {"nothing"}},
           Case{{.reset = ServiceReset::absent}, "X-RateLimit-Remaining", {"1"}},
           Case{{.rate_headers = false}, "X-RateLimit-Limit", {"nothing"}},
           Case{{.rate_headers = false}, "Retry-After", {"nothing", "nothing", "48"}},
           Case{{.clock_offset = 1h}, "X-RateLimit-Reset", {"1768914060"}},
           Case{{.reset = ServiceReset::epoch_milliseconds}, "X-RateLimit-Reset", {"1768910460000"}},
           Case{{.reset = ServiceReset::rfc3339}, "X-RateLimit-Reset", {"2026-01-20T12:01:00Z"}},
           Case{{.reset = ServiceReset::http_date}, "X-RateLimit-Reset", {"Tue, 20 Jan 2026 12:01:00 GMT"}},
       }) {
    auto limited = options;
    limited.limit = 2;
    limited.latency = 0s;
    Stage stage(limited);
    stage.clock->advance(12s);
    for (const auto& one : told) EXPECT_EQ(stage.told(field), one) << field;
    EXPECT_EQ(stage.service.rejected(), told.size() > 2 ? 1U : 0U);
  }
}

TEST(SimulatedService, writes_the_reset_that_the_dialect_reads) {
  for (const auto& [form, text] : {std::pair(ResetForm::automatic, "1768910460"),
                                   std::pair(ResetForm::delta_seconds, "48"),
                                   std::pair(ResetForm::delta_milliseconds, "47750"),
                                   std::pair(ResetForm::duration_text, "47750ms"),
                                   std::pair(ResetForm::epoch_milliseconds, "1768910460000"),
                                   std::pair(ResetForm::rfc3339, "2026-01-20T12:01:00Z")}) {
    ServiceOptions options{.limit = 2, .latency = 0s};
    options.dialect.quotas.front().reset_form = form;
    Stage stage(options);
    stage.clock->advance(12'250ms);
    EXPECT_EQ(stage.told("X-RateLimit-Reset"), text);
  }
}

TEST(SimulatedService, without_a_limit_reports_none) {
  Stage stage;
  EXPECT_EQ(stage.told("X-RateLimit-Limit"), "nothing");
  EXPECT_EQ(stage.service.rejected(), 0U);
}

TEST(SimulatedService, fault_replaces_or_follows_the_request) {
  using When = SimulatedService::When;
  Stage stage({.latency = 4s});
  stage.service.add_collection("/things");
  stage.service.on_request([](const Attempt& attempt, std::size_t number) -> Fault {
    if (attempt.method != Method::post) return std::nullopt;
    if (number == 1) return std::pair(Error(Errc::send, "dropped", Sent::maybe), When::instead);
    if (number == 2) return std::pair(Error(Errc::truncated, "dropped", Sent::maybe), When::after);
    return std::pair(Response{.status = 503}, When::instead);
  });
  EXPECT_EQ(stage.send(Method::post, "/things", R"({"id": 1})").error().code(), Errc::send);
  EXPECT_EQ(stage.took(), 4s);
  EXPECT_EQ(stage.service.size("/things"), 0U);
  EXPECT_EQ(stage.send(Method::post, "/things", R"({"id": 1})").error().code(), Errc::truncated);
  EXPECT_EQ(stage.service.size("/things"), 1U);
  EXPECT_EQ(stage.send(Method::post, "/things", R"({"id": 2})")->status, 503);
  EXPECT_EQ(stage.get("/things").status, 200);
  EXPECT_EQ(stage.service.requests(), 4U);
}

TEST(SimulatedService, a_fault_may_be_a_response_with_a_body) {
  using When = SimulatedService::When;
  Stage stage;
  stage.service.run_feed("/events", {.ends = true});
  const Client api{"https://h.example", {.transport = stage.transport, .clock = stage.clock}};
  for (const auto when : {When::instead, When::after}) {
    stage.service.on_request([&](const Attempt&, std::size_t) -> Fault {
      return std::pair(Response{.status = 200, .body = "data: 1\n\n"}, when);
    });
    std::string got;
    const auto done = api.download({.path = "file"}, [&](std::string_view bytes) { got += bytes; });
    EXPECT_TRUE(done) << done.error().message();
    EXPECT_EQ(got, "data: 1\n\n");
    EXPECT_EQ(stage.send(Method::head, "/file")->body, "");
    stage.service.on_request([&](const Attempt&, std::size_t) -> Fault {
      return std::pair(
          Response{.status = 200, .headers = {{"Content-Type", "text/event-stream"}}, .body = "data: 1\n\n"}, when);
    });
    int count = 0;
    for (const auto& event : api.stream<int>({.path = "events"})) count += event ? event->value : 0;
    EXPECT_EQ(count, 1);
  }
}

TEST(SimulatedService, an_operation_that_the_server_forgets_has_created_its_member) {
  Stage stage;
  stage.service.run_operations("/jobs", {.polls = 1, .forgets = true});
  EXPECT_EQ(stage.send(Method::post, "/jobs", R"({"id": 7})")->status, 202);
  EXPECT_EQ(stage.get("/operations/1").status, 202);
  EXPECT_EQ(stage.service.size("/jobs"), 0U);
  for (int poll = 0; poll < 2; ++poll) EXPECT_EQ(stage.get("/operations/1").status, 404);
  EXPECT_TRUE(stage.service.member("/jobs", "7"));
  EXPECT_EQ(stage.service.size("/jobs"), 1U);
  stage.send(Method::post, "/jobs", R"({"id": 7})").value();
  EXPECT_EQ(stage.get("/operations/2").status, 202);
  EXPECT_EQ(stage.get("/operations/2").status, 404) << "also if it has failed";
}

TEST(SimulatedService, a_fault_may_read_and_change_the_server) {
  Stage stage;
  std::size_t seen = 0;
  stage.service.on_request([&](const Attempt&, std::size_t number) -> Fault {
    seen = stage.service.requests() + number;
    stage.service.add_collection("/added");
    return std::nullopt;
  });
  EXPECT_EQ(stage.get("/added").status, 200);
  EXPECT_EQ(seen, 2U);
}

TEST(SimulatedService, refuses_bodies_nested_too_deeply) {
  Stage stage;
  stage.service.add_collection("/things");
  const auto deep = std::string(1001, '[') + std::string(1001, ']');
  EXPECT_THROW(stage.service.add_json("/things", "1", deep), std::invalid_argument);
  EXPECT_THROW(stage.service.add_json("/things", "1", "{"), std::invalid_argument);
  EXPECT_EQ(stage.send(Method::put, "/things/1", deep)->status, 400);
  EXPECT_EQ(stage.send(Method::put, "/things/1", std::string(1000, '[') + std::string(1000, ']'))->status, 201);
  EXPECT_EQ(stage.get("/things/1").body.size(), 2000U);
}

TEST(SimulatedService, ignores_requests_after_a_stop_request) {
  Stage stage;
  noun::StopSource stop;
  stop.request_stop();
  stage.call.stop = stop.get_token();
  EXPECT_EQ(stage.send(Method::get, "/").error().code(), Errc::cancelled);
  EXPECT_EQ(stage.service.requests(), 0U);
}

TEST(SimulatedService, with_invalid_options_still_responds) {
  Stage stage({.limit = 1, .period = 0s, .page_size = 0, .largest_page = 0});
  stage.fill(2);
  EXPECT_EQ(stage.get("/numbers").body, "[1]");
  EXPECT_TRUE(noun_test::Caller{.transport = std::make_shared<SimulatedService>(nullptr)}.get("https://h.example"));
}

TEST(SimulatedService, add_accepts_every_body_type) {
  Stage stage;
  stage.service.add("/things", "a", std::map<std::string, int>{{"n", 1}});
  EXPECT_EQ(stage.service.member("/things", "a"), R"({"n":1})");
  EXPECT_ANY_THROW(stage.service.add("/things", "b", Json("\xff")));
}

}  // namespace simulated_service_test
}  // namespace noun::testing
