#pragma once
/// @file
/// Decodes bodies with a content coding and checks size, ratio, checksum and completeness. Independent of network and
/// libcurl.

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <noun/version.hpp>

#include "curl/decompressor.hpp"

namespace noun { inline namespace v0 {

/// The content codings that noun knows. `br` and `zstd` are decoded only where noun is built with their libraries.
/// @source RFC 9110, section 8.4.1; RFC 7932; RFC 8878, with the window of RFC 9659.
enum class Coding { identity, gzip, deflate, br, zstd };

/// The codings that noun decodes, as Accept-Encoding lists them.
std::string_view decoded_codings() noexcept;
/// One of them, by its name in Content-Encoding, in any case.
NOUN_API std::optional<Coding> decoded_coding(std::string_view name) noexcept;
/// The name of a coding.
std::string_view to_string(Coding coding) noexcept;

/// Decodes one body.
class NOUN_API ContentDecoder {
 public:
  enum class Fault {
    none,
    corrupt,    ///< malformed, or a wrong checksum
    junk,       ///< bytes after the end
    window,     ///< more memory is needed than the coding allows
    too_large,  ///< the decoded size exceeds the limit
    ratio,      ///< the ratio of decoded to encoded bytes exceeds the limit
  };

  /// @param coding     one that noun decodes, but identity.
  /// @param max_size   the maximum decoded size in bytes.
  /// @param max_ratio  decoded bytes allowed per encoded byte, applied above 1 MiB of decoded bytes.
  /// Throws std::bad_alloc.
  ContentDecoder(Coding coding, std::size_t max_size, std::size_t max_ratio);

  /// Decodes `bytes` and appends the result to `out`. Throws std::bad_alloc.
  Fault write(std::string_view bytes, std::string& out);
  /// Whether the body is complete; false for an empty one.
  bool ended() const noexcept { return ended_; }
  /// Whether nothing may follow.
  bool delimited() const noexcept { return ended_ && !may_continue(); }
  Coding coding() const noexcept { return coding_; }

 private:
  /// @source RFC 8878, section 3.
  bool may_continue() const noexcept { return coding_ == Coding::zstd; }
  Fault check_size(std::size_t size) const noexcept;

  Coding coding_;
  std::unique_ptr<Decompressor> decompressor_;
  std::size_t max_size_;
  std::size_t max_ratio_;
  std::size_t taken_ = 0;
  bool ended_ = false;
};

}}  // namespace noun
