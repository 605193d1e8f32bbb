#include "system_files.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <new>

namespace noun { inline namespace v0 {
namespace {

struct Failure {
  DWORD error;
  std::errc meaning;
};
constexpr std::array failures{
    Failure{ERROR_FILE_NOT_FOUND, std::errc::no_such_file_or_directory},
    Failure{ERROR_PATH_NOT_FOUND, std::errc::no_such_file_or_directory},
    Failure{ERROR_INVALID_NAME, std::errc::invalid_argument},
    Failure{ERROR_BAD_NETPATH, std::errc::io_error},
    Failure{ERROR_ACCESS_DENIED, std::errc::permission_denied},
    Failure{ERROR_SHARING_VIOLATION, std::errc::device_or_resource_busy},
    Failure{ERROR_LOCK_VIOLATION, std::errc::device_or_resource_busy},
    Failure{ERROR_FILE_EXISTS, std::errc::file_exists},
    Failure{ERROR_ALREADY_EXISTS, std::errc::file_exists},
    Failure{ERROR_TOO_MANY_OPEN_FILES, std::errc::too_many_files_open},
    Failure{ERROR_NOT_ENOUGH_MEMORY, std::errc::not_enough_memory},
    Failure{ERROR_OUTOFMEMORY, std::errc::not_enough_memory},
    Failure{ERROR_DISK_FULL, std::errc::no_space_on_device},
    Failure{ERROR_HANDLE_DISK_FULL, std::errc::no_space_on_device},
    Failure{ERROR_WRITE_PROTECT, std::errc::read_only_file_system},
    Failure{ERROR_DIRECTORY, std::errc::not_a_directory},
    Failure{ERROR_FILENAME_EXCED_RANGE, std::errc::filename_too_long},
    Failure{ERROR_INVALID_PARAMETER, std::errc::invalid_argument},
};

}  // namespace

void close_file(int descriptor) noexcept { ::CloseHandle(reinterpret_cast<HANDLE>(std::intptr_t{descriptor})); }

WidePath::WidePath(std::string_view path) noexcept {
  if (path.empty() || path.size() > std::size_t{std::numeric_limits<int>::max()}) return;
  const auto size = static_cast<int>(path.size());
  const int wide = ::MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path.data(), size, nullptr, 0);
  if (wide <= 0) return;
  text_.reset(new (std::nothrow) wchar_t[static_cast<std::size_t>(wide) + 1]());
  if (text_) ::MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path.data(), size, text_.get(), wide);
}

std::string narrow(const wchar_t* text) {
  const int size = ::WideCharToMultiByte(CP_UTF8, 0, text, -1, nullptr, 0, nullptr, nullptr);
  if (size <= 1) return {};
  std::string narrow(static_cast<std::size_t>(size) - 1, '\0');
  ::WideCharToMultiByte(CP_UTF8, 0, text, -1, narrow.data(), size, nullptr, nullptr);
  return narrow;
}

std::error_code file_error(DWORD error) noexcept {
  const auto known = std::find_if(failures.begin(), failures.end(), [=](const Failure& one) { return one.error == error; });
  return std::make_error_code(known == failures.end() ? std::errc::io_error : known->meaning);
}

Descriptor open_handle(const std::string& path, DWORD access, DWORD disposition, SECURITY_ATTRIBUTES* as,
                       DWORD flags, DWORD share) noexcept {
  constexpr int tries = 50;
  constexpr DWORD between = 10;
  const WidePath wide(path);
  for (int left = tries;; ::Sleep(between)) {
    const auto handle = ::CreateFileW(wide.get(), access, share, as, disposition, FILE_FLAG_BACKUP_SEMANTICS | flags,
                                      nullptr);
    if (handle != INVALID_HANDLE_VALUE || ::GetLastError() != ERROR_SHARING_VIOLATION || --left == 0)
      return Descriptor(static_cast<int>(reinterpret_cast<std::intptr_t>(handle)));
  }
}

bool write_all(const Descriptor& file, std::string_view bytes) noexcept {
  constexpr std::size_t at_once = 1U << 20U;
  while (!bytes.empty()) {
    DWORD count = 0;
    if (::WriteFile(handle_of(file), bytes.data(), static_cast<DWORD>(std::min(bytes.size(), at_once)), &count,
                    nullptr) == 0)
      return false;
    bytes.remove_prefix(count);
  }
  return true;
}

}}  // namespace noun
