#pragma once
// A file that has its name when it is written: --stats, --plot and --report. Nothing is written through a link of that
// name.

#include <filesystem>

#include "export_disk.hpp"

namespace noun_export {

/// A new file with a random name in the folder of its final name. The destructor removes it, unless it was renamed.
class DraftFile {
 public:
  /// @throws FileError  if the file cannot be created.
  DraftFile(std::filesystem::path file, mode_t mode);
  DraftFile(const DraftFile&) = delete;
  DraftFile& operator=(const DraftFile&) = delete;
  ~DraftFile();

  const Descriptor& data() const noexcept { return data_; }
  /// Makes the data durable and renames the file.
  /// @param replace  whether a file of that name may exist.
  /// @returns        false if the name exists and `replace` is false.
  bool rename(bool replace);
  /// The open file, which has its final name, or none.
  Descriptor take() noexcept { return std::move(data_); }

 private:
  std::filesystem::path file_;
  std::filesystem::path draft_;
  Descriptor data_;
};

}  // namespace noun_export
