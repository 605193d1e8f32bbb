#pragma once
/// @file
/// What private files and directories fail with, the same on every system.

#include <string>
#include <string_view>
#include <system_error>

#include <noun/error.hpp>

namespace noun { inline namespace v0 {

/// @{
/// With the code `resource`.
/// @param act  such as "read".
Error cannot(std::string_view act, std::string_view path, std::error_code cause);
Error no_folder_for(std::string_view path);
Error not_of_this_user_alone(std::string_view path);
/// @}
/// With `invalid_argument`: what stays so until somebody changes the directory or the program.
Error unfit_directory(std::string what, std::string_view advice);
/// One of both.
Error cannot_open_directory(const std::string& path, std::error_code cause);

}}  // namespace noun
