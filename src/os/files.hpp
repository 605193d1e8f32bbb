#pragma once
/// @file
/// Files, by their paths in UTF-8. Errors are of std::generic_category().

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

#include "os/descriptor.hpp"

namespace noun { inline namespace v0 {

/// An open file, or none. Used by one thread at a time.
class File {
 public:
  File() = default;
  /// @{
  /// Opens a file to read it, without waiting for the writer of a pipe; or makes a new one to write it, which must not
  /// exist. It has the permissions of the file `as` if that is of the same user, and no others than it if it is of
  /// another one; if there is none, those that the user's files have. On Windows it has those that its folder gives.
  static File open(const std::string& path, std::error_code& fault) noexcept;
  static File create(const std::string& path, std::error_code& fault, const std::string& as = {}) noexcept;
  /// @}
  explicit operator bool() const noexcept { return static_cast<bool>(file_); }

  /// In bytes; nothing, without a fault, if it is no regular file.
  std::optional<std::uint64_t> size(std::error_code& fault) const noexcept;
  /// @returns  how many bytes were read, 0 at the end; nothing after a fault.
  std::optional<std::size_t> read(std::span<char> bytes, std::error_code& fault) const noexcept;
  /// @{
  /// Return the fault, if there is one. All bytes are written; truncate() leaves none.
  std::error_code write(std::string_view bytes) const noexcept;
  std::error_code truncate() const noexcept;
  /// Makes the content durable, as far as the file system can, then closes the file.
  std::error_code close_durably() noexcept;
  /// @}

 private:
  explicit File(int descriptor) noexcept : file_(descriptor) {}

  Descriptor file_;
};

/// How many bytes of a path name its folder, with the separator at the end; 0 for a name alone.
std::size_t folder_size(std::string_view path) noexcept;
/// What a path leads to, also behind links.
enum class PathKind {
  none,
  file,
  directory,
  special,  ///< a device, a pipe or a socket
};
PathKind kind_of(const std::string& path) noexcept;
/// Gives a file another name on the same disk, in place of an existing file or link of this name.
std::error_code rename_file(const std::string& from, const std::string& to) noexcept;
/// Removes a file, if it is there.
void remove_file(const std::string& path) noexcept;

/// Differs between two versions of a file or directory.
using FileVersion = std::array<std::int64_t, 4>;
/// That of the path; all zeros if there is none.
FileVersion file_version(const std::string& path) noexcept;

}}  // namespace noun
