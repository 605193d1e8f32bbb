#include "os/private_files.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <memory>
#include <random>
#include <thread>

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/private_file_errors.hpp"
#include "os/steady_now.hpp"
#include "system_files.hpp"
#include "wire/printable.hpp"

namespace noun { inline namespace v0 {
namespace {

/// A lock is held for as long as a few small files take.
constexpr Duration between_tries = std::chrono::microseconds(100);

/// Whether nobody but this user and root can write to it.
bool is_private(const struct stat& facts) noexcept {
  return facts.st_uid == ::geteuid() && (facts.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/// Returns false after an error; at the end of the file `bytes` gets shorter.
bool read_all(int file, std::string& bytes) noexcept {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const auto count = ::read(file, bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    if (count == 0) break;
    done += static_cast<std::size_t>(count);
  }
  bytes.resize(done);
  return true;
}

struct CloseEntries {
  void operator()(DIR* entries) const noexcept { ::closedir(entries); }
};

}  // namespace

FoundFile find_file(const std::string& path, std::error_code& cause) noexcept {
  struct stat facts {};
  if (::lstat(path.c_str(), &facts) != 0) {
    if (errno != ENOENT) cause = last_error();
    return FoundFile::none;
  }
  if (S_ISLNK(facts.st_mode)) return FoundFile::link;
  if (S_ISDIR(facts.st_mode)) return FoundFile::directory;
  if (!S_ISREG(facts.st_mode)) return FoundFile::special;
  return is_private(facts) ? FoundFile::own : FoundFile::foreign;
}

std::error_code make_private_file(const std::string& path) noexcept {
  const Descriptor made(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR));
  return made || errno == EEXIST ? std::error_code() : last_error();
}

FileLock::~FileLock() {
  if (file_) ::flock(*file_, LOCK_UN);
}

Result<PrivateDirectory> PrivateDirectory::open(const std::string& path, IfAbsent then) {
  constexpr int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  Descriptor directory(::open(path.c_str(), flags));
  if (!directory && errno == ENOENT && then == IfAbsent::create &&
      (::mkdir(path.c_str(), 0700) == 0 || errno == EEXIST))
    directory = Descriptor(::open(path.c_str(), flags));
  if (!directory && errno == ENOENT && then == IfAbsent::create)
    return no_folder_for(path);
  if (!directory) return cannot_open_directory(path, last_error());
  struct stat facts {};
  if (::fstat(*directory, &facts) != 0) return cannot("open the directory", path, last_error());
  if (facts.st_uid != ::geteuid())
    return unfit_directory(fmt::format("the directory {} belongs to another user", wire::quoted_path(path)),
                           "name a directory of this user, or run the program as that user");
  if (!is_private(facts))
    return unfit_directory(fmt::format("others may write to the directory {}", wire::quoted_path(path)),
                           (facts.st_mode & S_ISVTX) != 0 ? "name a directory of this user, for example one in it"
                                                          : "run chmod go-w on it");
  return PrivateDirectory(path, std::move(directory));
}

Result<Descriptor> PrivateDirectory::open_file(const std::string& name, OpenMode mode) const {
  const int flags = mode == OpenMode::read     ? O_RDONLY
                    : mode == OpenMode::create ? O_WRONLY | O_CREAT | O_EXCL
                                               : O_RDWR | O_CREAT;
  // A FIFO would block without O_NONBLOCK.
  Descriptor opened(::openat(*directory_, name.c_str(), flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600));
  struct stat facts {};
  if (!opened && errno == ENOENT && mode == OpenMode::read) return opened;
  if (!opened || ::fstat(*opened, &facts) != 0) return cannot("open", path_of(name), last_error());
  if (!S_ISREG(facts.st_mode) || !is_private(facts))
    return not_of_this_user_alone(path_of(name));
  return opened;
}

Result<std::optional<std::string>> PrivateDirectory::read(const std::string& name) const {
  const auto file = open_file(name, OpenMode::read);
  if (!file) return file.error();
  if (!*file) return std::optional<std::string>();
  struct stat facts {};
  ::fstat(**file, &facts);
  std::string bytes(static_cast<std::size_t>(facts.st_size), '\0');
  if (!read_all(**file, bytes)) return cannot("read", path_of(name), last_error());
  return std::optional(std::move(bytes));
}

Result<void> PrivateDirectory::replace(const std::string& name, std::initializer_list<std::string_view> parts) const {
  std::random_device device;
  const auto next = fmt::format("{}.{:08x}{:08x}", name, device(), device());
  const auto file = open_file(next, OpenMode::create);
  if (!file) return file.error();
  const bool is_written =
      std::all_of(parts.begin(), parts.end(), [&](std::string_view part) { return write_all(**file, part); });
  if (is_written && ::renameat(*directory_, next.c_str(), *directory_, name.c_str()) == 0) return {};
  const auto error = last_error();
  remove(next);
  return cannot("write", path_of(name), error);
}

void PrivateDirectory::remove(const std::string& name) const noexcept { ::unlinkat(*directory_, name.c_str(), 0); }

Result<FileLock> PrivateDirectory::lock(const std::string& name, Instant until) const {
  for (;;) {
    auto file = open_file(name, OpenMode::share);
    if (!file) return file.error();
    while (::flock(**file, LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK && errno != EINTR) return cannot("lock", path_of(name), last_error());
      if (steady_now() >= until) return FileLock();
      std::this_thread::sleep_for(between_tries);
    }
    struct stat facts {};
    // If it was removed meanwhile, others lock its successor.
    if (::fstat(**file, &facts) == 0 && facts.st_nlink > 0) return FileLock(*std::move(file));
  }
}

Result<std::vector<std::string>> PrivateDirectory::names() const {
  const int copy = ::openat(*directory_, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, CloseEntries> entries(copy < 0 ? nullptr : ::fdopendir(copy));
  if (!entries) {
    const auto error = last_error();
    if (copy >= 0) ::close(copy);
    return cannot("read the directory", path_, error);
  }
  std::vector<std::string> names;
  while (const auto* entry = ::readdir(entries.get())) names.emplace_back(entry->d_name);
  return names;
}

}}  // namespace noun
