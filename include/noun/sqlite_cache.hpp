#pragma once
/// @file
/// A cache of responses in an SQLite database, which processes share and which outlives them. Link noun::sqlite.
///
///     noun::Client api{base_url, {.cache = noun::sqlite_cache("cache.db").value()}};

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include <noun/cache.hpp>
#include <noun/time.hpp>

namespace noun { inline namespace v0 {

/// How sqlite_cache() keeps responses.
struct SqliteCacheOptions {
  /// The most that the database takes; less than 1 MB holds little. When it is full, what was used least recently is
  /// removed. Its `-wal` file takes some 10 MB more, or as much as the largest response. A database that is larger
  /// already does not grow; it does not shrink either.
  std::uint64_t max_bytes = std::uint64_t{1} << 30U;
  /// How long a function waits while another process writes, before it is an error; 0 to 1 min. Reading does not wait
  /// for writing.
  Duration busy_timeout = std::chrono::seconds(1);
};

/// Opens a cache in the SQLite database `path`, or makes it, with mode 0600, in a directory that exists. Processes,
/// threads and clients may share it. It has to be on a local file system, because SQLite keeps a write-ahead log: the
/// files `path-wal` and `path-shm` belong to it. Each time that the database is opened, also for another thread and
/// after a fork(), these files and `path-journal` are checked as `path` is. Choose a directory to which no other user
/// may write: in another one, such a file may appear just after the check.
///
/// A process may be killed at any time. After a power failure, what was put last may be missing. Each entry has a
/// digest of 128 bits: a damaged one is removed, and not returned. Keys are stored as digests; the responses are stored
/// as they are.
///
/// A function that cannot read or write, because the disk is full or the file is damaged, returns `resource`, or
/// `invalid_argument` if the files cannot be used any more; the call continues without the cache. Reading does not
/// write: what was used is recorded with the next put(), after 512 responses, and by the destructor. A fork() waits for
/// functions under way; the child opens the database again.
/// @returns  `invalid_argument` if the file cannot be used: an option or the path is invalid; there is no permission;
///           it is a directory or a symbolic link; it, or a file that belongs to it, belongs to another user, or others
///           may write to it; it is not an SQLite database, or one of another program or of a later version of noun.
///           `resource` if it is damaged, or cannot be opened now.
/// @threadsafety  safe; the cache too.
NOUN_API Result<std::shared_ptr<Cache>> sqlite_cache(const std::string& path, const SqliteCacheOptions& options = {});

}}  // namespace noun
