#pragma once
// Reads the lines of a file.

#include <filesystem>
#include <functional>
#include <string_view>

namespace noun_export {

/// Receives a line without its line break. `whole` is false for a last line without a line break.
using TakeLine = std::function<void(std::string_view line, bool whole)>;

/// Reads a file line by line, in constant memory.
/// @throws FileError  if the file cannot be read.
void read_lines(const std::filesystem::path& file, const TakeLine& take);

}  // namespace noun_export
