#pragma once
// --verify: an export as it lies on the disk, read once more.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace noun_export {

/// What is in a file of JSON Lines.
struct Contents {
  std::uint64_t lines = 0;
  /// Lines whose key an earlier line has.
  std::uint64_t duplicates = 0;
  /// Where lines are not known by a key: those that are equal to an earlier one. Events may well be.
  std::uint64_t equal = 0;
  /// The number of the first line that is no JSON, from 1.
  std::optional<std::uint64_t> damaged = {};
  /// The number of the first line that has nothing, or null, at `key`, from 1.
  std::optional<std::uint64_t> without_key = {};
};

/// Reads it in constant space, but for 8 bytes a line.
/// @param key  a JSON pointer; empty for none.
/// @throws FileError  where it cannot be read.
Contents read_contents(const std::filesystem::path& file, const std::string& key);

/// What is wrong, as a sentence; nothing where all is as it should be.
/// @param items  how many were written.
/// @param total  how many the server counts, if it does, and if all of them were asked for.
std::optional<std::string> fault_of(const Contents& contents, std::uint64_t items, std::optional<std::uint64_t> total);

/// That nothing is wrong, and what else is to be known.
/// @param is_counted  whether it is known how many items there are to be.
std::string verified_text(const Contents& contents, bool is_counted);

}  // namespace noun_export
