#pragma once
/// @file
/// A file that appears under its name only when it is complete.

#include <string>
#include <string_view>
#include <system_error>

#include <noun/result.hpp>

#include "os/files.hpp"

namespace noun { inline namespace v0 {

/// A temporary file beside its final path, with a random name. Removed by the destructor unless it was committed. Used
/// by one thread at a time. All errors have the code `resource`, or `invalid_argument` from open().
class PartialFile {
 public:
  explicit PartialFile(std::string path) : path_(std::move(path)) {}
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;
  ~PartialFile();

  /// Makes the temporary file, with the permissions of the file that it will replace. Fails if the path leads to
  /// something else than a regular file.
  Result<void> open();
  /// Appends.
  Result<void> write(std::string_view bytes);
  /// Empties it.
  Result<void> restart();
  /// Makes its content durable, then gives it its name, in place of an existing file or link of this name.
  Result<void> commit();

 private:
  Result<void> unless_failed(std::string_view what, std::error_code fault) const;

  std::string path_;
  std::string temporary_;
  File file_;
};

}}  // namespace noun
