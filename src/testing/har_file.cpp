#include "testing/har_file.hpp"

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "testing/har.hpp"
#include "wire/printable.hpp"

namespace noun { inline namespace v0 { namespace testing {

HarFile::HarFile(std::string path) : path_(std::move(path)) {
  errno = 0;
  file_.open(std::filesystem::path(std::u8string(path_.begin(), path_.end())), std::ios::binary | std::ios::trunc);
  write(std::string(har_start));
}

void HarFile::append(std::string_view entry) {
  const std::lock_guard lock(mutex_);
  if (!fault_.empty()) return;
  write(fmt::format("{}{}", std::exchange(has_entries_, true) ? ",\n" : "", entry));
}

/// Writes the text and the end, and then, if the disk is full, what was there before.
void HarFile::write(std::string text) {
  errno = 0;
  const auto size = text.size();
  file_.seekp(static_cast<std::streamoff>(end_));
  file_ << (text += har_end) << std::flush;
  if (file_) {
    end_ += size;
    return;
  }
  fault_ = errno == 0 ? "an unknown fault" : std::generic_category().message(errno);
  file_.clear();
  file_.seekp(static_cast<std::streamoff>(end_));
  if (end_ > 0) file_ << har_end << std::flush;
  std::error_code ignored;
  std::filesystem::resize_file(std::filesystem::path(std::u8string(path_.begin(), path_.end())), end_ + har_end.size(),
                               ignored);
}

void HarFile::fail(std::string_view why) {
  const std::lock_guard lock(mutex_);
  if (fault_.empty()) fault_ = why;
}

std::optional<Error> HarFile::fault() const {
  const std::lock_guard lock(mutex_);
  if (fault_.empty()) return std::nullopt;
  return Error(Errc::refused, fmt::format("the recording {} cannot be written: {}", wire::quoted_path(path_), fault_),
               "check the path, the permissions and the free space");
}

}}}  // namespace noun::testing
