#pragma once
// The journal of an export: an append-only file of JSON Lines. The first line identifies the job; each other line is a
// checkpoint, written after the data up to it was durable.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace noun_export {

/// The durable data, and the position of the listing after it.
struct Checkpoint {
  std::uint64_t bytes = 0;
  std::uint64_t items = 0;
  std::uint64_t pages = 0;
  /// Listing::bookmark(); empty at the start.
  std::string bookmark = {};
  /// Whether the export is complete.
  bool complete = false;
  /// The --max-items that completed the export; 0 if the collection ended.
  std::uint64_t limit = 0;

  friend bool operator==(const Checkpoint&, const Checkpoint&) = default;
};

/// A line of the journal, with a checksum and a line break.
std::string first_line(std::string_view job);
std::string line_of(const Checkpoint& checkpoint);

/// The contents of a journal.
struct Journal {
  /// The job; empty if the first line is incomplete.
  std::string job = {};
  /// The last valid checkpoint.
  Checkpoint last = {};
};
/// Reads lines up to the first incomplete or damaged one, which a crash may have left.
Journal read_journal(std::string_view text);

}  // namespace noun_export
