#include "curl/inflate.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <new>

#include <zlib.h>

namespace noun { inline namespace v0 {
namespace {

constexpr std::size_t free_of_ratio = std::size_t{1024} * 1024;
constexpr int gzip_window = 16 + MAX_WBITS;
constexpr int zlib_window = MAX_WBITS;
constexpr int raw_window = -MAX_WBITS;

// RFC 1950, section 2.2: method 8 in the low bits, and both bytes together a multiple of 31.
bool is_zlib_header(std::string_view two) noexcept {
  const auto first = static_cast<unsigned char>(two[0]);
  const auto second = static_cast<unsigned char>(two[1]);
  return (first & 0x0FU) == 8 && (first * 256U + second) % 31 == 0;
}

}  // namespace

struct Inflate::Stream {
  explicit Stream(int window) {
    if (inflateInit2(&state, window) != Z_OK) throw std::bad_alloc();
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() { inflateEnd(&state); }

  z_stream state{};
};

Inflate::Inflate(Coding coding, std::size_t max_size, std::size_t max_ratio)
    : stream_(std::make_unique<Stream>(coding == Coding::gzip ? gzip_window : zlib_window)),
      max_size_(max_size),
      max_ratio_(std::max<std::size_t>(max_ratio, 1)),
      undecided_(coding == Coding::deflate) {}

Inflate::~Inflate() = default;

Inflate::Fault Inflate::write(std::string_view bytes, std::string& out) {
  if (undecided_)
    if (const auto fault = decide_header(bytes, out); fault != Fault::none) return fault;
  return feed(bytes, out);
}

Inflate::Fault Inflate::decide_header(std::string_view& bytes, std::string& out) {
  const auto missing = std::min(bytes.size(), 2 - head_.size());
  head_.append(bytes.substr(0, missing));
  bytes.remove_prefix(missing);
  if (head_.size() < 2) return Fault::none;
  undecided_ = false;
  if (!is_zlib_header(head_)) inflateReset2(&stream_->state, raw_window);
  return feed(head_, out);
}

Inflate::Fault Inflate::feed(std::string_view bytes, std::string& out) {
  bool more = !bytes.empty();
  while (more) {
    if (ended_) return Fault::junk;
    bool full = false;
    if (const auto fault = step(bytes, out, full); fault != Fault::none) return fault;
    more = !bytes.empty() || (full && !ended_);
  }
  return Fault::none;
}

Inflate::Fault Inflate::step(std::string_view& bytes, std::string& out, bool& full) {
  std::array<char, std::size_t{16} * 1024> piece;
  auto& state = stream_->state;
  const auto input = std::min<std::size_t>(bytes.size(), std::numeric_limits<uInt>::max());
  state.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  state.avail_in = static_cast<uInt>(input);
  state.next_out = reinterpret_cast<Bytef*>(piece.data());
  state.avail_out = static_cast<uInt>(piece.size());
  const int outcome = inflate(&state, Z_NO_FLUSH);
  if (outcome == Z_MEM_ERROR) throw std::bad_alloc();
  if (outcome != Z_OK && outcome != Z_STREAM_END && outcome != Z_BUF_ERROR) return Fault::corrupt;
  const auto used = input - state.avail_in;
  const auto made = piece.size() - state.avail_out;
  fed_ += used;
  bytes.remove_prefix(used);
  ended_ = outcome == Z_STREAM_END;
  full = state.avail_out == 0;
  if (const auto fault = check_size(out.size() + made); fault != Fault::none) return fault;
  out.append(piece.data(), made);
  return Fault::none;
}

Inflate::Fault Inflate::check_size(std::size_t size) const noexcept {
  if (size > max_size_) return Fault::too_large;
  if (size > free_of_ratio && size / max_ratio_ > fed_) return Fault::ratio;
  return Fault::none;
}

}}  // namespace noun
