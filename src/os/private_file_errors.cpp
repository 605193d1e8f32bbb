#include "os/private_file_errors.hpp"

#include <utility>

#include <fmt/format.h>

#include "os/private_files.hpp"
#include "wire/printable.hpp"

namespace noun { inline namespace v0 {

Error cannot(std::string_view act, std::string_view path, std::error_code cause) {
  return Error(Errc::resource, fmt::format("cannot {} {}: {}", act, wire::quoted_path(path), cause.message()),
               "check the directory, its permissions and the free space");
}

Error no_folder_for(std::string_view path) {
  return Error(Errc::resource, fmt::format("the folder of {} does not exist", wire::quoted_path(path)),
               "create it; noun creates only the directory itself");
}

Error not_of_this_user_alone(std::string_view path) {
  return Error(Errc::resource, fmt::format("{} is not a file of this user alone", wire::quoted_path(path)),
               "remove it");
}

Error unfit_directory(std::string what, std::string_view advice) {
  return Error(Errc::invalid_argument, std::move(what), advice);
}

Error cannot_open_directory(const std::string& path, std::error_code cause) {
  std::error_code unknown;
  if (find_file(path, unknown) == FoundFile::link)
    return unfit_directory(fmt::format("{} is a symbolic link", wire::quoted_path(path)), "name the directory itself");
  auto fault = cannot("open the directory", path, cause);
  const bool stays = cause == std::errc::permission_denied || cause == std::errc::not_a_directory ||
                     cause == std::errc::filename_too_long;
  return stays ? unfit_directory(fault.what(), fault.advice()) : fault;
}

}}  // namespace noun
