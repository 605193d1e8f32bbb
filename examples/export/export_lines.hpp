#pragma once
// The lines of an export as they lie on the disk.

#include <filesystem>
#include <functional>
#include <string_view>

namespace noun_export {

/// Takes a line without its end; one that has none was not written to its end, and is not `whole`.
using TakeLine = std::function<void(std::string_view line, bool whole)>;

/// Reads a file line by line, in constant space.
/// @throws FileError  where it cannot be read.
void read_lines(const std::filesystem::path& file, const TakeLine& take);

}  // namespace noun_export
