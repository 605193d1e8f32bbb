#pragma once
// The journal of an export: an append-only file of JSON Lines. The first line identifies the job; each other line is a
// checkpoint, written after the data up to it was durable.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

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

/// The end of each line: a checksum, or with a key an HMAC-SHA256, which only somebody with the key can compute.
/// @param key  empty for a checksum.
class JournalSeal {
 public:
  explicit JournalSeal(std::string key = {}) : key_(std::move(key)) {}
  /// The members of a JSON object, with the seal, the end of the object and a line break.
  /// @param context  what the HMAC also depends on.
  std::string sealed(std::string_view members, std::string_view context) const;
  /// The number of bytes that sealed() appends.
  std::size_t size() const { return sealed({}, {}).size(); }

 private:
  std::string key_;
};

/// A line of the journal, with its line break. With a key, a checkpoint is valid only in the journal of its job.
std::string first_line(std::string_view job, const JournalSeal& seal = JournalSeal());
std::string line_of(const Checkpoint& checkpoint, std::string_view job = {}, const JournalSeal& seal = JournalSeal());

/// The contents of a journal.
struct Journal {
  /// The job; empty if the first line is incomplete.
  std::string job = {};
  /// The last valid checkpoint.
  Checkpoint last = {};
};
/// Reads lines up to the first incomplete or damaged one, which a crash may have left.
Journal read_journal(std::string_view text, const JournalSeal& seal = JournalSeal());

}  // namespace noun_export
