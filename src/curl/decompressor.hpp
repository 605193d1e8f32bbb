#pragma once
/// @file
/// Decompression by zlib, libbrotlidec and libzstd. The last two are optional: another source stands for each where noun
/// is built without it.

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include <noun/version.hpp>

namespace noun { inline namespace v0 {

/// Reads one format.
class Decompressor {
 public:
  enum class State {
    unfinished,
    ended,    ///< complete
    corrupt,  ///< malformed, or a wrong checksum
    junk,     ///< complete, and what follows is something else
    window,   ///< more memory is needed than the format allows
  };
  struct Progress {
    std::size_t taken = 0;
    std::size_t made = 0;
    State state = State::unfinished;
  };

  virtual ~Decompressor() = default;

  /// Takes bytes until all are taken, `out` is full or the data is complete. Without bytes it continues with those taken
  /// before. Throws std::bad_alloc.
  virtual Progress step(std::string_view bytes, std::span<char> out) = 0;
};

/// @{
/// Throw std::bad_alloc.
std::unique_ptr<Decompressor> gzip_decompressor();
/// Also of data without the zlib header, since some servers omit it.
std::unique_ptr<Decompressor> deflate_decompressor();
/// Null if noun is built without it.
std::unique_ptr<Decompressor> brotli_decompressor();
/// Null if noun is built without it. Several frames are one text.
std::unique_ptr<Decompressor> zstd_decompressor();
/// @}

/// @{
/// Whether noun is built with it.
bool has_brotli() noexcept;
bool has_zstd() noexcept;
/// @}

}}  // namespace noun
