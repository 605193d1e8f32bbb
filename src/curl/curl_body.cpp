#include "curl/curl_body.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace noun { inline namespace v0 { namespace curl {
namespace {

// Bounds the memory that is reserved for a declared length: before the first byte arrives, and then as a multiple of
// what has arrived. Fewer and smaller copies than doubling makes, on a thread that other calls need.
constexpr std::size_t first_reserve = std::size_t{1024} * 1024;
constexpr std::size_t reserve_ratio = 16;

Fault too_large(const Limits& limits) {
  return {Errc::too_large, fmt::format("a body of more than {} bytes (ClientOptions::limits.body)", limits.body)};
}

}  // namespace

std::optional<Fault> Body::restart(const Framing& framing, const Limits& limits, std::string& out) {
  begin(framing, limits);
  out_ = &out;
  sink_ = nullptr;
  if (framing.bodyless) return std::nullopt;
  if (framing.length && *framing.length > limits.body) return too_large(limits);
  if (framing.coding != Coding::identity) {
    decoder_.emplace(framing.coding, limits.body, limits.ratio);
  } else if (framing.length) {
    declared_ = static_cast<std::size_t>(*framing.length);
    out.reserve(std::min(declared_, first_reserve));
  }
  return std::nullopt;
}

void Body::begin(const Framing& framing, const Limits& limits) {
  limits_ = &limits;
  sink_error_.reset();
  chunked_ = framing.chunked;
  excess_ = false;
  wire_ = 0;
  length_ = framing.bodyless ? 0 : framing.length;
  declared_ = 0;
  if (chunked_) chunks_.restart(limits.head);
  decoder_.reset();
  is_decoding_ = false;
}

void Body::restart(const Framing& framing, const Limits& limits, BodySink& sink) {
  begin(framing, limits);
  sink_ = &sink;
}

std::optional<Fault> Body::write(std::string_view bytes) {
  if (sink_ == nullptr && bytes.size() > limits_->body - wire_) return too_large(*limits_);
  wire_ += bytes.size();
  return chunked_ ? unchunk(bytes) : content(bytes);
}

std::optional<Fault> Body::unchunk(std::string_view bytes) {
  auto piece = chunks_.take(bytes);
  if (sink_ != nullptr && !bytes.empty()) {
    // Chunks may be of one byte each, but a sink may write each piece to a file.
    for (pieces_.clear(); !piece.empty(); piece = chunks_.take(bytes)) pieces_ += piece;
    piece = pieces_;
  }
  for (; !piece.empty(); piece = chunks_.take(bytes))
    if (auto fault = content(piece)) return fault;
  if (chunks_.fault() == Chunked::Fault::malformed) return Fault{Errc::protocol, "a malformed chunked body"};
  if (chunks_.fault() == Chunked::Fault::too_large)
    return Fault{
        Errc::too_large,
        fmt::format("more than {} bytes of chunk extensions and trailers (ClientOptions::limits.head)", limits_->head)};
  excess_ = !bytes.empty();
  return std::nullopt;
}

std::optional<Fault> Body::content(std::string_view bytes) {
  if (sink_ != nullptr) {
    auto taken = sink_->write(bytes);
    if (taken) return std::nullopt;
    sink_error_ = std::move(taken).error();
    return Fault{sink_error_->code(), sink_error_->what()};
  }
  if (decoder_) {
    is_decoding_ = is_decoding_ || !bytes.empty();
    return fault_of(decoder_->write(bytes, *out_));
  }
  if (const auto size = out_->size() + bytes.size(); size > out_->capacity() && size < declared_)
    out_->reserve(std::min(declared_, reserve_ratio * size));
  out_->append(bytes);
  return std::nullopt;
}

std::optional<Fault> Body::fault_of(ContentDecoder::Fault fault) const {
  const auto coding = to_string(decoder_->coding());
  switch (fault) {
    case ContentDecoder::Fault::none: return std::nullopt;
    case ContentDecoder::Fault::corrupt:
      return Fault{Errc::protocol, fmt::format("a corrupt {} body", coding), Retryable::once};
    case ContentDecoder::Fault::junk:
      return Fault{Errc::protocol, fmt::format("bytes after the end of its {} body", coding), Retryable::once};
    case ContentDecoder::Fault::window:
      return Fault{Errc::protocol, fmt::format("a {} body that needs a window of more than 8 MiB", coding),
                   Retryable::no};
    case ContentDecoder::Fault::too_large: return too_large(*limits_);
    case ContentDecoder::Fault::ratio:
      return Fault{
          Errc::too_large,
          fmt::format("a {} body that decompresses to more than {} times its size (ClientOptions::limits.ratio)",
                      coding, limits_->ratio)};
  }
  return std::nullopt;
}

std::optional<Fault> Body::finish() const {
  if (chunked_ && !chunks_.ended()) return Fault{Errc::truncated, "an incomplete chunked body"};
  if (is_decoding_ && !decoder_->ended())
    return Fault{Errc::truncated, fmt::format("an incomplete {} body", to_string(decoder_->coding()))};
  return std::nullopt;
}

}}}  // namespace noun::curl
