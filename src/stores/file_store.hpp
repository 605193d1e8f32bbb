#pragma once
/// @file
/// A store of shared quotas in the files of a directory: the store of file_ledger().

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <noun/shared_quota.hpp>

#include "os/boot.hpp"
#include "os/directory_watch.hpp"
#include "os/interrupt.hpp"
#include "os/private_files.hpp"

namespace noun { inline namespace v0 {

/// A user of a directory. Of each key it has a file and a lock (`KEY.lock`), and for a moment the next file
/// (`KEY.` and a random number). A file has one state from its creation to its end: a swap puts another in its place.
/// All errors have the code `resource`, or `invalid_argument` for a key, and as PrivateDirectory::open() says.
class FileStore final : public QuotaStore {
 public:
  /// @param directory   an absolute path. It is opened for each operation, so that it may be removed meanwhile.
  /// @param slow_after  how long a swap waits for the lock.
  /// @param boot        what was stored under another id counts as nothing; an error is that of every operation.
  FileStore(std::string directory, Duration slow_after, Result<std::string> boot = current_boot());
  /// Why the directory that exists can never be used, or nothing. Makes nothing.
  std::optional<Error> fault_of_directory() const;

  Result<Stored> read(const std::string& key) override;
  Result<Swapped> compare_and_swap(const std::string& key, std::uint64_t version, const std::string& bytes) override;
  Result<std::vector<std::string>> wait_for_change(const std::vector<Watched>& watched, Instant until) override;
  void interrupt() noexcept override { interrupt_.raise(); }
  Result<std::vector<std::string>> keys(const std::string& prefix) override;

 private:
  std::string path_of(const std::string& file) const { return directory_ + "/" + file; }
  Result<PrivateDirectory> open_directory(PrivateDirectory::IfAbsent then = PrivateDirectory::IfAbsent::create) const;
  Result<Stored> load(const PrivateDirectory& directory, const std::string& key) const;
  Result<void> replace(const PrivateDirectory& directory, const std::string& key, std::uint64_t version,
                       const std::string& bytes) const;
  Result<FileLock> lock(const PrivateDirectory& directory, const std::string& key) const;
  Result<std::vector<std::string>> changed_of(const std::vector<Watched>& watched);
  bool sleep(const std::vector<Watched>& watched, Instant until);

  const std::string directory_;
  const Duration slow_after_;
  const Result<std::string> boot_;
  /// The keys that were swapped, and whose abandoned files were removed.
  std::set<std::string> swept_;
  Interrupt interrupt_;
  DirectoryWatch changes_;
};

}}  // namespace noun
