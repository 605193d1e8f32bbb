#pragma once
// An observer that writes a run to a file while it happens. run_log.hpp describes a line.
//
//   recorder::RunRecorder run{"run.jsonl"};
//   noun::Client api{base_url, {.observer = [&](const noun::Event& event) { run.record(event); }}};

#include <filesystem>
#include <mutex>
#include <optional>

#include <noun/event.hpp>

namespace recorder {

/// Safe to use from many threads and for several clients. record() passes a complete line to the operating system
/// before it returns, so a crash of the program loses no line.
class RunRecorder {
 public:
  /// Writes to a new file, and removes a regular file of this name before.
  /// @throws std::runtime_error  if the file cannot be written, or if the name is that of a link, a device or a pipe.
  explicit RunRecorder(const std::filesystem::path& file);
  /// Appends to an open regular file, with a duplicate of the descriptor. The times stay relative to the first line, and
  /// an incomplete last line is removed. A file without the member `started` on its first line is emptied.
  /// @param file  opened with O_RDWR and O_APPEND.
  /// @throws std::runtime_error  if the file cannot be read or cut.
  explicit RunRecorder(int file);
  RunRecorder(const RunRecorder&) = delete;
  RunRecorder& operator=(const RunRecorder&) = delete;
  ~RunRecorder();

  void record(const noun::Event& event);

  /// Whether every event so far was written; false if the disk is full, for example.
  bool complete() const;

 private:
  mutable std::mutex mutex_;
  int file_ = -1;
  bool complete_ = true;
  std::optional<noun::WallTime> started_;
  bool resumes_ = false;  // whether the next line is the first of this process in a file that has others
};

}  // namespace recorder
