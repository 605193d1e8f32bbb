#include "sqlite/database_files.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "os/private_files.hpp"
#include "wire/printable.hpp"

namespace noun { inline namespace v0 { namespace sqlite {

Error unfit(const std::string& path, std::string_view is, std::string_view advice) {
  return Error(Errc::invalid_argument, fmt::format("the cache {} {}", wire::quoted_path(path), is), advice);
}

Error cannot_open(const std::string& path, std::error_code cause) {
  const auto lasting = {std::errc::permission_denied, std::errc::not_a_directory, std::errc::filename_too_long,
                        std::errc::too_many_symbolic_link_levels, std::errc::no_such_file_or_directory};
  const bool lasts = std::any_of(lasting.begin(), lasting.end(), [&](std::errc one) { return cause == one; });
  return Error(lasts ? Errc::invalid_argument : Errc::resource,
               fmt::format("cannot open the cache {}: {}", wire::quoted_path(path), cause.message()),
               "check the directory, its permissions and the free space");
}

std::optional<Error> make_database_file(const std::string& path) {
  std::error_code cause;
  // SQLite gives the files beside it the same mode.
  if (find_file(path, cause) == FoundFile::none && !cause) cause = make_private_file(path);
  if (cause) return cannot_open(path, cause);
  return std::nullopt;
}

std::optional<Error> fault_of_database_files(const std::string& path) {
  std::error_code cause;
  switch (find_file(path, cause)) {
    case FoundFile::none:
    case FoundFile::own: break;
    case FoundFile::link: return unfit(path, "is a symbolic link", "name the file itself");
    case FoundFile::directory: return unfit(path, "is a directory", "name a file in it");
    case FoundFile::special: return unfit(path, "is not a regular file", "name another file");
    case FoundFile::foreign:
      return unfit(path, "belongs to another user, or other users may write to it",
                   "name a file of this user, to which no other may write");
  }
  for (const auto* suffix : {"-wal", "-shm", "-journal"}) {
    const auto found = find_file(path + suffix, cause);
    if (found != FoundFile::none && found != FoundFile::own)
      return unfit(path + suffix, "is not a file of this user alone",
                   "remove it while no program uses it, or name a file in a directory of this user alone");
  }
  if (cause) return cannot_open(path, cause);
  return std::nullopt;
}

}}}  // namespace noun::sqlite
