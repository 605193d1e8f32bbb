#pragma once
/// @file
/// The connections of one process to one database.

#include <condition_variable>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "sqlite/connection.hpp"

namespace noun { inline namespace v0 { namespace sqlite {

/// Each thread that reads has a connection to itself, so that they read at once. Before a fork() all connections are
/// closed: SQLite keeps its locks on files in memory, and a child would believe that it has those of its parent.
/// @threadsafety  safe.
class ConnectionPool {
 public:
  explicit ConnectionPool(Place place);
  ConnectionPool(const ConnectionPool&) = delete;
  ConnectionPool& operator=(const ConnectionPool&) = delete;
  ~ConnectionPool();

  /// A connection, until the end of this object.
  class Lease {
   public:
    Lease(ConnectionPool& pool, std::unique_ptr<Connection> connection) noexcept
        : pool_(&pool), connection_(std::move(connection)) {}
    Lease(Lease&& other) noexcept
        : pool_(std::exchange(other.pool_, nullptr)),
          connection_(std::move(other.connection_)),
          usable_(other.usable_) {}
    Lease& operator=(Lease&&) = delete;
    ~Lease() {
      if (pool_ != nullptr) pool_->give_back(std::move(connection_), usable_);
    }

    Connection* operator->() const noexcept { return connection_.get(); }
    Connection& operator*() const noexcept { return *connection_; }
    /// The error for a failure, after which the connection may be closed.
    Error failed(std::string_view act, int status) {
      if (!Connection::is_usable_after(status)) usable_ = false;
      return connection_->error(act, status);
    }
    /// The connection is closed at the end.
    void discard() noexcept { usable_ = false; }

   private:
    friend class ConnectionPool;

    ConnectionPool* pool_;
    std::unique_ptr<Connection> connection_;
    bool usable_ = true;
  };

  Result<Lease> lease();
  const Place& place() const noexcept { return place_; }

 private:
  friend class ForkGuard;

  void give_back(std::unique_ptr<Connection> connection, bool usable) noexcept;
  /// Closes all connections, when they are not in use any more, and opens none.
  void pause();
  void resume();

  const Place place_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::unique_ptr<Connection>> idle_;
  std::size_t in_use_ = 0;
  bool paused_ = false;
};

/// Held while a database file is made, and while a connection without a pool is open: a child of fork() would inherit
/// its locks, and those inside SQLite. A file is closed here only before it is SQLite's: closing any descriptor of a
/// file gives up all locks that the process has on it.
std::unique_lock<std::mutex> no_fork();

}}}  // namespace noun::sqlite
