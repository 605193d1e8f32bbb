#pragma once
// The keys of the items in a file. A bookmark contains only the keys of its page, and items may have moved since.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace noun_export {

/// The hash of the key of an item; nullopt if it has none, or null.
/// @param line     JSON from line_at().
/// @param pointer  a JSON pointer.
std::optional<std::uint64_t> key_hash(std::string_view line, const std::string& pointer);

/// A set of keys, 8 bytes each. As in noun, an item without a key is identified by its text. The probability of a
/// collision among a million items is 1 in 30 million.
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
  std::string pointer_;
  std::vector<std::uint64_t> hashes_;
};

}  // namespace noun_export
