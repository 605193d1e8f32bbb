// Faults of servers that speak HTTP/2.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "curl/raw_responses.hpp"
#include "faults/fault.hpp"

namespace noun_test {
namespace {

using noun::Errc;
using noun::Sent;
using Peer = RawServer::Peer;

/// The kinds of frames. @source RFC 9113, section 6.
enum Kind : char {
  data,
  headers,
  priority,
  rst_stream,
  settings,
  push_promise,
  ping,
  goaway,
  window_update,
  continuation
};
constexpr char end_stream = 1;
constexpr char ack = 1;
constexpr char end_headers = 4;
/// Client's streams have odd numbers; each test has one.
constexpr std::uint32_t the_stream = 1;
/// Error codes. @source RFC 9113, section 7.
constexpr std::uint32_t no_error = 0, internal_error = 2, refused_stream = 7, cancel = 8;

std::string number(std::uint32_t value, int bytes = 4) {
  std::string out;
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) out += static_cast<char>(value >> shift);
  return out;
}

std::string frame(Kind kind, char flags, std::uint32_t stream, std::string_view payload) {
  return number(static_cast<std::uint32_t>(payload.size()), 3) + static_cast<char>(kind) + flags + number(stream) +
         std::string(payload);
}

// What HPACK makes of `:status: 200`, and of a field whose name is not in its table.
constexpr std::string_view status_200 = "\x88";
std::string field(std::string_view name, std::string_view value) {
  return '\0' + std::string(1, static_cast<char>(name.size())) + std::string(name) + static_cast<char>(value.size()) +
         std::string(value);
}

std::string frame_of_head(std::string_view fields = "", char flags = end_headers) {
  return frame(headers, flags, the_stream, std::string(status_200) + std::string(fields));
}
std::string frame_of_body(std::string_view bytes, char flags = end_stream) {
  return frame(data, flags, the_stream, bytes);
}
std::string frame_of_reset(std::uint32_t error) { return frame(rst_stream, 0, the_stream, number(error)); }
std::string go_away(std::uint32_t last, std::uint32_t error = no_error) {
  return frame(goaway, 0, 0, number(last) + number(error));
}

/// What a client sends.
class Frames {
 public:
  explicit Frames(Peer& peer) : peer_(peer) {}

  /// Reads up to the end of a request. Returns whether there is one.
  bool read_request() {
    constexpr std::size_t preface = 24;
    if (!fill(preface)) return false;
    pending_.erase(0, preface);
    while (const auto next = read()) {
      const auto [kind, flags] = *next;
      if (kind == headers) peer_.received("HTTP/2");
      if ((kind == headers || kind == data) && (flags & end_stream) != 0) return true;
    }
    return false;
  }
  /// Returns whether the client has read what was sent.
  bool are_answered() {
    peer_.send(frame(ping, 0, 0, "12345678"));
    while (const auto next = read())
      if (*next == std::pair(static_cast<char>(ping), ack)) return true;
    return false;
  }

 private:
  bool fill(std::size_t size) {
    while (pending_.size() < size) {
      const auto more = peer_.some();
      if (more.empty()) return false;
      pending_ += more;
    }
    return true;
  }
  /// The kind and the flags of the next frame; nothing if the connection ended.
  std::optional<std::pair<char, char>> read() {
    constexpr std::size_t head = 9;
    if (!fill(head)) return std::nullopt;
    std::size_t size = 0;
    for (const char byte : std::string_view(pending_).substr(0, 3)) size = size << 8 | static_cast<unsigned char>(byte);
    if (!fill(head + size)) return std::nullopt;
    const std::pair read(pending_[3], pending_[4]);
    pending_.erase(0, head + size);
    if (read == std::pair(static_cast<char>(settings), '\0')) peer_.send(frame(settings, ack, 0, ""));
    return read;
  }

  Peer& peer_;
  std::string pending_;
};

/// Sends its settings, reads a request and sends the frames, each when the one before has been read; then ends, or waits.
RawServer::Script exchange(std::vector<std::string> frames, bool ends = true, std::string own_settings = "") {
  return [=](Peer& peer) {
    Frames client(peer);
    if (!peer.send(frame(settings, 0, 0, own_settings)) || !client.read_request()) return;
    for (std::size_t i = 0; i < frames.size(); ++i) {
      if (i > 0 && !client.are_answered()) return;
      peer.send(frames[i]);
    }
    if (ends) peer.finish();
    peer.until_closed();
  };
}

RawServer::Script floods(std::string first, std::string frames) {
  return [=](Peer& peer) {
    Frames client(peer);
    if (!peer.send(frame(settings, 0, 0, "")) || !client.read_request()) return;
    for (bool more = peer.send(first); more;) more = peer.send(frames);
  };
}

}  // namespace

std::vector<Fault> faults_of_http2() {
  const auto hangs = [](std::string name, RawServer::Script script) {
    return Fault{.name = std::move(name), .code = Errc::timeout, .script = std::move(script), .hangs = true};
  };
  constexpr auto answered = Sent::answered;
  std::vector<Fault> all{
      {"sound_stream", {}, exchange({frame_of_head(), frame_of_body("[1,2]")}, false)},
      {"reset_without_an_error_after_the_end",
       {},
       exchange({frame_of_head(), frame_of_body("[1,2]"), frame_of_reset(no_error)}, false)},
      {"goaway_that_lets_the_stream_end",
       {},
       exchange({frame_of_head(), go_away(the_stream), frame_of_body("[1,2]")}, false)},
      {"goaway_before_the_stream", Errc::send, exchange({go_away(0)})},
      {"refused_stream", Errc::send, exchange({frame_of_reset(refused_stream)}, false)},
      {"stream_reset_before_its_head", Errc::send, exchange({frame_of_reset(internal_error)}, false)},
      {"stream_cancelled_in_its_body", Errc::truncated,
       exchange({frame_of_head(), frame_of_body("[1,", 0), frame_of_reset(cancel)}, false), answered},
      {"stream_reset_in_its_body", Errc::truncated,
       exchange({frame_of_head(), frame_of_body("[1,", 0), frame_of_reset(internal_error)}, false), answered},
      {"connection_ends_before_the_head", Errc::send, exchange({})},
      {"connection_ends_in_the_head", Errc::send, exchange({frame_of_head().substr(0, 9)})},
      {"connection_ends_in_the_body", Errc::truncated, exchange({frame_of_head(), frame_of_body("[1,", 0)}), answered},
      {"goaway_and_the_end_in_the_body", Errc::truncated,
       exchange({frame_of_head(), frame_of_body("[1,", 0), go_away(the_stream)}), answered},
      {"body_shorter_than_its_length", Errc::truncated,
       exchange({frame_of_head(field("content-length", "9")), frame_of_body("[1,2]")}, false), answered},
      {"body_longer_than_its_length", Errc::truncated,
       exchange({frame_of_head(field("content-length", "3")), frame_of_body("[1,2]")}, false), answered},
      {"body_before_its_head", Errc::send, exchange({frame_of_body("[1,2]")}, false)},
      {"frame_over_its_size", Errc::truncated,
       exchange({frame_of_head(), frame_of_body(std::string(20'000, 'x'))}, false), answered},
      {"data_of_no_stream", Errc::truncated, exchange({frame_of_head(), frame(data, 0, 0, "[1,2]")}, false), answered},
      {"frame_of_a_stream_that_is_none", Errc::send, exchange({frame(headers, end_headers, 4, status_200)}, false)},
      {"corrupt_hpack", Errc::send, exchange({frame(headers, end_headers, the_stream, "\xff\xff\xff\xff\xff")}, false)},
      {"head_without_a_status", Errc::send,
       exchange({frame(headers, end_headers, the_stream, field("a", "b"))}, false)},
      {"field_in_capitals", Errc::send, exchange({frame_of_head(field("Aa", "b")), frame_of_body("[1,2]")}, false)},
      {"field_with_a_line_end", Errc::send,
       exchange({frame_of_head(field("a", "b\r\nc: d")), frame_of_body("[1,2]")}, false)},
      {"field_of_the_connection", Errc::send,
       exchange({frame_of_head(field("transfer-encoding", "chunked")), frame_of_body("[1,2]")}, false)},
      {"largest_frame_0", Errc::send, exchange({frame(settings, 0, 0, number(5, 2) + number(0))}, false)},
      {"push_that_was_not_allowed", Errc::send,
       exchange({frame(push_promise, end_headers, the_stream, number(2) + std::string(status_200))}, false)},
      hangs("silent_stream", exchange({}, false)),
      hangs("window_that_never_opens", exchange({}, false, number(4, 2) + number(0))),
      {"ping_flood", Errc::send, floods("", repeated(frame(ping, 0, 0, "12345678"), 100))},
      {"settings_flood", Errc::send, floods("", repeated(frame(settings, 0, 0, number(3, 2) + number(100)), 100))},
      {"continuation_flood", Errc::send,
       floods(frame(headers, 0, the_stream, status_200),
              frame(continuation, 0, the_stream, field("a", std::string(100, 'b'))))},
      {"empty_frames_and_no_end", Errc::truncated, exchange({frame_of_head(), repeated(frame_of_body("", 0), 1000)}),
       answered},
      {"endless_stream", Errc::too_large, floods(frame_of_head(), frame_of_body(std::string(16'000, 'x'), 0)),
       answered},
  };
  for (auto& one : all) one.tls = {.spoken = true, .certificate = "sound", .http2 = true};
  return all;
}

}  // namespace noun_test
