#pragma once
// A file that is whole or not there: lines go to FILE.part, checkpoints to FILE.journal, and at the end FILE.part
// becomes FILE in one step. Whenever the program is killed, resume() goes on behind the last checkpoint.

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "export_disk.hpp"
#include "export_journal.hpp"

namespace noun_export {

/// What went wrong with a file, as a sentence that names it and says what to do.
class FileError : public std::runtime_error {
 public:
  /// @param is_usage  whether the caller asked for what must not be done, as to overwrite a file.
  FileError(const std::string& what, bool is_usage) : std::runtime_error(what), is_usage_(is_usage) {}
  bool is_usage() const noexcept { return is_usage_; }

 private:
  bool is_usage_;
};

/// What there is of an export.
enum class Found {
  nothing,
  part,   ///< FILE.part or FILE.journal: something for resume(), if only to say what is wrong with it
  whole,  ///< FILE alone
};

/// Written by one thread at a time; by one process, which a lock on FILE.part sees to. After a failure no function
/// does anything but throw: the system may have lost what it failed to write, and say nothing of it the next time.
class ExportFile {
 public:
  /// Looks only. A journal that a crash left behind beside a whole FILE is no part.
  /// @throws FileError  where it cannot be looked at.
  static Found look(const std::filesystem::path& file);

  /// Begins anew.
  /// @param job      what is exported, as JSON text: resume() asks for the same.
  /// @param replace  whether FILE may be there, and is replaced at the end.
  /// @throws FileError  where there is a part (resume it, or remove it), or a FILE without `replace`, or another
  ///                    process that writes it, or a disk that does not take it.
  static ExportFile begin(const std::filesystem::path& file, const std::string& job, bool replace);
  /// Goes on behind the last checkpoint: what was written after it is cut off.
  /// @throws FileError  also where the job is another one, or the data is shorter than the journal says.
  static ExportFile resume(const std::filesystem::path& file, const std::string& job, bool replace);

  /// What is not committed at the end of it may be lost.
  ExportFile(ExportFile&& other) noexcept = default;
  ExportFile& operator=(ExportFile&&) = delete;

  /// Where it went on.
  const Checkpoint& start() const noexcept { return start_; }
  /// Bytes so far, those in memory included.
  std::uint64_t bytes() const noexcept { return bytes_; }
  /// Puts a line, and its end, behind the others.
  /// @throws FileError  as where the disk is full; then commit nothing any more.
  void write(std::string_view line);
  /// Makes the lines durable, and then the checkpoint; its `bytes` are set to bytes().
  void commit(Checkpoint checkpoint);
  /// Commits, makes FILE.part FILE, and removes the journal.
  /// @throws FileError  also where there is a FILE by now, without `replace`: resume() with it goes on.
  void finish(Checkpoint checkpoint);
  /// Removes FILE.part and the journal; then do nothing any more.
  void discard();
  /// Hands the lines to the system, for whoever wants to read FILE.part; returns its path.
  std::filesystem::path flush();

 private:
  ExportFile(const std::filesystem::path& file, bool replace, Descriptor data, Descriptor journal,
             const Checkpoint& start)
      : file_(file),
        replace_(replace),
        data_(std::move(data)),
        journal_(std::move(journal)),
        start_(start),
        last_(start) {}

  /// @param start_behind  of what was found, where to begin; throws where not to.
  template <class StartBehind>
  static ExportFile open(const std::filesystem::path& file, const std::string& job, bool replace,
                         StartBehind start_behind);
  void write_pending();
  void remove_journal();
  template <class Work>
  void unless_failed(Work work);

  std::filesystem::path file_;
  bool replace_;
  Descriptor data_;
  Descriptor journal_;
  Checkpoint start_;
  Checkpoint last_;
  std::uint64_t bytes_ = start_.bytes;
  std::string pending_;
  std::string failure_;
};

}  // namespace noun_export
