#pragma once
// The output of an export: a file that can be resumed, or standard output.

#include <memory>
#include <optional>
#include <string_view>

#include "export_arguments.hpp"
#include "export_file.hpp"

namespace noun_export {

/// Not thread-safe. All functions throw FileError.
class Output {
 public:
  Output() = default;
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  virtual ~Output() = default;

  /// What a previous run has written.
  virtual Checkpoint start() const { return {}; }
  virtual void write(std::string_view line) = 0;
  /// Makes the written lines durable, as far as the output can.
  virtual void commit(const Checkpoint& checkpoint) = 0;
  /// Whether write() writes to a terminal.
  virtual bool is_terminal() const { return false; }
  /// The last commit. The checkpoint is complete.
  virtual void finish(const Checkpoint& checkpoint) = 0;
  /// Removes an output without items. Call nothing after that.
  virtual void discard() {}
  /// The file written so far; nullopt if the output cannot be read.
  virtual std::optional<std::filesystem::path> readable() { return std::nullopt; }
  /// The destination of the lines, as text.
  virtual std::string place() const = 0;
  /// Where the lines are if the run ends here, and how to continue.
  virtual std::string kept() const = 0;
  /// The same, if the listing cannot continue after them.
  virtual std::string kept_to_no_end() const { return kept(); }
  /// The same, if --verify failed.
  virtual std::string kept_to_look_at() const { return kept(); }
};

/// Writes to standard output and flushes it.
/// @throws FileError  if that fails.
void print_out(std::string_view text);

/// Opens the output of the arguments. Null for --resume of a complete file.
std::unique_ptr<Output> open_output(const Arguments& arguments);

}  // namespace noun_export
