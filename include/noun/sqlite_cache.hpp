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
  /// The most that the database takes. When it is full, it gives up what was used least recently. Its `-wal` file takes
  /// some MB more. A database that is larger already does not shrink, but does not grow either.
  std::uint64_t max_bytes = std::uint64_t{1} << 30U;
  /// How long a function waits while another process writes, before it is an error; 0 to 1 min. Reading does not wait
  /// for writing.
  Duration busy_timeout = std::chrono::seconds(1);
};

/// Opens a cache in the SQLite database `path`, or makes it, with mode 0600, in a directory that exists. Processes,
/// threads and clients may share it. It has to be on a local file system, because it uses SQLite's write-ahead log: the
/// files `path-wal` and `path-shm` belong to it while it is open.
///
/// A process may be killed at any time. What it put last may be lost then, and after a power failure what all processes
/// put last. Each entry has a digest of 128 bits; one that does not match is removed, and not returned. No token and no URL
/// is in the database, except as a digest, and except those in the responses.
///
/// A function that cannot read or write, because the disk is full or the file damaged, returns `resource`, and the call
/// continues without the cache. A child of fork() opens the database again. What is used is recorded with the next
/// put(), and by the destructor, so that reading does not write.
/// @returns  `invalid_argument` if the file can never be used: an option or the path is invalid; it is a directory or a
///           symbolic link; another user owns it or may write to it; it is not an SQLite database, one of another
///           program, or of a later version of noun. `resource` if it cannot be opened now, or is damaged.
/// @threadsafety  safe; the cache too.
NOUN_API Result<std::shared_ptr<Cache>> sqlite_cache(const std::string& path, const SqliteCacheOptions& options = {});

}}  // namespace noun
