#pragma once
/// @file
/// A connection to the SQLite database of a cache, with its statements.

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <sqlite3.h>

#include <noun/result.hpp>
#include <noun/time.hpp>

#include "sqlite/entry_digest.hpp"

namespace noun { inline namespace v0 { namespace sqlite {

/// What a cache asks of its database. A statement is prepared when it is first used, and kept.
enum class Query : std::size_t {
  find,   ///< (id): digest, bytes
  begin,  ///< a transaction that writes
  commit,
  roll_back,
  latest_use,         ///< the greatest number of a use; one that is larger than can be is damaged
  use,                ///< (id, number)
  add_use,            ///< (id, number, group)
  remove_use,         ///< (id)
  add,                ///< (id, digest, bytes)
  remove,             ///< (id)
  remove_unused,      ///< what has no number of a use: what damage left
  forget_oldest,      ///< takes the use with the least number: id
  is_there,           ///< (id)
  group_is_there,     ///< (group)
  remove_group,       ///< (group): the entries
  remove_group_uses,  ///< (group): their uses, after them
  page_count,
  free_pages,
  count_,
};

/// Where the database is, and how it is opened.
struct Place {
  std::string path;  ///< absolute
  Duration busy_timeout;
  std::uint64_t max_bytes;
  std::int64_t page_size = 0;  ///< known after the database was opened once; so is the next
  std::string digest_key = {};
};

/// Used by one thread at a time. Errors have the code `resource` and name the file.
class Connection {
 public:
  /// Opens a file that exists, without reading it. Errors are those of fault_of_database_files() too.
  static Result<std::unique_ptr<Connection>> open(const Place& place);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();

  /// A statement with its parameters, while it is run. The next use of the same one has to come after its end.
  class Run {
   public:
    Run(Connection& connection, Query query) noexcept;
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;
    ~Run() {
      if (statement_ != nullptr) sqlite3_reset(statement_);
    }

    /// @{
    /// Sets the next parameter. A text has to stay until the end.
    Run& with(std::int64_t number) noexcept;
    Run& with(std::string_view bytes) noexcept;
    /// @}
    /// Whether there is a row. If not, status() says whether that is the end or a failure.
    bool step() noexcept {
      return (status_ = statement_ == nullptr ? status_ : sqlite3_step(statement_)) == SQLITE_ROW;
    }
    /// SQLITE_DONE, SQLITE_ROW or a failure.
    int status() const noexcept { return status_; }
    bool failed() const noexcept { return status_ != SQLITE_DONE && status_ != SQLITE_ROW; }
    std::int64_t number(int column) const noexcept { return sqlite3_column_int64(statement_, column); }
    /// Valid until the next step.
    std::string_view bytes(int column) const noexcept;

   private:
    sqlite3_stmt* statement_;
    int status_;
    int parameter_ = 0;
  };

  /// Runs a statement without rows. Returns SQLITE_OK or a failure.
  int execute(Query query) noexcept;
  int execute(Query query, std::int64_t number) noexcept;
  /// Runs SQL that is not kept.
  int execute(const char* sql) noexcept { return sqlite3_exec(database_.get(), sql, nullptr, nullptr, nullptr); }
  /// The first column of the first row as a number or as bytes; nothing after a failure, which `status` says.
  std::optional<std::string> one(const char* sql, int& status);
  /// Sets how this connection reads and writes.
  int configure() noexcept;
  /// Prepares all statements: fails if the tables are not those of a cache.
  int prepare_all() noexcept;

  bool in_transaction() const noexcept { return sqlite3_get_autocommit(database_.get()) == 0; }
  bool is_read_only() const noexcept { return sqlite3_db_readonly(database_.get(), "main") == 1; }
  void wait_when_busy(Duration most) noexcept;
  /// After a failure other than another process' lock a connection is not used again.
  static bool is_usable_after(int status) noexcept;
  /// The error for a failure. @param act  what could not be done: `read from`.
  Error error(std::string_view act, int status) const { return error(act, path_, status); }
  static Error error(std::string_view act, std::string_view path, int status);

  EntryDigest digest;  ///< with the key of the place

 private:
  struct Free {
    void operator()(sqlite3* database) const noexcept { sqlite3_close(database); }
    void operator()(sqlite3_stmt* statement) const noexcept { sqlite3_finalize(statement); }
  };
  Connection(const Place& place, std::unique_ptr<sqlite3, Free> database)
      : digest(place.digest_key), path_(place.path), database_(std::move(database)) {}
  int statement(Query query, sqlite3_stmt*& found) noexcept;

  std::string path_;
  std::unique_ptr<sqlite3, Free> database_;
  std::array<std::unique_ptr<sqlite3_stmt, Free>, static_cast<std::size_t>(Query::count_)> statements_;
};

}}}  // namespace noun::sqlite
