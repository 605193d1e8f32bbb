// Compressed bodies: the first three bytes of the input choose the coding, the size of the pieces and what is read: the
// rest of the input, or the rest compressed by the coding's library. Pieces make no difference, and zlib reads the same.
#include <algorithm>
#include <string>

#include <zlib.h>

#include "curl/content_decoder.hpp"
#include "encoders.hpp"
#include "fuzz/invariant.hpp"

namespace {

using noun::Coding;
using noun::ContentDecoder;
using Fault = ContentDecoder::Fault;
using noun_fuzz::require;

constexpr std::size_t max_size = std::size_t{2} * 1024 * 1024;
// Small, to be fast.
constexpr int window_log = 16;

struct Outcome {
  Fault fault = Fault::none;
  bool ended = false;
  std::string out = {};
};

Outcome decoded(Coding coding, std::string_view bytes, std::size_t piece, std::size_t max_ratio) {
  ContentDecoder decoder(coding, max_size, max_ratio);
  Outcome outcome;
  while (!bytes.empty() && outcome.fault == Fault::none) {
    outcome.fault = decoder.write(bytes.substr(0, piece), outcome.out);
    bytes.remove_prefix(std::min(piece, bytes.size()));
  }
  require(outcome.out.size() <= max_size, "the size is limited");
  outcome.ended = decoder.ended();
  return outcome;
}

Coding coding_of(std::uint8_t choice) {
  if (choice % 6 == 4 && noun::has_brotli()) return Coding::br;
  if (choice % 6 == 5 && noun::has_zstd()) return Coding::zstd;
  return choice % 2 == 0 ? Coding::gzip : Coding::deflate;
}

constexpr int window_of(Coding coding) { return coding == Coding::gzip ? 16 + MAX_WBITS : MAX_WBITS; }

/// By zlib alone, in one step; empty unless the stream is complete and has nothing after it.
std::string by_zlib(int window, std::string_view bytes) {
  std::string out(max_size, '\0');
  z_stream stream{};
  inflateInit2(&stream, window);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const bool whole = inflate(&stream, Z_FINISH) == Z_STREAM_END && stream.avail_in == 0;
  out.resize(whole ? stream.total_out : 0);
  inflateEnd(&stream);
  return out;
}

std::string deflated(int window, std::string_view text) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  require(deflate(&stream, Z_FINISH) == Z_STREAM_END, "zlib compresses");
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string encoded(Coding coding, bool raw, std::string_view text) {
  if (coding == Coding::br) return noun_test::brotli(text, window_log);
  if (coding == Coding::zstd) return noun_test::zstd(text, window_log);
  return deflated(raw ? -MAX_WBITS : window_of(coding), text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 3) return 0;
  const auto coding = coding_of(data[0]);
  const bool raw = data[0] % 6 == 3;
  const std::size_t piece = data[1] + std::size_t{1};
  const std::size_t repeats = data[2] % 64;
  const auto text = noun_fuzz::text_of(data + 3, size - 3);

  if (repeats > 0) {
    std::string body;
    for (std::size_t i = 0; i < repeats; ++i) body += text;
    const auto whole = decoded(coding, encoded(coding, raw, body), piece, max_size);
    require(whole.fault == Fault::none && whole.ended && whole.out == body, "what its library compresses is read");
    return 0;
  }
  const auto once = decoded(coding, text, std::max<std::size_t>(text.size(), 1), 200);
  const auto pieces = decoded(coding, text, piece, 200);
  if (once.fault == Fault::none || pieces.fault == Fault::none) {
    require(once.fault == pieces.fault || once.fault == Fault::ratio || pieces.fault == Fault::ratio,
            "a fault does not depend on the pieces");
    require(once.fault != pieces.fault || (once.ended == pieces.ended && once.out == pieces.out),
            "the text does not depend on the pieces");
  }
  if (once.fault != Fault::none || !once.ended || coding == Coding::br || coding == Coding::zstd) return 0;
  auto expected = by_zlib(window_of(coding), text);
  if (expected.empty() && coding == Coding::deflate) expected = by_zlib(-MAX_WBITS, text);
  require(once.out == expected, "zlib reads the same");
  return 0;
}
