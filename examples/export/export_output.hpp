#pragma once
// Where the lines go: a file that can be resumed, or standard output.

#include <memory>
#include <optional>
#include <string_view>

#include "export_arguments.hpp"
#include "export_file.hpp"

namespace noun_export {

/// Written by one thread at a time. All functions throw FileError.
class Output {
 public:
  Output() = default;
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  virtual ~Output() = default;

  /// What was written before, by another run.
  virtual Checkpoint start() const { return {}; }
  virtual void write(std::string_view line) = 0;
  /// What was written is safe now, as far as this output knows of safety.
  virtual void commit(const Checkpoint& checkpoint) = 0;
  /// The last commit. The checkpoint is complete.
  virtual void finish(const Checkpoint& checkpoint) = 0;
  /// Nothing came, and nothing is kept: the output is not used any more.
  virtual void discard() {}
  /// The file as it is so far; nothing where it cannot be read again.
  virtual std::optional<std::filesystem::path> readable() { return std::nullopt; }
  /// What the lines end up in, in words.
  virtual std::string place() const = 0;
  /// Where they are if the run ends here, and how it goes on.
  virtual std::string kept() const = 0;
  /// The same, where the listing cannot go on behind them.
  virtual std::string kept_to_no_end() const { return kept(); }
  /// The same, where they are not what they should be.
  virtual std::string kept_to_look_at() const { return kept(); }
};

/// Writes to standard output, at once.
/// @throws FileError  where it does not take it.
void print_out(std::string_view text);

/// What the arguments ask for; null if they resume, and there is a file and no part of it.
std::unique_ptr<Output> open_output(const Arguments& arguments);

}  // namespace noun_export
