// Tests of --stream: the program against servers that break their connections, and killed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "curl/raw_server.hpp"
#include "export/export_bench.hpp"
#include "export/export_process.hpp"

namespace export_test { namespace export_stream_test {

using namespace std::chrono_literals;
using noun_test::RawServer;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::string chunk(std::string_view bytes) { return fmt::format("{:x}\r\n{}\r\n", bytes.size(), bytes); }

std::string head(std::string_view type) {
  return fmt::format("HTTP/1.1 200 OK\r\nContent-Type: {}\r\nTransfer-Encoding: chunked\r\n\r\n", type);
}

/// The text between two others in a request; empty if it has none.
std::string between(const std::string& request, std::string_view before, std::string_view after) {
  const auto at = request.find(before);
  if (at == std::string::npos) return {};
  const auto begin = at + before.size();
  return request.substr(begin, request.find_first_of(after, begin) - begin);
}

int position_in(const std::string& request) {
  const auto id = between(request, "Last-Event-ID: ", "\r");
  return std::atoi((id.empty() ? between(request, "since=", " &") : id).c_str());
}

/// Sends numbered items after the position of the request, up to `count`, and breaks most connections.
class Feed {
 public:
  Feed(bool has_ids, int count) : has_ids_(has_ids), count_(count) {}

  void operator()(RawServer::Peer& peer) {
    const auto request = peer.request();
    if (!request) return;
    const int position = position_in(*request);
    if (!peer.send(head(has_ids_ ? "text/event-stream" : "application/x-ndjson") +
                   (has_ids_ ? chunk("retry: 1\n\n") : "")))
      return;
    for (int number = position + 1, left = next_cut(); number <= count_; ++number, --left) {
      const auto item = chunk(item_of(number));
      if (left == 0) {
        peer.send(item.substr(0, item.size() / 2));
        return;
      }
      if (!peer.send(item)) return;
      std::this_thread::sleep_for(1ms);
    }
    peer.send(chunk(""));
  }

  std::vector<std::string> lines() const {
    std::vector<std::string> all;
    for (int number = 1; number <= count_; ++number) all.push_back(line_of(number));
    return all;
  }

 private:
  static std::string line_of(int number) { return fmt::format(R"({{"seq":{},"text":"ü"}})", number); }
  std::string item_of(int number) const {
    if (has_ids_) return fmt::format("id: {}\ndata: {}\n\n", number, line_of(number));
    return line_of(number) + "\n";
  }
  int next_cut() {
    const std::lock_guard lock(mutex_);
    // noun waits a second before it connects again, unless the server says otherwise.
    return static_cast<int>(random_() % (has_ids_ ? 40 : 200)) + 1;
  }

  bool has_ids_;
  int count_;
  std::mutex mutex_;
  std::minstd_rand random_{3};
};

struct ExportStream : Bench {
  std::string command(const RawServer& server, std::string_view more) const {
    return fmt::format("{} /feed --stream --out f.jsonl --resume {}", server.url(""), more);
  }
};

/// Whether the items have ids.
struct ExportFeed : ExportStream, ::testing::WithParamInterface<bool> {};

TEST_P(ExportFeed, killed_at_any_moment_resumes_and_has_each_item_once) {
  Feed feed(GetParam(), GetParam() ? 1500 : 600);
  RawServer server(std::ref(feed));
  const auto words = words_of(command(server, GetParam() ? "" : "--query since=0 --resume-with since=/seq"));
  for (int kill = 0; kill < 3; ++kill) {
    const auto before = has("f.jsonl.part") ? std::filesystem::file_size(folder / "f.jsonl.part") : 0;
    Process process(folder.path, words);
    wait_for_bytes(folder / "f.jsonl.part", before + 1);
    process.send(kill == 2 ? SIGINT : SIGKILL);
    ASSERT_EQ(process.wait(), kill == 2 ? 130 : 128 + SIGKILL) << process.err();
    EXPECT_FALSE(has("f.jsonl"));
  }
  EXPECT_EQ(run(words), 0) << err;
  EXPECT_THAT(err, AllOf(HasSubstr("of them from the previous run"), Not(HasSubstr("page"))));
  EXPECT_EQ(lines_of(folder / "f.jsonl"), feed.lines());
  EXPECT_FALSE(has("f.jsonl.part") || has("f.jsonl.journal"));
}

INSTANTIATE_TEST_SUITE_P(, ExportFeed, ::testing::Bool(),
                         [](const auto& tested) { return tested.param ? "server_sent_events" : "json_lines"; });

TEST_F(ExportStream, follows_it_beyond_the_end_of_the_response) {
  RawServer server([](RawServer::Peer& peer) {
    const auto request = peer.request();
    if (request)
      peer.send(head("text/plain") + chunk(fmt::format("{{\"seq\":\"{} x\"}}\n", peer.number())) + chunk(""));
  });
  EXPECT_EQ(
      run(command(server, "--stream-format json_lines --follow --resume-with since=seq --max-items 2 --select seq")), 0)
      << err;
  EXPECT_THAT(lines_of(folder / "f.jsonl"), ElementsAre(R"("0 x")", R"("1 x")"));
  EXPECT_THAT(server.requests().at(1), HasSubstr("GET /feed?since=0%20x "));
}

TEST_F(ExportStream, without_positions_is_written_once_or_fails) {
  RawServer server([](RawServer::Peer& peer) {
    if (!peer.request()) return;
    const bool breaks = peer.number() < 2;
    peer.send(head("application/jsonl") + chunk("1\n2\n") + (breaks ? "" : chunk("")));
  });
  EXPECT_EQ(run(command(server, "")), 69) << err;
  EXPECT_THAT(err,
              AllOf(HasSubstr("the connection broke, and the items have no ids to continue after; set --resume-with"),
                    HasSubstr("2 items are in f.jsonl.part, but --resume cannot continue after them")));
  EXPECT_THAT(lines_of(folder / "f.jsonl.part"), ElementsAre("1", "2"));
  EXPECT_EQ(run(command(server, "")), 0) << err;
  EXPECT_THAT(lines_of(folder / "f.jsonl"), ElementsAre("1", "2"));
}

TEST_F(ExportStream, fails_if_the_connection_breaks_after_the_last_id_was_reset) {
  RawServer server([](RawServer::Peer& peer) {
    if (!peer.request()) return;
    const bool is_first = peer.number() == 0;
    peer.send(head("text/event-stream") + chunk("id: 5\ndata: 1\n\n") +
              (is_first ? chunk("id:\ndata: 2\n\ndata: 3\n\n") : chunk("")));
  });
  EXPECT_EQ(run(command(server, "--verify")), 69) << err;
  EXPECT_THAT(err, HasSubstr("the connection broke, and the items have no ids to continue after"));
  EXPECT_FALSE(has("f.jsonl"));
}

TEST_F(ExportStream, resumes_before_an_item_that_has_no_id_of_its_own) {
  RawServer server([](RawServer::Peer& peer) {
    const auto request = peer.request();
    if (!request) return;
    const bool is_first = peer.number() == 0;
    peer.send(head("text/event-stream") +
              chunk(is_first ? "id: 1\ndata: 1\n\ndata: 2\n\n" : "data: 2\n\nid: 3\ndata: 3\n\n"));
    if (is_first)
      peer.until_closed();
    else
      peer.send(chunk(""));
  });
  Process process(folder.path, words_of(command(server, "")));
  wait_for_bytes(folder / "f.jsonl.journal", 1);
  std::this_thread::sleep_for(500ms);
  process.send(SIGTERM);
  EXPECT_EQ(process.wait(), 143);
  EXPECT_EQ(run(command(server, "")), 0) << err;
  EXPECT_THAT(lines_of(folder / "f.jsonl"), ElementsAre("1", "2", "3"));
}

TEST_F(ExportStream, keeps_items_with_the_same_position) {
  RawServer server([](RawServer::Peer& peer) {
    const auto request = peer.request();
    if (!request) return;
    // The item without a position ends the first run.
    const auto* const items = position_in(*request) == 2 ? R"({"seq":3})" "\n"
                                                         : R"({"seq":1})" "\n"
                                                           R"({"seq":2,"text":"b"})" "\n"
                                                           R"({"seq":2,"text":"c"})" "\n{}\n";
    peer.send(head("application/jsonl") + chunk(items) + chunk(""));
  });
  const auto line = command(server, "--resume-with since=/seq");
  EXPECT_EQ(run(line), 65) << err;
  EXPECT_THAT(err, HasSubstr("3 items are in f.jsonl.part; continue with --resume"));
  EXPECT_EQ(run(line), 0) << err;
  EXPECT_THAT(lines_of(folder / "f.jsonl"), ElementsAre(R"({"seq":1})", R"({"seq":2,"text":"b"})",
                                                        R"({"seq":2,"text":"c"})", R"({"seq":3})"));
}

TEST_F(ExportStream, resumes_after_the_last_id_if_the_server_reset_it) {
  RawServer server([](RawServer::Peer& peer) {
    const auto request = peer.request();
    if (!request) return;
    // Data that is not JSON ends the first run.
    const auto* const events = position_in(*request) == 1 ? "data: 2\n\nid: 3\ndata: 3\n\n"
                                                          : "id: 1\ndata: 1\n\nid\ndata: 2\n\ndata: {\n\n";
    peer.send(head("text/event-stream") + chunk(events) + chunk(""));
  });
  EXPECT_EQ(run(command(server, "")), 65) << err;
  EXPECT_THAT(err, HasSubstr("2 items are in f.jsonl.part; continue with --resume"));
  EXPECT_EQ(run(command(server, "")), 0) << err;
  EXPECT_THAT(lines_of(folder / "f.jsonl"), ElementsAre("1", "2", "3"));
}

TEST_F(ExportStream, that_is_not_verified_resumes_before_an_item_that_has_no_id_of_its_own) {
  noun_test::Gate gate;
  RawServer server([&](RawServer::Peer& peer) {
    if (!peer.request()) return;
    const bool is_first = peer.number() == 0;
    peer.send(head("text/event-stream") +
              chunk(is_first ? "id: 1\ndata: 1\n\ndata: 2\n\n" : "data: 2\n\nid: 3\ndata: 3\n\n"));
    if (is_first) gate.wait_for(30s);
    peer.send(chunk(""));
  });
  Process process(folder.path, words_of(command(server, "--verify")));
  wait_for_bytes(folder / "f.jsonl.part", 2);
  std::fstream(folder / "f.jsonl.part", std::ios::in | std::ios::out) << 'x';
  gate.open();
  EXPECT_EQ(process.wait(), 65);
  EXPECT_THAT(process.err(), AllOf(HasSubstr("line 1 is damaged"), HasSubstr("--resume without --verify accepts it")));
  EXPECT_EQ(run(command(server, "")), 0) << err;
  EXPECT_THAT(lines_of(folder / "f.jsonl"), ElementsAre("x", "2", "3"));
}

TEST_F(ExportStream, with_max_items_that_ended_at_an_item_without_id_is_not_continued) {
  RawServer server([&](RawServer::Peer& peer) {
    if (!peer.request()) return;
    put("f.jsonl", "precious\n");
    peer.send(head("text/event-stream") + chunk("id: 1\ndata: 1\n\ndata: 2\n\n") + chunk(""));
  });
  EXPECT_EQ(run(command(server, "--max-items 2")), 64) << err;
  std::filesystem::remove(folder / "f.jsonl");
  EXPECT_EQ(run(command(server, "--max-items 3")), 64) << err;
  EXPECT_THAT(err, AllOf(HasSubstr("the items of the previous run have no ids to continue after"),
                         HasSubstr("2 items are in f.jsonl.part, but --resume cannot continue after them")));
  EXPECT_EQ(server.connections(), 1U);
  EXPECT_EQ(run(command(server, "--max-items 2")), 0) << err;
  EXPECT_THAT(lines_of(folder / "f.jsonl"), ElementsAre("1", "2"));
}

TEST_F(ExportStream, reports_an_item_without_its_position) {
  RawServer server([](RawServer::Peer& peer) {
    if (peer.request()) peer.send(head("application/jsonl") + chunk("{\"seq\":1}\n{\"seq\":null}\n") + chunk(""));
  });
  EXPECT_EQ(run(command(server, "--resume-with since=/seq")), 65);
  EXPECT_THAT(err, HasSubstr("item 2 has no text or number at /seq; check --resume-with"));
  EXPECT_THAT(lines_of(folder / "f.jsonl.part"), ElementsAre(R"({"seq":1})"));
}

TEST_F(ExportStream, reports_a_response_that_is_no_stream) {
  RawServer server([](RawServer::Peer& peer) {
    if (peer.request()) peer.send("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\n1\n");
  });
  EXPECT_EQ(run(command(server, "")), 65);
  EXPECT_THAT(err, HasSubstr("check the path, or set --stream-format"));
  EXPECT_FALSE(has("f.jsonl.part"));
}

}}  // namespace export_test::export_stream_test
