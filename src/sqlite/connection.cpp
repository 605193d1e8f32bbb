#include "sqlite/connection.hpp"

#include <cerrno>
#include <chrono>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "sqlite/database_files.hpp"
#include "wire/printable.hpp"

namespace noun { inline namespace v0 { namespace sqlite {
namespace {

constexpr std::array<const char*, static_cast<std::size_t>(Query::count_)> texts{
    R"(SELECT digest, bytes FROM entries WHERE id = ?1)",
    R"(BEGIN IMMEDIATE)",
    R"(COMMIT)",
    R"(ROLLBACK)",
    R"(SELECT max(used) FROM uses WHERE used < 1 << 62)",
    R"(UPDATE uses SET used = ?2 WHERE id = ?1)",
    R"(INSERT OR REPLACE INTO uses (id, used, group_id) VALUES (?1, ?2, ?3))",
    R"(DELETE FROM uses WHERE id = ?1)",
    R"(INSERT OR REPLACE INTO entries (id, digest, bytes) VALUES (?1, ?2, ?3))",
    R"(DELETE FROM entries WHERE id = ?1)",
    R"(DELETE FROM entries WHERE id NOT IN (SELECT id FROM uses))",
    R"(DELETE FROM uses WHERE id = (SELECT id FROM uses ORDER BY used LIMIT 1) RETURNING id)",
    R"(SELECT 1 FROM entries WHERE id = ?1)",
    R"(SELECT 1 FROM uses WHERE group_id = ?1 LIMIT 1)",
    R"(DELETE FROM entries WHERE id IN (SELECT id FROM uses WHERE group_id = ?1))",
    R"(DELETE FROM uses WHERE group_id = ?1)",
    R"(PRAGMA page_count)",
    R"(PRAGMA freelist_count)",
};

}  // namespace

Result<std::unique_ptr<Connection>> Connection::open(const Place& place) {
  if (auto fault = fault_of_database_files(place.path)) return *std::move(fault);
  sqlite3* opened = nullptr;
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_NOFOLLOW |
                    SQLITE_OPEN_EXRESCODE;
  const int status = sqlite3_open_v2(place.path.c_str(), &opened, flags, nullptr);
  std::unique_ptr<sqlite3, Free> owner(opened);
  std::unique_ptr<Connection> connection(new Connection(place, std::move(owner)));
  if (status != SQLITE_OK) {
    const int cause = opened == nullptr ? 0 : sqlite3_system_errno(opened);
    if (cause == 0) return error("open", place.path, status);
    return Error(Errc::resource,
                 fmt::format("cannot open the cache {}: {}", wire::quoted_path(place.path),
                             std::generic_category().message(cause)),
                 "check the directory, its permissions and the free space");
  }
  connection->wait_when_busy(place.busy_timeout);
  // A damaged file, or one that somebody made to do harm, has no means but wrong content.
  sqlite3_db_config(opened, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(opened, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(opened, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(opened, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  return connection;
}

int Connection::configure() noexcept {
  // No mapped file: where it was truncated, reading it would be a signal.
  return execute(R"(
    PRAGMA mmap_size = 0; PRAGMA cell_size_check = ON; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = FAST;
    PRAGMA journal_size_limit = 8000000; PRAGMA temp_store = MEMORY)");
}

Connection::~Connection() {
  for (auto& statement : statements_) statement.reset();
}

int Connection::statement(Query query, sqlite3_stmt*& found) noexcept {
  auto& kept = statements_[static_cast<std::size_t>(query)];
  int status = SQLITE_OK;
  if (!kept) {
    sqlite3_stmt* made = nullptr;
    status = sqlite3_prepare_v3(database_.get(), texts[static_cast<std::size_t>(query)], -1, SQLITE_PREPARE_PERSISTENT,
                                &made, nullptr);
    kept.reset(made);
  }
  found = kept.get();
  return status;
}

Connection::Run::Run(Connection& connection, Query query) noexcept
    : statement_(nullptr), status_(connection.statement(query, statement_)) {}

Connection::Run& Connection::Run::with(std::int64_t number) noexcept {
  if (statement_ != nullptr) sqlite3_bind_int64(statement_, ++parameter_, number);
  return *this;
}

Connection::Run& Connection::Run::with(std::string_view bytes) noexcept {
  // A null pointer would be NULL.
  const char* const begin = bytes.empty() ? "" : bytes.data();
  if (statement_ != nullptr) sqlite3_bind_blob64(statement_, ++parameter_, begin, bytes.size(), SQLITE_STATIC);
  return *this;
}

std::string_view Connection::Run::bytes(int column) const noexcept {
  // In this order: the first call may convert, the second says the size of the result.
  const auto* const begin = static_cast<const char*>(sqlite3_column_blob(statement_, column));
  const int size = sqlite3_column_bytes(statement_, column);
  return begin == nullptr ? std::string_view() : std::string_view(begin, static_cast<std::size_t>(size));
}

int Connection::execute(Query query) noexcept {
  Run run(*this, query);
  run.step();
  return run.failed() ? run.status() : SQLITE_OK;
}

int Connection::execute(Query query, std::int64_t number) noexcept {
  Run run(*this, query);
  run.with(number).step();
  return run.failed() ? run.status() : SQLITE_OK;
}

std::optional<std::string> Connection::one(const char* sql, int& status) {
  sqlite3_stmt* made = nullptr;
  status = sqlite3_prepare_v2(database_.get(), sql, -1, &made, nullptr);
  const std::unique_ptr<sqlite3_stmt, Free> statement(made);
  if (status != SQLITE_OK) return std::nullopt;
  status = sqlite3_step(made);
  if (status != SQLITE_ROW) return std::nullopt;
  status = SQLITE_OK;
  const auto* const begin = static_cast<const char*>(sqlite3_column_blob(made, 0));
  const int size = sqlite3_column_bytes(made, 0);
  // A number becomes text here.
  if (begin == nullptr && sqlite3_errcode(database_.get()) == SQLITE_NOMEM) {
    status = SQLITE_NOMEM;
    return std::nullopt;
  }
  return begin == nullptr ? std::string() : std::string(begin, static_cast<std::size_t>(size));
}

int Connection::prepare_all() noexcept {
  for (std::size_t query = 0; query < texts.size(); ++query) {
    sqlite3_stmt* ignored = nullptr;
    if (const int status = statement(static_cast<Query>(query), ignored); status != SQLITE_OK) return status;
  }
  return SQLITE_OK;
}

void Connection::wait_when_busy(Duration most) noexcept {
  sqlite3_busy_timeout(database_.get(),
                       static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(most).count()));
}

bool Connection::is_usable_after(int status) noexcept {
  const int kind = status & 0xff;
  return kind == SQLITE_OK || kind == SQLITE_ROW || kind == SQLITE_DONE || kind == SQLITE_BUSY;
}

Error Connection::error(std::string_view act, std::string_view path, int status) {
  auto what = fmt::format("cannot {} the cache {}: {}", act, wire::quoted_path(path), sqlite3_errstr(status));
  const auto with = [&](std::string_view advice) { return Error(Errc::resource, std::move(what), advice); };
  switch (status & 0xff) {
    case SQLITE_BUSY: return with("raise SqliteCacheOptions::busy_timeout, or let fewer processes write at once");
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_ERROR:
    case SQLITE_MISMATCH:
      return with("remove it, and the files of its name with -wal and -shm, while no program uses them");
    case SQLITE_NOMEM: return with("make memory available");
    default: return with("check the directory, its permissions and the free space");
  }
}

}}}  // namespace noun::sqlite
