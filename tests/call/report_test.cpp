// Tests of complete error messages, and of the other parts of an error.
#include "call/report.hpp"

#include <gmock/gmock.h>

#include "call/call_fixture.hpp"

namespace call_test { namespace report_test {

const noun::Headers json = {{"Content-Type", "application/json"}};
const std::string get = "GET https://api.example.com/v1/things/7: ";
const std::string post = "POST https://api.example.com/v1/things/7: ";

TEST(Report, an_error_response_is_reported_with_its_message_and_an_advice) {
  EXPECT_EQ(CallBench().begin().respond(404, json, R"({"message":"Not here"})").message(),
            get + "the server responded 404 Not Found, saying \"Not here\"; check the path for a typing error first");
  EXPECT_EQ(CallBench().begin().respond(418, {{"Content-Type", "image/png"}}, "\x89PNG").message(),
            get + "the server responded 418; fix the request as the response says");
}

TEST(Report, a_success_whose_body_has_a_sign_of_an_error_is_reported_with_what_it_says) {
  CallBench bench;
  bench.context.dialect.body_signs = {
      {.statuses = {200}, .pointer = "/error/code", .text = "E4", .limited = false, .permanent = true}};
  const std::string body = R"({"error":{"code":"E43","message":"no credit"}})";
  EXPECT_EQ(bench.begin().respond(200, json, body).message(),
            get +
                "the server responded 200 OK, saying \"no credit (E43)\"; report it to the API's owner if it persists");
  EXPECT_EQ(bench.error().code(), Errc::server_error);
  bench.context.dialect.body_signs[0].permanent = false;
  bench.context.dialect.body_signs[0].limited = true;
  bench.context.quota.when_exhausted = noun::WhenExhausted::fail;
  EXPECT_THAT(bench.begin().respond(200, json, body).message(), ::testing::HasSubstr("saying \"no credit (E43)\""));
}

TEST(Report, a_write_that_an_earlier_attempt_may_have_made_is_no_conflict_with_another) {
  CallBench bench(Method::put);
  EXPECT_EQ(bench.begin().respond(412).error().advice(), "read the item's current state, then try again");
  EXPECT_EQ(bench.begin().fail(Errc::send, Sent::maybe).wake().respond(412).error().advice(),
            "read the item: an earlier attempt of this call may have made the change");
}

TEST(Report, a_429_with_too_long_a_wait_names_the_limit_and_when_to_retry) {
  EXPECT_EQ(CallBench().begin().respond(429, {{"Retry-After", 7300}}, "slow down").message(),
            get +
                "the server responded 429 Too Many Requests, saying \"slow down\", and a wait of 2.03 h would exceed "
                "the 2 h that a call may wait in all; raise ClientOptions::quota.max_wait, or try again after "
                "2023-11-15 00:15:00 UTC");
  CallBench bench;
  bench.deadline_in(30s).begin().respond(429).wake().respond(429).wake().respond(429, {{"Retry-After", 40}});
  EXPECT_EQ(bench.message(),
            get +
                "the server responded 429 Too Many Requests, after 3 attempts in 3 s (429, 429, 429), and a wait of "
                "40 s would exceed the caller's deadline; set a later deadline, or try again after "
                "2023-11-14 22:14:03 UTC");
  EXPECT_EQ(CallBench().begin().respond(429, {{"Retry-After", "99999999999999999999"}}).message(),
            get +
                "the server responded 429 Too Many Requests, and a wait of more than 100 years would exceed "
                "the 2 h that a call may wait in all; raise ClientOptions::quota.max_wait");
}

TEST(Report, a_hold_after_a_rejection_of_another_request_says_so) {
  CallBench bench;
  bench.begin().respond(429, {{"Retry-After", 7300}});
  EXPECT_EQ(bench.begin().message(),
            get +
                "the server rejected another request of this client, and a wait of 2.03 h would exceed the 2 h that a "
                "call may wait in all; raise ClientOptions::quota.max_wait, or set ClientOptions::dialect.quota_by_route "
                "if the server counts each path apart, or try again after 2023-11-15 00:15:00 UTC");
}

TEST(Report, a_hold_that_is_too_long_names_its_reason) {
  CallBench bench;
  bench.context.quota.max_wait = 10s;
  EXPECT_EQ(bench.exhausted_for(40s).begin().message(),
            get +
                "the quota is used up, and a wait of 40 s would exceed the 10 s that a call may wait in all; raise "
                "ClientOptions::quota.max_wait, or try again after 2023-11-14 22:14:00 UTC");
  bench.context.quota.when_exhausted = noun::WhenExhausted::fail;
  EXPECT_EQ(bench.begin().message(),
            get +
                "the quota is used up, and a wait of 40 s is not allowed; set "
                "ClientOptions::quota.when_exhausted to wait, or try again after 2023-11-14 22:14:00 UTC");
}

TEST(Report, a_503_names_the_attempts_and_their_time_or_when_to_retry) {
  CallBench bench;
  bench.begin();
  while (!bench.is_done()) {
    bench.respond(503, json, R"({"error":"maintenance"})");
    if (bench.waits_now()) bench.wake();
  }
  EXPECT_EQ(bench.message(),
            get +
                "the server responded 503 Service Unavailable, saying \"maintenance\", after 5 attempts in 15 s (503, "
                "503, 503, 503, 503); report it to the API's owner if it persists, or, if 503 is permanent there, leave it "
                "out of ClientOptions::dialect.transient_statuses");
  EXPECT_EQ(CallBench().begin().respond(503, {{"Retry-After", 3000}}).message(),
            get +
                "the server responded 503 Service Unavailable, and a wait of 50 min would exceed "
                "ClientOptions::retry.give_up_after; report it to the API's owner if it persists, or try again after "
                "2023-11-14 23:03:20 UTC");
}

TEST(Report, only_a_repeated_status_of_the_dialect_is_named_as_perhaps_permanent) {
  const auto advice = [](const std::vector<int>& statuses, int max_attempts, const std::vector<int>& transient) {
    CallBench bench;
    bench.context.retry.max_attempts = max_attempts;
    bench.context.dialect.transient_statuses = transient;
    bench.begin();
    for (const int status : statuses) {
      bench.respond(status);
      if (bench.waits_now()) bench.wake();
    }
    return bench.error().advice();
  };
  using ::testing::HasSubstr;
  const std::string names_404 = "if 404 is permanent there, leave it out of ClientOptions::dialect.transient_statuses";
  EXPECT_EQ(advice({500, 404}, 2, {404, 500}), "check the path for a typing error first, or, " + names_404);
  EXPECT_EQ(advice({404}, 1, {404}), "check the path for a typing error first") << "it was not repeated";
  EXPECT_EQ(advice({429, 404}, 1, {404}), "check the path for a typing error first") << "only a rejection was repeated";
  EXPECT_EQ(advice({500, 404}, 5, {500}), "check the path for a typing error first");
  EXPECT_EQ(advice({425, 425}, 2, {500}), "fix the request as the response says");
}

TEST(Report, a_post_that_may_have_been_applied_advises_to_check_first) {
  const std::string advice =
      "; check whether the server acted on the request before you repeat it, or set CallOptions::idempotency_key if the API "
      "knows such keys";
  const noun::Error reset(Errc::send, "the connection broke: Connection reset by peer", "ask the operator",
                          Sent::maybe);
  EXPECT_EQ(CallBench(Method::post).begin().fail(reset).message(),
            post + "the connection broke: Connection reset by peer" + advice);
  EXPECT_EQ(CallBench(Method::post).begin().fail(noun::Error(Errc::too_large, "too much", Sent::maybe)).message(),
            post + "too much" + advice);
  CallBench unavailable(Method::post);
  EXPECT_EQ(unavailable.begin().respond(503, {{"Retry-After", 30}}).message(),
            post + "the server responded 503 Service Unavailable" + advice);
  EXPECT_EQ(unavailable.error().retry_at(), bench_wall_begin + 30s);
}

TEST(Report, a_refused_redirect_names_its_target) {
  EXPECT_EQ(CallBench().begin().respond(302, {{"Location", "https://evil.example/x?token=canary"}}).message(),
            get +
                "the server responded 302 Found with Location \"https://evil.example/x?token=***\", and the redirect leads to another origin, https://evil.example: "
                "nothing was sent there; make a client for it if you trust it");
  EXPECT_EQ(CallBench(Method::post).begin().respond(303, {{"Location", "/x"}}).message(),
            post +
                "the server responded 303 See Other with Location \"/x\", and a POST is not turned into a GET; use the address in Location");
}

TEST(Report, a_transport_failure_has_its_own_advice_or_the_default) {
  const noun::Error refused(Errc::connect, "refused");
  CallBench bench;
  bench.context.retry.max_attempts = 1;
  EXPECT_EQ(bench.begin().fail(refused).message(), get + "refused; check that a server listens there");
  EXPECT_EQ(bench.begin().fail(noun::Error(Errc::connect, "refused", "check ClientOptions::proxy")).message(),
            get + "refused; check ClientOptions::proxy");
  EXPECT_EQ(CallBench().tokens(0).begin().fail(refused).message(),
            get + "refused, and the client's retry budget is used up; wait until the server has recovered");
}

TEST(Report, a_deadline_during_an_attempt_is_reported_with_the_failure) {
  const noun::Error timeout(Errc::timeout, "no complete response in time", "allow more", Sent::maybe);
  EXPECT_EQ(CallBench().deadline_in(10s).begin().fail(timeout, 10s).message(),
            get +
                "no complete response in time, after 1 attempt in 10 s, and the caller's deadline has passed; set a "
                "later deadline");
}

TEST(Report, a_cancelled_wait_is_reported_with_its_length) {
  EXPECT_EQ(CallBench().exhausted_for(40s).begin().pass(10s).cancel().message(),
            get + "cancelled by the caller before anything was sent, after waiting 10 s");
}

TEST(Report, an_error_has_request_id_key_and_problem) {
  CallBench bench(Method::patch);
  bench.request.has_body = true;
  bench.request.idempotency_key = "k-7";
  bench.begin().respond(422, {{"Content-Type", "application/problem+json"}, {"x-correlation-id", "c-1"}},
                        R"({"type":"https://errors/age","title":"Bad age","detail":"-1 is no age","status":422})",
                        20ms);
  EXPECT_EQ(bench.outcome(), "fails: client_error (permanent), sent answered, 1 attempt in 0.02 s, status 422");
  const auto& error = bench.error();
  EXPECT_EQ(error.request_id(), "c-1");
  EXPECT_EQ(error.idempotency_key(), "k-7");
  EXPECT_EQ(error.request().method, Method::patch);
  EXPECT_EQ(error.request().url, bench.request.url);
  EXPECT_EQ(error.request().curl,
            "curl -X PATCH 'https://api.example.com/v1/things/7' -H 'Accept: application/json' --data-binary @body");
  ASSERT_TRUE(error.problem());
  EXPECT_EQ(error.problem()->title, "Bad age");
  EXPECT_EQ(error.problem()->detail, "-1 is no age");
  EXPECT_NE(error.message().find("Bad age"), std::string::npos);
}

TEST(Report, the_first_request_id_header_of_the_dialect_is_used) {
  CallBench bench;
  bench.begin().respond(500, {{"X-Correlation-Id", "c"}, {"Request-Id", "r"}}).cancel();
  EXPECT_EQ(bench.error().request_id(), "r");
}

TEST(Report, the_message_of_a_success_is_not_quoted) {
  CallBench bench;
  bench.begin().respond(200, json, R"({"message":"hello"})");
  const auto error =
      bench.call().error_for({.code = Errc::decode, .what = "no list", .response = bench.done().response});
  EXPECT_EQ(error.message(), get + "no list");
  EXPECT_FALSE(error.problem());
}

TEST(Report, an_error_without_text_and_response_has_its_code) {
  CallBench bench;
  bench.begin().respond(200);
  EXPECT_EQ(bench.call().error_for({.code = Errc::decode}).code(), Errc::decode);
}

TEST(Report, every_code_of_a_failed_attempt_has_an_advice) {
  CallBench bench;
  bench.begin().respond(200);
  for (const auto code : {Errc::resolve, Errc::connect, Errc::tls, Errc::send, Errc::timeout, Errc::truncated,
                          Errc::protocol, Errc::unauthorized, Errc::forbidden, Errc::conflict, Errc::server_error}) {
    const auto error = bench.call().error_for({.code = code, .what = "it broke"});
    EXPECT_NE(error.message().find("it broke; "), std::string::npos) << error.message();
  }
}

TEST(Report, an_advice_fits_the_request) {
  CallBench created(Method::post);
  EXPECT_THAT(created.begin().respond(409).message(), ::testing::EndsWith("check whether it exists already, or what the response says"));
  CallBench replaced(Method::put);
  EXPECT_THAT(replaced.begin().respond(409).message(),
              ::testing::EndsWith("read the item's current state, then try again"));
  EXPECT_THAT(replaced.begin().respond(428).message(),
              ::testing::EndsWith("read the item, and set CallOptions::if_match to its ETag"));
  EXPECT_THAT(created.begin().respond(428).message(),
              ::testing::EndsWith("set CallOptions::if_match or if_none_match, as the response says"));
  for (const auto& [path, advice] : {std::pair("a%252fb", "write ids as they are"), {"a%25zz", "check the path"},
                                     {"a%25", "check the path"}, {"a%2fb?c=%252f", "check the path"}}) {
    CallBench lost;
    lost.request.url = "https://api.example.com/" + std::string(path);
    EXPECT_THAT(lost.begin().respond(404).message(), ::testing::HasSubstr(advice)) << path;
  }
}

TEST(Report, a_refusal_says_that_nothing_was_sent) {
  const auto error = noun::refusal(Errc::invalid_argument, "the id is empty", "give one");
  EXPECT_EQ(error.what(), "the id is empty: nothing was sent");
  EXPECT_EQ(error.advice(), "give one");
  EXPECT_EQ(error.code(), Errc::invalid_argument);
  EXPECT_EQ(error.sent(), Sent::no);
}

TEST(Report, what_and_advice_are_separate_also_with_semicolons_in_the_text) {
  const auto error = CallBench().begin().respond(404, json, R"({"message":"gone; ask; nobody"})").error();
  EXPECT_EQ(error.what(), "the server responded 404 Not Found, saying \"gone; ask; nobody\"");
  EXPECT_EQ(error.advice(), "check the path for a typing error first");
  EXPECT_EQ(error.message(), get + error.what() + "; " + error.advice());

  CallBench bench;
  bench.context.retry.max_attempts = 1;
  const noun::Error failed(Errc::connect, "cut; by the proxy", "check ClientOptions::proxy");
  EXPECT_EQ(bench.begin().fail(failed).error().what(), "cut; by the proxy");
  EXPECT_EQ(bench.error().advice(), "check ClientOptions::proxy");
  const auto limited = CallBench().begin().respond(429, {{"Retry-After", 7300}}).error();
  EXPECT_EQ(limited.advice(), "raise ClientOptions::quota.max_wait, or try again after 2023-11-15 00:15:00 UTC");
}

}  // namespace report_test
}  // namespace call_test
