#include "stores/file_store.hpp"

#include <noun/file_ledger.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <string_view>
#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "os/steady_now.hpp"
#include "stores/sharing_rules.hpp"
#include "wire/printable.hpp"

namespace noun { inline namespace v0 {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view lock_suffix = ".lock";

/// What a file starts with; the stored bytes follow. The checksum is that of both, with a checksum of 0.
struct FileHead {
  std::array<char, 12> magic{'n', 'o', 'u', 'n', ' ', 'q', 'u', 'o', 't', 'a', '\n', '\0'};
  std::uint32_t format = 1;
  std::uint64_t version = 0;
  std::uint64_t size = 0;
  std::array<char, 36> boot{};
  std::uint32_t checksum = 0;
};
static_assert(std::has_unique_object_representations_v<FileHead>);

std::uint32_t checksum_of(FileHead head, std::string_view bytes) {
  const auto add = [](uLong sum, const void* data, std::size_t size) {
    return ::crc32_z(sum, static_cast<const Bytef*>(data), size);
  };
  head.checksum = 0;
  return static_cast<std::uint32_t>(add(add(0, &head, sizeof head), bytes.data(), bytes.size()));
}

Duration time_since_boot() noexcept {
  timespec time{};
  ::clock_gettime(CLOCK_BOOTTIME, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

Error store_error(std::string what, std::string_view advice) { return Error(Errc::resource, std::move(what), advice); }

std::string quoted_path(std::string_view path) { return fmt::format("\"{}\"", wire::printable_excerpt(path, 200)); }

Error cannot(std::string_view act, std::string_view path, int error) {
  return store_error(fmt::format("cannot {} {}: {}", act, quoted_path(path), std::generic_category().message(error)),
                     "check the directory, its permissions and the free space");
}

/// What stays so until somebody changes the directory or the program.
Error unfit_directory(std::string what, std::string_view advice) {
  return Error(Errc::invalid_argument, std::move(what), advice);
}

Error cannot_open_directory(const std::string& path, int error) {
  struct stat facts {};
  if (::lstat(path.c_str(), &facts) == 0 && S_ISLNK(facts.st_mode))
    return unfit_directory(fmt::format("{} is a symbolic link", quoted_path(path)), "name the directory itself");
  auto fault = cannot("open the directory", path, error);
  if (error != EACCES && error != ENOTDIR && error != ENAMETOOLONG) return fault;
  return unfit_directory(fault.what(), fault.advice());
}

/// Whether nobody but this user and root can write to it.
bool is_private(const struct stat& facts) {
  return facts.st_uid == ::geteuid() && (facts.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

bool write_all(int file, std::string_view bytes) noexcept {
  while (!bytes.empty()) {
    const auto count = ::write(file, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

/// Returns false after an error; at the end of the file `bytes` gets shorter.
bool read_all(int file, std::string& bytes) noexcept {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const auto count = ::read(file, bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    if (count == 0) break;
    done += static_cast<std::size_t>(count);
  }
  bytes.resize(done);
  return true;
}

struct CloseEntries {
  void operator()(DIR* entries) const noexcept { ::closedir(entries); }
};

/// Calls `use` with the name of each entry of a directory. Returns false if it cannot be read.
template <class Use>
bool for_each_entry(int directory, Use use) {
  const int copy = ::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, CloseEntries> entries(copy < 0 ? nullptr : ::fdopendir(copy));
  if (!entries) {
    if (copy >= 0) ::close(copy);
    return false;
  }
  while (const auto* entry = ::readdir(entries.get())) use(static_cast<const char*>(entry->d_name));
  return true;
}

/// Removes what killed processes left behind. Only who holds the lock of the key makes such files.
void sweep(int directory, const std::string& key) noexcept {
  for_each_entry(directory, [&](const char* file) {
    std::string_view name = file;
    if (!name.starts_with(key)) return;
    name.remove_prefix(key.size());
    if (name.starts_with('.') && name != lock_suffix) ::unlinkat(directory, file, 0);
  });
}

/// Releases a lock also from the copies of the descriptor that a fork() of another thread has made.
class UnlockAtEnd {
 public:
  explicit UnlockAtEnd(int file) noexcept : file_(file) {}
  UnlockAtEnd(const UnlockAtEnd&) = delete;
  UnlockAtEnd& operator=(const UnlockAtEnd&) = delete;
  ~UnlockAtEnd() { ::flock(file_, LOCK_UN); }

 private:
  int file_;
};

}  // namespace

std::string current_boot() {
  std::string id;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> id;
  return id.size() == FileHead{}.boot.size() ? id : "";
}

FileStore::FileStore(std::string directory, Duration slow_after, std::string boot)
    : directory_(std::move(directory)), slow_after_(slow_after), boot_(std::move(boot)) {}

Result<Descriptor> FileStore::open_directory(IfAbsent then) const {
  if (boot_.empty())
    return store_error("cannot read /proc/sys/kernel/random/boot_id", "mount /proc, or use another ledger");
  constexpr int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  Descriptor directory(::open(directory_.c_str(), flags));
  if (!directory && errno == ENOENT && then == IfAbsent::create &&
      (::mkdir(directory_.c_str(), 0700) == 0 || errno == EEXIST))
    directory = Descriptor(::open(directory_.c_str(), flags));
  if (!directory && errno == ENOENT && then == IfAbsent::create)
    return store_error(fmt::format("the folder of {} does not exist", quoted_path(directory_)),
                       "create it; noun creates only the directory itself");
  if (!directory) return cannot_open_directory(directory_, errno);
  struct stat facts {};
  if (::fstat(*directory, &facts) != 0) return cannot("open the directory", directory_, errno);
  if (facts.st_uid != ::geteuid())
    return unfit_directory(fmt::format("the directory {} belongs to another user", quoted_path(directory_)),
                           "name a directory of this user, or run the program as that user");
  if (!is_private(facts))
    return unfit_directory(fmt::format("others may write to the directory {}", quoted_path(directory_)),
                           (facts.st_mode & S_ISVTX) != 0 ? "name a directory of this user, for example one in it"
                                                          : "run chmod go-w on it");
  return directory;
}

std::optional<Error> FileStore::fault_of_directory() const {
  const auto directory = open_directory(IfAbsent::fail);
  if (directory || directory.error().code() != Errc::invalid_argument) return std::nullopt;
  return directory.error();
}

Result<Descriptor> FileStore::open_file(const Descriptor& directory, const std::string& file, int flags) const {
  // A FIFO would block without O_NONBLOCK.
  Descriptor opened(::openat(*directory, file.c_str(), flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600));
  struct stat facts {};
  if (!opened && errno == ENOENT && (flags & O_CREAT) == 0) return opened;
  if (!opened || ::fstat(*opened, &facts) != 0) return cannot("open", path_of(file), errno);
  if (!S_ISREG(facts.st_mode) || !is_private(facts))
    return store_error(fmt::format("{} is not a file of this user alone", quoted_path(path_of(file))), "remove it");
  return opened;
}

Result<QuotaStore::Stored> FileStore::load(const Descriptor& directory, const std::string& key) const {
  const Stored nothing{.time = time_since_boot()};
  const auto file = open_file(directory, key, O_RDONLY);
  if (!file) return file.error();
  if (!*file) return nothing;
  struct stat facts {};
  ::fstat(**file, &facts);
  std::string bytes(static_cast<std::size_t>(facts.st_size), '\0');
  if (!read_all(**file, bytes)) return cannot("read", path_of(key), errno);

  // After a power failure a file can be empty, or have zeros only.
  if (bytes.find_first_not_of('\0') == std::string::npos) return nothing;
  const auto damaged = [&] {
    return store_error(fmt::format("the file {} is damaged", quoted_path(path_of(key))),
                       "remove it; the quota is known again after the next response");
  };
  FileHead head;
  if (bytes.size() < sizeof head) return damaged();
  std::memcpy(&head, bytes.data(), sizeof head);
  if (head.magic != FileHead{}.magic) return damaged();
  if (head.format != FileHead{}.format)
    return store_error(fmt::format("the file {} has format {}, which this version of noun does not know",
                                   quoted_path(path_of(key)), head.format),
                       "set another SharingOptions::prefix, or use one version of noun");
  if (std::string_view(head.boot.data(), head.boot.size()) != boot_) return nothing;
  bytes.erase(0, sizeof head);
  if (head.size != bytes.size() || head.checksum != checksum_of(head, bytes)) return damaged();
  return Stored{.version = head.version, .bytes = std::move(bytes), .time = time_since_boot()};
}

Result<void> FileStore::replace(const Descriptor& directory, const std::string& key, std::uint64_t version,
                                const std::string& bytes) const {
  FileHead head;
  head.version = version;
  head.size = bytes.size();
  std::copy_n(boot_.data(), std::min(boot_.size(), head.boot.size()), head.boot.data());
  head.checksum = checksum_of(head, bytes);
  std::random_device device;
  const auto next = fmt::format("{}.{:08x}{:08x}", key, device(), device());
  const auto file = open_file(directory, next, O_WRONLY | O_CREAT | O_EXCL);
  if (!file) return file.error();
  // Not durable: after a power failure it would not be believed anyway.
  if (write_all(**file, {reinterpret_cast<const char*>(&head), sizeof head}) && write_all(**file, bytes) &&
      ::renameat(*directory, next.c_str(), *directory, key.c_str()) == 0)
    return {};
  const int error = errno;
  ::unlinkat(*directory, next.c_str(), 0);
  return cannot("write", path_of(key), error);
}

Result<Descriptor> FileStore::lock(const Descriptor& directory, const std::string& key) const {
  const auto name = key + std::string(lock_suffix);
  const auto end = steady_now() + slow_after_;
  for (;;) {
    auto file = open_file(directory, name, O_RDWR | O_CREAT);
    if (!file) return file;
    while (::flock(**file, LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK && errno != EINTR) return cannot("lock", path_of(name), errno);
      if (steady_now() >= end)
        return store_error(fmt::format("another process has held the lock {} for {} ms", quoted_path(path_of(name)),
                                       std::chrono::ceil<std::chrono::milliseconds>(slow_after_).count()),
                           "end it if it hangs, or raise SharingOptions::slow_after");
      std::this_thread::sleep_for(100us);
    }
    struct stat facts {};
    // If it was removed meanwhile, others lock its successor.
    if (::fstat(**file, &facts) == 0 && facts.st_nlink > 0) return file;
  }
}

Result<QuotaStore::Stored> FileStore::read(const std::string& key) {
  if (auto fault = fault_of_key(key)) return *fault;
  const auto directory = open_directory();
  if (!directory) return directory.error();
  return load(*directory, key);
}

Result<QuotaStore::Swapped> FileStore::compare_and_swap(const std::string& key, std::uint64_t version,
                                                        const std::string& bytes) {
  if (auto fault = fault_of_key(key)) return *fault;
  const auto directory = open_directory();
  if (!directory) return directory.error();
  const auto locked = lock(*directory, key);
  if (!locked) return locked.error();
  const UnlockAtEnd unlock(**locked);
  if (swept_.insert(key).second) sweep(**directory, key);
  auto before = load(*directory, key);
  if (!before) return before.error();
  if (before->version != version) return Swapped{.swapped = false, .stored = *std::move(before)};
  // The time keeps versions from being repeated after the file was removed.
  const auto next = std::max(version + 1, static_cast<std::uint64_t>(before->time.count()));
  if (auto done = replace(*directory, key, next, bytes); !done) return done.error();
  return Swapped{.swapped = true, .stored = {.version = next, .time = before->time}};
}

Result<std::vector<std::string>> FileStore::wait_for_change(const std::vector<Watched>& watched, Instant until) {
  for (;;) {
    auto changed = changed_of(watched);
    if (!changed || interrupt_.take() || !changed->empty() || !sleep(watched, until)) return changed;
  }
}

Result<std::vector<std::string>> FileStore::keys(const std::string& prefix) {
  const auto directory = open_directory(IfAbsent::fail);
  if (!directory) return directory.error();
  std::vector<std::string> found;
  const bool is_read = for_each_entry(**directory, [&](std::string_view name) {
    // A lock or a file that was not renamed yet has a point in its name.
    if (name.starts_with(prefix) && !fault_of_key(name)) found.emplace_back(name);
  });
  if (!is_read) return cannot("read the directory", directory_, errno);
  std::sort(found.begin(), found.end());
  return found;
}

Result<std::vector<std::string>> FileStore::changed_of(const std::vector<Watched>& watched) {
  // The directory is made when it is needed.
  if (watched.empty()) return std::vector<std::string>{};
  // Not open during the sleep: the end of a directory that is open somewhere is not reported.
  const auto directory = open_directory();
  if (!directory) return directory.error();
  // First, so that a change after the reading is reported.
  changes_.watch(directory_);
  std::vector<std::string> changed;
  for (const auto& [key, version] : watched) {
    if (auto fault = fault_of_key(key)) return *fault;
    const auto stored = load(*directory, key);
    if (!stored) return stored.error();
    if (stored->version != version) changed.push_back(key);
  }
  return changed;
}

/// Sleeps until a watched file may have changed or an interrupt. Returns false at `until`.
bool FileStore::sleep(const std::vector<Watched>& watched, Instant until) {
  const int changes = changes_.descriptor();
  const bool blind = changes < 0 && !watched.empty();
  const auto is_watched = [&](std::string_view name) {
    return std::any_of(watched.begin(), watched.end(), [&](const auto& one) { return one.key == name; });
  };
  while (interrupt_.sleep(changes, until, blind ? 10ms : 1h))
    if (blind || interrupt_.is_raised() || changes_.take(is_watched)) return true;
  return false;
}

Result<std::unique_ptr<QuotaStore>> file_store(const std::string& directory, const SharingOptions& options) {
  if (directory.find("://") != std::string::npos)
    return Error(Errc::invalid_argument, "the directory for quotas is a URL",
                 "use noun::redis_ledger(), or name a directory");
  std::error_code fault;
  auto path = std::filesystem::absolute(directory, fault).string();
  // A link with a slash at its end would be followed.
  path.erase(path.find_last_not_of('/') + 1);
  if (fault || directory.empty() || path.empty() || path.find('\0') != std::string::npos)
    return Error(Errc::invalid_argument, fmt::format("{} does not name a directory for quotas", quoted_path(directory)),
                 "name a directory of this user");
  auto store = std::make_unique<FileStore>(std::move(path), options.slow_after);
  if (auto unfit = store->fault_of_directory()) return *std::move(unfit);
  return std::unique_ptr<QuotaStore>(std::move(store));
}

Result<std::shared_ptr<QuotaLedger>> file_ledger(const std::string& directory, const SharingOptions& options) {
  auto store = file_store(directory, options);
  if (!store) return store.error();
  return shared_ledger(*std::move(store), options);
}

}}  // namespace noun
