// Tests of one call from start to end: what is sent, what is a success, and which events the observer receives.
#include "call/call_fixture.hpp"
#include "decision/resumption.hpp"

namespace call_test { namespace call_test {

using noun::EventKind;

TEST(Call, every_attempt_sends_the_same_request) {
  CallBench bench(Method::put);
  bench.request.body = "{\"a\":1}";
  bench.request.has_body = true;
  bench.begin();
  EXPECT_EQ(bench.in_flight(), 1U);
  for (int attempt = 1; attempt <= 3; ++attempt) {
    SCOPED_TRACE(attempt);
    ASSERT_TRUE(bench.sends());
    EXPECT_EQ(bench.send().method, Method::put);
    EXPECT_EQ(bench.send().url, "https://api.example.com/v1/things/7");
    EXPECT_EQ(bench.send().headers, &bench.request.headers);
    EXPECT_EQ(bench.send().body, "{\"a\":1}");
    EXPECT_TRUE(bench.send().has_body);
    EXPECT_FALSE(bench.send().fresh_connection);
    EXPECT_EQ(bench.send().deadline, bench.now.steady + 60s);
    attempt == 1 ? bench.respond(503).wake() : bench.fail(Errc::timeout, Sent::maybe).wake();
  }
}

TEST(Call, may_begin_when_the_clock_reads_zero) {
  CallBench bench;
  bench.now = {Instant(), bench_wall_begin};
  bench.begin().respond(404, {}, {}, 1s);
  EXPECT_EQ(bench.only_event(EventKind::ended).elapsed, 1s);
  EXPECT_EQ(bench.error().elapsed(), 1s);
  EXPECT_EQ(bench.begin().respond(503).cancel().error().elapsed(), 0s);
}

TEST(Call, the_longest_attempt_timeout_does_not_overflow) {
  CallBench bench;
  bench.request.attempt_timeout = Duration::max();
  EXPECT_EQ(bench.begin().send().deadline, Instant::max());
}

TEST(Call, a_success_has_the_response_and_its_url) {
  CallBench bench;
  bench.begin().respond(200, {{"ETag", "\"v1\""}}, "body", 250ms);
  ASSERT_EQ(bench.outcome(), "succeeds, sent answered, 1 attempt in 0.25 s, status 200");
  const auto& response = *bench.done().response;
  EXPECT_EQ(response.body, "body");
  EXPECT_EQ(response.headers.get("ETag"), "\"v1\"");
  EXPECT_EQ(response.url, "https://api.example.com/v1/things/7");
}

TEST(Call, an_unusual_success_is_a_notice_and_with_strict_statuses_an_error) {
  const std::vector<int> usual = {200, 201};
  CallBench bench(Method::post);
  bench.request.usual_statuses = &usual;
  EXPECT_TRUE(bench.begin().respond(201).succeeded());
  EXPECT_TRUE(bench.events_of(EventKind::notice).empty());
  EXPECT_TRUE(bench.begin().respond(202).succeeded());
  EXPECT_EQ(bench.only_event(EventKind::notice).note,
            "the server responded 202 Accepted (not finished), which dialect plain does not expect here");
  EXPECT_TRUE(bench.begin().respond(202).succeeded());
  EXPECT_EQ(bench.events_of(EventKind::notice).size(), 1U) << "once per verb and status";
  EXPECT_TRUE(bench.begin().respond(203).succeeded());
  EXPECT_EQ(bench.events_of(EventKind::notice).size(), 2U);
  bench.request.method = Method::put;
  EXPECT_TRUE(bench.begin().respond(202).succeeded());
  EXPECT_EQ(bench.events_of(EventKind::notice).size(), 3U);

  bench.context.strict_statuses = true;
  EXPECT_EQ(bench.begin().respond(202).outcome(),
            "fails: protocol (permanent), sent answered, 1 attempt in 0 s, status 202");
  EXPECT_TRUE(bench.begin().respond(201).succeeded());
}

TEST(Call, a_deprecated_endpoint_is_a_notice_once_for_each_route_of_a_client) {
  const noun::Headers ends = {{"Deprecation", "@1688169599"},
                              {"Sunset", "Sun, 30 Jun 2024 23:59:59 GMT"},
                              {"Link", "</why?api_key=canary>; rel=\"deprecation\""}};
  CallBench bench;
  bench.request.route = 7;
  EXPECT_TRUE(bench.begin().respond(200, ends).succeeded());
  EXPECT_EQ(bench.only_event(EventKind::notice).note,
            "the server reports that this endpoint is deprecated since 2023-06-30T23:59:59Z and may stop responding at "
            "2024-06-30T23:59:59Z; see https://api.example.com/why?api_key=***");
  EXPECT_TRUE(bench.begin().respond(404, ends).failed());
  EXPECT_EQ(bench.events_of(EventKind::notice).size(), 1U);
  bench.request.route = 8;
  EXPECT_TRUE(bench.begin().respond(404, {{"Deprecation", "@1700000001"}}).failed());
  bench.request.route = 9;
  EXPECT_TRUE(bench.begin().respond(200, {{"Sunset", "Sun, 30 Jun 2024 23:59:59 GMT"}}).succeeded());
  bench.request.route = 10;
  EXPECT_TRUE(bench.begin().respond(200, {{"Deprecation", "true"}}).succeeded());
  EXPECT_TRUE(bench.begin().respond(200, {{"Deprecation", "@999999999999999"}}).succeeded());
  const auto notices = bench.events_of(EventKind::notice);
  ASSERT_EQ(notices.size(), 4U);
  EXPECT_EQ(notices[1].note, "the server reports that this endpoint will be deprecated at 2023-11-14T22:13:21Z");
  EXPECT_EQ(notices[2].note, "the server reports that this endpoint may stop responding at 2024-06-30T23:59:59Z");
  EXPECT_EQ(notices[3].note, "the server reports that this endpoint is deprecated");
}

TEST(Call, a_body_over_the_limit_fails_with_too_large) {
  CallBench bench;
  bench.context.limits.body = 10;
  EXPECT_TRUE(bench.begin().respond(200, {}, std::string(10, 'x')).succeeded());
  EXPECT_EQ(bench.begin().respond(200, {}, std::string(11, 'x')).outcome(),
            "fails: too_large (permanent), sent answered, 1 attempt in 0 s, status 200");
  EXPECT_EQ(bench.message(),
            "GET https://api.example.com/v1/things/7: the body is longer than 10 bytes; raise "
            "ClientOptions::limits.body, or request less");
}

TEST(Call, a_part_that_a_get_did_not_request_is_an_error) {
  const noun::Headers part = {{"Content-Range", "bytes 0-9/100"}};
  for (const int status : {200, 206}) {
    CallBench bench;
    bench.begin().respond(status, part, "0123456789");
    EXPECT_EQ(bench.error().code(), Errc::protocol) << status;
  }
  CallBench asked;
  asked.request.headers.add("Range", "bytes=0-9");
  asked.begin().respond(206, part, "0123456789");
  EXPECT_TRUE(asked.succeeded());
  CallBench items;
  items.begin().respond(200, {{"Content-Range", "items 0-9/100"}}, "[]");
  EXPECT_TRUE(items.succeeded());
}

TEST(Call, a_download_that_is_always_cut_at_the_same_byte_ends_with_its_attempts) {
  CallBench bench;
  noun::Resumption download(Method::get, true, {});
  bench.request.continuation = &download;
  bench.context.retry.max_attempts = 3;
  bench.begin();
  for (int attempt = 0; attempt < 10 && !bench.is_done(); ++attempt) {
    if (bench.waits_now()) bench.wake();
    static_cast<void>(download.on_head({.status = 200, .headers = {{"Content-Length", "50000"}}}, {}));
    static_cast<void>(download.on_bytes(20123));
    bench.fail(Errc::truncated, Sent::answered);
  }
  ASSERT_TRUE(bench.is_done());
  EXPECT_EQ(bench.error().attempts(), 3);
}

TEST(Call, the_observer_sees_every_step_in_order) {
  CallBench bench;
  bench.exhausted_for(10s)
      .begin()
      .wake()
      .respond(503, {}, {}, 80ms)
      .wake()
      .fail(Errc::timeout, Sent::maybe)
      .wake()
      .respond(200);
  std::vector<EventKind> kinds;
  for (const auto& event : bench.events) {
    kinds.push_back(event.kind);
    EXPECT_EQ(event.call, 1U);
    EXPECT_EQ(event.method, Method::get);
    EXPECT_EQ(event.url, bench.request.url);
  }
  ASSERT_EQ(kinds, (std::vector{EventKind::holding, EventKind::sent, EventKind::attempt_ended, EventKind::retrying,
                                EventKind::sent, EventKind::attempt_ended, EventKind::retrying, EventKind::sent,
                                EventKind::attempt_ended, EventKind::ended}));
  EXPECT_EQ(bench.events[2].status, 503);
  EXPECT_EQ(bench.events[2].elapsed, 80ms);
  EXPECT_EQ(bench.events[2].attempt, 1);
  EXPECT_FALSE(bench.events[2].error);
  EXPECT_EQ(bench.events[5].status, 0);
  EXPECT_EQ(bench.events[5].error, Errc::timeout);
  EXPECT_EQ(bench.events[5].attempt, 2);
  EXPECT_EQ(bench.events.back().at, bench.now.wall);
}

TEST(Call, an_event_says_that_the_call_ended_and_how) {
  const auto ended = [](CallBench& bench) { return bench.only_event(EventKind::ended); };
  CallBench served;
  served.begin().respond(503, {}, {}, 80ms).wake().respond(200, {}, {}, 20ms);
  EXPECT_EQ(ended(served).status, 200);
  EXPECT_FALSE(ended(served).error);
  EXPECT_EQ(ended(served).attempt, 2);
  EXPECT_EQ(ended(served).elapsed, 1100ms);

  CallBench missing;
  missing.begin().respond(404);
  EXPECT_EQ(ended(missing).status, 404);
  EXPECT_EQ(ended(missing).error, Errc::not_found);

  CallBench late;
  late.deadline_in(5s).exhausted_for(40s).begin();
  EXPECT_EQ(ended(late).status, 0);
  EXPECT_EQ(ended(late).error, Errc::rate_limited);
  EXPECT_EQ(ended(late).attempt, 0);

  CallBench stopped;
  stopped.exhausted_for(40s).begin().cancel();
  EXPECT_EQ(ended(stopped).error, Errc::cancelled);
  EXPECT_EQ(ended(stopped).elapsed, 0s);
  CallBench never_began;
  never_began.cancel();
  EXPECT_TRUE(never_began.events_of(EventKind::ended).empty());

  CallBench abandoned;
  abandoned.begin();
  abandoned.call().abandon(abandoned.now, Errc::resource);
  const auto events = abandoned.call().take_events();
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events.front().kind, EventKind::ended);
  EXPECT_EQ(events.front().error, Errc::resource);
}

TEST(Call, events_say_how_long_ago_it_started) {
  CallBench bench;
  bench.context.credentials_may_change = true;
  bench.credentials = [&](const auto&) {
    bench.pass(2s);
    return noun::Headers{};
  };
  bench.begin();
  EXPECT_EQ(bench.only_event(EventKind::sent).elapsed, 2s);
}

TEST(Call, without_an_observer_no_events_are_created) {
  CallBench bench;
  bench.context.observed = false;
  bench.begin().respond(503).wake().respond(200);
  EXPECT_TRUE(bench.events.empty());
}

TEST(Call, an_error_found_after_the_end_has_the_details_of_the_call) {
  CallBench bench(Method::post);
  bench.begin().respond(429).wake().respond(200, {{"X-Request-Id", "r-9"}}, "<html>", 2s);
  ASSERT_TRUE(bench.succeeded());
  const auto error = bench.call().error_for({.code = Errc::decode,
                                             .what = "the body is not JSON",
                                             .advice = "look at it",
                                             .response = bench.done().response});
  EXPECT_EQ(error.code(), Errc::decode);
  EXPECT_EQ(error.attempts(), 2);
  EXPECT_EQ(error.sent(), Sent::answered);
  EXPECT_EQ(error.status(), 200);
  EXPECT_EQ(error.request_id(), "r-9");
  EXPECT_EQ(error.elapsed(), 3s);
  EXPECT_EQ(error.message(),
            "POST https://api.example.com/v1/things/7: the body is not JSON, after 2 attempts in 3 s; "
            "look at it");
}

TEST(Call, an_invalid_http_status_is_a_protocol_error) {
  for (const int status : {0, 99, 101, 600, 999})
    EXPECT_EQ(CallBench().begin().respond(status).error().code(), Errc::protocol) << status;
}

}  // namespace call_test
}  // namespace call_test
