// Streams over real connections.
#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <noun/noun.hpp>
#include <noun/stop.hpp>
#include <noun/testing/manual_clock.hpp>

#include "curl/raw_server.hpp"
#include "joining_thread.hpp"

namespace noun_test { namespace stream_connections_test {

using namespace std::chrono_literals;
using noun::Errc;
using noun::EventText;

constexpr std::string_view head =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";

std::string chunk(std::string_view bytes) { return fmt::format("{:x}\r\n{}\r\n", bytes.size(), bytes); }

/// The value of a header field of a request, or an empty text.
std::string field_of(const std::string& request, std::string_view name) {
  const auto at = request.find(fmt::format("\r\n{}: ", name));
  if (at == std::string::npos) return {};
  const auto begin = at + name.size() + 4;
  return request.substr(begin, request.find("\r\n", begin) - begin);
}

TEST(StreamConnections, delivers_each_event_as_soon_as_it_arrives) {
  Gate read;
  RawServer server([&](RawServer::Peer& peer) {
    if (!peer.request()) return;
    peer.send(std::string(head) + chunk("data: 1\n\n"));
    read.wait();
    peer.send(chunk("data: 2\n\n") + chunk(""));
  });
  const noun::Client api{server.url("/")};
  std::vector<std::string> texts;
  for (auto& each : api.stream<EventText>({.path = "events"})) {
    ASSERT_TRUE(each) << each.error().message();
    texts.push_back(each->value.text);
    read.open();
  }
  EXPECT_EQ(texts, (std::vector<std::string>{"1", "2"}));
}

TEST(StreamConnections, closes_its_connection_when_the_program_leaves_it) {
  Gate closed;
  RawServer server([&](RawServer::Peer& peer) {
    if (!peer.request()) return;
    peer.send(std::string(head) + chunk("data: 1\n\n"));
    peer.until_closed();
    closed.open();
  });
  const noun::Client api{server.url("/")};
  for (auto& each : api.stream<EventText>({.path = "events"})) {
    EXPECT_TRUE(each);
    break;
  }
  EXPECT_TRUE(closed.wait_for(10s));
}

TEST(StreamConnections, reports_nothing_after_the_end_of_its_client) {
  RawServer server([](RawServer::Peer& peer) {
    if (!peer.request()) return;
    peer.send(std::string(head) + chunk("data: 1\n\n"));
    peer.until_closed();
  });
  Gate last, destroyed, left;
  std::atomic<bool> is_late = false;
  {
    const noun::Client api{server.url("/"), {.observer = [&](const noun::Event& event) {
                             if (event.kind != noun::EventKind::attempt_ended) return;
                             last.open();
                             is_late = destroyed.wait_for(200ms);
                             left.open();
                           }}};
    for (auto& each : api.stream<EventText>({.path = "events"})) {
      EXPECT_TRUE(each);
      break;
    }
    EXPECT_TRUE(last.wait_for(10s));
  }
  destroyed.open();
  EXPECT_TRUE(left.wait_for(10s));
  EXPECT_FALSE(is_late);
}

TEST(StreamConnections, makes_the_server_wait_for_a_slow_program) {
  constexpr std::size_t size = std::size_t{256} * 1024;
  constexpr int events = 256;
  std::atomic<std::size_t> sent = 0;
  RawServer server([&](RawServer::Peer& peer) {
    if (!peer.request()) return;
    peer.send(head);
    const auto event = chunk(fmt::format("data: {}\n\n", std::string(size, 'x')));
    for (int i = 0; i < events && peer.send(event); ++i) sent += size;
    peer.send(chunk(""));
  });
  const noun::Client api{server.url("/")};
  std::size_t read = 0;
  // What the sockets of both sides buffer, at most.
  constexpr std::size_t buffered = std::size_t{20} * 1024 * 1024;
  for (auto& each : api.stream<EventText>({.path = "events"})) {
    ASSERT_TRUE(each) << each.error().message();
    read += each->value.text.size();
    ASSERT_LE(sent.load(), read + buffered);
  }
  EXPECT_EQ(read, size * events);
}

TEST(StreamConnections, ends_by_its_stop_token_and_by_its_deadline) {
  RawServer server([&](RawServer::Peer& peer) {
    if (!peer.request()) return;
    peer.send(std::string(head) + chunk("data: 1\n\n"));
    peer.until_closed();
  });
  const noun::Client api{server.url("/")};
  const auto end_of = [&](noun::StreamOptions options, const std::function<void()>& after_first) {
    Errc code = Errc::invalid_argument;
    for (auto& each : api.stream<EventText>({.path = "events"}, std::move(options)))
      if (each)
        after_first();
      else
        code = each.error().code();
    return code;
  };
  noun::StopSource stop;
  JoiningThread stopping;
  EXPECT_EQ(end_of({.stop = stop.get_token()}, [&] { stopping = JoiningThread([&] { stop.request_stop(); }); }),
            Errc::cancelled);
  EXPECT_EQ(end_of({.deadline = 200ms}, [] {}), Errc::deadline_exceeded);
}

TEST(StreamConnections, loses_and_repeats_nothing_over_a_thousand_drops) {
  constexpr int events = 4000;
  constexpr unsigned most_bytes = 200;
  std::atomic<int> drops = 0;
  std::mutex mutex;
  std::minstd_rand random(7);
  RawServer server([&](RawServer::Peer& peer) {
    const auto request = peer.request();
    if (!request) return;
    const auto last = field_of(*request, "Last-Event-ID");
    const int from = last.empty() ? 0 : std::stoi(last);
    if (from == events) {
      peer.send("HTTP/1.1 204 No Content\r\n\r\n");
      return;
    }
    std::string body = "retry: 0\n\n";
    for (int id = from + 1; id <= events && body.size() < 2 * most_bytes; ++id)
      body += fmt::format("id: {}\nevent: change\ndata: {}\ndata: {}\n\n", id, id, id * 7);
    std::size_t cut = 0;
    {
      const std::lock_guard lock(mutex);
      cut = random() % most_bytes;
    }
    ++drops;
    peer.send(std::string(head) + chunk(body).substr(0, cut + 5));
    peer.reset();
  });
  // The waits between the connections take no time.
  const auto clock = std::make_shared<noun::testing::ManualClock>();
  const noun::Client api{server.url("/"), {.retry = {.max_attempts = 100}, .clock = clock}};
  auto stream = api.stream<EventText>({.path = "events"}, {.reconnect = true});
  int next = 1;
  for (auto& each : stream) {
    ASSERT_TRUE(each) << each.error().message();
    ASSERT_EQ(each->id, std::to_string(next));
    ASSERT_EQ(each->value.text, fmt::format("{}\n{}", next, next * 7));
    ++next;
  }
  EXPECT_EQ(next, events + 1);
  EXPECT_GE(drops.load(), 1000);
  EXPECT_EQ(stream.last_event_id(), std::to_string(events));
}

}}  // namespace noun_test::stream_connections_test
