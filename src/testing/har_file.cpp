#include "testing/har_file.hpp"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <random>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "testing/har.hpp"
#include "wire/printable.hpp"

namespace noun { inline namespace v0 { namespace testing {
namespace {

std::filesystem::path native(const std::string& path) { return std::u8string(path.begin(), path.end()); }

/// A name that no other file has.
std::filesystem::path temporary_beside(const std::string& path) {
  std::random_device device;
  return native(path).replace_filename(fmt::format(".noun-{:08x}{:08x}.part", device(), device()));
}

}  // namespace

HarFile::HarFile(std::string path)
    : path_(std::move(path)), other_path_(temporary_beside(path_)), spare_path_(temporary_beside(path_)) {
  std::error_code fault;
  const auto status = std::filesystem::status(native(path_), fault);
  if (!fault && exists(status) && !is_regular_file(status)) fault_ = "it is not a regular file";
  if (!fault_.empty()) return;
  if (exists(status)) permissions_ = status.permissions();
  end_ = other_end_ = har_start.size();
  if (make_copy() && !exists(status)) replace();
}

/// Puts the other copy in place of what was there before, and makes another one.
bool HarFile::replace() {
  is_replaced_ = true;
  return change_names() && make_copy();
}

HarFile::~HarFile() {
  std::error_code ignored;
  if (process_.is_current()) std::filesystem::remove(other_path_, ignored);
}

void HarFile::append(std::string_view entry) {
  // The lock may have been locked when the process was forked.
  if (!process_.is_current()) return;
  const std::lock_guard lock(mutex_);
  if (!fault_.empty() || (!is_replaced_ && !replace())) return;
  const auto text = fmt::format("{}{}", end_ > har_start.size() ? ",\n" : "", entry);
  if (!write_other(missing_ + text) || !change_names()) return;
  end_ = std::exchange(other_end_, end_) + missing_.size() + text.size();
  missing_ = text;
}

/// Makes the other copy, without entries.
bool HarFile::make_copy() {
  // It may be another name of a file that stays.
  std::error_code ignored;
  std::filesystem::remove(other_path_, ignored);
  errno = 0;
  std::ofstream file(other_path_, std::ios::binary | std::ios::trunc);
  file << har_start << har_end << std::flush;
  using std::filesystem::perms;
  if (permissions_ != perms::unknown)
    std::filesystem::permissions(other_path_, ~(permissions_ | perms::owner_read | perms::owner_write) & perms::all,
                                 std::filesystem::perm_options::remove, ignored);
  return succeeded(static_cast<bool>(file));
}

bool HarFile::write_other(std::string_view text) {
  errno = 0;
  std::fstream file(other_path_, std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(static_cast<std::streamoff>(other_end_));
  file << text << har_end << std::flush;
  return succeeded(static_cast<bool>(file));
}

/// Each name is that of a whole file at any time. Where there are no hard links, there is none for an instant.
bool HarFile::change_names() {
  const auto shown = native(path_);
  std::error_code fault;
  std::filesystem::create_hard_link(shown, spare_path_, fault);
  if (fault) std::filesystem::rename(shown, spare_path_, fault);
  std::filesystem::rename(other_path_, shown, fault);
  std::error_code ignored;
  if (fault) {
    fault_ = fault.message();
    std::filesystem::rename(spare_path_, shown, ignored);
    // Two names of one file both stay.
    if (!ignored) std::filesystem::remove(spare_path_, ignored);
    return false;
  }
  std::filesystem::rename(spare_path_, other_path_, ignored);
  return true;
}

bool HarFile::succeeded(bool done) {
  if (!done) fault_ = errno == 0 ? "an unknown fault" : std::generic_category().message(errno);
  return done;
}

void HarFile::fail(std::string_view why) {
  if (!process_.is_current()) return;
  const std::lock_guard lock(mutex_);
  if (fault_.empty()) fault_ = why;
}

std::optional<Error> HarFile::fault() const {
  if (!process_.is_current()) return std::nullopt;
  const std::lock_guard lock(mutex_);
  if (fault_.empty()) return std::nullopt;
  return Error(Errc::refused, fmt::format("the recording {} cannot be written: {}", wire::quoted_path(path_), fault_),
               "check the path, the permissions and the free space");
}

}}}  // namespace noun::testing
