#pragma once
// --stats and --plot: records the client's events in a file, and draws them at the end.

#include <filesystem>
#include <optional>

#include <noun/event.hpp>
#include <run_recorder.hpp>

#include "export_arguments.hpp"

namespace noun_export {

/// Thread-safe, except finish(). A picture without --stats is drawn from a temporary file next to it, which the
/// destructor removes.
class Records {
 public:
  /// With --resume, the statistics are continued.
  /// @throws FileError  if a file cannot be written.
  explicit Records(const Arguments& arguments);
  ~Records();
  Records(const Records&) = delete;
  Records& operator=(const Records&) = delete;

  void record(const noun::Event& event);
  /// Draws the picture.
  /// @throws FileError  if it cannot be written, or if not all events were recorded.
  void finish();

 private:
  std::filesystem::path plot_;
  std::filesystem::path lines_;
  bool own_lines_ = false;
  std::optional<recorder::RunRecorder> recorder_;
};

}  // namespace noun_export
