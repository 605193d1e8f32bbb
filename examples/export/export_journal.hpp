#pragma once
// What is known for certain of a file that is being written: an append-only file of JSON Lines beside it. The first
// line says what is exported; each other one is a checkpoint, made when the data up to it was durable.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace noun_export {

/// Up to where the data is durable, and where the listing goes on behind it.
struct Checkpoint {
  std::uint64_t bytes = 0;
  std::uint64_t items = 0;
  std::uint64_t pages = 0;
  /// Listing::bookmark(); empty at the beginning.
  std::string bookmark = {};
  /// Whether this is all there is.
  bool complete = false;
  /// How many items were asked for, if that is why it is complete; 0 where the collection ended.
  std::uint64_t limit = 0;

  friend bool operator==(const Checkpoint&, const Checkpoint&) = default;
};

/// The lines, each with its end and with a checksum of its own.
std::string first_line(std::string_view job);
std::string line_of(const Checkpoint& checkpoint);

/// A journal as it was found.
struct Journal {
  /// What is exported; empty where not even the first line is whole.
  std::string job = {};
  /// The last whole one.
  Checkpoint last = {};
};
/// Reads what is whole: a line that is torn or damaged ends it, as a crash may leave the last one.
Journal read_journal(std::string_view text);

}  // namespace noun_export
