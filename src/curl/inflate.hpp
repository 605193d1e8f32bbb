#pragma once
/// @file
/// Decompresses bodies with zlib and checks size, ratio, checksum and completeness. Independent of network and libcurl.

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include <noun/version.hpp>

namespace noun { inline namespace v0 {

/// The content codings that noun decodes.
/// @source RFC 9110, section 8.4.1; `deflate` is accepted without its zlib header too, since some servers omit it.
enum class Coding { identity, gzip, deflate };

/// Decompresses one body.
class Inflate {
 public:
  enum class Fault {
    none,
    corrupt,    ///< malformed, or a wrong checksum
    junk,       ///< bytes after the end of the stream
    too_large,  ///< the decompressed size exceeds the limit
    ratio,      ///< the ratio of decompressed to compressed bytes exceeds the limit
  };

  /// @param max_size   the maximum decompressed size in bytes.
  /// @param max_ratio  decompressed bytes allowed per compressed byte, applied above 1 MiB of decompressed bytes.
  /// Throws std::bad_alloc.
  Inflate(Coding coding, std::size_t max_size, std::size_t max_ratio);
  ~Inflate();

  /// Decompresses `bytes` and appends the result to `out`. Throws std::bad_alloc.
  Fault write(std::string_view bytes, std::string& out);
  /// Whether the stream is complete; false for an empty body.
  bool ended() const noexcept { return ended_; }

 private:
  struct Stream;

  Fault decide_header(std::string_view& bytes, std::string& out);
  Fault feed(std::string_view bytes, std::string& out);
  Fault step(std::string_view& bytes, std::string& out, bool& full);
  Fault check_size(std::size_t size) const noexcept;

  std::unique_ptr<Stream> stream_;
  std::size_t max_size_;
  std::size_t max_ratio_;
  std::size_t fed_ = 0;
  std::string head_;
  bool undecided_;
  bool ended_ = false;
};

}}  // namespace noun
