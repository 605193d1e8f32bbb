#include <noun/sqlite_cache.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "os/per_process.hpp"
#include "os/random.hpp"
#include "os/steady_now.hpp"
#include "sqlite/connection_pool.hpp"
#include "sqlite/database_files.hpp"
#include "wire/integer.hpp"
#include "wire/printable.hpp"

namespace noun { inline namespace v0 {
namespace sqlite { namespace {

/// "noun", in the header of the file.
constexpr std::int64_t application_id = 0x6e6f756e;
/// The version of the tables.
constexpr std::int64_t format = 1;
constexpr std::size_t seed_size = 32;
/// Of a database that is made here. A response of 60 KB takes 8 pages, which are read one by one.
constexpr std::int64_t usual_page_size = 8192;

/// The same file, whatever the working directory is later; only the last part may be a link.
Result<std::string> absolute(const std::string& path) {
  const std::filesystem::path given(path);
  const auto name = given.filename();
  if (path.empty() || path.find('\0') != std::string::npos || name.empty() || name == "." || name == "..")
    return unfit(path, "is not the name of a file", "name a file in a directory that exists");
  std::error_code cause;
  const auto folder = std::filesystem::canonical(given.has_parent_path() ? given.parent_path() : ".", cause);
  if (cause) return cannot_open(path, cause);
  return (folder / name).string();
}

/// A transaction that writes; without commit() nothing of it is done.
class Transaction {
 public:
  explicit Transaction(Connection& connection) noexcept
      : connection_(connection), status_(connection.execute(Query::begin)) {}
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction() {
    if (connection_.in_transaction()) connection_.execute(Query::roll_back);
  }
  /// SQLITE_OK, or the first failure.
  int status() const noexcept { return status_; }
  bool failed() const noexcept { return status_ != SQLITE_OK; }
  /// Runs a statement without rows, if nothing failed before.
  template <class... Parameters>
  void run(Query query, const Parameters&... parameters) noexcept {
    if (failed()) return;
    Connection::Run run(connection_, query);
    (run.with(parameters), ...);
    run.step();
    note(run);
  }
  /// The number that a statement returns; nothing if it has no row, or after a failure.
  std::optional<std::int64_t> number(Query query) noexcept {
    if (failed()) return std::nullopt;
    Connection::Run run(connection_, query);
    std::optional<std::int64_t> number;
    if (run.step()) {
      number = run.number(0);
      // To its end: then what a statement deletes is deleted.
      run.step();
    }
    note(run);
    return number;
  }
  void commit() noexcept { run(Query::commit); }

 private:
  void note(const Connection::Run& run) noexcept {
    if (run.failed()) status_ = run.status();
  }

  Connection& connection_;
  int status_;
};

/// What was used since it was last recorded, in the order of use.
/// @threadsafety  safe.
class Uses {
 public:
  using Ids = std::vector<std::int64_t>;
  /// So many are recorded without a put().
  static constexpr std::size_t many = 512;

  /// Returns whether there are many.
  bool add(std::int64_t id) {
    const std::lock_guard lock(mutex_);
    numbers_[id] = ++last_;
    return numbers_.size() >= many;
  }
  /// The ids, the one used last at the end.
  Ids take() {
    std::unordered_map<std::int64_t, std::uint64_t> taken;
    {
      const std::lock_guard lock(mutex_);
      taken.swap(numbers_);
    }
    std::vector<std::pair<std::uint64_t, std::int64_t>> ordered;
    ordered.reserve(taken.size());
    for (const auto& [id, number] : taken) ordered.emplace_back(number, id);
    std::sort(ordered.begin(), ordered.end());
    Ids ids;
    ids.reserve(ordered.size());
    for (const auto& [ignored, id] : ordered) ids.push_back(id);
    return ids;
  }

 private:
  std::mutex mutex_;
  std::unordered_map<std::int64_t, std::uint64_t> numbers_;
  std::uint64_t last_ = 0;
};

/// Gives the uses the next numbers. Returns the number after them.
std::int64_t record(Transaction& transaction, const Uses::Ids& ids) noexcept {
  auto next = transaction.number(Query::latest_use).value_or(0) + 1;
  for (const auto id : ids) transaction.run(Query::use, id, next++);
  return next;
}

/// The file's size, as far as it has content.
std::int64_t pages_in_use(Transaction& transaction) noexcept {
  return transaction.number(Query::page_count).value_or(0) - transaction.number(Query::free_pages).value_or(0);
}

/// What a process has of a cache.
class OwnCache {
 public:
  explicit OwnCache(const Place& place) : pool_(place) {}

  Result<std::optional<std::string>> get(const CacheKey& key) {
    const auto id = id_of(key);
    std::optional<std::string> found;
    bool damaged = false;
    {
      auto lease = pool_.lease();
      if (!lease) return lease.error();
      Connection::Run run(**lease, Query::find);
      if (run.with(id).step()) {
        const auto bytes = run.bytes(1);
        damaged = (*lease)->digest.of(key, bytes) != run.bytes(0);
        if (!damaged) found.emplace(bytes);
      } else if (run.failed()) {
        return lease->failed("read from", run.status());
      }
    }
    if (damaged) {
      // A miss, whether or not it can be removed.
      static_cast<void>(remove_entry(id));
    } else if (found && uses_.add(id)) {
      record_uses();
    }
    return found;
  }

  Result<bool> put(const CacheKey& key, std::string_view bytes) {
    const auto id = id_of(key);
    // SQLite refuses a row of 1 GB.
    constexpr std::uint64_t most = 900'000'000;
    if (bytes.size() > std::min(pool_.place().max_bytes / 8, most)) {
      if (auto removed = remove(key); !removed) return removed.error();
      return false;
    }
    const std::lock_guard alone(writing_);
    auto lease = pool_.lease();
    if (!lease) return lease.error();
    auto& connection = **lease;
    Transaction transaction(connection);
    const auto number = record(transaction, transaction.failed() ? Uses::Ids() : uses_.take());
    transaction.run(Query::remove_use, id);
    transaction.run(Query::remove, id);
    const bool fits = make_room(transaction, bytes.size());
    if (fits) {
      transaction.run(Query::add_use, id, number, id_of(std::string_view(key.group)));
      transaction.run(Query::add, id, connection.digest.of(key, bytes), bytes);
    }
    transaction.commit();
    if (transaction.failed()) return lease->failed("write to", transaction.status());
    return fits;
  }

  Result<void> remove(const CacheKey& key) { return remove_entry(id_of(key)); }

  Result<void> remove_group(std::string_view group) {
    return remove_all(id_of(group), Query::group_is_there, Query::remove_group, Query::remove_group_uses);
  }

  /// Without waiting: what cannot be recorded now is not.
  void record_uses() {
    const std::unique_lock alone(writing_, std::try_to_lock);
    if (!alone) return;
    const auto ids = uses_.take();
    if (ids.empty()) return;
    auto lease = pool_.lease();
    if (!lease) return;
    (*lease)->wait_when_busy({});
    {
      Transaction transaction(**lease);
      record(transaction, ids);
      transaction.commit();
      if (transaction.failed()) lease->discard();
    }
    (*lease)->wait_when_busy(pool_.place().busy_timeout);
  }

 private:
  Result<void> remove_entry(std::int64_t id) {
    return remove_all(id, Query::is_there, Query::remove, Query::remove_use);
  }

  Result<void> remove_all(std::int64_t id, Query is_there, Query remove, Query remove_uses) {
    {
      // A write of the program removes what it may have changed; mostly nothing is there, and then it need not write.
      auto lease = pool_.lease();
      if (!lease) return lease.error();
      Connection::Run run(**lease, is_there);
      const bool found = run.with(id).step();
      if (run.failed()) return lease->failed("read from", run.status());
      if (!found) return {};
    }
    const std::lock_guard alone(writing_);
    auto lease = pool_.lease();
    if (!lease) return lease.error();
    Transaction transaction(**lease);
    transaction.run(remove, id);
    transaction.run(remove_uses, id);
    transaction.commit();
    if (transaction.failed()) return lease->failed("write to", transaction.status());
    return {};
  }

  /// Removes what was used least recently, until the bytes fit. Returns whether they do.
  bool make_room(Transaction& transaction, std::size_t size) const noexcept {
    // A row, its overflow pages, and the pages of trees that may be split.
    const auto page = pool_.place().page_size;
    const auto needed = static_cast<std::int64_t>(size) / (page - 4) + 6;
    const auto all = static_cast<std::int64_t>(pool_.place().max_bytes / static_cast<std::uint64_t>(page));
    auto used = pages_in_use(transaction);
    const auto before = used;
    // A database that was larger once gives back some with each put, not all at once.
    constexpr int at_once = 64;
    for (int removed = 0; !transaction.failed() && used + needed > all; ++removed) {
      if (removed >= at_once && before - used > 2 * needed) return true;
      if (const auto oldest = transaction.number(Query::forget_oldest)) {
        transaction.run(Query::remove, *oldest);
      } else {
        transaction.run(Query::remove_unused);
        return pages_in_use(transaction) + needed <= all;
      }
      used = pages_in_use(transaction);
    }
    return true;
  }

  ConnectionPool pool_;
  Uses uses_;
  /// Threads that write wait here: SQLite would let them sleep and try again.
  std::mutex writing_;
};

class SqliteCache final : public Cache {
 public:
  SqliteCache(Place place, std::string seed) : place_(std::move(place)), seed_(std::move(seed)) {}
  SqliteCache(const SqliteCache&) = delete;
  SqliteCache& operator=(const SqliteCache&) = delete;
  ~SqliteCache() override {
    try {
      if (auto* const own = own_.find()) own->record_uses();
    } catch (...) {
      // They are not recorded.
    }
    own_.destroy();
  }

  std::string seed() const override { return seed_; }
  Result<std::optional<std::string>> get(const CacheKey& key) override { return own().get(key); }
  Result<bool> put(const CacheKey& key, std::string_view bytes) override { return own().put(key, bytes); }
  Result<void> remove(const CacheKey& key) override { return own().remove(key); }
  Result<void> remove_group(std::string_view group) override { return own().remove_group(group); }

 private:
  OwnCache& own() {
    return own_.get([this] { return OwnCache(place_); });
  }

  const Place place_;
  const std::string seed_;
  PerProcess<OwnCache> own_;
};

/// What a database says about itself.
struct Header {
  std::int64_t application = 0;
  std::int64_t version = 0;
  std::int64_t tables = 0;

  bool is_empty() const noexcept { return application == 0 && version == 0 && tables == 0; }
};

std::int64_t number_of(Connection& connection, const char* sql, int& status) {
  if (status != SQLITE_OK) return 0;
  const auto text = connection.one(sql, status);
  return text ? wire::read_integer<std::int64_t>(*text).value_or(0) : 0;
}

/// In a transaction: another process may make the tables meanwhile.
Header read_header(Connection& connection, int& status) {
  Header header;
  header.application = number_of(connection, "PRAGMA application_id", status);
  header.version = number_of(connection, "PRAGMA user_version", status);
  header.tables = number_of(connection, R"(SELECT count(*) FROM sqlite_schema)", status);
  return header;
}

Header header_of(Connection& connection, int& status) {
  Header header;
  if (status = connection.execute("BEGIN"); status == SQLITE_OK) header = read_header(connection, status);
  if (connection.in_transaction()) connection.execute(Query::roll_back);
  return header;
}

int make_tables(Connection& connection) {
  // The seed, and the key of the digests.
  std::array<char, seed_size + EntryDigest::key_size> random{};
  if (!fill_with_random_bytes(random)) return SQLITE_INTERNAL;
  Transaction transaction(connection);
  if (transaction.failed()) return transaction.status();
  int status = SQLITE_OK;
  // Another process may have been faster.
  if (!read_header(connection, status).is_empty()) return status;
  std::string hexadecimal;
  for (const char byte : random) hexadecimal += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  // What a use changes is apart from the bytes, so that they are written once.
  const auto sql = fmt::format(R"(
    CREATE TABLE entries (id INTEGER PRIMARY KEY, digest BLOB NOT NULL, bytes BLOB NOT NULL);
    CREATE TABLE uses (id INTEGER PRIMARY KEY, used INTEGER NOT NULL, group_id INTEGER NOT NULL);
    CREATE INDEX uses_in_order ON uses (used);
    CREATE INDEX uses_of_group ON uses (group_id);
    CREATE TABLE secrets (bytes BLOB NOT NULL);
    INSERT INTO secrets VALUES (x'{}');
    PRAGMA application_id = {};
    PRAGMA user_version = {})",
                               hexadecimal, application_id, format);
  if (status = connection.execute(sql.c_str()); status != SQLITE_OK) return status;
  transaction.commit();
  return transaction.status();
}

/// Makes the database a cache, or finds that it is one. Returns its seed. `status` says whether SQLite failed.
Result<std::string> set_up(Connection& connection, Place& place, int& status) {
  const auto& path = place.path;
  auto header = header_of(connection, status);
  if (status == SQLITE_OK && header.is_empty()) {
    if (connection.is_read_only()) return cannot_open(path, std::make_error_code(std::errc::permission_denied));
    const auto prepare = fmt::format(R"(PRAGMA page_size = {}; PRAGMA journal_mode = WAL)", usual_page_size);
    status = connection.execute(prepare.c_str());
    if (status == SQLITE_OK) status = make_tables(connection);
    if (status == SQLITE_OK) header = header_of(connection, status);
  }
  if ((status & 0xff) == SQLITE_NOTADB)
    return unfit(path, "is not an SQLite database", "name another file, or remove this one");
  if ((status & 0xff) == SQLITE_READONLY) return cannot_open(path, std::make_error_code(std::errc::permission_denied));
  if (status != SQLITE_OK) return connection.error("open", status);
  if (header.application != application_id) return unfit(path, "is a database of another program", "name another file");
  if (header.version > format)
    return unfit(
        path,
        fmt::format("has the format {} of a later version of noun; this version reads {}", header.version, format),
        "name another file, or update noun");
  if (connection.is_read_only()) return cannot_open(path, std::make_error_code(std::errc::permission_denied));
  if (status = connection.configure(); status != SQLITE_OK) return connection.error("open", status);
  // A process that was killed may not have got so far.
  const auto mode = connection.one(R"(PRAGMA journal_mode = WAL)", status);
  if (status != SQLITE_OK) return connection.error("open", status);
  if (mode != "wal")
    return unfit(path, "cannot have a write-ahead log: its file system has no shared memory",
                 "name a file on a local disk");
  if (status = connection.prepare_all(); status != SQLITE_OK) return connection.error("open", status);
  place.page_size = number_of(connection, "PRAGMA page_size", status);
  auto secrets = connection.one(R"(SELECT bytes FROM secrets)", status);
  if (status == SQLITE_OK &&
      (place.page_size < 512 || !secrets || secrets->size() != seed_size + EntryDigest::key_size))
    status = SQLITE_CORRUPT;
  if (status != SQLITE_OK) return connection.error("open", status);
  place.digest_key = secrets->substr(seed_size);
  return secrets->substr(0, seed_size);
}

Result<std::string> open_database(Place& place) {
  // SQLite does not always wait for the lock of another process that opens it first.
  const auto until = steady_now() + std::max<Duration>(place.busy_timeout, std::chrono::seconds(5));
  while (true) {
    {
      int status = SQLITE_OK;
      const auto alone = no_fork();
      if (auto fault = make_database_file(place.path)) return *std::move(fault);
      auto connection = Connection::open(place);
      if (!connection) return connection.error();
      auto seed = set_up(**connection, place, status);
      const bool was_busy = (status & 0xff) == SQLITE_BUSY || (status & 0xff) == SQLITE_PROTOCOL;
      if (!was_busy || steady_now() > until) return seed;
    }
    sqlite3_sleep(5);
  }
}

}  // namespace
}  // namespace sqlite

Result<std::shared_ptr<Cache>> sqlite_cache(const std::string& path, const SqliteCacheOptions& options) {
  using namespace sqlite;
  if (options.busy_timeout < Duration::zero() || options.busy_timeout > std::chrono::minutes(1))
    return Error(Errc::invalid_argument, "SqliteCacheOptions::busy_timeout must be 0 to 1 min",
                 "fix SqliteCacheOptions::busy_timeout");
  if (sqlite3_threadsafe() == 0)
    return Error(Errc::resource, "this SQLite was built without threads", "link one with SQLITE_THREADSAFE=1");
  const auto file = absolute(path);
  if (!file) return file.error();
  Place place{.path = *file, .busy_timeout = options.busy_timeout, .max_bytes = options.max_bytes};
  auto seed = open_database(place);
  if (!seed) return seed.error();
  return std::shared_ptr<Cache>(std::make_shared<SqliteCache>(std::move(place), *std::move(seed)));
}

}}  // namespace noun
