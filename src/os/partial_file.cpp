#include "os/partial_file.hpp"

#include <random>
#include <utility>

#include <fmt/format.h>

#include "wire/printable.hpp"

namespace noun { inline namespace v0 {
namespace {

constexpr std::string_view check_folder = "check the path, the permissions and the free space";

/// The random name of a temporary file in the folder of `path`. Short, so that a long name stays possible.
std::string temporary_name(const std::string& path) {
  std::random_device device;
  return fmt::format("{}.noun-{:08x}{:08x}.part", path.substr(0, folder_size(path)), device(), device());
}

}  // namespace

PartialFile::~PartialFile() {
  file_ = File();
  if (!temporary_.empty()) remove_file(temporary_);
}

Result<void> PartialFile::unless_failed(std::string_view what, std::error_code fault) const {
  if (!fault) return {};
  return Error(Errc::resource, fmt::format("cannot {} {}: {}", what, wire::quoted_path(path_), fault.message()),
               check_folder, Sent::maybe);
}

Result<void> PartialFile::open() {
  const bool is_name = folder_size(path_) < path_.size() && path_.find('\0') == std::string::npos;
  const auto found = is_name ? kind_of(path_) : PathKind::none;
  if (!is_name || found == PathKind::directory)
    return Error(Errc::invalid_argument, fmt::format("{} does not name a file", wire::quoted_path(path_)),
                 "name the file to write, with its folder");
  if (found == PathKind::special)
    return Error(Errc::invalid_argument, fmt::format("{} is not a regular file", wire::quoted_path(path_)),
                 "download to a function that writes the bytes there");
  std::error_code fault;
  for (int tries = 0; tries < 16; ++tries) {
    auto name = temporary_name(path_);
    file_ = File::create(name, fault, path_);
    if (file_) temporary_ = std::move(name);
    if (fault != std::errc::file_exists) break;
  }
  if (file_) return {};
  return Error(Errc::invalid_argument,
               fmt::format("cannot make a file beside {}: {}", wire::quoted_path(path_), fault.message()),
               check_folder);
}

Result<void> PartialFile::write(std::string_view bytes) { return unless_failed("write", file_.write(bytes)); }

Result<void> PartialFile::restart() { return unless_failed("empty", file_.truncate()); }

Result<void> PartialFile::commit() {
  if (auto written = unless_failed("write", file_.close_durably()); !written) return written;
  auto renamed = unless_failed("rename a file to", rename_file(temporary_, path_));
  if (renamed) temporary_.clear();
  return renamed;
}

}}  // namespace noun
