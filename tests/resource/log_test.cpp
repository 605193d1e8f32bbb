// Events as lines of text.
#include <noun/log.hpp>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <utility>

#include "resource/scripted_client.hpp"

namespace resource_test { namespace log_test {

using noun::EventKind;
using noun::WallTime;

const WallTime at{43'935s};

TEST(EventText, is_one_line_with_the_members_of_its_kind) {
  const noun::Event base{.call = 7, .attempt = 1, .method = Method::get, .url = "https://a.com/v1/x?page=2", .at = at};
  const auto line = [&](EventKind kind, auto change) {
    auto event = base;
    event.kind = kind;
    change(event);
    return to_string(event);
  };
  const std::string start = "12:12:15Z #7 GET /v1/x?page=2 ";
  const auto wait = [](noun::Event& event) {
    event.reason = noun::WaitReason::quota;
    event.wait = 15s;
    event.until = at + 15s;
  };
  EXPECT_EQ(line(EventKind::sent, [](auto&) {}), start + "sent");
  EXPECT_EQ(line(EventKind::sent, [](auto& event) { event.attempt = 2; }), start + "sent, attempt 2");
  EXPECT_EQ(line(EventKind::attempt_ended, [](auto& event) { event.status = 200, event.elapsed = 132ms; }),
            start + "200 in 132 ms");
  EXPECT_EQ(line(EventKind::attempt_ended,
                 [](auto& event) {
                   event.status = 200;
                   event.quota = {.limit = 30, .remaining = 29, .resets_in = 5s};
                   event.partition = "core";
                 }),
            start + "200 in 0 ms, quota 29 of 30 for 5 s (core)");
  EXPECT_EQ(line(EventKind::attempt_ended, [](auto& event) { event.error = Errc::timeout, event.elapsed = 60s; }),
            start + "failed (timeout) in 60 s");
  EXPECT_EQ(line(EventKind::holding, wait), start + "waits 15 s until 12:12:30Z: the quota is used up");
  EXPECT_EQ(line(EventKind::retrying, wait), start + "retries after 15 s until 12:12:30Z: the quota is used up");
  EXPECT_EQ(line(EventKind::retrying, [](auto&) {}), start + "retries at once");
  EXPECT_EQ(line(EventKind::holding, [](auto& event) { event.wait = 24h, event.until = at + 24h; }),
            start + "waits 24 h until 1970-01-02 12:12:15Z: no wait");
  EXPECT_EQ(line(EventKind::redirected, [](auto&) {}), start + "redirected to this URL");
  EXPECT_EQ(line(EventKind::page_delivered, [](auto& event) { event.page = 2, event.items = 1; }),
            start + "page 2: 1 item");
  EXPECT_EQ(line(EventKind::progress, [](auto& event) { event.bytes = 7; }), start + "received 7 bytes");
  EXPECT_EQ(line(EventKind::progress, [](auto& event) { event.bytes = 7, event.total_bytes = 9; }),
            start + "received 7 of 9 bytes");
  EXPECT_EQ(line(EventKind::progress, [](auto& event) { event.sent_bytes = 7, event.body_size = 9; }),
            start + "sent 7 of 9 bytes");
  EXPECT_EQ(line(EventKind::ended, [](auto& event) { event.status = 200, event.elapsed = 132ms; }),
            start + "ended with 200 after 1 attempt in 132 ms");
  EXPECT_EQ(line(EventKind::ended,
                 [](auto& event) { event.status = 503, event.error = Errc::server_error, event.attempt = 5; }),
            start + "ended with server_error after 5 attempts in 0 ms");
  EXPECT_EQ(line(EventKind::notice, [](auto& event) { event.call = 0, event.note = "odd\n\x1b[2J"; }),
            "12:12:15Z GET /v1/x?page=2 odd .[2J");
  EXPECT_EQ(fmt::format("{:.>40}", base), "......" + start + "sent");
  EXPECT_EQ(::testing::PrintToString(base), to_string(base));
}

TEST(LogTo, writes_a_line_for_each_event) {
  EXPECT_FALSE(noun::log_to(nullptr));
  auto* file = std::tmpfile();
  ASSERT_NE(file, nullptr);
  WholeScript bench;
  bench.script->expect(Method::get, "/v1/x").reply(503);
  bench.script->expect(Method::get, "/v1/x").reply(200, "1");
  EXPECT_TRUE(bench.client({.observer = noun::log_to(file)}).singleton("x").get());
  std::rewind(file);
  std::string text(4096, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file));
  std::fclose(file);
  EXPECT_THAT(text, ::testing::MatchesRegex("[^\n]* GET /v1/x sent\n"
                                            "[^\n]* GET /v1/x 503 in [^\n]*\n"
                                            "[^\n]* GET /v1/x retries after 1 s until [^\n]*: backoff after a fault\n"
                                            "[^\n]* GET /v1/x sent, attempt 2\n"
                                            "[^\n]* GET /v1/x 200 in [^\n]*\n"
                                            "[^\n]* GET /v1/x ended with 200 after 2 attempts in [^\n]*\n"));
}

}  // namespace log_test
}  // namespace resource_test
