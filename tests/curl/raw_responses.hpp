#pragma once
/// @file
/// Literal response bytes, and scripts for a RawServer.

#include <atomic>
#include <string>
#include <string_view>
#include <utility>

#include <zlib.h>

#include "curl/raw_server.hpp"

namespace noun_test {

inline std::string compressed(std::string_view text, int window = 16 + MAX_WBITS) {
  z_stream stream{};
  deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, window, 9, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

inline std::string with_fields(std::string_view fields) {
  return "HTTP/1.1 200 OK\r\n" + std::string(fields) + "\r\n[1,2]";
}

inline std::string repeated(std::string_view text, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += text;
  return out;
}

inline std::string numbers(int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += std::to_string(i);
  return out;
}

inline constexpr std::string_view ok = "HTTP/1.1 200 OK\r\n";

inline std::string chunked(std::string_view body) {
  return std::string(ok) + "Transfer-Encoding: chunked\r\n\r\n" + std::string(body);
}

inline std::string zipped(std::string_view body, std::string_view coding = "gzip") {
  return http_response(body, "Content-Encoding: " + std::string(coding) + "\r\n");
}

/// Reads the request, sends the bytes and closes.
inline RawServer::Script says(std::string bytes) {
  return [bytes = std::move(bytes)](RawServer::Peer& peer) {
    if (!peer.request()) return;
    peer.send(bytes);
    peer.finish();
    peer.until_closed();
  };
}

/// Reads the request, sends the bytes and resets the connection.
inline RawServer::Script resets(std::string bytes) {
  return [bytes = std::move(bytes)](RawServer::Peer& peer) {
    if (peer.request() && peer.send(bytes)) peer.reset();
  };
}

/// Reads the request, sends the bytes and keeps the connection open.
inline RawServer::Script stops(std::string bytes) {
  return [bytes = std::move(bytes)](RawServer::Peer& peer) {
    if (peer.request() && peer.send(bytes)) peer.until_closed();
  };
}

/// Reads the request, then sends `first`, and `endless` over and over.
inline RawServer::Script repeats(std::string first, std::string endless) {
  return [first = std::move(first), endless = std::move(endless)](RawServer::Peer& peer) {
    if (!peer.request()) return;
    for (bool more = peer.send(first); more;) more = peer.send(endless);
  };
}

/// Reads one request, opens `received` and sends nothing.
inline RawServer::Script silence(Gate* received = nullptr) {
  return [received](RawServer::Peer& peer) {
    peer.request();
    if (received != nullptr) received->open();
    peer.until_closed();
  };
}

/// The path of a GET request.
inline std::string path_of(const std::string& request) { return request.substr(4, request.find(' ', 4) - 4); }

/// Responds with the path, but only after `count` requests have arrived.
class Meeting {
 public:
  explicit Meeting(int count) : missing_(count) {}
  RawServer::Script script() {
    return [this](RawServer::Peer& peer) {
      while (auto request = peer.request()) {
        if (--missing_ == 0) all_.open();
        all_.wait();
        if (!peer.send(http_response(path_of(*request)))) break;
      }
      ++closed_;
    };
  }
  /// The number of connections that have ended.
  int closed() const { return closed_; }

 private:
  std::atomic<int> missing_;
  std::atomic<int> closed_ = 0;
  Gate all_;
};

}  // namespace noun_test
