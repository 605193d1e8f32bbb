#pragma once
// --verify: reads the exported file again.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace noun_export {

/// The contents of a file of JSON Lines.
struct Contents {
  std::uint64_t lines = 0;
  /// Lines with the key of an earlier line.
  std::uint64_t duplicates = 0;
  /// Without a key: lines that are identical to an earlier one. That is valid, for example for events.
  std::uint64_t equal = 0;
  /// The number of the first line that is not JSON, from 1.
  std::optional<std::uint64_t> damaged = {};
  /// The number of the first line without a value, or with null, at `key`, from 1.
  std::optional<std::uint64_t> without_key = {};
};

/// Reads the file in constant memory plus 16 bytes per line.
/// @param key  a JSON pointer; empty for none.
/// @throws FileError  if the file cannot be read.
Contents read_contents(const std::filesystem::path& file, const std::string& key);

/// The first error, as a sentence; nullopt if there is none.
/// @param items  the number of items written.
/// @param total  the server's count if it is known, or the number of items requested if that is less.
std::optional<std::string> fault_of(const Contents& contents, std::uint64_t items, std::optional<std::uint64_t> total);

/// The text for a file without errors.
/// @param is_counted  whether the expected number of items is known.
std::string verified_text(const Contents& contents, bool is_counted);

}  // namespace noun_export
