// A long-running operation at a real server on loopback, blocking and in the background.
#include <atomic>
#include <chrono>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <noun/noun.hpp>
#include <noun/stop.hpp>

#include "curl/raw_server.hpp"

namespace integration { namespace long_operations_server_test {

using namespace std::chrono_literals;
using noun::Json;

/// Accepts each POST, and reports twice that its operation runs.
class ReportServer {
 public:
  noun::Client client() const { return noun::Client("http://127.0.0.1:" + std::to_string(server_.port())); }
  int posts() const { return posts_; }
  int polls() const { return polls_; }

 private:
  void respond(noun_test::RawServer::Peer& peer) {
    while (const auto request = peer.request()) {
      const auto target = request->substr(0, request->find(" HTTP/"));
      if (target == "POST /reports") {
        ++posts_;
        peer.send("HTTP/1.1 202 Accepted\r\nLocation: /jobs/1\r\nRetry-After: 0.3\r\nContent-Length: 0\r\n\r\n");
      } else if (target == "GET /jobs/1") {
        if (++polls_ % 3 != 0)
          peer.send("HTTP/1.1 202 Accepted\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}");
        else
          peer.send("HTTP/1.1 303 See Other\r\nLocation: /reports/1\r\nContent-Length: 0\r\n\r\n");
      } else {
        peer.send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 12\r\n\r\n{\"pages\": 7}");
      }
    }
  }

  std::atomic<int> posts_ = 0;
  std::atomic<int> polls_ = 0;
  noun_test::RawServer server_{[this](auto& peer) { respond(peer); }};
};

TEST(LongOperationsServer, ends_with_the_result) {
  ReportServer server;
  const auto api = server.client();
  const auto began = std::chrono::steady_clock::now();
  const auto report = api.finish(api.collection("reports").create(Json{{"a", 1}}), {.deadline = 10s});
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ((*report)["pages"], 7);
  EXPECT_GE(std::chrono::steady_clock::now() - began, 900ms);
  EXPECT_EQ(server.posts(), 1);
  EXPECT_EQ(server.polls(), 3);
}

TEST(LongOperationsServer, runs_many_operations_at_a_time) {
  ReportServer server;
  const auto api = server.client();
  const auto reports = api.collection("reports");
  std::vector<noun::Operation<Json>> all;
  for (int i = 0; i < 8; ++i) all.push_back(noun::op::finish(api, noun::op::create(reports, Json{{"a", i}})));
  for (auto& report : api.run_all(all)) {
    ASSERT_TRUE(report) << report.error().message();
    EXPECT_EQ((*report)["pages"], 7);
  }
  EXPECT_EQ(server.posts(), 8);
}

TEST(LongOperationsServer, may_be_dropped_while_they_wait) {
  ReportServer server;
  {
    const auto api = server.client();
    const auto reports = api.collection("reports");
    std::vector<noun::Operation<Json>> all;
    for (int i = 0; i < 8; ++i) all.push_back(noun::op::finish(api, noun::op::create(reports, Json{{"a", i}})));
    auto results = api.run_all(all);
    EXPECT_TRUE(*results.begin());
  }
  EXPECT_EQ(server.posts(), 8);
}

TEST(LongOperationsServer, stops_within_a_wait) {
  ReportServer server;
  const auto api = server.client();
  noun::StopSource source;
  std::atomic<bool> ended = false;
  const auto stopped =
      noun::start(noun::op::finish(api, api.collection("reports").create(Json{}), {.stop = source.get_token()}),
                  [&](noun::Result<Json> report) {
                    EXPECT_EQ(report.error().code(), noun::Errc::cancelled);
                    EXPECT_FALSE(report.error().poll_token().empty());
                    ended = true;
                    ended.notify_all();
                  });
  source.request_stop();
  ended.wait(false);
  EXPECT_EQ(server.polls(), 0);
}

}}  // namespace integration::long_operations_server_test
