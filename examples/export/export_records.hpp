#pragma once
// --stats, --plot and --report: records the client's events in a file, and draws them at the end.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <noun/event.hpp>
#include <run_recorder.hpp>
#include <run_report.hpp>

#include "export_arguments.hpp"
#include "export_disk.hpp"

namespace noun_export {

/// Thread-safe, except finish(). Pictures without --stats are drawn from a temporary file without a name, which takes
/// some 250 bytes for each event.
class Records {
 public:
  /// With --resume, the statistics are continued.
  /// @throws FileError  if a file cannot be written, or exists and must not be replaced.
  explicit Records(const Arguments& arguments);

  void record(const noun::Event& event);
  /// Draws the pictures.
  /// @throws FileError  if one cannot be written, if a file of its name was created meanwhile, or if not all events were
  ///                    recorded.
  void finish();

 private:
  struct Picture {
    const char* option;
    std::filesystem::path file;
    std::optional<recorder::ReportFormat> format;  ///< of --report
    bool replaces;
  };

  void draw(const Picture& picture) const;

  std::filesystem::path stats_;
  std::vector<Picture> pictures_;
  Descriptor lines_;
  std::optional<recorder::RunRecorder> recorder_;
};

}  // namespace noun_export
