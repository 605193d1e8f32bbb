#pragma once
/// @file
/// Answers byte for byte, for servers that send what no good server would.

#include <string>
#include <string_view>

#include <zlib.h>

#include "transport/raw_server.hpp"

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
  return "HTTP/1.1 200 OK\r\n" + std::string(fields) + "\r\nhello";
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
  return answer(body, "Content-Encoding: " + std::string(coding) + "\r\n");
}

/// Reads the request, says that and closes.
inline RawServer::Script says(std::string bytes) {
  return [bytes = std::move(bytes)](RawServer::Peer& peer) {
    if (!peer.request()) return;
    peer.send(bytes);
    peer.finish();
    peer.until_closed();
  };
}

}  // namespace noun_test
