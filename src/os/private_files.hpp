#pragma once
/// @file
/// Files and directories that no other user may write to.

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <noun/result.hpp>
#include <noun/time.hpp>

#include "os/descriptor.hpp"

namespace noun { inline namespace v0 {

/// What a program finds where it wants a file of its own.
enum class FoundFile {
  none,
  own,        ///< a file of this user, to which no other may write
  foreign,    ///< a file of another user, or to which others may write
  link,       ///< a symbolic link
  directory,  ///< a directory
  special,    ///< a pipe, a socket or a device
};
/// Follows no link at the end of `path`.
/// @param cause  the error, if it cannot be found out.
NOUN_API FoundFile find_file(const std::string& path, std::error_code& cause) noexcept;
/// Makes an empty file that this user alone may read and write, unless there is a file.
/// @returns  the error; none if there is a file now.
NOUN_API std::error_code make_private_file(const std::string& path) noexcept;

/// An exclusive lock of a file, or none. Released by the destructor, also from the copies of the descriptor that a
/// fork() of another thread has made.
class FileLock {
 public:
  FileLock() = default;
  explicit FileLock(Descriptor locked) noexcept : file_(std::move(locked)) {}
  FileLock(FileLock&&) noexcept = default;
  FileLock& operator=(FileLock&&) noexcept = default;
  ~FileLock();

  explicit operator bool() const noexcept { return static_cast<bool>(file_); }

 private:
  Descriptor file_;
};

/// An open directory of this user, and its files by their names in it. Files of others, links and pipes in it are
/// refused. All errors have the code `resource`, or `invalid_argument` from open(): for what is no directory of this user
/// alone, and for a path that cannot name one.
class PrivateDirectory {
 public:
  enum class IfAbsent { create, fail };
  /// @param path  absolute, without a slash at its end.
  static Result<PrivateDirectory> open(const std::string& path, IfAbsent then);

  /// The bytes of a file; nothing if there is none.
  Result<std::optional<std::string>> read(const std::string& name) const;
  /// Puts a file with these bytes, one part after the other, in the place of `name`. Not durable. A process that is
  /// killed leaves a file `NAME.` and a random number.
  Result<void> replace(const std::string& name, std::initializer_list<std::string_view> parts) const;
  /// Removes the file, if it is there.
  void remove(const std::string& name) const noexcept;
  /// Locks the file, which is made if there is none. Blocks while another process or another call has the lock.
  /// @returns  no lock at `until`.
  Result<FileLock> lock(const std::string& name, Instant until) const;
  /// The names of all entries, in no order.
  Result<std::vector<std::string>> names() const;

 private:
  PrivateDirectory(std::string path, Descriptor opened) : path_(std::move(path)), directory_(std::move(opened)) {}
  std::string path_of(const std::string& name) const { return path_ + "/" + name; }
  /// How a file is opened: one that there is, if there is one; a new one to write; one to lock, made if there is none.
  enum class OpenMode { read, create, share };
  Result<Descriptor> open_file(const std::string& name, OpenMode mode) const;

  std::string path_;
  Descriptor directory_;
};

}}  // namespace noun
