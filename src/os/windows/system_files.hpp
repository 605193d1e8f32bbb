#pragma once
/// @file
/// What the sources of files in this room share. A handle has 32 bits of meaning, so that it is its own descriptor.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>

#include <windows.h>

#include "os/descriptor.hpp"

namespace noun { inline namespace v0 {

inline HANDLE handle_of(const Descriptor& file) noexcept {
  return reinterpret_cast<HANDLE>(static_cast<std::intptr_t>(*file));
}

/// A path in UTF-16; empty, which names no file, for what is no UTF-8 and without memory.
class WidePath {
 public:
  explicit WidePath(std::string_view path) noexcept;
  const wchar_t* get() const noexcept { return text_ ? text_.get() : L""; }

 private:
  std::unique_ptr<wchar_t[]> text_;
};
/// A name that the system returned, in UTF-8.
std::string narrow(const wchar_t* text);

/// @{
/// An error, or that of the last function, by the number that other systems have for it.
std::error_code file_error(DWORD error) noexcept;
inline std::error_code last_error() noexcept { return file_error(::GetLastError()); }
/// @}
/// @{
/// What others may do while a file is open: everything; or neither remove nor rename it.
constexpr DWORD all_shared = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
constexpr DWORD kept = FILE_SHARE_READ | FILE_SHARE_WRITE;
/// @}
/// As CreateFileW(), also of a directory. Waits for up to half a second for another program that has the file to itself:
/// one that looks for viruses has each new one.
/// @param as  null for the permissions that the directory gives.
Descriptor open_handle(const std::string& path, DWORD access, DWORD disposition, SECURITY_ATTRIBUTES* as = nullptr,
                       DWORD flags = 0, DWORD share = all_shared) noexcept;
/// Writes all bytes. Returns false after an error.
bool write_all(const Descriptor& file, std::string_view bytes) noexcept;

}}  // namespace noun
