#include "stores/file_store.hpp"

#include <noun/file_ledger.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>

#include <fmt/format.h>
#include <zlib.h>

#include "os/boot.hpp"
#include "os/steady_now.hpp"
#include "stores/sharing_rules.hpp"
#include "wire/printable.hpp"

namespace noun { inline namespace v0 {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view lock_suffix = ".lock";

/// What a file starts with, in this machine's byte order: the id of its boot keeps it here. The stored bytes follow. The
/// checksum is that of both, with a checksum of 0.
struct FileHead {
  std::array<char, 12> magic{'n', 'o', 'u', 'n', ' ', 'q', 'u', 'o', 't', 'a', '\n', '\0'};
  std::uint32_t format = 1;
  std::uint64_t version = 0;
  std::uint64_t size = 0;
  std::array<char, boot_id_size> boot{};
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

Error store_error(std::string what, std::string_view advice) { return Error(Errc::resource, std::move(what), advice); }

/// Removes what killed processes left behind. Only who holds the lock of the key makes such files.
void sweep(const PrivateDirectory& directory, const std::string& key) {
  const auto names = directory.names();
  if (!names) return;
  const auto start = key + '.';
  const auto lock = key + std::string(lock_suffix);
  for (const auto& name : *names)
    if (name.starts_with(start) && name != lock) directory.remove(name);
}

}  // namespace

FileStore::FileStore(std::string directory, Duration slow_after, Result<std::string> boot)
    : directory_(std::move(directory)), slow_after_(slow_after), boot_(std::move(boot)) {}

Result<PrivateDirectory> FileStore::open_directory(PrivateDirectory::IfAbsent then) const {
  if (!boot_) return boot_.error();
  return PrivateDirectory::open(directory_, then);
}

std::optional<Error> FileStore::fault_of_directory() const {
  const auto directory = open_directory(PrivateDirectory::IfAbsent::fail);
  if (directory || directory.error().code() != Errc::invalid_argument) return std::nullopt;
  return directory.error();
}

Result<QuotaStore::Stored> FileStore::load(const PrivateDirectory& directory, const std::string& key) const {
  const Stored nothing{.time = time_since_boot()};
  auto read = directory.read(key);
  if (!read) return read.error();
  if (!*read) return nothing;
  auto bytes = **std::move(read);

  // After a power failure a file can be empty, or have zeros only.
  if (bytes.find_first_not_of('\0') == std::string::npos) return nothing;
  const auto damaged = [&] {
    return store_error(fmt::format("the file {} is damaged", wire::quoted_path(path_of(key))),
                       "remove it; the quota is known again after the next response");
  };
  FileHead head;
  if (bytes.size() < sizeof head) return damaged();
  std::memcpy(&head, bytes.data(), sizeof head);
  if (head.magic != FileHead{}.magic) return damaged();
  if (head.format != FileHead{}.format)
    return store_error(fmt::format("the file {} has format {}, which this version of noun does not know",
                                   wire::quoted_path(path_of(key)), head.format),
                       "set another SharingOptions::prefix, or use one version of noun");
  if (std::string_view(head.boot.data(), head.boot.size()) != *boot_) return nothing;
  bytes.erase(0, sizeof head);
  if (head.size != bytes.size() || head.checksum != checksum_of(head, bytes)) return damaged();
  return Stored{.version = head.version, .bytes = std::move(bytes), .time = time_since_boot()};
}

Result<void> FileStore::replace(const PrivateDirectory& directory, const std::string& key, std::uint64_t version,
                                const std::string& bytes) const {
  FileHead head;
  head.version = version;
  head.size = bytes.size();
  std::copy_n(boot_->data(), std::min(boot_->size(), head.boot.size()), head.boot.data());
  head.checksum = checksum_of(head, bytes);
  // Not durable: after a power failure it would not be believed anyway.
  return directory.replace(key, {{reinterpret_cast<const char*>(&head), sizeof head}, bytes});
}

Result<FileLock> FileStore::lock(const PrivateDirectory& directory, const std::string& key) const {
  const auto name = key + std::string(lock_suffix);
  auto locked = directory.lock(name, steady_now() + slow_after_);
  if (!locked || *locked) return locked;
  return store_error(fmt::format("another process has held the lock {} for {} ms", wire::quoted_path(path_of(name)),
                                 std::chrono::ceil<std::chrono::milliseconds>(slow_after_).count()),
                     "end it if it hangs, or raise SharingOptions::slow_after");
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
  if (!swept_.contains(key)) {
    sweep(*directory, key);
    swept_.insert(key);
  }
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
  const auto directory = open_directory(PrivateDirectory::IfAbsent::fail);
  if (!directory) return directory.error();
  auto found = directory->names();
  if (!found) return found;
  // A lock or a file that was not renamed yet has a point in its name.
  std::erase_if(*found, [&](const auto& name) { return !name.starts_with(prefix) || fault_of_key(name); });
  std::sort(found->begin(), found->end());
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
    return Error(Errc::invalid_argument,
                 fmt::format("{} does not name a directory for quotas", wire::quoted_path(directory)),
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
