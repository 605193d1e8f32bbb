#pragma once
/// @file
/// The body of one response, from the bytes on the wire to the decoded text: transfer coding, limits, content coding
/// and completeness.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <noun/limits.hpp>
#include <noun/transport.hpp>

#include "curl/chunked.hpp"
#include "curl/content_decoder.hpp"
#include "curl/curl_head.hpp"

namespace noun { inline namespace v0 { namespace curl {

/// Reads one body into a string.
class Body {
 public:
  /// Starts a new body and writes its content to `out`; both references must outlive it.
  /// @returns  a fault if the declared length exceeds a limit. Throws std::bad_alloc.
  std::optional<Fault> restart(const Framing& framing, const Limits& limits, std::string& out);
  /// Starts a new body of any size, which goes to `sink` with its content coding.
  void restart(const Framing& framing, const Limits& limits, BodySink& sink);

  /// Takes bytes as sent, including the framing of chunks.
  /// @returns  a fault, if any. Throws std::bad_alloc.
  std::optional<Fault> write(std::string_view bytes);

  /// The sink's error, if it had one: the fault that write() returned then stands for it.
  const std::optional<Error>& sink_error() const noexcept { return sink_error_; }

  /// Checks that the body is complete; called when libcurl reports the end of the response.
  std::optional<Fault> finish() const;

  /// Whether all bytes of the body have arrived, if the framing says how many there are.
  bool complete() const noexcept { return chunked_ ? chunks_.ended() : wire_ == length_; }
  /// Whether the compressed body says itself where it ends, and is complete.
  bool delimited() const noexcept { return decoder_ && decoder_->delimited(); }
  /// Whether a content coding is removed.
  bool decoded() const noexcept { return decoder_.has_value(); }
  /// The trailer section of a chunked body; see Chunked::trailers().
  const std::string& trailers() const noexcept { return chunks_.trailers(); }
  /// Whether the server sent bytes after the end of the body.
  bool excess() const noexcept { return excess_; }

 private:
  void begin(const Framing& framing, const Limits& limits);
  std::optional<Fault> unchunk(std::string_view bytes);
  std::optional<Fault> content(std::string_view bytes);
  std::optional<Fault> fault_of(ContentDecoder::Fault fault) const;

  const Limits* limits_ = nullptr;
  std::string* out_ = nullptr;
  BodySink* sink_ = nullptr;
  std::optional<Error> sink_error_;
  bool chunked_ = false;
  bool excess_ = false;
  /// As sent, and how many there are if that is declared.
  std::uint64_t wire_ = 0;
  std::optional<std::uint64_t> length_;
  /// Of a body without a content coding; 0 if unknown.
  std::size_t declared_ = 0;
  Chunked chunks_;
  /// The content of several chunks that arrived together.
  std::string pieces_;
  std::optional<ContentDecoder> decoder_;
  /// Whether the decoder was given something: framing alone is an empty body.
  bool is_decoding_ = false;
};

}}}  // namespace noun::curl
