#include <algorithm>
#include <limits>
#include <new>
#include <string>

#include <zlib.h>

#include "curl/decompressor.hpp"

namespace noun { inline namespace v0 {
namespace {

constexpr int gzip_window = 16 + MAX_WBITS;
constexpr int zlib_window = MAX_WBITS;
constexpr int raw_window = -MAX_WBITS;

// RFC 1950, section 2.2: method 8 in the low bits, and both bytes together a multiple of 31.
bool is_zlib_header(std::string_view two) noexcept {
  const auto first = static_cast<unsigned char>(two[0]);
  const auto second = static_cast<unsigned char>(two[1]);
  return (first & 0x0FU) == 8 && (first * 256U + second) % 31 == 0;
}

class ZlibDecompressor final : public Decompressor {
 public:
  explicit ZlibDecompressor(int window) : undecided_(window == zlib_window) {
    if (inflateInit2(&stream_, window) != Z_OK) throw std::bad_alloc();
  }
  ZlibDecompressor(const ZlibDecompressor&) = delete;
  ZlibDecompressor& operator=(const ZlibDecompressor&) = delete;
  ~ZlibDecompressor() override { inflateEnd(&stream_); }

  Progress step(std::string_view bytes, std::span<char> out) override {
    return undecided_ ? decide_header(bytes, out) : inflated(bytes, out);
  }

 private:
  Progress decide_header(std::string_view bytes, std::span<char> out) {
    const auto missing = std::min(bytes.size(), 2 - head_.size());
    head_.append(bytes.substr(0, missing));
    if (head_.size() < 2) return {.taken = missing};
    undecided_ = false;
    if (!is_zlib_header(head_)) inflateReset2(&stream_, raw_window);
    // Two bytes are never more than the data, and never fill `out`.
    auto progress = inflated(head_, out);
    progress.taken = missing;
    return progress;
  }

  Progress inflated(std::string_view bytes, std::span<char> out) {
    const auto input = std::min<std::size_t>(bytes.size(), std::numeric_limits<uInt>::max());
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(input);
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = static_cast<uInt>(out.size());
    const int outcome = inflate(&stream_, Z_NO_FLUSH);
    if (outcome == Z_MEM_ERROR) throw std::bad_alloc();
    if (outcome != Z_OK && outcome != Z_STREAM_END && outcome != Z_BUF_ERROR) return {.state = State::corrupt};
    return {.taken = input - stream_.avail_in,
            .made = out.size() - stream_.avail_out,
            .state = outcome == Z_STREAM_END ? State::ended : State::unfinished};
  }

  z_stream stream_{};
  std::string head_;
  bool undecided_;
};

}  // namespace

std::unique_ptr<Decompressor> gzip_decompressor() { return std::make_unique<ZlibDecompressor>(gzip_window); }
std::unique_ptr<Decompressor> deflate_decompressor() { return std::make_unique<ZlibDecompressor>(zlib_window); }

}}  // namespace noun
