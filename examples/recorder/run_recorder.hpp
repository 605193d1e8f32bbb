#pragma once
// An observer that writes a run to a file while it happens. run_log.hpp describes a line.
//
//   recorder::RunRecorder run{"run.jsonl"};
//   noun::Client api{base_url, {.observer = [&](const noun::Event& event) { run.record(event); }}};

#include <filesystem>
#include <fstream>
#include <mutex>
#include <optional>

#include <noun/event.hpp>

namespace recorder {

/// Safe to use from many threads and for several clients. record() passes a complete line to the operating system
/// before it returns, so a crash of the program loses no line.
class RunRecorder {
 public:
  /// What to do with an existing file.
  enum class Existing { replaced, continued };

  /// `continued` appends: the times stay relative to the first line, and an incomplete last line is removed. A file
  /// without the member `started` on its first line is replaced.
  /// @throws std::runtime_error  if the file cannot be written.
  explicit RunRecorder(const std::filesystem::path& file, Existing existing = Existing::replaced);

  void record(const noun::Event& event);

  /// Whether every event so far was written; false if the disk is full, for example.
  bool complete() const;

 private:
  mutable std::mutex mutex_;
  std::ofstream file_;
  std::optional<noun::WallTime> started_;
};

}  // namespace recorder
