#include "os/files.hpp"

#include <algorithm>

#include "system_files.hpp"

namespace noun { inline namespace v0 {
namespace {

std::error_code error_unless(bool done) noexcept { return done ? std::error_code() : last_error(); }

/// How often, and how many milliseconds apart, a file is renamed whose place another program has open: one that looks for
/// viruses has each new one.
constexpr int renames = 50;
constexpr DWORD between_renames = 10;

}  // namespace

File File::open(const std::string& path, std::error_code& fault) noexcept {
  File file;
  file.file_ = open_handle(path, GENERIC_READ, OPEN_EXISTING);
  fault = error_unless(static_cast<bool>(file));
  return file;
}

File File::create(const std::string& path, std::error_code& fault, const std::string&) noexcept {
  File file;
  file.file_ = open_handle(path, GENERIC_WRITE, CREATE_NEW);
  fault = error_unless(static_cast<bool>(file));
  return file;
}

std::optional<std::uint64_t> File::size(std::error_code& fault) const noexcept {
  BY_HANDLE_FILE_INFORMATION facts{};
  fault = {};
  if (::GetFileType(handle_of(file_)) != FILE_TYPE_DISK) return std::nullopt;
  fault = error_unless(::GetFileInformationByHandle(handle_of(file_), &facts) != 0);
  if (fault || (facts.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0) return std::nullopt;
  return std::uint64_t{facts.nFileSizeHigh} << 32U | facts.nFileSizeLow;
}

std::optional<std::size_t> File::read(std::span<char> bytes, std::error_code& fault) const noexcept {
  constexpr std::size_t at_once = 1U << 30U;
  DWORD count = 0;
  fault = error_unless(::ReadFile(handle_of(file_), bytes.data(), static_cast<DWORD>(std::min(bytes.size(), at_once)),
                                  &count, nullptr) != 0);
  if (fault) return std::nullopt;
  return count;
}

std::error_code File::write(std::string_view bytes) const noexcept { return error_unless(write_all(file_, bytes)); }

std::error_code File::truncate() const noexcept {
  return error_unless(::SetFilePointerEx(handle_of(file_), {}, nullptr, FILE_BEGIN) != 0 &&
                      ::SetEndOfFile(handle_of(file_)) != 0);
}

std::error_code File::close_durably() noexcept {
  // Some file systems have no way to do it.
  const bool is_durable = ::FlushFileBuffers(handle_of(file_)) != 0 || ::GetLastError() == ERROR_INVALID_FUNCTION ||
                          ::GetLastError() == ERROR_NOT_SUPPORTED;
  const auto fault = error_unless(is_durable);
  file_ = Descriptor();
  return fault;
}

std::size_t folder_size(std::string_view path) noexcept { return path.find_last_of("/\\:") + 1; }

PathKind kind_of(const std::string& path) noexcept {
  const auto opened = open_handle(path, FILE_READ_ATTRIBUTES, OPEN_EXISTING);
  const DWORD type = opened ? ::GetFileType(handle_of(opened)) : FILE_TYPE_UNKNOWN;
  if (type == FILE_TYPE_CHAR || type == FILE_TYPE_PIPE) return PathKind::special;
  const DWORD attributes = ::GetFileAttributesW(WidePath(path).get());
  if (attributes == INVALID_FILE_ATTRIBUTES) return PathKind::none;
  return (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0 ? PathKind::directory : PathKind::file;
}

std::error_code rename_file(const std::string& from, const std::string& to) noexcept {
  const WidePath old(from);
  const WidePath next(to);
  for (int left = renames; ::MoveFileExW(old.get(), next.get(), MOVEFILE_REPLACE_EXISTING) == 0; ::Sleep(between_renames)) {
    const DWORD error = ::GetLastError();
    const bool is_in_use = error == ERROR_ACCESS_DENIED || error == ERROR_SHARING_VIOLATION;
    if (!is_in_use || --left == 0 || kind_of(to) == PathKind::directory) return file_error(error);
  }
  return {};
}

void remove_file(const std::string& path) noexcept { ::DeleteFileW(WidePath(path).get()); }

FileVersion file_version(const std::string& path) noexcept {
  const auto file = open_handle(path, FILE_READ_ATTRIBUTES, OPEN_EXISTING);
  BY_HANDLE_FILE_INFORMATION facts{};
  if (!file || ::GetFileInformationByHandle(handle_of(file), &facts) == 0) return {};
  const auto joined = [](DWORD high, DWORD low) { return static_cast<std::int64_t>(std::uint64_t{high} << 32U | low); };
  return {facts.dwVolumeSerialNumber, joined(facts.nFileIndexHigh, facts.nFileIndexLow),
          joined(facts.ftLastWriteTime.dwHighDateTime, facts.ftLastWriteTime.dwLowDateTime),
          joined(facts.nFileSizeHigh, facts.nFileSizeLow)};
}

}}  // namespace noun
