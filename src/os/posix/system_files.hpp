#pragma once
/// @file
/// What the sources of files in this room share.

#include <cerrno>
#include <string_view>
#include <system_error>

#include <unistd.h>

#include <noun/version.hpp>

namespace noun { inline namespace v0 {

inline std::error_code last_error() noexcept { return {errno, std::generic_category()}; }

/// Writes all bytes to an open file. Returns false after an error, which is in errno.
inline bool write_all(int file, std::string_view bytes) noexcept {
  while (!bytes.empty()) {
    const auto count = ::write(file, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

}}  // namespace noun
