// Bodies that are read while they are sent: over a real connection, in both ways of sending.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "curl/caller.hpp"
#include "curl/curl_crowd.hpp"
#include "curl/fails_with.hpp"
#include "curl/raw_server.hpp"
#include "os/file_stream.hpp"
#include "os/temporary_folder.hpp"

namespace noun_test { namespace file_stream_test {

using noun::Errc;
using noun::Method;
using noun::Sent;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// Text that no part repeats, so that a shift is noticed.
std::string pattern(std::size_t size) {
  std::string text(size, '\0');
  for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>((i * 2654435761U) >> 13U);
  return text;
}

noun::Attempt attempt_with(const noun::BodySource& source, std::string_view url, const noun::Headers& headers,
                           const noun::Timeouts& timeouts, const noun::Limits& limits) {
  return {.method = Method::put,
          .url = url,
          .headers = headers,
          .body = {},
          .has_body = true,
          .source = &source,
          .timeout = noun::Duration::max(),
          .timeouts = timeouts,
          .limits = limits,
          .fresh_connection = false};
}

class BodyStream : public ::testing::TestWithParam<Way> {
 protected:
  noun::Result<noun::Response> put(const noun::BodySource& source, const std::string& url) {
    const auto attempt = attempt_with(source, url, headers, timeouts, limits);
    if (GetParam() == Way::send) return transport->send(attempt, {});
    if (!multiplexer) multiplexer = transport->multiplexer();
    multiplexer->start(++id, attempt);
    for (;;)
      for (auto& ended : multiplexer->wait(noun::Duration::max())) return std::move(ended.result);
  }

  TemporaryFolder folder;
  noun::Headers headers = {};
  noun::Timeouts timeouts = {};
  noun::Limits limits = {};
  std::shared_ptr<noun::Transport> transport = noun::libcurl_transport({}).value();
  std::unique_ptr<noun::Multiplexer> multiplexer;
  noun::Multiplexer::Id id = 0;
};
INSTANTIATE_TEST_SUITE_P(Ways, BodyStream, ::testing::Values(Way::send, Way::multiplexer),
                         ::testing::PrintToStringParamName());

TEST_P(BodyStream, a_stream_arrives_whole_with_its_length) {
  const auto content = pattern(3'000'000);
  folder.write("f", content);
  const auto source =
      noun::open_stream({{.text = "before"}, {.path = folder.path("f")}, {.text = "after"}}).value();
  EXPECT_EQ(source->size(), content.size() + 11);
  RawServer server(always(http_response("")));
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(put(*source, server.url()));
    const auto request = server.last_request();
    EXPECT_THAT(request.substr(0, 300), StartsWith("PUT / HTTP/1.1\r\n"));
    EXPECT_THAT(request.substr(0, 300), HasSubstr("\r\nContent-Length: 3000011\r\n"));
    EXPECT_TRUE(request.ends_with("\r\n\r\nbefore" + content + "after"));
  }
  EXPECT_EQ(server.connections(), 1U) << "the connection is kept";
}

TEST_P(BodyStream, an_empty_file_is_sent_as_a_body_of_length_zero) {
  folder.write("f", "");
  RawServer server(always(http_response("")));
  ASSERT_TRUE(put(*noun::open_stream({{.path = folder.path("f")}}).value(), server.url()));
  EXPECT_THAT(server.last_request(), HasSubstr("\r\nContent-Length: 0\r\n"));
}

TEST_P(BodyStream, a_file_of_another_size_ends_the_attempt_before_anything_is_sent) {
  RawServer server(always(http_response("")));
  for (const auto* other : {"1234", "123456", ""}) {
    folder.write("f", "12345");
    const auto source = noun::open_stream({{.text = "a"}, {.path = folder.path("f")}}).value();
    folder.write("f", other);
    EXPECT_THAT(put(*source, server.url()), FailsWith(Errc::invalid_argument, Sent::no)) << other;
  }
  std::remove(folder.path("f").c_str());
  folder.write("g", "1");
  const auto source = noun::open_stream({{.path = folder.path("g")}}).value();
  std::remove(folder.path("g").c_str());
  EXPECT_THAT(put(*source, server.url()), FailsWith(Errc::invalid_argument, Sent::no));
  EXPECT_EQ(server.connections(), 0U);
}

TEST_P(BodyStream, a_file_that_changes_while_it_is_sent_ends_the_attempt_before_its_last_byte) {
  const auto path = folder.path("f");
  for (const bool grows : {true, false}) {
    folder.write("f", pattern(20'000'000));
    const auto source = noun::open_stream({{.path = path}}).value();
    RawServer server([&](RawServer::Peer& peer) {
      peer.some();
      if (grows)
        std::ofstream(path, std::ios::app) << "more";
      else
        std::filesystem::resize_file(path, 1);
      while (!peer.some().empty()) {
      }
    });
    const auto got = put(*source, server.url());
    EXPECT_THAT(got, FailsWith(Errc::invalid_argument, Sent::maybe));
    EXPECT_THAT(got.error().message(), HasSubstr("no longer has the 20000000 bytes"));
  }
}

TEST_P(BodyStream, a_response_before_the_end_of_the_stream_is_received) {
  folder.write("f", pattern(20'000'000));
  RawServer server([](RawServer::Peer& peer) {
    peer.some();
    peer.send(http_response("too large", "", "413 Content Too Large"));
    while (!peer.some().empty()) {
    }
  });
  const auto got = put(*noun::open_stream({{.path = folder.path("f")}}).value(), server.url());
  ASSERT_TRUE(got) << got.error().message();
  EXPECT_EQ(got->status, 413);
}

TEST_P(BodyStream, a_stream_that_stalls_ends_with_timeout) {
  folder.write("f", pattern(20'000'000));
  timeouts.stall = 1s;
  Gate over;
  RawServer server([&](RawServer::Peer& peer) {
    peer.some();
    over.wait();
  });
  EXPECT_THAT(put(*noun::open_stream({{.path = folder.path("f")}}).value(), server.url()),
              FailsWith(Errc::timeout, Sent::maybe));
  over.open();
}

TEST(OpenStream, what_is_not_a_regular_file_is_refused) {
  const TemporaryFolder folder;
  const auto refusal = [](const std::string& path) {
    return noun::open_stream({{.path = path}}).error().message();
  };
  EXPECT_THAT(refusal(folder.path("missing")), HasSubstr("No such file or directory"));
  EXPECT_THAT(refusal(folder.path("")), HasSubstr("is not a regular file"));
  EXPECT_THAT(refusal("/dev/null"), HasSubstr("is not a regular file"));
}

}}  // namespace noun_test::file_stream_test
