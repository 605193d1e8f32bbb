#include "os/files.hpp"

#include <cerrno>
#include <cstdio>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "system_files.hpp"

namespace noun { inline namespace v0 {
namespace {

std::error_code error_unless(bool done) noexcept { return done ? std::error_code() : last_error(); }

/// Repeats a system call while a signal interrupts it.
template <class Call>
auto uninterrupted(Call call) noexcept {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

}  // namespace

void close_file(int descriptor) noexcept { ::close(descriptor); }

File File::open(const std::string& path, std::error_code& fault) noexcept {
  File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  fault = error_unless(static_cast<bool>(file));
  return file;
}

File File::create(const std::string& path, std::error_code& fault, const std::string& as) noexcept {
  constexpr mode_t usual = 0666;  // less the umask
  constexpr mode_t all = 0777;
  struct stat facts = {};
  const bool is_like = !as.empty() && ::stat(as.c_str(), &facts) == 0;
  // Another user may have made that file for what is written here.
  const bool is_own = is_like && facts.st_uid == ::geteuid();
  const mode_t permissions = is_own ? facts.st_mode & all : is_like ? facts.st_mode & usual : usual;
  File file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, permissions));
  fault = error_unless(static_cast<bool>(file));
  // A disk may not have permissions. What the umask has left is never more.
  if (file && is_own) static_cast<void>(::fchmod(*file.file_, permissions));
  return file;
}

std::optional<std::uint64_t> File::size(std::error_code& fault) const noexcept {
  struct stat facts = {};
  fault = error_unless(::fstat(*file_, &facts) == 0);
  if (fault || !S_ISREG(facts.st_mode)) return std::nullopt;
  return static_cast<std::uint64_t>(facts.st_size);
}

std::optional<std::size_t> File::read(std::span<char> bytes, std::error_code& fault) const noexcept {
  for (;;) {
    const auto count = ::read(*file_, bytes.data(), bytes.size());
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno == EINTR) continue;
    fault = last_error();
    return std::nullopt;
  }
}

std::error_code File::write(std::string_view bytes) const noexcept { return error_unless(write_all(*file_, bytes)); }

std::error_code File::truncate() const noexcept {
  return error_unless(uninterrupted([&] { return ::ftruncate(*file_, 0); }) == 0 && ::lseek(*file_, 0, SEEK_SET) == 0);
}

std::error_code File::close_durably() noexcept {
  // Some file systems have no way to do it.
  const bool is_durable = uninterrupted([&] { return ::fsync(*file_); }) == 0 || errno == EINVAL || errno == ENOTSUP;
  if (!is_durable) return last_error();
  // After an interrupted close() the descriptor may be another file's already.
  return error_unless(::close(file_.release()) == 0 || errno == EINTR);
}

std::size_t folder_size(std::string_view path) noexcept { return path.rfind('/') + 1; }

PathKind kind_of(const std::string& path) noexcept {
  struct stat facts = {};
  if (::stat(path.c_str(), &facts) != 0) return PathKind::none;
  return S_ISREG(facts.st_mode) ? PathKind::file : S_ISDIR(facts.st_mode) ? PathKind::directory : PathKind::special;
}

std::error_code rename_file(const std::string& from, const std::string& to) noexcept {
  return error_unless(std::rename(from.c_str(), to.c_str()) == 0);
}

void remove_file(const std::string& path) noexcept { ::unlink(path.c_str()); }

}}  // namespace noun
