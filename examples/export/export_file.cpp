#include "export_file.hpp"

#include <cerrno>
#include <exception>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>

namespace noun_export {
namespace {

constexpr std::size_t most_pending = 256 * 1024;
constexpr std::size_t most_journal = 16 * 1024 * 1024;

std::filesystem::path beside(std::filesystem::path file, const char* ending) { return file += ending; }
std::filesystem::path part_of(const std::filesystem::path& file) { return beside(file, ".part"); }
std::filesystem::path journal_of(const std::filesystem::path& file) { return beside(file, ".journal"); }
std::filesystem::path next_journal_of(const std::filesystem::path& file) { return beside(file, ".journal.new"); }

[[noreturn]] void refuse(const std::string& why) { throw FileError(why, true); }

/// The error for a FILE that does not belong to this export.
std::string in_the_way(const std::filesystem::path& file) {
  return fmt::format(
      "{} already exists, and {} is kept; move {}, or replace it with --force, and continue with --resume",
      file.string(), part_of(file).string(), file.string());
}

/// @throws FileError  if a rename cannot create or replace a file of this name.
void check_name(const std::filesystem::path& file) {
  const auto name = file.filename();
  const auto status = status_of(file);
  if (name.empty() || name == "." || name == ".." || (status && S_ISDIR(status->st_mode)))
    refuse(fmt::format("{} is a folder; name a file in it", file.string()));
  if (!status || S_ISREG(status->st_mode)) return;
  refuse(fmt::format("{} is {}; name a regular file, or omit --out for standard output", file.string(),
                     kind_of(*status)));
}

/// The state on the disk.
struct Situation {
  std::optional<std::uint64_t> part;  ///< its size, if it exists
  Journal journal;
  std::optional<std::uint64_t> file;

  /// Whether a file with the journal's name is not a journal.
  bool journal_is_foreign = false;

  /// Whether the journal remained after FILE was completed and the program was killed.
  bool journal_remains() const { return journal.last.complete && file == journal.last.bytes; }
  /// Whether there is no part, or an empty one.
  bool is_new() const { return part.value_or(0) == 0 && (journal.job.empty() || journal_remains()); }
};

std::optional<std::uint64_t> size_of(const std::filesystem::path& file) {
  const auto status = status_of(file);
  return status ? std::optional(static_cast<std::uint64_t>(status->st_size)) : std::nullopt;
}

Situation situation_of(const std::filesystem::path& file, const JournalSeal& seal) {
  // In this order a part that is concurrently renamed to FILE is not missed.
  auto part = size_of(part_of(file));
  const auto text = read_whole(journal_of(file), most_journal).value_or("");
  auto journal = read_journal(text, seal);
  const bool is_foreign = !text.empty() && journal.job.empty();
  return {part, std::move(journal), size_of(file), is_foreign};
}

/// FILE.part, locked.
struct Claim {
  Descriptor data;
  bool is_new;
};

Claim claim(const std::filesystem::path& file) {
  const auto part = part_of(file);
  Claim claim{try_create(part, all_but_the_umask), true};
  if (!claim.data.is_open() && errno == EEXIST) claim = {open_own(part, O_RDWR | O_APPEND), false};
  if (!claim.data.is_open()) throw_unwritable("write", part, errno);
  // The previous owner of the lock may have renamed the file.
  if (try_lock(claim.data, part) && is_named(claim.data, part)) return claim;
  refuse(fmt::format("another process is writing {}; wait for it, or stop it", part.string()));
}

/// Replaces the journal by one that starts at this checkpoint. Its name is not durable yet.
OpenJournal begin_journal(const std::filesystem::path& file, const std::string& job, const JournalSeal& seal,
                          const Checkpoint& start) {
  const auto text = first_line(job, seal) + (start == Checkpoint() ? "" : line_of(start, job, seal));
  if (text.size() > most_journal)
    throw FileError(fmt::format("the position in the collection needs more than {} MiB; use a smaller --page-size",
                                most_journal / (1024 * 1024)),
                    false);
  const auto next = next_journal_of(file);
  if (const auto remains = status_of(next)) {
    check_own(*remains, next);
    remove_file(next);
  }
  auto data = try_create(next, only_the_owner);
  if (!data.is_open()) throw_unwritable("write", next, errno);
  try {
    write_all(data, text, next);
    make_durable(data, next);
    rename_file(next, journal_of(file));
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(next, ignored);
    throw;
  }
  return {std::move(data), job, seal, text.size()};
}

/// @throws FileError  if data before the last checkpoint is missing.
void check_data(const std::filesystem::path& file, const Situation& found) {
  const auto part = part_of(file).string();
  const auto journal = journal_of(file).string();
  if (found.journal.job.empty() && found.part.value_or(0) != 0)
    refuse(fmt::format("{} has data, but its checkpoints in {} are missing, damaged or sealed with another key; resume "
                       "with the same --bookmark-key-env, or remove {} to start again",
                       part, journal, part));
  const auto promised = found.journal.last.bytes;
  if (!found.part && promised != 0)
    refuse(fmt::format(
        "data is lost: {} has a checkpoint at {} bytes of {}, which does not exist; remove {} to start again", journal,
        promised, part, journal));
  if (found.part.value_or(0) < promised)
    refuse(fmt::format("data is lost: {} has a checkpoint at {} bytes of {}, which has {}; remove both to start again",
                       journal, promised, part, *found.part));
}

}  // namespace

Found ExportFile::look(const std::filesystem::path& file, const JournalSeal& seal) {
  check_name(file);
  const auto found = situation_of(file, seal);
  if (found.part || !found.is_new()) return Found::part;
  return found.file ? Found::whole : Found::nothing;
}

template <class CheckpointFor>
ExportFile ExportFile::open(const std::filesystem::path& file, const std::string& job, bool replace,
                            const JournalSeal& seal, CheckpointFor checkpoint_for) {
  check_name(file);
  auto [data, is_new] = claim(file);
  std::optional<OpenJournal> journal;
  try {
    auto found = situation_of(file, seal);
    if (is_new) found.part = std::nullopt;
    const Checkpoint start = checkpoint_for(found);
    cut_off(data, start.bytes, part_of(file));
    journal = begin_journal(file, job, seal, start);
    make_names_durable(file);
    return {file, replace, std::move(data), *std::move(journal), start};
  } catch (...) {
    std::error_code ignored;
    if (is_new && journal) std::filesystem::remove(journal_of(file), ignored);
    if (is_new) std::filesystem::remove(part_of(file), ignored);
    throw;
  }
}

ExportFile ExportFile::begin(const std::filesystem::path& file, const std::string& job, bool replace,
                             const JournalSeal& seal) {
  return open(file, job, replace, seal, [&](const Situation& found) -> Checkpoint {
    if (found.file && !replace)
      refuse(fmt::format("{} already exists; use another name, or replace it with --force", file.string()));
    if (found.journal_is_foreign && !found.part)
      refuse(fmt::format("{} already exists and is not the journal of an export; move it, or use another name",
                         journal_of(file).string()));
    if (found.is_new()) return {};
    check_data(file, found);
    if (!found.part) return {};
    refuse(fmt::format("{} is an incomplete export; continue with --resume, or remove it and {} to start again",
                       part_of(file).string(), journal_of(file).string()));
  });
}

ExportFile ExportFile::resume(const std::filesystem::path& file, const std::string& job, bool replace,
                              const JournalSeal& seal) {
  return open(file, job, replace, seal, [&](const Situation& found) -> Checkpoint {
    if (found.is_new() && !found.part)
      refuse(fmt::format("there is nothing to resume: {} does not exist", part_of(file).string()));
    if (!found.is_new()) check_data(file, found);
    if (!found.is_new() && found.journal.job != job)
      refuse(
          fmt::format("{} belongs to another export; resume with the arguments in {}, or remove both to start again",
                      part_of(file).string(), journal_of(file).string()));
    if (found.file && !replace) refuse(in_the_way(file));
    return found.is_new() ? Checkpoint() : found.journal.last;
  });
}

template <class Work>
void ExportFile::unless_failed(Work work) {
  if (!failure_.empty()) throw FileError(failure_, false);
  try {
    work();
  } catch (const std::exception& error) {
    failure_ = error.what();
    throw;
  }
}

void ExportFile::write_pending() {
  write_all(data_, pending_, part_of(file_));
  pending_.clear();
}

void ExportFile::write(std::string_view line) {
  unless_failed([&] {
    pending_ += line;
    pending_ += '\n';
    bytes_ += line.size() + 1;
    if (pending_.size() >= most_pending) write_pending();
  });
}

void ExportFile::commit(Checkpoint checkpoint) {
  unless_failed([&] {
    checkpoint.bytes = bytes_;
    if (checkpoint == last_) return;
    write_pending();
    make_durable(data_, part_of(file_));
    const auto line = line_of(checkpoint, journal_.job, journal_.seal);
    if (journal_.size + line.size() > most_journal) {
      journal_ = begin_journal(file_, journal_.job, journal_.seal, checkpoint);
      make_names_durable(file_);
    } else {
      write_all(journal_.data, line, journal_of(file_));
      make_durable(journal_.data, journal_of(file_));
      journal_.size += line.size();
    }
    last_ = std::move(checkpoint);
  });
}

void ExportFile::finish(Checkpoint checkpoint) {
  checkpoint.complete = true;
  commit(std::move(checkpoint));
  unless_failed([&] {
    if (const auto size = size_of(part_of(file_)); size != bytes_)
      throw FileError(fmt::format("another program changed {0}: it has {1} bytes, but {2} were written; remove it and "
                                  "{3} to start again",
                                  part_of(file_).string(), size.value_or(0), bytes_, journal_of(file_).string()),
                      false);
    if (!is_named(data_, part_of(file_)))
      throw FileError(fmt::format("another program replaced {0}; remove it and {1} to start again, in a folder that "
                                  "only you can write to",
                                  part_of(file_).string(), journal_of(file_).string()),
                      false);
    if (replace_)
      rename_file(part_of(file_), file_);
    else if (!rename_to_free_name(part_of(file_), file_))
      refuse(in_the_way(file_));
    make_names_durable(file_);
    remove_journal();
    make_names_durable(file_);
  });
}

void ExportFile::discard() {
  unless_failed([&] {
    // Remove the journal first: while FILE.part exists, its lock keeps other processes from creating one.
    remove_journal();
    if (is_named(data_, part_of(file_))) remove_file(part_of(file_));
  });
}

/// Checks the name: after FILE.part is renamed, another process may have started with its own journal.
void ExportFile::remove_journal() {
  if (is_named(journal_.data, journal_of(file_))) remove_file(journal_of(file_));
}

std::filesystem::path ExportFile::flush() {
  unless_failed([&] { write_pending(); });
  return part_of(file_);
}

}  // namespace noun_export
