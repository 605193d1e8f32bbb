#pragma once
// --stats and --plot: what the client did, kept in a file as it happens and drawn at the end.

#include <filesystem>
#include <optional>

#include <noun/event.hpp>
#include <run_recorder.hpp>

#include "export_arguments.hpp"

namespace noun_export {

/// Of a run; safe to use from many threads but for finish(). A picture without --stats is drawn from a file of its own
/// beside it, which is gone with this.
class Records {
 public:
  /// Of a run that is resumed, the statistics are continued.
  /// @throws FileError  where a file cannot be written.
  explicit Records(const Arguments& arguments);
  ~Records();
  Records(const Records&) = delete;
  Records& operator=(const Records&) = delete;

  void record(const noun::Event& event);
  /// Draws the picture.
  /// @throws FileError  where it cannot be written, or not all was recorded.
  void finish();

 private:
  std::filesystem::path plot_;
  std::filesystem::path lines_;
  bool own_lines_ = false;
  std::optional<recorder::RunRecorder> recorder_;
};

}  // namespace noun_export
