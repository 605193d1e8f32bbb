#pragma once
// The keys of the items in a file. A bookmark contains only the keys of its page, and items may have moved since.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text_hash.hpp"

namespace noun_export {

/// The hash of the key of an item; nullopt if it has none, or null.
/// @param line     JSON from line_at().
/// @param pointer  a JSON pointer.
std::optional<TextDigest> key_hash(const TextHash& hash, std::string_view line, const std::string& pointer);

/// A set of keys, 16 bytes each. As in noun, an item without a key is identified by its text.
class KnownKeys {
 public:
  /// An empty set.
  KnownKeys() = default;
  /// The keys of a file of JSON Lines.
  /// @param count  the approximate number of lines.
  /// @throws FileError  if the file cannot be read.
  KnownKeys(const std::filesystem::path& file, std::string pointer, std::uint64_t count);

  bool has(std::string_view line) const;

 private:
  TextDigest hash_of_item(std::string_view line) const;

  TextHash hash_;
  std::string pointer_;
  std::vector<TextDigest> hashes_;
};

}  // namespace noun_export
