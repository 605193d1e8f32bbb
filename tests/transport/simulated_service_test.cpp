// The service of the testing kit: collections, windows, conventions, and faults.
#include <noun/simulated_service.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <noun/json.hpp>

namespace noun::testing {
namespace simulated_service_test {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

const std::string host = "https://h.example";

struct Stage {
  std::shared_ptr<ManualClock> clock = std::make_shared<ManualClock>();
  SimulatedService service;
  Timeouts timeouts = {};
  Limits limits = {};
  Headers headers = {};

  explicit Stage(ServiceOptions options = {}) : service(clock, std::move(options)) {}

  Result<Response> send(Method method, const std::string& target, std::string_view body = "", Duration timeout = 60s,
                        std::stop_token stop = {}) {
    const auto url = host + target;
    return service.send({.method = method,
                         .url = url,
                         .headers = headers,
                         .body = body,
                         .has_body = !body.empty(),
                         .timeout = timeout,
                         .timeouts = timeouts,
                         .limits = limits,
                         .fresh_connection = false},
                        stop);
  }
  Response get(const std::string& target) { return send(Method::get, target).value(); }
  void fill(int count) {
    for (int i = 1; i <= count; ++i) service.add("/numbers", std::to_string(i), i);
  }
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

TEST(SimulatedService, refuses_what_does_not_fit_with_a_problem) {
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
      {Method::post, "/things", R"({"n":1})", 400},
      {Method::put, "/things/1", "{", 400},
      {Method::patch, "/things/1", "{", 400},
      {Method::patch, "/things/2", "{}", 404},
  };
  for (const auto& [method, target, body, status] : cases) {
    const auto answer = stage.send(method, target, body).value();
    EXPECT_EQ(answer.status, status) << to_string(method) << target;
    EXPECT_EQ(answer.headers.get("Content-Type"), "application/problem+json");
    EXPECT_EQ(Json::parse(answer.body)["status"], status);
  }
}

TEST(SimulatedService, id_of_a_member_may_be_a_number_and_named_otherwise) {
  Stage stage({.id_member = "alpha_3"});
  stage.service.add_collection("/languages");
  EXPECT_EQ(stage.send(Method::post, "/languages", R"({"alpha_3": 7})")->headers.get("Location"), "/languages/7");
  EXPECT_TRUE(stage.service.member("/languages", "7"));
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
  Stage stage({.page_size = 3, .largest_page = 4});
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

TEST(SimulatedService, moves_the_clock_by_its_latency_and_shows_the_date_in_the_middle) {
  Stage stage({.latency = 3s, .clock_offset = -1h});
  const auto start = stage.clock->now();
  EXPECT_EQ(stage.get("/").headers.get("Date"), "Tue, 20 Jan 2026 11:00:01 GMT");
  EXPECT_EQ(stage.clock->now().steady, start.steady + 3s);
}

TEST(SimulatedService, that_is_slower_than_the_attempt_may_be_times_out) {
  Stage stage({.latency = 10s});
  stage.service.add_collection("/things");
  const auto start = stage.clock->now().steady;
  EXPECT_EQ(stage.send(Method::post, "/things", R"({"id": 1})", 4s).error().code(), Errc::timeout);
  EXPECT_EQ(stage.clock->now().steady, start + 4s);
  EXPECT_EQ(stage.service.size("/things"), 0U) << "it had not arrived";
  EXPECT_EQ(stage.send(Method::post, "/things", R"({"id": 1})", 6s).error().code(), Errc::timeout);
  EXPECT_EQ(stage.clock->now().steady, start + 10s);
  EXPECT_EQ(stage.service.size("/things"), 1U) << "it had arrived, but the answer had not";
  EXPECT_TRUE(stage.send(Method::get, "/things", "", 10s));
}

TEST(SimulatedService, counts_a_window_and_rejects_what_is_over_it) {
  Stage stage({.limit = 2, .period = 60s, .latency = 0s});
  stage.clock->advance(12'300ms);
  const auto first = stage.get("/");
  EXPECT_EQ(first.headers.get("X-RateLimit-Limit"), "2");
  EXPECT_EQ(first.headers.get("X-RateLimit-Remaining"), "1");
  EXPECT_EQ(first.headers.get("X-RateLimit-Reset"), "1768910460");
  EXPECT_EQ(stage.get("/").headers.get("X-RateLimit-Remaining"), "0");
  const auto over = stage.get("/");
  EXPECT_EQ(over.status, 429);
  EXPECT_EQ(over.headers.get("Retry-After"), "48");
  EXPECT_EQ(over.headers.get("X-RateLimit-Remaining"), "0");
  EXPECT_TRUE(over.headers.contains("Date"));
  EXPECT_THAT(over.body, HasSubstr("the quota of this period is used up"));
  EXPECT_EQ(stage.service.rejected(), 1U);
  stage.clock->advance(47'699ms);
  EXPECT_EQ(stage.get("/").status, 429);
  stage.clock->advance(1ms);
  EXPECT_EQ(stage.get("/").headers.get("X-RateLimit-Remaining"), "1");
  EXPECT_EQ(stage.service.requests(), 5U);
  EXPECT_EQ(stage.service.rejected(), 2U);
}

TEST(SimulatedService, tells_its_reset_in_the_form_that_it_was_given) {
  Stage delta(
      {.limit = 2, .period = 60s, .phase = 300ms, .latency = 0s, .reset = ServiceReset::delta, .retry_after = false});
  delta.clock->advance(12s);
  EXPECT_EQ(delta.get("/").headers.get("X-RateLimit-Reset"), "49");
  static_cast<void>(delta.get("/"));
  EXPECT_FALSE(delta.get("/").headers.contains("Retry-After"));
  Stage absent({.limit = 2, .reset = ServiceReset::absent});
  EXPECT_FALSE(absent.get("/").headers.contains("X-RateLimit-Reset"));
  EXPECT_TRUE(absent.get("/").headers.contains("X-RateLimit-Remaining"));
  Stage silent({.limit = 1, .rate_headers = false});
  EXPECT_FALSE(silent.get("/").headers.contains("X-RateLimit-Limit"));
  EXPECT_EQ(silent.get("/").status, 429);
  Stage ahead({.limit = 2, .latency = 0s, .clock_offset = 1h});
  EXPECT_EQ(ahead.get("/").headers.get("X-RateLimit-Reset"), "1768914060");
}

TEST(SimulatedService, counts_as_it_is_told_to) {
  Stage bucket({.limit = 2,
                .period = 60s,
                .latency = 0s,
                .reset = ServiceReset::delta_fraction,
                .counting = {.kind = LimitKind::token_bucket, .bucket_reset = BucketReset::until_next}});
  EXPECT_EQ(bucket.get("/").headers.get("X-RateLimit-Reset"), "30.000");
  static_cast<void>(bucket.get("/"));
  EXPECT_EQ(bucket.get("/").headers.get("Retry-After"), "30");
  bucket.clock->advance(30s);
  EXPECT_EQ(bucket.get("/").status, 404);
  EXPECT_EQ(bucket.service.rejected(), 1U);
  Stage blocking({.limit = 1, .period = 1s, .latency = 0s, .counting = {.blocks_for = 5s}});
  static_cast<void>(blocking.get("/"));
  EXPECT_EQ(blocking.get("/").headers.get("Retry-After"), "5");
  blocking.clock->advance(4s);
  EXPECT_EQ(blocking.get("/").status, 429);
  Stage lying({.limit = 1, .latency = 0s, .reset = ServiceReset::delta, .reset_lie = ResetLie::hour_late});
  EXPECT_EQ(lying.get("/").headers.get("X-RateLimit-Reset"), "3660");
}

TEST(SimulatedService, without_a_limit_says_nothing_of_one) {
  Stage stage;
  EXPECT_FALSE(stage.get("/").headers.contains("X-RateLimit-Limit"));
  EXPECT_EQ(stage.service.rejected(), 0U);
}

TEST(SimulatedService, fault_comes_instead_of_or_after_the_request) {
  Stage stage({.latency = 4s});
  stage.service.add_collection("/things");
  stage.service.on_request(
      [](const Attempt& attempt,
         std::size_t number) -> std::optional<std::pair<Result<Response>, SimulatedService::When>> {
        if (attempt.method != Method::post) return std::nullopt;
        if (number == 1) return std::pair(Error(Errc::send, "dropped", Sent::maybe), SimulatedService::When::instead);
        if (number == 2)
          return std::pair(Error(Errc::truncated, "dropped", Sent::maybe), SimulatedService::When::after);
        return std::pair(Response{.status = 503}, SimulatedService::When::instead);
      });
  const auto start = stage.clock->now().steady;
  EXPECT_EQ(stage.send(Method::post, "/things", R"({"id": 1})").error().code(), Errc::send);
  EXPECT_EQ(stage.clock->now().steady, start + 4s);
  EXPECT_EQ(stage.service.size("/things"), 0U);
  EXPECT_EQ(stage.send(Method::post, "/things", R"({"id": 1})").error().code(), Errc::truncated);
  EXPECT_EQ(stage.service.size("/things"), 1U);
  EXPECT_EQ(stage.send(Method::post, "/things", R"({"id": 2})")->status, 503);
  EXPECT_EQ(stage.get("/things").status, 200);
  EXPECT_EQ(stage.service.requests(), 4U);
}

TEST(SimulatedService, fault_may_look_at_the_service_and_add_to_it) {
  Stage stage;
  std::size_t seen = 0;
  stage.service.on_request(
      [&](const Attempt&, std::size_t number) -> std::optional<std::pair<Result<Response>, SimulatedService::When>> {
        seen = stage.service.requests() + number;
        stage.service.add_collection("/added");
        return std::nullopt;
      });
  EXPECT_EQ(stage.get("/added").status, 200);
  EXPECT_EQ(seen, 2U);
}

TEST(SimulatedService, takes_nothing_that_is_nested_too_deeply) {
  Stage stage;
  stage.service.add_collection("/things");
  const auto deep = std::string(1001, '[') + std::string(1001, ']');
  EXPECT_THROW(stage.service.add_json("/things", "1", deep), std::invalid_argument);
  EXPECT_THROW(stage.service.add_json("/things", "1", "{"), std::invalid_argument);
  EXPECT_EQ(stage.send(Method::put, "/things/1", deep)->status, 400);
  EXPECT_EQ(stage.send(Method::put, "/things/1", std::string(1000, '[') + std::string(1000, ']'))->status, 201);
  EXPECT_EQ(stage.get("/things/1").body.size(), 2000U);
}

TEST(SimulatedService, answers_for_an_id_that_is_no_utf8) {
  Stage stage;
  stage.service.add_collection("/things");
  EXPECT_EQ(stage.get("/things/%FF%FE").status, 404);
}

TEST(SimulatedService, looks_at_nothing_once_stop_was_requested) {
  Stage stage;
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(stage.send(Method::get, "/", "", 60s, stop.get_token()).error().code(), Errc::cancelled);
  EXPECT_EQ(stage.service.requests(), 0U);
}

TEST(SimulatedService, of_options_that_cannot_be_meant_still_answers) {
  Stage stage({.limit = 1, .period = 0s, .page_size = 0, .largest_page = 0});
  stage.fill(2);
  EXPECT_EQ(stage.get("/numbers").body, "[1]");
  SimulatedService alone(nullptr);
  EXPECT_TRUE(alone.send({.method = Method::get,
                          .url = host,
                          .headers = stage.headers,
                          .body = "",
                          .has_body = false,
                          .timeout = 1s,
                          .timeouts = stage.timeouts,
                          .limits = stage.limits,
                          .fresh_connection = false},
                         {}));
}

TEST(SimulatedService, add_takes_what_a_body_may_be) {
  Stage stage;
  stage.service.add("/things", "a", std::map<std::string, int>{{"n", 1}});
  EXPECT_EQ(stage.service.member("/things", "a"), R"({"n":1})");
  EXPECT_ANY_THROW(stage.service.add("/things", "b", Json("\xff")));
}

}  // namespace simulated_service_test
}  // namespace noun::testing
