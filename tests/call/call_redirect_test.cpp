// Tests of redirects within a call: which are followed, with which method and body, and how many.
#include "call/call_fixture.hpp"

namespace call_test { namespace call_redirect_test {

noun::Headers to(std::string_view location) { return {{"Location", location}}; }

TEST(CallRedirect, a_get_follows_every_kind_within_the_origin) {
  for (const int status : {301, 302, 303, 307, 308}) {
    CallBench bench;
    ASSERT_TRUE(bench.begin().respond(status, to("../other?a=1#part")).sends()) << status;
    EXPECT_EQ(bench.send().url, "https://api.example.com/v1/other?a=1") << status;
    EXPECT_EQ(bench.send().method, Method::get) << status;
    EXPECT_EQ(bench.respond(200).done().response->url, "https://api.example.com/v1/other?a=1") << status;
  }
}

TEST(CallRedirect, a_write_follows_307_and_308_with_method_and_body) {
  for (const auto method : {Method::post, Method::put, Method::patch, Method::delete_}) {
    for (const int status : {307, 308}) {
      CallBench bench(method);
      bench.request.body = "the body";
      bench.request.has_body = true;
      ASSERT_TRUE(bench.begin().respond(status, to("/v1/other")).sends()) << status;
      EXPECT_EQ(bench.send().method, method);
      EXPECT_EQ(bench.send().body, "the body");
      EXPECT_TRUE(bench.send().has_body);
    }
    for (const int status : {301, 302, 303})
      EXPECT_EQ(CallBench(method).begin().respond(status, to("/v1/other")).outcome(),
                "fails: redirected (permanent), sent answered, 1 attempt in 0 s, status " + std::to_string(status));
  }
}

struct QueryBench : CallBench {
  QueryBench() : CallBench(Method::query) {
    request.headers.add("Content-Type", "application/json");
    request.body = "{}";
    request.has_body = true;
  }
};

TEST(CallRedirect, a_query_keeps_its_body_unless_the_result_is_elsewhere) {
  for (const int status : {301, 302, 307, 308}) {
    QueryBench bench;
    ASSERT_TRUE(bench.begin().respond(status, to("/v1/other")).sends()) << status;
    EXPECT_EQ(bench.send().method, Method::query) << status;
    EXPECT_EQ(bench.send().body, "{}") << status;
    EXPECT_EQ(bench.send().headers->get("Content-Type"), "application/json") << status;
  }
}

TEST(CallRedirect, a_query_gets_its_result_where_a_303_says) {
  QueryBench bench;
  ASSERT_TRUE(bench.begin().respond(303, to("/v1/results/1")).sends());
  for (const auto* url : {"https://api.example.com/v1/results/1", "https://api.example.com/v1/results/2"}) {
    EXPECT_EQ(bench.send().url, url);
    EXPECT_EQ(bench.send().method, Method::get) << url;
    EXPECT_EQ(bench.send().body, "") << url;
    EXPECT_FALSE(bench.send().has_body) << url;
    EXPECT_FALSE(bench.send().headers->contains("Content-Type")) << url;
    EXPECT_EQ(bench.send().headers->get("Accept"), "application/json") << url;
    bench.respond(307, to("/v1/results/2"));
  }
  EXPECT_EQ(bench.respond(404).error().message().substr(0, 40), "GET https://api.example.com/v1/results/2");
  EXPECT_EQ(bench.error().request().curl, "curl 'https://api.example.com/v1/results/2' -H 'Accept: application/json'");
}

TEST(CallRedirect, relative_locations_are_resolved_against_the_current_url) {
  CallBench bench;
  EXPECT_EQ(bench.begin().respond(302, to("/a/b/c")).respond(302, to("d")).send().url, "https://api.example.com/a/b/d");
}

TEST(CallRedirect, another_origin_is_refused_and_nothing_is_sent_there) {
  for (const auto* location :
       {"https://evil.example/x", "http://api.example.com/x", "https://api.example.com:444/x", "//evil.example/x",
        "https://api.example.com.evil.example/", "file:///etc/passwd", "ftp://api.example.com/x", "gopher://x/1"}) {
    CallBench bench;
    EXPECT_EQ(bench.begin().respond(302, to(location)).outcome(),
              "fails: refused (permanent), sent answered, 1 attempt in 0 s, status 302")
        << location;
    EXPECT_EQ(bench.sent_urls.size(), 1U) << location;
  }
}

TEST(CallRedirect, limits_redirects_is_the_maximum) {
  CallBench bench;
  bench.begin();
  for (int hop = 1; hop <= 5; ++hop)
    ASSERT_TRUE(bench.respond(307, to("/v1/hop/" + std::to_string(hop))).sends()) << hop;
  EXPECT_EQ(bench.respond(307, to("/v1/hop/6")).outcome(),
            "fails: redirected (permanent), sent answered, 6 attempts in 0 s, status 307");
  bench.context.limits.redirects = 0;
  EXPECT_EQ(bench.begin().respond(302, to("/v1/x")).outcome(),
            "fails: redirected (permanent), sent answered, 1 attempt in 0 s, status 302");
}

TEST(CallRedirect, redirects_use_no_attempts_and_faults_after_them_repeat_the_new_url) {
  CallBench bench;
  bench.context.retry.max_attempts = 2;
  bench.begin().respond(307, to("/v1/x")).respond(307, to("/v1/y")).respond(503).wake();
  EXPECT_EQ(bench.send().url, "https://api.example.com/v1/y");
  EXPECT_EQ(bench.respond(503).outcome(),
            "fails: server_error (attempts), sent answered, 4 attempts in 1 s, status 503");
  EXPECT_EQ(bench.error().request().url, "https://api.example.com/v1/y");
}

TEST(CallRedirect, each_redirect_is_an_event_with_its_target) {
  CallBench bench;
  bench.begin().respond(307, to("/v1/x?token=canary-token"));
  EXPECT_EQ(bench.only_event(noun::EventKind::redirected).url, "https://api.example.com/v1/x?token=***");
  EXPECT_TRUE(bench.events_of(noun::EventKind::retrying).empty());
}

TEST(CallRedirect, a_retry_after_is_waited_out_before_the_redirect_is_followed) {
  CallBench bench;
  bench.begin().respond(301, {{"Location", "/v1/x"}, {"Retry-After", 30}});
  EXPECT_EQ(bench.outcome(), "waits 30 s (retry_after)");
  EXPECT_EQ(bench.only_event(noun::EventKind::redirected).url, "https://api.example.com/v1/x");
  EXPECT_EQ(bench.only_event(noun::EventKind::retrying).wait, 30s);
  EXPECT_EQ(bench.wake().send().url, "https://api.example.com/v1/x");
  EXPECT_TRUE(CallBench().begin().respond(301, {{"Location", "/v1/x"}, {"Retry-After", 0}}).sends());
}

TEST(CallRedirect, a_retry_after_that_does_not_fit_fails_at_once_with_the_time) {
  CallBench hurried;
  hurried.deadline_in(20s).begin().respond(307, {{"Location", "/v1/x"}, {"Retry-After", 20}});
  EXPECT_EQ(hurried.outcome(), "fails: redirected (time), sent answered, 1 attempt in 0 s, status 307, again in 20 s");
  EXPECT_NE(hurried.message().find("a wait of 20 s would exceed the caller's deadline; set a later deadline"),
            std::string::npos)
      << hurried.message();
  CallBench patient;
  EXPECT_TRUE(patient.begin().respond(307, {{"Location", "/v1/x"}, {"Retry-After", 900}}).waits_now());
  patient.begin().respond(307, {{"Location", "/v1/x"}, {"Retry-After", 901}});
  EXPECT_EQ(patient.outcome(), "fails: redirected (time), sent answered, 1 attempt in 0 s, status 307, again in 901 s");
  EXPECT_NE(patient.message().find("would exceed ClientOptions::retry.give_up_after; "
                                   "raise ClientOptions::retry.give_up_after"),
            std::string::npos)
      << patient.message();
}

TEST(CallRedirect, all_waits_together_obey_give_up_after) {
  CallBench bench;
  bench.begin().respond(302, {{"Location", "/v1/x"}, {"Retry-After", 500}}).wake();
  bench.respond(302, {{"Location", "/v1/y"}, {"Retry-After", 400}}).wake();
  EXPECT_EQ(bench.respond(302, {{"Location", "/v1/z"}, {"Retry-After", 1}}).outcome(),
            "fails: redirected (time), sent answered, 3 attempts in 900 s, status 302, again in 1 s");
}

TEST(CallRedirect, one_that_is_not_followed_names_its_location) {
  const auto message = [](CallBench bench, int status, noun::Headers headers) {
    return bench.begin().respond(status, std::move(headers)).message();
  };
  const std::string get = "GET https://api.example.com/v1/things/7: ";
  EXPECT_EQ(message(CallBench(), 300, to("/v1/x?api_key=canary-1\n")),
            get + "the server responded 300 Multiple Choices with Location \"/v1/x?api_key=***\"; use the URL in the "
                  "Location header");
  EXPECT_EQ(message(CallBench(), 304, to("/v1/x")),
            get + "the server responded 304 Not Modified; use your cached copy");
  EXPECT_EQ(message(CallBench(), 305, {}), get + "the server responded 305; use the URL in the Location header");
  EXPECT_EQ(message(CallBench(Method::post), 302, to("https://other.example/login")),
            "POST https://api.example.com/v1/things/7: the server responded 302 Found with Location "
            "\"https://other.example/login\", and a POST is not turned into a GET; use the address in Location");
  CallBench secret;
  secret.request.headers.add("X-Api-Key", "canary-token");
  EXPECT_NE(message(std::move(secret), 300, to("/v1/canary-token")).find("with Location \"/v1/***\""),
            std::string::npos);
}

TEST(CallRedirect, other_3xx_are_not_followed) {
  for (const int status : {300, 305, 306})
    EXPECT_EQ(CallBench().begin().respond(status, to("/v1/x")).outcome(),
              "fails: redirected (permanent), sent answered, 1 attempt in 0 s, status " + std::to_string(status));
  CallBench unchanged;
  EXPECT_EQ(unchanged.begin().respond(304, {{"ETag", "\"v1\""}, {"Location", "/v1/x"}}).outcome(),
            "fails: not_modified (permanent), sent answered, 1 attempt in 0 s, status 304");
  EXPECT_EQ(unchanged.error().response()->headers.get("ETag"), "\"v1\"");
}

}  // namespace call_redirect_test
}  // namespace call_test
