#pragma once
// The keys of the items that a file has already: a bookmark knows only those of its page, and items may have moved
// since.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace noun_export {

/// The key of an item, hashed; nothing where it has none, or null.
/// @param line     JSON as of line_at().
/// @param pointer  a JSON pointer.
std::optional<std::uint64_t> key_hash(std::string_view line, const std::string& pointer);

/// Keys in 8 bytes each. As in noun, an item without a key is known by its whole text, and two that look the same by
/// chance are as likely as 1 in 30 million among a million items.
class KnownKeys {
 public:
  /// Knows none.
  KnownKeys() = default;
  /// Those of a file of JSON Lines.
  /// @param count  how many lines it has, more or less.
  /// @throws FileError  where it cannot be read.
  KnownKeys(const std::filesystem::path& file, std::string pointer, std::uint64_t count);

  bool has(std::string_view line) const;

 private:
  std::string pointer_;
  std::vector<std::uint64_t> hashes_;
};

}  // namespace noun_export
