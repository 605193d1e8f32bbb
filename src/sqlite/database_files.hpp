#pragma once
/// @file
/// The files of an SQLite database, by the name of the first. SQLite uses those that are there, whoever made them.

#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include <noun/error.hpp>

namespace noun { inline namespace v0 { namespace sqlite {

/// Makes the database, an empty file of this user alone, unless there is one.
std::optional<Error> make_database_file(const std::string& path);
/// Why they must not be used, with `invalid_argument`: the database or a file beside it (-wal, -shm, -journal) is not a
/// regular file, belongs to another user, or others may write to it.
std::optional<Error> fault_of_database_files(const std::string& path);

/// @{
/// The error for a file that cannot be a cache, and for one that cannot be opened.
Error unfit(const std::string& path, std::string_view is, std::string_view advice);
Error cannot_open(const std::string& path, std::error_code cause);
/// @}

}}}  // namespace noun::sqlite
