#pragma once
// File system calls of noun-export. An interrupted call is repeated; any other error is a FileError.
//
// Another user may be able to create files in the same folder. Hence a new file is created exclusively, and an existing
// file is opened only if it is a regular file of the effective user with one name.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <sys/stat.h>
#include <sys/types.h>

namespace noun_export {

/// An open file, closed by the destructor.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) noexcept : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor();

  int number() const noexcept { return number_; }
  bool is_open() const noexcept { return number_ >= 0; }

 private:
  int number_ = -1;
};

/// Throws a FileError with the failed operation (`deed`), its reason and what to do.
[[noreturn]] void throw_unwritable(std::string_view deed, const std::filesystem::path& file, int error);
[[noreturn]] void throw_unreadable(const std::filesystem::path& file, int error);

/// The status of a path, without following a symbolic link; nullopt if it does not exist.
std::optional<struct stat> status_of(const std::filesystem::path& file);

/// What a name refers to, if not to a regular file, as `a symbolic link`; otherwise empty.
std::string_view kind_of(const struct stat& status);
/// @throws FileError  if a file is not a regular file of the effective user with one name (no further hard link).
void check_own(const struct stat& status, const std::filesystem::path& file);

inline constexpr mode_t all_but_the_umask = 0666;
inline constexpr mode_t only_the_owner = 0600;
/// Creates a file to read and to append to. On failure, as if the name exists, it is not open, and errno is set.
Descriptor try_create(const std::filesystem::path& file, mode_t mode) noexcept;
/// Opens an existing file, not open if there is none. Does not wait for a pipe or follow a link.
/// @param flags  of open(), as O_RDONLY.
/// @throws FileError  if it cannot be opened, or as check_own().
Descriptor open_own(const std::filesystem::path& file, int flags);

/// Reads the available bytes after the first `at`, at most `size`. Returns their number; 0 at the end of the file.
std::size_t read_some(const Descriptor& from, std::uint64_t at, char* to, std::size_t size,
                      const std::filesystem::path& file);
/// The contents of a file; nullopt if it does not exist.
/// @param most  in bytes.
/// @throws FileError  also if it is larger.
std::optional<std::string> read_whole(const std::filesystem::path& file, std::size_t most);

void write_all(const Descriptor& to, std::string_view text, const std::filesystem::path& file);
void cut_off(const Descriptor& data, std::uint64_t size, const std::filesystem::path& file);
/// Makes the data and the size of a file durable.
void make_durable(const Descriptor& data, const std::filesystem::path& file);
/// Makes the names in the folder of `file` durable.
void make_names_durable(const std::filesystem::path& file);
/// Renames atomically, and replaces a file of that name.
void rename_file(const std::filesystem::path& from, const std::filesystem::path& to);
/// Renames atomically, if the file system supports it.
/// @returns  false if the name exists.
bool rename_to_free_name(const std::filesystem::path& from, const std::filesystem::path& to);
/// Does nothing if the file does not exist.
void remove_file(const std::filesystem::path& file);
/// Whether `file` is still the name of this open file.
bool is_named(const Descriptor& data, const std::filesystem::path& file);
/// False if another process holds the lock.
bool try_lock(const Descriptor& data, const std::filesystem::path& file);

}  // namespace noun_export
