#pragma once
// What noun-export asks of the system for its files. Interrupted calls are made again; all else that goes wrong is a
// FileError.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <sys/stat.h>

namespace noun_export {

/// An open file, closed with it.
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

/// What could not be done with a file, why, and how to go on.
[[noreturn]] void throw_unwritable(std::string_view deed, const std::filesystem::path& file, int error);
[[noreturn]] void throw_unreadable(const std::filesystem::path& file, int error);

/// What lies at a path, a symbolic link itself; nothing if there is nothing.
std::optional<struct stat> status_of(const std::filesystem::path& file);

/// Not open if it fails; errno says why. A pipe or a link is not waited for or followed.
/// @param flags  of open(), with O_CLOEXEC added.
Descriptor try_open(const std::filesystem::path& file, int flags) noexcept;
/// As much as there is now, at most `size` bytes; 0 at the end.
std::size_t read_some(const Descriptor& from, char* to, std::size_t size, const std::filesystem::path& file);
/// Nothing if there is no such file.
std::optional<std::string> read_whole(const std::filesystem::path& file);

void write_all(const Descriptor& to, std::string_view text, const std::filesystem::path& file);
void cut_off(const Descriptor& data, std::uint64_t size, const std::filesystem::path& file);
/// The data and the size of a file, made durable.
void make_durable(const Descriptor& data, const std::filesystem::path& file);
/// The names in the folder of `file`, made durable.
void make_names_durable(const std::filesystem::path& file);
/// In one step, in place of what has that name.
void rename_file(const std::filesystem::path& from, const std::filesystem::path& to);
/// In one step, but where the file system knows no such step.
/// @returns  false if something has that name.
bool rename_to_free_name(const std::filesystem::path& from, const std::filesystem::path& to);
/// Nothing happens if it is not there.
void remove_file(const std::filesystem::path& file);
/// Whether this is still the file's name, and not that of another one.
bool is_named(const Descriptor& data, const std::filesystem::path& file);
/// False if another process has it.
bool try_lock(const Descriptor& data, const std::filesystem::path& file);

}  // namespace noun_export
