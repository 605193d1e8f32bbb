#pragma once
/// @file
/// Decompression of bodies by zlib, checked to the end: size, ratio, checksum, nothing missing, nothing behind.
/// No network, no curl: bytes in, bytes out.

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include <noun/version.hpp>

namespace noun { inline namespace v0 {

/// The content codings that noun reads.
/// @source RFC 9110, section 8.4.1; `deflate` is also taken without its zlib header, as some servers send it.
enum class Coding { identity, gzip, deflate };

/// One compressed body on its way in.
class Inflate {
 public:
  enum class Fault {
    none,
    corrupt,    ///< not such a stream, or its checksum is wrong
    junk,       ///< bytes behind the end of the stream
    too_large,  ///< more decompressed bytes than allowed
    ratio,      ///< more decompressed bytes for each compressed one than allowed
  };

  /// @param max_size   decompressed bytes allowed.
  /// @param max_ratio  decompressed bytes allowed for each compressed one, once there are more than 1 MiB of them.
  /// Throws std::bad_alloc.
  Inflate(Coding coding, std::size_t max_size, std::size_t max_ratio);
  ~Inflate();

  /// Decompresses `bytes` and appends the outcome to `out`. Throws std::bad_alloc.
  Fault write(std::string_view bytes, std::string& out);
  /// Whether the stream came to its end; of a body without a byte this is false.
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
