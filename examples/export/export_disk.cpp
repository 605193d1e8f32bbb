#include "export_disk.hpp"

#include <cerrno>
#include <cstdio>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include "export_file.hpp"

namespace noun_export {
namespace {

/// Repeats a call while signals interrupt it.
template <class Call>
auto uninterrupted(Call call) {
  auto result = call();
  while (result == -1 && errno == EINTR) result = call();
  return result;
}

std::string remedy_of(int error) {
  switch (error) {
    case ENOSPC:
    case EDQUOT: return "committed items are safe; free some space and continue with --resume";
    case EFBIG: return "committed items are safe; raise the file size limit (ulimit -f) and continue with --resume";
    case EACCES:
    case EPERM: return "fix the permissions, or use another folder";
    case EROFS: return "the file system is read-only; use another folder";
    case ENOENT:
    case ENOTDIR: return "create the folder, or use another one";
    case ENAMETOOLONG: return "use a shorter name";
    case EEXIST: return "another program created it; move it, or use another name";
    default: return "committed items are safe; check the disk and continue with --resume";
  }
}

std::string remedy_of_reading(int error) {
  switch (error) {
    case EACCES:
    case EPERM: return "fix its permissions and continue with --resume";
    case ENOENT: return "another program removed it; export again";
    default: return "check the disk and continue with --resume";
  }
}

}  // namespace

Descriptor::~Descriptor() {
  if (is_open()) ::close(number_);
}

void throw_unwritable(std::string_view deed, const std::filesystem::path& file, int error) {
  throw FileError(fmt::format("cannot {} {}: {}; {}", deed, file.string(), std::generic_category().message(error),
                              remedy_of(error)),
                  false);
}

void throw_unreadable(const std::filesystem::path& file, int error) {
  throw FileError(fmt::format("cannot read {}: {}; {}", file.string(), std::generic_category().message(error),
                              remedy_of_reading(error)),
                  false);
}

std::optional<struct stat> status_of(const std::filesystem::path& file) {
  struct stat status = {};
  if (::lstat(file.c_str(), &status) == 0) return status;
  if (errno != ENOENT) throw_unwritable("look at", file, errno);
  return std::nullopt;
}

std::string_view kind_of(const struct stat& status) {
  if (S_ISREG(status.st_mode)) return "";
  return S_ISDIR(status.st_mode) ? "a folder" : S_ISLNK(status.st_mode) ? "a symbolic link" : "a device or a pipe";
}

void check_own(const struct stat& status, const std::filesystem::path& file) {
  auto what = std::string(kind_of(status));
  if (what.empty() && status.st_uid != ::geteuid())
    what = fmt::format("a file of another user (uid {})", status.st_uid);
  if (what.empty() && status.st_nlink > 1) what = fmt::format("a file with {} names (hard links)", status.st_nlink);
  if (what.empty()) return;
  throw FileError(fmt::format("{} is {}; move it, or use another name or a folder that only you can write to",
                              file.string(), what),
                  true);
}

Descriptor try_create(const std::filesystem::path& file, mode_t mode) noexcept {
  constexpr int flags = O_RDWR | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  return Descriptor(uninterrupted([&] { return ::open(file.c_str(), flags, mode); }));
}

Descriptor open_own(const std::filesystem::path& file, int flags) {
  constexpr int always = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  Descriptor opened(uninterrupted([&] { return ::open(file.c_str(), flags | always); }));
  struct stat status = {};
  if (opened.is_open()) {
    if (::fstat(opened.number(), &status) != 0) throw_unreadable(file, errno);
    check_own(status, file);
  } else if (errno != ENOENT) {
    const int error = errno;
    // A link or a pipe, for example, has a better message.
    if (const auto there = status_of(file)) check_own(*there, file);
    throw_unreadable(file, error);
  }
  return opened;
}

std::size_t read_some(const Descriptor& from, std::uint64_t at, char* to, std::size_t size,
                      const std::filesystem::path& file) {
  const auto count = uninterrupted([&] { return ::pread(from.number(), to, size, static_cast<off_t>(at)); });
  if (count < 0) throw_unreadable(file, errno);
  return static_cast<std::size_t>(count);
}

std::optional<std::string> read_whole(const std::filesystem::path& file, std::size_t most) {
  const auto from = open_own(file, O_RDONLY);
  if (!from.is_open()) return std::nullopt;
  constexpr std::size_t step = 64 * 1024;
  std::string text;
  for (std::size_t size = 0;; text.resize(size)) {
    text.resize(size + step);
    const auto count = read_some(from, size, text.data() + size, step, file);
    size += count;
    if (size > most)
      throw FileError(fmt::format("{} is larger than {} MiB, so another program changed it; remove it to start again",
                                  file.string(), most / (1024 * 1024)),
                      true);
    if (count == 0) {
      text.resize(size);
      return text;
    }
  }
}

void write_all(const Descriptor& to, std::string_view text, const std::filesystem::path& file) {
  while (!text.empty()) {
    const auto count = uninterrupted([&] { return ::write(to.number(), text.data(), text.size()); });
    if (count < 0) throw_unwritable("write", file, errno);
    text.remove_prefix(static_cast<std::size_t>(count));
  }
}

void cut_off(const Descriptor& data, std::uint64_t size, const std::filesystem::path& file) {
  if (uninterrupted([&] { return ::ftruncate(data.number(), static_cast<off_t>(size)); }) != 0)
    throw_unwritable("cut off what was not committed of", file, errno);
}

void make_durable(const Descriptor& data, const std::filesystem::path& file) {
  if (uninterrupted([&] { return ::fdatasync(data.number()); }) != 0) throw_unwritable("write", file, errno);
}

void make_names_durable(const std::filesystem::path& file) {
  const auto folder = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
  const Descriptor names(uninterrupted([&] { return ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); }));
  if (!names.is_open()) throw_unwritable("open the folder", folder, errno);
  // Some file systems do not support it.
  if (uninterrupted([&] { return ::fsync(names.number()); }) != 0 && errno != EINVAL)
    throw_unwritable("write the folder", folder, errno);
}

void rename_file(const std::filesystem::path& from, const std::filesystem::path& to) {
  if (std::rename(from.c_str(), to.c_str()) != 0)
    throw_unwritable(fmt::format("rename {} to", from.string()), to, errno);
}

bool rename_to_free_name(const std::filesystem::path& from, const std::filesystem::path& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return true;
  if (errno == EEXIST) return false;
  if (errno != EINVAL && errno != ENOSYS) throw_unwritable(fmt::format("rename {} to", from.string()), to, errno);
  if (status_of(to)) return false;
  rename_file(from, to);
  return true;
}

void remove_file(const std::filesystem::path& file) {
  if (::unlink(file.c_str()) != 0 && errno != ENOENT) throw_unwritable("remove", file, errno);
}

bool is_named(const Descriptor& data, const std::filesystem::path& file) {
  struct stat mine = {};
  const auto there = status_of(file);
  return there && ::fstat(data.number(), &mine) == 0 && mine.st_ino == there->st_ino && mine.st_dev == there->st_dev;
}

bool try_lock(const Descriptor& data, const std::filesystem::path& file) {
  if (uninterrupted([&] { return ::flock(data.number(), LOCK_EX | LOCK_NB); }) == 0) return true;
  if (errno != EWOULDBLOCK) throw_unwritable("lock", file, errno);
  return false;
}

}  // namespace noun_export
