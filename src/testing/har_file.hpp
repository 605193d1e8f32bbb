#pragma once
/// @file
/// A recording while it grows.

#include <cstdint>
#include <fstream>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include <noun/error.hpp>

namespace noun { inline namespace v0 { namespace testing {

/// A HAR file to which entries are appended: each in the place of the file's end, with a new end, in one write. So the
/// file is whole between two entries, also if the process is killed, and an entry takes as long as its own size. Safe to
/// use from many threads.
class HarFile {
 public:
  /// Replaces the file by one without entries. Look at fault() then.
  explicit HarFile(std::string path);

  /// Appends an entry, unless there is a fault.
  void append(std::string_view entry);
  /// Notes that an exchange could not be recorded.
  void fail(std::string_view why);
  /// Why the file does not have all exchanges; nothing if it has.
  std::optional<Error> fault() const;

 private:
  void write(std::string text);

  const std::string path_;
  mutable std::mutex mutex_;
  std::ofstream file_;
  std::uint64_t end_ = 0;  // of the last entry
  bool has_entries_ = false;
  std::string fault_;
};

}}}  // namespace noun::testing
