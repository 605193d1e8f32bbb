#pragma once
// --stats and --plot: records the client's events in a file, and draws them at the end.

#include <filesystem>
#include <optional>

#include <noun/event.hpp>
#include <run_recorder.hpp>

#include "export_arguments.hpp"
#include "export_disk.hpp"

namespace noun_export {

/// Thread-safe, except finish(). A picture without --stats is drawn from a temporary file without a name.
class Records {
 public:
  /// With --resume, the statistics are continued.
  /// @throws FileError  if a file cannot be written, or exists and must not be replaced.
  explicit Records(const Arguments& arguments);

  void record(const noun::Event& event);
  /// Draws the picture.
  /// @throws FileError  if it cannot be written, if a file of its name was created meanwhile, or if not all events were
  ///                    recorded.
  void finish();

 private:
  std::filesystem::path plot_;
  std::filesystem::path stats_;
  bool replaces_plot_ = false;
  Descriptor lines_;
  std::optional<recorder::RunRecorder> recorder_;
};

}  // namespace noun_export
