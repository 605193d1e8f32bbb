// Responses whose fields or end clients read differently: the next call gets its own response all the same.
#include "replays/replay.hpp"

namespace noun_test { namespace replays {
namespace {

/// Sends the bytes, and more that the next call would take for its response, on the first connection.
Situation smuggled(std::string bytes, std::function<void(const noun::Client&)> first_call) {
  return [=] {
    RawServer server([&](Peer& peer) {
      while (peer.request()) peer.send(peer.number() == 0 ? bytes + http_response("theirs") : http_response("own"));
    });
    const auto api = client_of(server.url());
    first_call(api);
    EXPECT_EQ(api.send({.path = "y"}).value().body, "own");
    EXPECT_EQ(server.connections(), 2U);
  };
}
Situation refused(std::string bytes, Errc code = Errc::protocol) {
  return smuggled(bytes, [=](auto& api) { EXPECT_EQ(failure(api.send({.path = "x"})).value().code(), code); });
}
Situation fields(std::string lines) { return refused(with_fields(lines)); }
Situation chunk(std::string size, std::string end = "\r\n") {
  return refused(chunked(size + "hello" + end + "0\r\n\r\n"));
}
/// A Transfer-Encoding, and a body in one chunk.
Situation encoded(std::string value) {
  return refused(fmt::format("{}Transfer-Encoding: {}\r\n\r\n5\r\nhello\r\n0\r\n\r\n", ok, value));
}
/// A field before a Content-Length that fits the body.
Situation beside(std::string line) { return fields(line + "\r\nContent-Length: 5\r\n"); }
Situation read_as(std::string body, std::string bytes) {
  return smuggled(bytes, [=](auto& api) { EXPECT_EQ(api.send({.path = "x"}).value().body, body); });
}

/// A length that is no number, in calls that stream the body.
void length_that_throws() {
  for (const auto* length : {"five", "99999999999999999999999", ""}) {
    RawServer server(says(with_fields("Content-Length: "s + length + "\r\nContent-Type: text/event-stream\r\n")));
    EXPECT_THAT(downloaded(client_of(server.url())), FailsWith(Errc::protocol, Sent::maybe)) << length;
    EXPECT_THAT(streamed(client_of(server.url())), FailsWith(Errc::protocol, Sent::maybe)) << length;
  }
}

}  // namespace

Replays of_framing() {
  const auto beside_length = [](std::string length, std::string body) {
    return fmt::format("{}Content-Length: {}\r\nTransfer-Encoding: chunked\r\n\r\n{}0\r\n\r\n", ok, length, body);
  };
  return {
      {"CVE-2021-32714", "hyper's chunk sizes overflowed", chunk("10000000000000005\r\n")},
      {"CVE-2021-32715", "hyper accepted a plus sign in Content-Length", fields("Content-Length: +5\r\n")},
      {"CVE-2021-21299", "hyper misread a second Transfer-Encoding", encoded("chunked\r\nTransfer-Encoding: identity")},
      {"CVE-2025-22871", "Go accepted a bare LF after a chunk size", chunk("5;a\n")},
      {"CVE-2019-16276", "Go accepted a space before the colon", beside("Transfer-Encoding : chunked")},
      {"CVE-2022-1705", "Go took an invalid Transfer-Encoding for chunked", encoded("\rchunked")},
      {"CVE-2020-10108", "twisted used one of two Content-Length fields", beside("Content-Length: 0")},
      {"CVE-2020-10109", "twisted preferred Content-Length to chunked",
       read_as("hello", beside_length("3", "5\r\nhello\r\n"))},
      {"CVE-2023-47641", "aiohttp read Content-Length beside Transfer-Encoding", read_as("", beside_length("70", ""))},
      {"CVE-2023-47627", "aiohttp accepted underscores in Content-Length", fields("Content-Length: 0_5\r\n")},
      {"CVE-2019-16869", "netty accepted white space before the colon", beside("Content-Length\t: 0")},
      {"CVE-2019-20444", "netty accepted a line without a colon", beside("Transfer-Encoding")},
      {"CVE-2019-20445", "netty accepted a second Content-Length",
       fields("Content-Length: 5\r\nContent-Length: 0\r\n")},
      {"CVE-2025-43859", "h11 did not check the bytes after a chunk", chunk("5\r\n", "XX")},
      {"CVE-2021-22959", "llhttp accepted a space before the colon", fields("Content-Length : 5\r\n")},
      {"CVE-2022-32213", "llhttp misread Transfer-Encoding", beside("Transfer-Encoding: chunkedchunked")},
      {"CVE-2022-32215", "llhttp misread a folded Transfer-Encoding",
       beside("Transfer-Encoding: chunked,\r\n identity")},
      {"CVE-2023-30589", "llhttp took a bare CR for a line end", beside("A: b\rContent-Length: 0")},
      {"CVE-2024-52530", "libsoup ignored NUL at the end of a name", beside("Transfer-Encoding\0: chunked"s)},
      {"CVE-2026-31870", "cpp-httplib ended the process if Content-Length is no number", length_that_throws},
      {"CVE-2023-3635", "okio threw an exception because of malformed gzip",
       refused(zipped("\x1f\x8b\x08\x04\x00\x00\x00\x00\x00\x03\xff\xff"s), Errc::truncated)},
  };
}

}}  // namespace noun_test::replays
