#pragma once
/// @file
/// A recording while it grows.

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include <noun/error.hpp>

#include "os/own_process.hpp"

namespace noun { inline namespace v0 { namespace testing {

/// A HAR file to which entries are appended. There are two copies. An entry is written into the other one, beside the
/// file, in place of its end and with a new end; then the two change their names. So the file is whole at any time, also
/// if the process is killed while it writes, and an entry costs twice its own size. Safe to use from many threads. In a
/// child of fork() it does nothing.
class HarFile {
 public:
  /// Makes the file, without entries, if there is none. One that is there is replaced with the first entry. Look at
  /// fault() then.
  explicit HarFile(std::string path);
  HarFile(const HarFile&) = delete;
  HarFile& operator=(const HarFile&) = delete;
  ~HarFile();

  /// Appends an entry, unless there is a fault.
  void append(std::string_view entry);
  /// Notes that an exchange could not be recorded.
  void fail(std::string_view why);
  /// Why the file does not have all exchanges; nothing if it has.
  std::optional<Error> fault() const;

 private:
  bool make_copy();
  bool replace();
  bool write_other(std::string_view text);
  bool change_names();
  bool succeeded(bool done);

  const OwnProcess process_;
  const std::string path_;
  const std::filesystem::path other_path_;
  const std::filesystem::path spare_path_;  // of the file while the other copy gets its name
  std::filesystem::perms permissions_ = std::filesystem::perms::unknown;  // of what was there before
  mutable std::mutex mutex_;
  bool is_replaced_ = false;     // what was there before
  std::uint64_t end_ = 0;        // of the last entry of the file
  std::uint64_t other_end_ = 0;  // the same of the other copy
  std::string missing_;          // what the other copy does not have
  std::string fault_;
};

}}}  // namespace noun::testing
