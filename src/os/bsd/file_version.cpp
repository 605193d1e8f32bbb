#include <sys/stat.h>

#include "os/files.hpp"

namespace noun { inline namespace v0 {

FileVersion file_version(const std::string& path) noexcept {
  struct stat found = {};
  if (path.empty() || ::stat(path.c_str(), &found) != 0) return {};
  return {static_cast<std::int64_t>(found.st_dev), static_cast<std::int64_t>(found.st_ino), found.st_ctimespec.tv_sec,
          found.st_ctimespec.tv_nsec};
}

}}  // namespace noun
