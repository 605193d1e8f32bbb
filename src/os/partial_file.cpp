#include "os/partial_file.hpp"

#include <cerrno>
#include <cstdio>
#include <random>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/descriptor.hpp"
#include "wire/printable.hpp"

namespace noun { inline namespace v0 {
namespace {

constexpr std::string_view check_folder = "check the path, the permissions and the free space";

/// The random name of a temporary file in the folder of `path`. Short, so that a long name stays possible.
std::string temporary_name(const std::string& path) {
  std::random_device device;
  const auto slash = path.rfind('/');
  const auto folder = path.substr(0, slash == std::string::npos ? 0 : slash + 1);
  return fmt::format("{}.noun-{:08x}{:08x}.part", folder, device(), device());
}

}  // namespace

PartialFile::~PartialFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

Error PartialFile::failed(std::string_view what, int error) const {
  return Error(Errc::resource,
               fmt::format("cannot {} {}: {}", what, wire::quoted_path(path_), std::generic_category().message(error)),
               check_folder, Sent::maybe);
}

Result<void> PartialFile::open() {
  struct stat facts = {};
  const bool is_name = !path_.empty() && !path_.ends_with('/') && path_.find('\0') == std::string::npos;
  if (!is_name || (::stat(path_.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode)))
    return Error(Errc::invalid_argument, fmt::format("{} does not name a file", wire::quoted_path(path_)),
                 "name the file to write, with its folder");
  constexpr mode_t permissions = 0666;  // less the umask
  for (int tries = 0; tries < 16; ++tries) {
    auto name = temporary_name(path_);
    descriptor_ = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, permissions);
    if (descriptor_ >= 0) temporary_ = std::move(name);
    if (descriptor_ >= 0 || errno != EEXIST) break;
  }
  if (descriptor_ >= 0) return {};
  return Error(
      Errc::invalid_argument,
      fmt::format("cannot make a file beside {}: {}", wire::quoted_path(path_), std::generic_category().message(errno)),
      check_folder);
}

Result<void> PartialFile::write(std::string_view bytes) {
  if (!write_all(descriptor_, bytes)) return failed("write", errno);
  return {};
}

Result<void> PartialFile::restart() {
  if (::ftruncate(descriptor_, 0) != 0 || ::lseek(descriptor_, 0, SEEK_SET) != 0) return failed("empty", errno);
  return {};
}

Result<void> PartialFile::commit() {
  if (::fsync(descriptor_) != 0) return failed("write", errno);
  if (::close(std::exchange(descriptor_, -1)) != 0) return failed("write", errno);
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) return failed("rename a file to", errno);
  temporary_.clear();
  return {};
}

}}  // namespace noun
