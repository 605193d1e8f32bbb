#pragma once
// An observer that writes a run to a file as it happens: run_log.hpp says what a line holds.
//
//   recorder::RunRecorder run{"run.jsonl"};
//   noun::Client api{base_url, {.observer = [&](const noun::Event& event) { run.record(event); }}};

#include <filesystem>
#include <fstream>
#include <mutex>
#include <optional>

#include <noun/event.hpp>

namespace recorder {

/// Safe to use from many threads, and for several clients. Each line is handed to the system whole before record()
/// returns, so that a crash of the program loses none.
class RunRecorder {
 public:
  /// What becomes of a file that is there.
  enum class Existing { replaced, continued };

  /// A file that is continued keeps its lines, but for a torn last one, and its beginning; one without a beginning is
  /// replaced.
  /// @throws std::runtime_error  if it cannot be written.
  explicit RunRecorder(const std::filesystem::path& file, Existing existing = Existing::replaced);

  void record(const noun::Event& event);

  /// Whether every event so far is in the file: a disk may fill up.
  bool complete() const;

 private:
  mutable std::mutex mutex_;
  std::ofstream file_;
  std::optional<noun::WallTime> began_;
};

}  // namespace recorder
