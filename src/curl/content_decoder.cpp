#include "curl/content_decoder.hpp"

#include <algorithm>
#include <array>

#include <noun/http.hpp>

namespace noun { inline namespace v0 {
namespace {

constexpr std::size_t free_of_ratio = std::size_t{1024} * 1024;

std::unique_ptr<Decompressor> decompressor_for(Coding coding) {
  switch (coding) {
    case Coding::gzip: return gzip_decompressor();
    case Coding::deflate: return deflate_decompressor();
    case Coding::br: return brotli_decompressor();
    case Coding::zstd: return zstd_decompressor();
    case Coding::identity: break;
  }
  return nullptr;
}

}  // namespace

std::string_view decoded_codings() noexcept {
  if (has_brotli()) return has_zstd() ? "gzip, deflate, br, zstd" : "gzip, deflate, br";
  return has_zstd() ? "gzip, deflate, zstd" : "gzip, deflate";
}

std::optional<Coding> decoded_coding(std::string_view name) noexcept {
  if (same_name(name, "gzip") || same_name(name, "x-gzip")) return Coding::gzip;
  if (same_name(name, "deflate")) return Coding::deflate;
  if (has_brotli() && same_name(name, "br")) return Coding::br;
  if (has_zstd() && same_name(name, "zstd")) return Coding::zstd;
  return std::nullopt;
}

std::string_view to_string(Coding coding) noexcept {
  switch (coding) {
    case Coding::identity: return "identity";
    case Coding::gzip: return "gzip";
    case Coding::deflate: return "deflate";
    case Coding::br: return "br";
    case Coding::zstd: return "zstd";
  }
  return "";
}

ContentDecoder::ContentDecoder(Coding coding, std::size_t max_size, std::size_t max_ratio)
    : coding_(coding),
      decompressor_(decompressor_for(coding)),
      max_size_(max_size),
      max_ratio_(std::max<std::size_t>(max_ratio, 1)) {}

ContentDecoder::Fault ContentDecoder::write(std::string_view bytes, std::string& out) {
  using State = Decompressor::State;
  std::array<char, std::size_t{16} * 1024> piece;
  bool more = !bytes.empty();
  while (more) {
    if (delimited()) return Fault::junk;
    const auto [taken, made, state] = decompressor_->step(bytes, piece);
    if (state == State::corrupt) return Fault::corrupt;
    if (state == State::junk) return Fault::junk;
    if (state == State::window) return Fault::window;
    taken_ += taken;
    bytes.remove_prefix(taken);
    ended_ = state == State::ended;
    if (const auto fault = check_size(out.size() + made); fault != Fault::none) return fault;
    out.append(piece.data(), made);
    more = !bytes.empty() || (made == piece.size() && !ended_);
  }
  return Fault::none;
}

ContentDecoder::Fault ContentDecoder::check_size(std::size_t size) const noexcept {
  if (size > max_size_) return Fault::too_large;
  if (size > free_of_ratio && size / max_ratio_ > taken_) return Fault::ratio;
  return Fault::none;
}

}}  // namespace noun
