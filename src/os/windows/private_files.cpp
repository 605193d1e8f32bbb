#include "os/private_files.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include <windows.h>

#include <aclapi.h>
#include <fmt/format.h>
#include <sddl.h>

#include "os/files.hpp"
#include "os/private_file_errors.hpp"
#include "os/steady_now.hpp"
#include "system_files.hpp"
#include "wire/printable.hpp"

namespace noun { inline namespace v0 {
namespace {

/// A lock is held for as long as a few small files take.
constexpr Duration between_tries = std::chrono::milliseconds(1);

struct FreeLocal {
  void operator()(void* memory) const noexcept { ::LocalFree(memory); }
};

struct CloseSearch {
  void operator()(void* search) const noexcept { ::FindClose(search); }
};

/// The user of this process.
class User {
 public:
  User() {
    HANDLE opened = nullptr;
    if (::OpenProcessToken(::GetCurrentProcess(), TOKEN_QUERY, &opened) == 0) return;
    const Descriptor token(static_cast<int>(reinterpret_cast<std::intptr_t>(opened)));
    DWORD size = 0;
    ::GetTokenInformation(handle_of(token), TokenUser, nullptr, 0, &size);
    token_.resize(size);
    if (::GetTokenInformation(handle_of(token), TokenUser, token_.data(), size, &size) == 0) token_.clear();
  }
  /// Its id, or null.
  PSID id() const noexcept {
    return token_.empty() ? nullptr : reinterpret_cast<const TOKEN_USER*>(token_.data())->User.Sid;
  }

 private:
  std::vector<char> token_;
};

const User& this_user() {
  static const auto* user = new User;
  return *user;
}

/// Whether the system trusts it with every file.
bool is_trusted(PSID id) {
  return (this_user().id() != nullptr && ::EqualSid(id, this_user().id()) != 0) ||
         ::IsWellKnownSid(id, WinLocalSystemSid) != 0 || ::IsWellKnownSid(id, WinBuiltinAdministratorsSid) != 0 ||
         ::IsWellKnownSid(id, WinCreatorOwnerSid) != 0 || ::IsWellKnownSid(id, WinCreatorOwnerRightsSid) != 0;
}

/// Whether the list gives nobody but this user and the system the right to write.
bool lets_nobody_write(PACL list) {
  constexpr DWORD writing = FILE_WRITE_DATA | FILE_APPEND_DATA | FILE_DELETE_CHILD | DELETE | WRITE_DAC | WRITE_OWNER |
                            GENERIC_WRITE | GENERIC_ALL;
  if (list == nullptr) return false;
  for (DWORD i = 0; i < list->AceCount; ++i) {
    void* found = nullptr;
    if (::GetAce(list, i, &found) == 0) return false;
    auto* const entry = static_cast<ACCESS_ALLOWED_ACE*>(found);
    if (entry->Header.AceType == ACCESS_DENIED_ACE_TYPE || (entry->Header.AceFlags & INHERIT_ONLY_ACE) != 0) continue;
    // Whom one of another type means depends on a condition.
    if (entry->Header.AceType != ACCESS_ALLOWED_ACE_TYPE) return false;
    if ((entry->Mask & writing) != 0 && !is_trusted(&entry->SidStart)) return false;
  }
  return true;
}

/// Whether nobody but this user and the system can write to it.
bool is_private(const Descriptor& file) {
  PSID owner = nullptr;
  PACL list = nullptr;
  PSECURITY_DESCRIPTOR all = nullptr;
  if (::GetSecurityInfo(handle_of(file), SE_FILE_OBJECT, OWNER_SECURITY_INFORMATION | DACL_SECURITY_INFORMATION, &owner,
                        nullptr, &list, nullptr, &all) != ERROR_SUCCESS)
    return false;
  const std::unique_ptr<void, FreeLocal> freed(all);
  return owner != nullptr && is_trusted(owner) && lets_nobody_write(list);
}

/// The permissions of what this user alone may use, and what is made in it.
class ForThisUser {
 public:
  ForThisUser() {
    wchar_t* text = nullptr;
    if (this_user().id() == nullptr || ::ConvertSidToStringSidW(this_user().id(), &text) == 0) return;
    const std::unique_ptr<void, FreeLocal> freed(text);
    const auto rule = std::wstring(L"D:P(A;OICI;FA;;;") + text + L")";
    PSECURITY_DESCRIPTOR made = nullptr;
    ::ConvertStringSecurityDescriptorToSecurityDescriptorW(rule.c_str(), SDDL_REVISION_1, &made, nullptr);
    descriptor_.reset(made);
  }
  SECURITY_ATTRIBUTES attributes() const noexcept { return {sizeof(SECURITY_ATTRIBUTES), descriptor_.get(), FALSE}; }

 private:
  std::unique_ptr<void, FreeLocal> descriptor_;
};

SECURITY_ATTRIBUTES for_this_user() {
  static const auto* made = new ForThisUser;
  return made->attributes();
}

/// Opens a link, not what it leads to.
constexpr DWORD no_link = FILE_FLAG_OPEN_REPARSE_POINT;
/// Behind all bytes, so that others can read the file.
OVERLAPPED locked_place() noexcept {
  OVERLAPPED place{};
  place.OffsetHigh = 0x4000'0000;
  return place;
}

/// What the open file is; `special` if that cannot be found out.
FoundFile kind_of(const Descriptor& file) {
  BY_HANDLE_FILE_INFORMATION facts{};
  if (::GetFileType(handle_of(file)) != FILE_TYPE_DISK || ::GetFileInformationByHandle(handle_of(file), &facts) == 0)
    return FoundFile::special;
  if ((facts.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0) return FoundFile::link;
  if ((facts.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0) return FoundFile::directory;
  return is_private(file) ? FoundFile::own : FoundFile::foreign;
}

bool is_absent(std::error_code fault) noexcept { return fault == std::errc::no_such_file_or_directory; }

}  // namespace

FoundFile find_file(const std::string& path, std::error_code& cause) noexcept try {
  const auto file = open_handle(path, READ_CONTROL | FILE_READ_ATTRIBUTES, OPEN_EXISTING, nullptr, no_link);
  if (file) return kind_of(file);
  if (const auto fault = last_error(); !is_absent(fault)) cause = fault;
  return FoundFile::none;
} catch (const std::bad_alloc&) {
  cause = std::make_error_code(std::errc::not_enough_memory);
  return FoundFile::none;
}

std::error_code make_private_file(const std::string& path) noexcept try {
  auto owner = for_this_user();
  const auto made = open_handle(path, GENERIC_WRITE, CREATE_NEW, &owner);
  if (made) return {};
  const auto fault = last_error();
  return fault == std::errc::file_exists ? std::error_code() : fault;
} catch (const std::bad_alloc&) {
  return std::make_error_code(std::errc::not_enough_memory);
}

FileLock::~FileLock() {
  // Windows releases the lock of a closed handle only later.
  auto place = locked_place();
  if (file_) ::UnlockFileEx(handle_of(file_), 0, 1, 0, &place);
}

Result<PrivateDirectory> PrivateDirectory::open(const std::string& path, IfAbsent then) {
  constexpr DWORD access = FILE_LIST_DIRECTORY | READ_CONTROL | FILE_READ_ATTRIBUTES;
  // While it is open, no other directory takes its place.
  auto directory = open_handle(path, access, OPEN_EXISTING, nullptr, no_link, kept);
  auto fault = last_error();
  if (!directory && is_absent(fault) && then == IfAbsent::create) {
    auto owner = for_this_user();
    if (::CreateDirectoryW(WidePath(path).get(), &owner) != 0 || ::GetLastError() == ERROR_ALREADY_EXISTS)
      directory = open_handle(path, access, OPEN_EXISTING, nullptr, no_link, kept);
    fault = last_error();
    if (!directory && is_absent(fault))
      return no_folder_for(path);
  }
  if (!directory) return cannot_open_directory(path, fault);
  if (kind_of(directory) != FoundFile::directory)
    return cannot_open_directory(path, std::make_error_code(std::errc::not_a_directory));
  if (!is_private(directory))
    return unfit_directory(fmt::format("others may write to the directory {}", wire::quoted_path(path)),
                           "name a directory of this user, for example one in %LOCALAPPDATA%");
  return PrivateDirectory(path, std::move(directory));
}

Result<Descriptor> PrivateDirectory::open_file(const std::string& name, OpenMode mode) const {
  struct Way {
    DWORD access;
    DWORD disposition;
  };
  constexpr DWORD reading = READ_CONTROL | FILE_READ_ATTRIBUTES;
  const auto way = mode == OpenMode::read ? Way{GENERIC_READ, OPEN_EXISTING}
                   : mode == OpenMode::create ? Way{GENERIC_WRITE | reading, CREATE_NEW}
                                              : Way{GENERIC_READ | GENERIC_WRITE, OPEN_ALWAYS};
  auto owner = for_this_user();
  // A file that is locked stays where it is.
  const DWORD share = mode == OpenMode::share ? kept : all_shared;
  auto opened = open_handle(path_of(name), way.access, way.disposition, &owner, no_link, share);
  const auto fault = last_error();
  if (!opened && is_absent(fault) && mode == OpenMode::read) return opened;
  if (!opened) return cannot("open", path_of(name), fault);
  if (kind_of(opened) != FoundFile::own)
    return not_of_this_user_alone(path_of(name));
  return opened;
}

Result<std::optional<std::string>> PrivateDirectory::read(const std::string& name) const {
  const auto file = open_file(name, OpenMode::read);
  if (!file) return file.error();
  if (!*file) return std::optional<std::string>();
  LARGE_INTEGER size{};
  ::GetFileSizeEx(handle_of(*file), &size);
  std::string bytes(static_cast<std::size_t>(size.QuadPart), '\0');
  DWORD count = 0;
  if (::ReadFile(handle_of(*file), bytes.data(), static_cast<DWORD>(bytes.size()), &count, nullptr) == 0)
    return cannot("read", path_of(name), last_error());
  bytes.resize(count);
  return std::optional(std::move(bytes));
}

Result<void> PrivateDirectory::replace(const std::string& name, std::initializer_list<std::string_view> parts) const {
  std::random_device device;
  const auto next = fmt::format("{}.{:08x}{:08x}", name, device(), device());
  std::error_code fault;
  {
    const auto file = open_file(next, OpenMode::create);
    if (!file) return file.error();
    const bool is_written =
        std::all_of(parts.begin(), parts.end(), [&](std::string_view part) { return write_all(*file, part); });
    if (!is_written) fault = last_error();
  }
  if (!fault) fault = rename_file(path_of(next), path_of(name));
  if (!fault) return {};
  remove(next);
  return cannot("write", path_of(name), fault);
}

void PrivateDirectory::remove(const std::string& name) const noexcept { remove_file(path_of(name)); }

Result<FileLock> PrivateDirectory::lock(const std::string& name, Instant until) const {
  auto file = open_file(name, OpenMode::share);
  if (!file) return file.error();
  auto place = locked_place();
  while (::LockFileEx(handle_of(*file), LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &place) == 0) {
    if (::GetLastError() != ERROR_LOCK_VIOLATION) return cannot("lock", path_of(name), last_error());
    if (steady_now() >= until) return FileLock();
    std::this_thread::sleep_for(between_tries);
  }
  return FileLock(*std::move(file));
}

Result<std::vector<std::string>> PrivateDirectory::names() const {
  WIN32_FIND_DATAW entry{};
  const auto first = ::FindFirstFileW(WidePath(path_ + "/*").get(), &entry);
  if (first == INVALID_HANDLE_VALUE) return cannot("read the directory", path_, last_error());
  const std::unique_ptr<void, CloseSearch> search(first);
  std::vector<std::string> names;
  do names.push_back(narrow(entry.cFileName));
  while (::FindNextFileW(search.get(), &entry) != 0);
  if (::GetLastError() != ERROR_NO_MORE_FILES) return cannot("read the directory", path_, last_error());
  return names;
}

}}  // namespace noun
