// Large files over real connections, in a process whose memory is measured and which may be killed. The size in MiB is
// that of the environment variable NOUN_TEST_MIB, or 32.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <noun/future.hpp>
#include <noun/noun.hpp>

#include "curl/raw_server.hpp"
#include "integration/file_client.hpp"
#include "integration/nginx.hpp"
#include "os/temporary_folder.hpp"
#include "sanitized.hpp"

namespace integration { namespace file_transfer_test {

using noun_test::http_response;
using noun_test::RawServer;
using noun_test::TemporaryFolder;
using Peer = RawServer::Peer;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr std::uint64_t mebibyte = 1024 * 1024;
constexpr std::size_t block_size = 64 * 1024;

std::uint64_t file_size() {
  const auto* text = std::getenv("NOUN_TEST_MIB");
  // An odd number, so that no piece ends where a block does.
  return (text == nullptr ? 32 : std::strtoull(text, nullptr, 10)) * mebibyte + 7;
}

/// The blocks of the file all differ: a shift, a gap and a repetition are noticed.
std::string block(std::uint64_t number) {
  std::string bytes(block_size, '\0');
  auto state = number * 0x9E3779B97F4A7C15U + 1;
  for (std::size_t at = 0; at < block_size; at += 8) {
    state ^= state << 13U;
    state ^= state >> 7U;
    state ^= state << 17U;
    std::copy_n(reinterpret_cast<const char*>(&state), 8, bytes.begin() + static_cast<std::ptrdiff_t>(at));
  }
  return bytes;
}

/// The bytes of the file from `at`, to the end of their block.
std::string bytes_at(std::uint64_t at, std::uint64_t size) {
  const auto start = static_cast<std::size_t>(at % block_size);
  return block(at / block_size).substr(start, static_cast<std::size_t>(std::min<std::uint64_t>(size - at, block_size)));
}

void write_file(const std::string& path, std::uint64_t size) {
  std::ofstream file(path, std::ios::binary);
  for (std::uint64_t at = 0; at < size; at += block_size) {
    const auto bytes = bytes_at(at, size);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
}

bool is_the_file(const std::string& path, std::uint64_t size) {
  std::error_code ignored;
  if (std::filesystem::file_size(path, ignored) != size) return false;
  std::ifstream file(path, std::ios::binary);
  for (std::uint64_t at = 0; at < size; at += block_size) {
    auto bytes = bytes_at(at, size);
    std::string read(bytes.size(), '\0');
    if (!file.read(read.data(), static_cast<std::streamsize>(read.size())) || read != bytes) return false;
  }
  return true;
}

std::uint64_t offset_of(const std::string& request) {
  const auto range = request.find("\r\nRange: bytes=");
  return range == std::string::npos ? 0 : std::strtoull(request.c_str() + range + 15, nullptr, 10);
}

/// Serves the file, and resets so many connections, each after about the same number of bytes.
RawServer::Script serve(std::uint64_t size, std::atomic<int>& resets) {
  const auto piece = size / static_cast<std::uint64_t>(resets + 1);
  return [=, &resets](Peer& peer) {
    while (const auto request = peer.request()) {
      const auto from = offset_of(*request);
      const bool breaks = resets-- > 0;
      const auto to = breaks ? std::min(size, from + piece) : size;
      auto head = fmt::format("HTTP/1.1 {}\r\nETag: \"1\"\r\nContent-Length: {}\r\n", from > 0 ? "206 Part" : "200 OK",
                              size - from);
      if (from > 0) head += fmt::format("Content-Range: bytes {}-{}/{}\r\n", from, size - 1, size);
      if (!peer.send(head + "\r\n")) return;
      for (auto at = from; at < to;) {
        const auto bytes = bytes_at(at, to);
        if (!peer.send(bytes)) return;
        at += bytes.size();
      }
      if (breaks) return peer.reset();
    }
  };
}

long peak_of(const std::string& said) {
  const auto at = said.find("peak ");
  return at == std::string::npos ? 0 : std::strtol(said.c_str() + at + 5, nullptr, 10);
}

constexpr long most_memory = 32 * 1024;

TEST(FileTransfer, a_download_survives_twenty_resets_in_little_memory) {
  const TemporaryFolder folder;
  const auto size = file_size();
  std::atomic<int> resets = 20;
  RawServer server(serve(size, resets));
  const auto said = run_file_client({"get", server.url("/"), folder.path("f")});
  EXPECT_THAT(said, StartsWith(fmt::format("{} bytes, resumed ", size)));
  EXPECT_THAT(said, HasSubstr("restarted 0 times"));
  EXPECT_LT(resets, 0);
  EXPECT_TRUE(is_the_file(folder.path("f"), size));
  if (!noun_test::sanitized) EXPECT_LT(peak_of(said), most_memory) << said;
  std::printf("%s", said.c_str());
}

TEST(FileTransfer, a_kill_leaves_no_file_under_its_name) {
  const TemporaryFolder folder;
  RawServer server([](Peer& peer) {
    if (!peer.request()) return;
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n" + std::string(1'000'000, 'x'));
    peer.until_closed();
  });
  FileClient client({"get", server.url("/"), folder.path("f")});
  const auto written = [&] {
    for (const auto& entry : std::filesystem::directory_iterator(folder.path("")))
      if (entry.file_size() == 1'000'000) return true;
    return false;
  };
  while (!written()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  client.kill();
  EXPECT_FALSE(std::filesystem::exists(folder.path("f")));
}

TEST(FileTransfer, an_upload_is_repeated_after_resets_in_little_memory) {
  const TemporaryFolder folder;
  const auto size = file_size();
  write_file(folder.path("f"), size);
  std::atomic<int> resets = 2;
  std::atomic<std::uint64_t> right = 0;
  RawServer server([&](Peer& peer) {
    std::string head;
    while (head.find("\r\n\r\n") == std::string::npos) head += peer.some();
    EXPECT_THAT(head, HasSubstr(fmt::format("\r\nContent-Length: {}\r\n", size)));
    EXPECT_THAT(head, Not(HasSubstr("chunked")));
    auto bytes = head.substr(head.find("\r\n\r\n") + 4);
    const bool breaks = resets-- > 0;
    for (std::uint64_t at = 0;;) {
      while (!bytes.empty()) {
        const auto expected = bytes_at(at, size);
        const auto count = std::min(bytes.size(), expected.size());
        if (bytes.compare(0, count, expected, 0, count) != 0) return;
        bytes.erase(0, count);
        at += count;
      }
      right = at;
      if (at == size) break;
      if (breaks && at > size / 2) return peer.reset();
      bytes = peer.some();
      if (bytes.empty()) return;
    }
    peer.send(http_response(""));
  });
  const auto said = run_file_client({"put", server.url("/"), folder.path("f")});
  EXPECT_THAT(said, StartsWith("status 200"));
  EXPECT_EQ(right, size);
  EXPECT_EQ(server.connections(), 3U);
  if (!noun_test::sanitized) EXPECT_LT(peak_of(said), most_memory) << said;
  std::printf("%s", said.c_str());
}

/// The events of an upload whose first connection is reset, and the traceparents that the server received.
struct ObservedUpload {
  explicit ObservedUpload(bool in_background) {
    const TemporaryFolder folder;
    write_file(folder.path("f"), size);
    std::atomic<int> connections = 0;
    std::vector<std::string> heads(2);
    RawServer server([&](Peer& peer) {
      const auto number = static_cast<std::size_t>(connections++);
      if (number >= heads.size()) return;
      auto& head = heads[number];
      while (head.find("\r\n\r\n") == std::string::npos) {
        const auto more = peer.some();
        if (more.empty()) return;
        head += more;
      }
      const auto body = head.find("\r\n\r\n") + 4;
      auto received = head.size() - body;
      head.resize(body);
      while (received < (number == 0 ? size / 2 : size)) {
        const auto more = peer.some();
        if (more.empty()) return;
        received += more.size();
      }
      if (number == 0) return peer.reset();
      peer.send(http_response(""));
    });
    const auto telemetry = noun::telemetry({.start_span = [this](const auto&) {
      return noun::Telemetry::Span{.context = {.traceparent = fmt::format("00-{:032x}-{:016x}-01", 1, ++spans)}};
    }});
    const noun::Client api{server.url("/"),
                           {.retry = {.initial_backoff = std::chrono::milliseconds(1)},
                            .observer =
                                [&](const noun::Event& event) {
                                  telemetry(event);
                                  if (event.kind == noun::EventKind::progress) progress.push_back(event);
                                },
                            .trace_context = telemetry.trace_context()}};
    const noun::Request request{.method = noun::Method::put, .path = "f", .body = noun::body::file(folder.path("f"))};
    const auto sent = in_background ? noun::future(noun::op::send(api, request)).get() : api.send(request);
    EXPECT_TRUE(sent) << (sent ? "" : sent.error().message());
    for (const auto& head : heads) {
      const auto at = head.find("\r\ntraceparent: ");
      traceparents.push_back(at == std::string::npos ? "none" : head.substr(at + 15, 55));
    }
  }

  static constexpr std::uint64_t size = 8 * mebibyte;
  std::vector<noun::Event> progress;
  std::vector<std::string> traceparents;
  int spans = 0;
};

TEST(FileTransfer, an_upload_reports_its_progress_and_each_attempt_has_a_trace_context) {
  for (const bool in_background : {false, true}) {
    const ObservedUpload upload(in_background);
    EXPECT_EQ(upload.traceparents,
              (std::vector{fmt::format("00-{:032x}-{:016x}-01", 1, 2), fmt::format("00-{:032x}-{:016x}-01", 1, 3)}));
    const auto& seen = upload.progress;
    ASSERT_GE(seen.size(), 3U);
    EXPECT_EQ(seen.front().attempt, 1);
    EXPECT_EQ(seen.back().sent_bytes, upload.size);
    int finals = 0;
    for (std::size_t i = 0; i < seen.size(); ++i) {
      EXPECT_EQ(seen[i].body_size, upload.size);
      finals += seen[i].sent_bytes == upload.size ? 1 : 0;
      if (i == 0) continue;
      if (seen[i].attempt == seen[i - 1].attempt)
        EXPECT_GT(seen[i].sent_bytes, seen[i - 1].sent_bytes);
      else
        EXPECT_LT(seen[i].sent_bytes, upload.size / 2) << "it starts again";
    }
    EXPECT_LE(finals, 2) << "one for each attempt";
    EXPECT_EQ(seen.back().attempt, 2);
  }
}

TEST(FileTransfer, a_redirect_to_another_origin_carries_no_credentials) {
  const TemporaryFolder folder;
  RawServer assets(noun_test::always(http_response("content")));
  RawServer api([&](Peer& peer) {
    while (peer.request())
      peer.send(http_response("", "Location: " + assets.url("/asset?sig=1") + "\r\n", "302 Found"));
  });
  const noun::Client client{api.url("/"),
                            {.credentials = noun::bearer("s3cret-token"), .headers = {{"X-Api-Key", "s3cret-key"}}}};
  ASSERT_TRUE(client.download({.path = "f"}, folder.path("f")));
  EXPECT_EQ(folder.read("f"), "content");
  EXPECT_THAT(api.last_request(), HasSubstr("s3cret-token"));
  EXPECT_THAT(assets.last_request(), StartsWith("GET /asset?sig=1 HTTP/1.1\r\n"));
  EXPECT_THAT(assets.last_request(), Not(HasSubstr("s3cret")));
  EXPECT_THAT(assets.last_request(), Not(HasSubstr("Authorization")));
  EXPECT_THAT(assets.last_request(), HasSubstr("\r\nAccept-Encoding: identity\r\n"));
}

TEST(FileTransfer, a_chunked_body_that_breaks_off_is_continued) {
  const TemporaryFolder folder;
  RawServer server([](Peer& peer) {
    const auto request = peer.request();
    if (!request) return;
    if (offset_of(*request) == 0)
      peer.send("HTTP/1.1 200 OK\r\nETag: \"1\"\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n0123\r\n6\r\n45");
    else
      peer.send(fmt::format("HTTP/1.1 206 Part\r\nETag: \"1\"\r\nContent-Range: bytes 6-9/10\r\nContent-Length: 4\r\n"
                            "Connection: close\r\n\r\n6789"));
  });
  const auto got = noun::Client{server.url("/"), {.retry = {.initial_backoff = std::chrono::milliseconds(1)}}}.download(
      {.path = "f"}, folder.path("f"));
  ASSERT_TRUE(got) << got.error().message();
  EXPECT_EQ(got->resumed, 1);
  EXPECT_EQ(folder.read("f"), "0123456789");
}

TEST(FileTransfer, a_content_coding_is_an_error_and_the_limit_of_other_bodies_is_none) {
  const TemporaryFolder folder;
  RawServer plain(noun_test::always(http_response("more than a byte")));
  EXPECT_TRUE((noun::Client{plain.url("/"), {.limits = {.body = 1}}}.download({.path = "f"}, folder.path("f"))));
  RawServer server(noun_test::always(http_response("not really gzip", "Content-Encoding: gzip\r\n")));
  const auto got = noun::Client{server.url("/")}.download({.path = "g"}, folder.path("g"));
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code(), noun::Errc::protocol);
  EXPECT_EQ(got.error().attempts(), 1);
}

TEST(FileTransfer, a_stop_request_and_a_stall_end_a_download) {
  const TemporaryFolder folder;
  RawServer server([](Peer& peer) {
    if (!peer.request()) return;
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nx");
    peer.until_closed();
  });
  noun::StopSource stop;
  const noun::Client api{server.url("/"),
                         {.retry = {.max_attempts = 1}, .timeouts = {.stall = std::chrono::seconds(1)}}};
  const auto stopped = api.download({.path = "f"}, [&](std::string_view) { stop.request_stop(); },
                                    {.stop = stop.get_token()});
  EXPECT_EQ(stopped.error().code(), noun::Errc::cancelled);
  EXPECT_EQ(api.download({.path = "f"}, folder.path("f")).error().code(), noun::Errc::timeout);
}

TEST(FileTransfer, nginx_serves_ranges_of_what_it_stored) {
  Nginx nginx("server { listen @4; root @folderfiles; client_max_body_size 0;"
              " location / { dav_methods PUT; create_full_put_path on; } }");
  const TemporaryFolder folder;
  const std::uint64_t size = 5 * mebibyte + 7;
  write_file(folder.path("up"), size);
  const noun::Client api{fmt::format("http://127.0.0.1:{}", nginx.port())};
  const auto stored = api.collection("files")["f"].replace<void>(noun::body::file(folder.path("up")));
  ASSERT_TRUE(stored) << stored.error().message();
  const auto got = api.download({.path = "files/f"}, folder.path("down"));
  ASSERT_TRUE(got) << got.error().message();
  EXPECT_TRUE(is_the_file(folder.path("down"), size));
  nginx.stop();
}

}}  // namespace integration::file_transfer_test
