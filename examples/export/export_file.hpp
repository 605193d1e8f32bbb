#pragma once
// A file that is complete or absent: lines are written to FILE.part, checkpoints to FILE.journal, and at the end
// FILE.part is atomically renamed to FILE. After a kill, resume() continues after the last checkpoint. A FILE.part or
// FILE.journal that another user can have made is an error.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "export_disk.hpp"
#include "export_journal.hpp"

namespace noun_export {

/// A file error, as a sentence that names the file and says what to do.
class FileError : public std::runtime_error {
 public:
  /// @param is_usage  whether the request is invalid, as to overwrite a file.
  FileError(const std::string& what, bool is_usage) : std::runtime_error(what), is_usage_(is_usage) {}
  bool is_usage() const noexcept { return is_usage_; }

 private:
  bool is_usage_;
};

/// FILE.journal, and what its next lines depend on.
struct OpenJournal {
  Descriptor data;
  std::string job;
  JournalSeal seal;
  std::size_t size = 0;  ///< bytes
};

/// The state of an export on the disk.
enum class Found {
  nothing,
  part,   ///< FILE.part or FILE.journal: resume() continues it, or reports what is wrong with it
  whole,  ///< only FILE
};

/// Not thread-safe. A lock on FILE.part excludes other processes. After a failure, all functions only throw: the system
/// may have lost the data that it failed to write, without an error on the next call.
class ExportFile {
 public:
  /// Changes nothing. A journal that remained next to a complete FILE after a crash is not a part.
  /// @param seal  as of the export that wrote the journal.
  /// @throws FileError  if the state cannot be read.
  static Found look(const std::filesystem::path& file, const JournalSeal& seal = JournalSeal());

  /// Starts a new export.
  /// @param job      what is exported, as JSON text: resume() requires the same.
  /// @param replace  whether FILE may exist; it is then replaced at the end.
  /// @param seal     of the journal: resume() requires the same.
  /// @throws FileError  if there is a part (resume it, or remove it), a FILE without `replace`, another process that
  ///                    writes it, or a disk error.
  static ExportFile begin(const std::filesystem::path& file, const std::string& job, bool replace,
                          const JournalSeal& seal = JournalSeal());
  /// Continues after the last checkpoint. Data after it is truncated.
  /// @throws FileError  also if the job differs, or the data is shorter than the checkpoint.
  static ExportFile resume(const std::filesystem::path& file, const std::string& job, bool replace,
                           const JournalSeal& seal = JournalSeal());

  /// Uncommitted data may be lost on destruction.
  ExportFile(ExportFile&& other) noexcept = default;
  ExportFile& operator=(ExportFile&&) = delete;

  /// The checkpoint after which it continued.
  const Checkpoint& start() const noexcept { return start_; }
  /// Bytes so far, including buffered ones.
  std::uint64_t bytes() const noexcept { return bytes_; }
  /// Appends a line and a line break.
  /// @throws FileError  for example if the disk is full; do not commit after that.
  void write(std::string_view line);
  /// Makes the lines durable, then the checkpoint. Sets its `bytes` to bytes(). A journal that would become too large
  /// to be read is replaced by one that starts at the checkpoint.
  void commit(Checkpoint checkpoint);
  /// Commits, renames FILE.part to FILE, and removes the journal.
  /// @throws FileError  also if FILE exists by now and `replace` is false: resume() with `replace` continues.
  void finish(Checkpoint checkpoint);
  /// Removes FILE.part and the journal. Call nothing after that.
  void discard();
  /// Writes buffered lines, so that FILE.part can be read. Returns its path.
  std::filesystem::path flush();

 private:
  ExportFile(const std::filesystem::path& file, bool replace, Descriptor data, OpenJournal journal,
             const Checkpoint& start)
      : file_(file),
        replace_(replace),
        data_(std::move(data)),
        journal_(std::move(journal)),
        start_(start),
        last_(start) {}

  /// @param checkpoint_for  returns the checkpoint to continue after, for the state found; throws if it cannot.
  template <class CheckpointFor>
  static ExportFile open(const std::filesystem::path& file, const std::string& job, bool replace,
                         const JournalSeal& seal, CheckpointFor checkpoint_for);
  void write_pending();
  void remove_journal();
  template <class Work>
  void unless_failed(Work work);

  std::filesystem::path file_;
  bool replace_;
  Descriptor data_;
  OpenJournal journal_;
  Checkpoint start_;
  Checkpoint last_;
  std::uint64_t bytes_ = start_.bytes;
  std::string pending_;
  std::string failure_;
};

}  // namespace noun_export
