// Tests of calls whose body continues over their attempts: downloads and streams.
#include <gmock/gmock.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "call/call_fixture.hpp"
#include "decision/event_feed.hpp"
#include "decision/resumption.hpp"

namespace call_test { namespace call_continuation_test {

using noun::Headers;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::size_t file_size = 12;

/// A download of twelve bytes.
struct DownloadBench : CallBench {
  DownloadBench() {
    request.continuation = &resumption;
    request.redirect_scope = noun::RedirectScope::https;
  }
  /// The next part, of two bytes, arrives: all of the response.
  CallBench& part() {
    const auto at = resumption.received();
    const Headers headers = {{"ETag", "\"a\""},
                             {"Content-Range", fmt::format("bytes {}-{}/{}", at, at + 1, file_size)}};
    arrive(206, headers);
    return respond(206, headers);
  }
  /// Two bytes of the whole file arrive, and then the connection breaks.
  CallBench& cut() {
    arrive(200, {{"ETag", "\"a\""}, {"Content-Length", file_size}});
    return fail(Errc::truncated, Sent::maybe);
  }

  noun::Resumption resumption{Method::get, true, {}};

 private:
  void arrive(int status, const Headers& headers) {
    const auto place = resumption.on_head({.status = status, .headers = headers}, now.wall);
    EXPECT_TRUE(std::holds_alternative<noun::BodyPlace>(place));
    EXPECT_FALSE(resumption.on_bytes(2));
  }
};

TEST(CallContinuation, after_a_part_the_attempts_of_a_download_count_from_the_first) {
  DownloadBench bench;
  bench.context.retry.give_up_after = 1min;
  bench.tokens(5).begin();
  bench.cut().wake();
  while (bench.sends()) {
    bench.pass(40s).fail(Errc::connect, Sent::no);
    ASSERT_TRUE(bench.waits_now()) << bench.message();
    bench.wake();
    bench.part();
  }
  EXPECT_TRUE(bench.succeeded()) << bench.message();
  EXPECT_THAT(bench.waits, ElementsAre(1s, 2s, 1s, 1s, 1s, 1s)) << "the bytes before a cut are followed by two faults";
}

TEST(CallContinuation, after_a_part_a_401_asks_for_credentials_again) {
  DownloadBench bench;
  bench.context.credentials_may_change = true;
  bench.begin();
  bench.cut().wake();
  for (int part = 0; part < 2; ++part) {
    ASSERT_TRUE(bench.respond(401).sends()) << part;
    ASSERT_TRUE(bench.part().sends()) << part;
  }
}

TEST(CallContinuation, the_error_of_a_resumed_download_has_the_fields_that_were_sent) {
  DownloadBench bench;
  bench.begin();
  bench.cut().wake().respond(404);
  EXPECT_EQ(bench.error().request().curl,
            "curl 'https://api.example.com/v1/things/7' -H 'Accept: application/json' -H 'Range: bytes=2-' -H "
            "'If-Range: \"a\"'");
}

TEST(CallContinuation, the_error_of_another_origin_has_the_url_and_the_fields_that_were_sent_there) {
  const std::string there = "curl 'https://cdn.example.com/f' -H 'Accept: application/json'";
  const Headers location = {{"Location", "https://cdn.example.com/f"}};
  DownloadBench bench;
  bench.context.retry.max_attempts = 1;
  bench.request.headers.add("X-Tenant", "numbers");
  EXPECT_EQ(bench.begin().respond(302, location).respond(404).error().request().curl, there);
  EXPECT_EQ(bench.begin().respond(302, location).respond(503).error().request().curl, there);
  EXPECT_THAT(bench.message(), HasSubstr("GET https://cdn.example.com/f: "));
  bench.begin().respond(302, {{"Location", "https://cdn.example.com/f"}, {"Retry-After", 5}}).cancel();
  EXPECT_EQ(bench.error().request().curl, there) << "what would have been sent";
  bench.context.retry.max_attempts = 2;
  EXPECT_THAT(bench.begin().respond(302, location).respond(503).cancel().error().request().curl,
              AllOf(HasSubstr("/v1/things/7'"), HasSubstr("X-Tenant: ***")))
      << "it would have started at the first URL";
}

/// A stream that is connected again.
struct StreamBench : CallBench {
  explicit StreamBench(std::function<noun::Query(std::string_view)> resume_with = {})
      : feed({.ends = noun::StreamEnd::never,
              .reconnects = true,
              .resume_with = std::move(resume_with),
              .max_event = 1000}) {
    request.continuation = &feed;
  }
  /// A connection delivers a text, and ends.
  CallBench& connect(std::string_view text, std::string_view type = "text/event-stream") {
    const Headers headers = {{"Content-Type", type}};
    EXPECT_TRUE(feed.on_head({.status = 200, .headers = headers}));
    feed.on_bytes(text.size());
    while (feed.take(text)) {
    }
    return respond(200, headers);
  }

  noun::EventFeed feed;
};

TEST(CallContinuation, a_stream_waits_for_its_retry_whatever_the_fault_is) {
  StreamBench bench;
  bench.begin();
  EXPECT_EQ(bench.connect("retry: 60000\n\n").outcome(), "waits 60 s (retry_after)");
  EXPECT_EQ(bench.wake().respond(502).outcome(), "waits 60 s (retry_after)");
  EXPECT_EQ(bench.wake().fail(Errc::connect, Sent::no).outcome(), "waits 60 s (retry_after)");
  EXPECT_EQ(bench.wake().respond(429).outcome(), "waits 60 s (retry_after)");
  EXPECT_EQ(bench.wake().respond(429, {{"Retry-After", 7}}).outcome(), "waits 7 s (retry_after)");
  EXPECT_EQ(bench.wake().respond(503, {{"Retry-After", 5}}).outcome(), "waits 5 s (retry_after)");
  EXPECT_EQ(bench.wake().respond(503).outcome(),
            "fails: server_error (attempts), sent answered, 7 attempts in 252 s, status 503, again in 60 s");
}

/// The head of a response whose connection broke.
noun::Error cut_after(int status, const Headers& headers) {
  return noun::Error({.code = Errc::truncated,
                      .what = "it broke",
                      .status = status,
                      .sent = Sent::answered,
                      .response = std::make_shared<const noun::Response>(
                          noun::Response{.status = status, .headers = headers})});
}

TEST(CallContinuation, the_retry_after_of_a_success_that_is_cut_is_no_wait) {
  for (const auto* retry_after : {"0", "Tue, 14 Nov 2023 22:13:19 GMT", "7"}) {
    const Headers headers = {{"Content-Type", "text/event-stream"}, {"Retry-After", retry_after}};
    StreamBench bench;
    bench.begin();
    for (int connection = 0; connection < 3; ++connection) {
      ASSERT_TRUE(bench.feed.on_head({.status = 200, .headers = headers}));
      std::string_view comment = ":\n";
      bench.feed.on_bytes(comment.size());
      EXPECT_FALSE(bench.feed.take(comment));
      EXPECT_EQ(bench.fail(cut_after(200, headers)).outcome(), "waits 1 s (backoff)") << retry_after;
      bench.wake();
    }
  }
  CallBench plain;
  EXPECT_EQ(plain.begin().fail(cut_after(200, {{"Retry-After", "0"}})).outcome(), "waits 1 s (backoff)");
}

TEST(CallContinuation, no_retry_after_is_shorter_than_the_shortest_wait_between_connections) {
  const Headers at_once = {{"Retry-After", "0"}};
  StreamBench bench;
  EXPECT_EQ(bench.begin().respond(503, at_once).outcome(), "waits 0.25 s (retry_after)");
  EXPECT_EQ(bench.wake().fail(cut_after(503, at_once)).outcome(), "waits 0.25 s (retry_after)");
  EXPECT_EQ(bench.wake().respond(429, at_once).outcome(), "waits 0.25 s (retry_after)");
  DownloadBench download;
  EXPECT_EQ(download.begin().respond(503, at_once).outcome(), "waits 0.25 s (retry_after)");
  CallBench plain;
  EXPECT_EQ(plain.begin().respond(503, at_once).outcome(), "waits 0 s (retry_after)");
}

TEST(CallContinuation, the_retry_of_a_stream_is_no_wait_for_the_quota) {
  StreamBench bench;
  bench.context.quota.max_wait = 30s;
  bench.begin();
  bench.connect("retry: 60000\n\n");
  EXPECT_EQ(bench.wake().respond(429).outcome(), "waits 60 s (retry_after)");
}

TEST(CallContinuation, the_retry_of_a_stream_does_not_shorten_the_backoff_after_nothing_was_received) {
  StreamBench bench;
  bench.begin();
  bench.connect("retry: 3000\n\n");
  while (bench.waits_now()) bench.wake().fail(Errc::connect, Sent::no);
  EXPECT_THAT(bench.waits, ElementsAre(3s, 3s, 4s, 8s));
  EXPECT_EQ(bench.events_of(noun::EventKind::retrying).back().reason, WaitReason::backoff);
}

TEST(CallContinuation, the_url_of_a_connection_is_made_once_and_is_that_of_its_events) {
  int made = 0;
  StreamBench bench([&](std::string_view) { return noun::Query{{"since", std::to_string(++made)}}; });
  bench.context.credentials_may_change = true;
  std::vector<std::string> asked;
  bench.credentials = [&](const noun::CredentialsRequest& asking) {
    asked.emplace_back(asking.url);
    // Its own calls use up the quota once: it is asked again.
    if (asked.size() == 2) bench.exhausted_for(40s);
    return Headers{};
  };
  bench.begin();
  for (int connection = 0; connection < 2; ++connection) {
    bench.connect("1\n", "application/x-ndjson");
    while (bench.waits_now()) bench.wake();
  }
  const auto first = bench.request.url;
  EXPECT_THAT(bench.sent_urls, ElementsAre(first, first + "?since=1", first + "?since=2"));
  EXPECT_THAT(asked, ElementsAre(first, first + "?since=1", first + "?since=1", first + "?since=2"));
  std::vector<std::string> reported;
  for (const auto& event : bench.events_of(noun::EventKind::sent)) reported.push_back(event.url);
  EXPECT_EQ(reported, bench.sent_urls);
}

}  // namespace call_continuation_test
}  // namespace call_test
