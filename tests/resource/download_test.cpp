// Client::download(): what is sent, what is written, and every way out of it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "os/temporary_folder.hpp"
#include "resource/proxied_client.hpp"
#include "resource/scripted_client.hpp"

namespace resource_test { namespace download_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

using namespace std::literals;

const noun::Headers tagged = {{"ETag", "\"a\""}, {"Content-Length", "10"}};
const noun::Body query = noun::body::bytes(R"({"a":1})", "application/json");
const noun::Headers rest = {{"ETag", "\"a\""}, {"Content-Range", "bytes 4-9/10"}};

struct Files {
  noun_test::TemporaryFolder folder;
  std::string path = folder.path("f");

  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path("")))
      found.push_back(entry.path().filename().string());
    return found;
  }
};

struct Downloads : WholeScript, Files {
  noun::Result<noun::Download> get(const noun::DownloadTarget& target, const noun::DownloadOptions& options = {}) {
    return client({.credentials = noun::bearer("s3cret-token"), .headers = {{"X-Api-Key", "s3cret-key"}}})
        .download({.path = "f"}, target, options);
  }
  noun::Result<noun::Download> get(const noun::DownloadOptions& options = {}) { return get(path, options); }
  std::string range(std::size_t request) const {
    return std::string(script->requests()[request].headers.get("Range").value_or("-"));
  }
};

TEST(Download, a_file_gets_its_name_when_it_is_complete) {
  Downloads bench;
  bench.script->expect(Method::get, "/v1/f").reply(200, "0123456789", tagged);
  const auto got = bench.get();
  ASSERT_TRUE(got) << message_of(got);
  EXPECT_EQ(got->size, 10U);
  EXPECT_EQ(got->resumed + got->restarted, 0);
  EXPECT_EQ(got.response()->headers.get("ETag"), "\"a\"");
  EXPECT_EQ(bench.folder.read("f"), "0123456789");
  EXPECT_THAT(bench.names(), ElementsAre("f"));
  EXPECT_EQ(bench.last().headers.get("Accept-Encoding"), "identity");
  EXPECT_EQ(bench.last().headers.get("Accept"), "*/*");
  EXPECT_EQ(bench.last().headers.get("Authorization"), "Bearer s3cret-token");
  EXPECT_GT(bench.last().timeout, 24h * 365);
}

TEST(Download, the_accept_of_the_request_and_of_the_client_stay) {
  for (const bool of_client : {true, false}) {
    Downloads bench;
    bench.script->expect(Method::get, "/v1/f").with_header("Accept", "text/csv").reply(200);
    const noun::Headers accept = {{"Accept", "text/csv"}};
    const auto api = bench.client({.headers = of_client ? accept : noun::Headers()});
    EXPECT_TRUE(api.download({.path = "f", .headers = of_client ? noun::Headers() : accept}, bench.path));
  }
}

TEST(Download, replaces_an_existing_file_only_when_it_is_complete) {
  Downloads bench;
  bench.folder.write("f", "old");
  bench.script->expect(Method::get, "/v1/f").reply(404);
  bench.script->expect(Method::get, "/v1/f").reply(200, "new");
  expect_error(bench.get(), Errc::not_found, "404");
  EXPECT_EQ(bench.folder.read("f"), "old");
  EXPECT_THAT(bench.names(), ElementsAre("f"));
  EXPECT_TRUE(bench.get());
  EXPECT_EQ(bench.folder.read("f"), "new");
}

TEST(Download, does_not_write_through_a_link) {
  Downloads bench;
  bench.folder.write("target", "old");
  std::filesystem::create_symlink(bench.folder.path("target"), bench.path);
  bench.script->expect(Method::get, "/v1/f").reply(200, "new");
  EXPECT_TRUE(bench.get());
  EXPECT_EQ(bench.folder.read("target"), "old");
  EXPECT_EQ(bench.folder.read("f"), "new");
}

TEST(Download, continues_where_it_broke_off) {
  Downloads bench;
  bench.script->expect(Method::get, "/v1/f").reply(200, "0123456789", tagged).cut(4);
  bench.script->expect(Method::get, "/v1/f").with_header("If-Range", "\"a\"").reply(206, "456789", rest);
  const auto got = bench.get();
  ASSERT_TRUE(got) << message_of(got);
  EXPECT_EQ(got->resumed, 1);
  EXPECT_EQ(got->size, 10U);
  EXPECT_EQ(bench.range(0), "-");
  EXPECT_EQ(bench.range(1), "bytes=4-");
  EXPECT_EQ(bench.folder.read("f"), "0123456789");
}

TEST(Download, to_a_function_continues_too) {
  Downloads bench;
  bench.script->expect(Method::get, "/v1/f").reply(200, "0123456789", tagged).cut(4);
  bench.script->expect(Method::get, "/v1/f").reply(503);
  bench.script->expect(Method::get, "/v1/f").reply(206, "456789", rest);
  std::string taken;
  EXPECT_TRUE(bench.get([&](std::string_view bytes) { taken += bytes; }));
  EXPECT_EQ(taken, "0123456789");
}

TEST(Download, starts_again_if_the_resource_changed_or_the_range_is_gone) {
  const std::vector<std::pair<int, noun::Headers>> replies[] = {
      {{200, {{"ETag", "\"b\""}}}},
      {{416, {{"Content-Range", "bytes */3"}}}, {200, {}}},
      {{206, {{"Content-Range", "bytes 3-9/10"}}}, {200, {}}},
      {{206, {{"ETag", "\"b\""}, {"Content-Range", "bytes 4-9/10"}}}, {200, {}}},
  };
  for (const auto& attempts : replies) {
    Downloads bench;
    bench.script->expect(Method::get, "/v1/f").reply(200, "0123456789", tagged).cut(4);
    for (const auto& [status, headers] : attempts)
      bench.script->expect(Method::get, "/v1/f").reply(status, status == 200 ? "new" : "456789", headers);
    const auto got = bench.get();
    ASSERT_TRUE(got) << message_of(got);
    EXPECT_EQ(got->restarted, 1);
    EXPECT_EQ(bench.range(1), "bytes=4-");
    if (attempts.size() > 1) EXPECT_EQ(bench.range(2), "-");
    EXPECT_EQ(bench.folder.read("f"), "new");
  }
}

TEST(Download, to_a_function_that_would_have_to_start_again_is_truncated) {
  const std::pair<noun::Headers, int> cases[] = {
      {{}, 0}, {{{"ETag", "W/\"a\""}}, 0}, {tagged, 200}, {tagged, 416}, {tagged, 206}};
  for (const auto& [headers, next] : cases) {
    SCOPED_TRACE(next);
    Downloads bench;
    bench.script->expect(Method::get, "/v1/f").reply(200, "0123456789", headers).cut(4);
    if (next != 0) bench.script->expect(Method::get, "/v1/f").reply(next, "x");
    std::string taken;
    const auto got = bench.get([&](std::string_view bytes) { taken += bytes; });
    expect_error(got, Errc::truncated, "the rest cannot be requested after 4 bytes were delivered");
    EXPECT_THAT(message_of(got), HasSubstr("download to a file"));
    EXPECT_EQ(taken, "0123");
  }
}

TEST(Download, of_a_server_that_sends_small_parts_requests_them_all) {
  Downloads bench;
  bench.script->expect(Method::get, "/v1/f").reply(200, "0123456789", tagged).cut(4);
  bench.script->expect(Method::get, "/v1/f").reply(206, "456", {{"Content-Range", "bytes 4-6/10"}});
  bench.script->expect(Method::get, "/v1/f").reply(206, "789", {{"Content-Range", "bytes 7-9/10"}});
  EXPECT_EQ(bench.get().value().resumed, 2);
  EXPECT_EQ(bench.range(2), "bytes=7-");
  EXPECT_EQ(bench.folder.read("f"), "0123456789");
  EXPECT_EQ(bench.clock->waits().size(), 1U) << "a part is not a fault";
}

TEST(Download, bytes_received_reset_the_count_of_attempts_and_cost_no_budget) {
  Downloads bench;
  std::string body(60, 'x');
  bench.script->expect(Method::get, "/v1/f").reply(200, body, {{"ETag", "\"a\""}, {"Content-Length", "60"}}).cut(1);
  for (int at = 1; at < 30; ++at) {
    bench.script->expect(Method::get, "/v1/f").fail(Errc::connect, Sent::no).times(3);
    bench.script->expect(Method::get, "/v1/f")
        .reply(206, body.substr(static_cast<std::size_t>(at)), {{"Content-Range", fmt::format("bytes {}-59/60", at)}})
        .cut(at == 29 ? 60 : 1);
  }
  // A token for each failure to connect, and none for what was received.
  noun::Client api = bench.client({.budget = {.capacity = 29 * 3, .per_success = 0}});
  const auto got = api.download({.path = "f"}, bench.path);
  ASSERT_TRUE(got) << message_of(got);
  EXPECT_EQ(bench.folder.read("f"), body);
}

TEST(Download, without_progress_ends_after_max_attempts) {
  Downloads bench;
  bench.script->expect(Method::get, "/v1/f").reply(200, "0123456789", tagged).cut(4);
  bench.script->expect(Method::get, "/v1/f").fail(Errc::send, Sent::maybe).times(4);
  const auto got = bench.get();
  expect_error(got, Errc::send, "scripted failure");
  EXPECT_EQ(got.error().stopped_because(), noun::StopReason::attempts);
  EXPECT_THAT(bench.names(), IsEmpty());
}

TEST(Download, follows_a_redirect_to_another_origin_without_credentials_and_own_headers) {
  Downloads bench;
  bench.script->expect(Method::get, "/v1/f").reply(302, "", {{"Location", "https://cdn.example.com/f?sig=s3cret-s"}});
  bench.script->expect(Method::get, "/f").reply(200, "0123456789", tagged).cut(4);
  bench.script->expect(Method::get, "/v1/f").reply(302, "", {{"Location", "https://cdn.example.com/f?sig=s3cret-t"}});
  bench.script->expect(Method::get, "/f?sig=s3cret-t").reply(302, "", {{"Location", "https://api.example.com/v1/g"}});
  bench.script->expect(Method::get, "/v1/g").with_header("If-Range", "\"a\"").reply(206, "456789", rest);
  const auto got = bench.get({.headers = {{"X-Own", "s3cret-own"}}});
  ASSERT_TRUE(got) << message_of(got);
  EXPECT_EQ(bench.folder.read("f"), "0123456789");
  const auto requests = bench.script->requests();
  EXPECT_TRUE(requests[0].headers.contains("X-Own"));
  EXPECT_TRUE(requests[2].headers.contains("Authorization")) << "an address that may have expired is asked for again";
  for (const std::size_t foreign : {1U, 3U, 4U}) {
    for (const auto& [name, value] : requests[foreign].headers) {
      EXPECT_THAT(value, Not(HasSubstr("s3cret"))) << name;
      EXPECT_THAT(name, ::testing::AnyOf("Accept", "Accept-Encoding", "User-Agent", "Range", "If-Range"));
    }
  }
}

TEST(Download, takes_its_body_to_no_other_origin_by_a_redirect) {
  for (const auto method : {Method::post, Method::query})
    for (const int status : {307, 308}) {
      SCOPED_TRACE(std::string(to_string(method)) + std::to_string(status));
      Downloads bench;
      bench.script->expect(method, "/v1/f").reply(status, "", {{"Location", "https://cdn.example.com/f"}});
      const auto got = bench.client().download({.method = method, .path = "f", .body = query}, bench.path);
      expect_error(got, Errc::refused, "https://cdn.example.com, which is not trusted with its body");
      EXPECT_EQ(got.error().advice(), "add it to ClientOptions::trusted_origins if it belongs to the API");
      EXPECT_EQ(bench.sent(), 1U);
      EXPECT_THAT(bench.names(), IsEmpty());
    }
}

TEST(Download, takes_its_body_to_a_trusted_origin_by_a_redirect_without_credentials) {
  Downloads bench;
  bench.script->expect(Method::post, "/v1/f").reply(307, "", {{"Location", "https://mirror.example.com/f"}});
  bench.script->expect(Method::post, "/f").reply(307, "", {{"Location", "https://cdn.example.com/f"}});
  const auto api = bench.client({.credentials = noun::bearer("s3cret"),
                                 .headers = {{"X-Own", "s3cret"}},
                                 .trusted_origins = {"https://mirror.example.com"}});
  const auto got = api.download({.method = Method::post, .path = "f", .body = query}, bench.path);
  expect_error(got, Errc::refused, "https://cdn.example.com, which is not trusted with its body");
  EXPECT_EQ(bench.sent(), 2U);
  EXPECT_EQ(bench.last().body, R"({"a":1})");
  EXPECT_EQ(bench.last().headers.get("Content-Type"), "application/json");
  for (const auto& [name, value] : bench.last().headers) EXPECT_THAT(value, Not(HasSubstr("s3cret"))) << name;
}

TEST(Download, by_query_that_becomes_a_get_takes_no_body_to_another_origin) {
  Downloads bench;
  bench.script->expect(Method::query, "/v1/f").reply(303, "", {{"Location", "https://cdn.example.com/f"}});
  bench.script->expect(Method::get, "/f").reply(200, "bytes");
  EXPECT_TRUE(bench.client().download({.method = Method::query, .path = "f", .body = query}, bench.path));
  EXPECT_EQ(bench.last().body, "");
  EXPECT_FALSE(bench.last().headers.contains("Content-Type"));
}

TEST(Download, follows_a_redirect_to_plain_http_on_this_machine_only_without_a_proxy) {
  const struct {
    const char* proxy;
    const char* location;
    bool follows;
  } cases[] = {
      {"", "http://localhost:8001/g", true},
      {"http://proxy.example.com:3128", "http://localhost:8001/g", false},
      {"", "http://cdn.example.com/g", false},
  };
  for (const auto& [proxy, location, follows] : cases) {
    Bench bench;
    bench.script->expect(Method::get, "/f").reply(302, "", {{"Location", location}});
    if (follows) bench.script->expect(Method::get, "/g").reply(200, "bytes");
    const auto take = [](std::string_view) -> noun::Result<void> { return {}; };
    const auto api = proxied_client(bench.script, "http://localhost", bench.filled({.proxy = proxy})).value();
    const auto done = api.download({.path = "f"}, take);
    EXPECT_EQ(done.has_value(), follows) << location;
    EXPECT_EQ(bench.sent(), follows ? 2U : 1U) << location;
    if (!follows) expect_error(done, Errc::refused, "which is not https: nothing was sent there");
  }
}

TEST(Download, what_another_origin_reports_is_not_about_the_quota) {
  Downloads bench;
  bench.script->expect(Method::get, "/v1/f").reply(302, "", {{"Location", "https://cdn.example.com/f"},
                                                             {"X-RateLimit-Limit", "60"},
                                                             {"X-RateLimit-Remaining", "59"},
                                                             {"X-RateLimit-Reset", "60"}});
  bench.script->expect(Method::get, "/f").reply(200, "x", {{"X-RateLimit-Limit", "5"}, {"X-RateLimit-Remaining", "0"}});
  const auto api = bench.client();
  EXPECT_TRUE(api.download({.path = "f"}, bench.path));
  EXPECT_EQ(api.quota_snapshot().limit, 60);
  EXPECT_EQ(api.quota_snapshot().remaining, 59);
}

TEST(Download, send_still_refuses_a_redirect_to_another_origin) {
  Downloads bench;
  bench.script->expect(Method::get, "/v1/f").reply(302, "", {{"Location", "https://cdn.example.com/f"}});
  expect_error(bench.client().send({.path = "f"}), Errc::refused, "another origin");
}

TEST(Download, of_more_than_max_bytes_is_too_large) {
  Downloads bench;
  bench.script->expect(Method::get, "/v1/f").reply(200, "0123456789", tagged);
  bench.script->expect(Method::get, "/v1/f").reply(200, "0123456789");
  for (int i = 0; i < 2; ++i) expect_error(bench.get({.max_bytes = 9}), Errc::too_large, "max_bytes (9 bytes)");
  EXPECT_THAT(bench.names(), IsEmpty());
}

TEST(Download, is_larger_than_the_limit_of_other_bodies) {
  Downloads bench;
  bench.script->expect(Method::get, "/v1/f").reply(200, std::string(100'000, 'x'));
  EXPECT_EQ(bench.client({.limits = {.body = 10}}).download({.path = "f"}, bench.path).value().size, 100'000U);
}

TEST(Download, its_function_can_end_it) {
  const std::pair<noun::DownloadTarget, const char*> cases[] = {
      {[](std::string_view) { return false; }, "ended the download"},
      {[](std::string_view) -> noun::Result<void> { return noun::Error(Errc::connect, "the pipe broke"); },
       "the pipe broke"},
      {[](std::string_view) { throw std::runtime_error("no room"); }, "threw an exception: no room"},
      {[](std::string_view) -> bool { throw 7; }, "threw an exception"},
  };
  for (const auto& [target, because] : cases) {
    Downloads bench;
    bench.script->expect(Method::get, "/v1/f").reply(200, "0123456789", tagged);
    const auto got = bench.get(target);
    expect_error(got, Errc::cancelled, because);
    EXPECT_EQ(got.error().sent(), Sent::answered);
  }
}

TEST(Download, what_cannot_be_written_is_refused_and_nothing_is_sent) {
  Downloads bench;
  for (const auto& path : {""s, bench.folder.path(""), bench.folder.path("."), "/dev/shm"s, bench.path + "\0.png"s})
    expect_refused(bench.get(path), "does not name a file");
  expect_refused(bench.get(bench.folder.path("no/folder")), "No such file or directory");
  const auto api = bench.client();
  expect_refused(api.download({.method = Method::head, .path = "f"}, bench.path), "a HEAD has no body");
  for (const auto* name : {"If-Range", "Accept-Encoding"})
    expect_refused(api.download({.path = "f", .headers = {{name, "x"}}}, bench.path), "is reserved in a download");
  expect_refused(api.download({.path = "f", .headers = {{"Range", "Bytes=0-9"}}}, bench.path),
                 "continues with byte ranges of its own");
  EXPECT_THAT(bench.names(), IsEmpty());
}

TEST(Download, of_a_range_in_another_unit_starts_again_after_a_fault) {
  const noun::Headers part = {{"ETag", "\"a\""}, {"Content-Range", "items 0-9/23"}};
  Downloads bench;
  bench.script->expect(Method::get, "/v1/f").with_header("Range", "items=0-9").reply(206, "0123456789", part).cut(4);
  bench.script->expect(Method::get, "/v1/f").with_header("Range", "items=0-9").reply(206, "0123456789", part);
  const auto got = bench.get(noun::DownloadOptions{.headers = {{"Range", "items=0-9"}}});
  ASSERT_TRUE(got) << message_of(got);
  EXPECT_EQ(got->size, 10U);
  EXPECT_EQ(got->restarted, 1);
  EXPECT_EQ(bench.folder.read("f"), "0123456789");
}

TEST(Download, without_a_body_is_an_error) {
  Downloads bench;
  bench.script->expect(Method::get, "/v1/f").reply(204);
  expect_error(bench.get(), Errc::no_content, "there is no body to download");
  EXPECT_THAT(bench.names(), IsEmpty());
}

TEST(Download, of_what_is_not_there_yet_is_an_error) {
  Downloads bench;
  bench.script->expect(Method::get, "/v1/f").reply(202, R"({"state":"preparing"})");
  expect_error(bench.get(), Errc::no_content, "it is not there yet: the server responded 202 Accepted (not finished)");
  bench.script->expect(Method::get, "/v1/f").reply(202, "", {{"Location", "/v1/exports/1"}});
  EXPECT_EQ(bench.get().error().advice(), "Client::follow() reads the Location, which reports on it");
  EXPECT_THAT(bench.names(), IsEmpty());
}

TEST(Download, of_a_post_is_not_repeated) {
  Downloads bench;
  bench.script->expect(Method::post, "/v1/f").with_body("a=1").reply(200, "0123456789", tagged).cut(4);
  const auto got = bench.client().download(
      {.method = Method::post, .path = "f", .body = noun::body::form({{"a", 1}})}, bench.path);
  expect_error(got, Errc::truncated, "check whether the server acted");
  EXPECT_THAT(bench.names(), IsEmpty());
}

TEST(Download, the_body_of_an_error_is_in_the_error) {
  Downloads bench;
  bench.script->expect(Method::get, "/v1/f").reply(404, R"({"message": "no such export"})",
                                                   {{"Content-Type", "application/json"}});
  expect_error(bench.get(), Errc::not_found, "saying \"no such export\"");
}

TEST(Download, reports_its_progress) {
  Downloads bench;
  bench.script->expect(Method::get, "/v1/f").reply(200, "0123456789", tagged).cut(4);
  bench.script->expect(Method::get, "/v1/f").reply(206, "456789", rest);
  std::vector<std::string> seen;
  const auto api = bench.client({.observer = [&](const noun::Event& event) {
    if (event.kind == noun::EventKind::progress)
      seen.push_back(fmt::format("#{} {}/{}", event.attempt, event.bytes, event.total_bytes.value_or(0)));
  }});
  EXPECT_TRUE(api.download({.path = "f"}, bench.path));
  EXPECT_THAT(seen, ElementsAre("#1 4/10", "#2 10/10"));
}

TEST(Download, reports_its_progress_ten_times_a_second_at_most) {
  Downloads bench;
  bench.script->expect(Method::get, "/v1/f").reply(200, std::string(1'000'000, 'x'));
  int seen = 0;
  const auto api = bench.client({.observer = [&](const noun::Event& event) {
    if (event.kind == noun::EventKind::progress) ++seen;
  }});
  EXPECT_TRUE(api.download({.path = "f"}, bench.path));
  EXPECT_EQ(seen, 2) << "with the first bytes and with the last, in no time";
}

TEST(Download, to_a_function_that_is_stopped_or_late_calls_it_no_more) {
  for (const bool by_deadline : {false, true}) {
    Downloads bench;
    bench.script->expect(Method::get, "/v1/f").reply(200, std::string(100'000, 'x'));
    noun::StopSource stop;
    int calls = 0;
    const auto take = [&](std::string_view) {
      ++calls;
      if (by_deadline) bench.clock->advance(300ms);
      else stop.request_stop();
    };
    const auto got = bench.client().download({.path = "f"}, take, {.deadline = 500ms, .stop = stop.get_token()});
    ASSERT_FALSE(got);
    EXPECT_EQ(code_of(got), by_deadline ? Errc::deadline_exceeded : Errc::cancelled);
    EXPECT_EQ(calls, by_deadline ? 2 : 1) << "a piece has 4096 bytes";
    EXPECT_EQ(got.error().sent(), Sent::answered);
    EXPECT_EQ(got.error().stopped_because(), by_deadline ? noun::StopReason::time : noun::StopReason::cancelled);
  }
}

TEST(Download, to_a_file_that_is_late_leaves_nothing) {
  Downloads bench;
  bench.script->expect(Method::get, "/v1/f").reply(200, std::string(100'000, 'x'));
  const auto api = bench.client({.observer = [&](const noun::Event& event) {
    if (event.kind == noun::EventKind::progress) bench.clock->advance(1s);
  }});
  EXPECT_EQ(code_of(api.download({.path = "f"}, bench.path, {.deadline = 500ms})), Errc::deadline_exceeded);
  EXPECT_THAT(bench.names(), IsEmpty());
}

TEST(Download, ends_at_its_deadline_and_leaves_nothing) {
  Downloads bench;
  bench.script->expect(Method::get, "/v1/f").reply(200, "0123456789", tagged).cut(4);
  const auto api = bench.client();
  const auto got = api.download({.path = "f"}, bench.path, {.deadline = api.now().steady + 500ms});
  EXPECT_EQ(got.error().stopped_because(), noun::StopReason::time);
  EXPECT_THAT(bench.names(), IsEmpty());
}

}}  // namespace resource_test::download_test
