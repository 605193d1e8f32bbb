#include "sqlite/connection_pool.hpp"

#include <algorithm>
#include <utility>

#include "os/process.hpp"

namespace noun { inline namespace v0 { namespace sqlite {
namespace {

/// More threads at once open connections for one use.
constexpr std::size_t most_idle = 16;

}  // namespace

/// The pools of this process, and the handlers of fork().
class ForkGuard {
 public:
  static ForkGuard& of_process() {
    // Never destroyed: a cache may be the last to go.
    static auto* const guard = new ForkGuard;
    return *guard;
  }

  void add(ConnectionPool& pool) {
    const std::lock_guard lock(mutex_);
    pools_.push_back(&pool);
  }
  void remove(ConnectionPool& pool) noexcept {
    const std::lock_guard lock(mutex_);
    std::erase(pools_, &pool);
    // Not after it: a fork() would not wait for their end.
    pool.idle_.clear();
  }
  std::mutex& mutex() noexcept { return mutex_; }

 private:
  ForkGuard() { call_at_fork(&ForkGuard::before, &ForkGuard::in_parent, &ForkGuard::in_child); }

  static void before() {
    auto& guard = of_process();
    guard.mutex_.lock();
    for (auto* const pool : guard.pools_) pool->pause();
  }
  static void in_parent() {
    auto& guard = of_process();
    for (auto* const pool : guard.pools_) pool->resume();
    guard.mutex_.unlock();
  }
  static void in_child() {
    // Its caches make pools of their own; threads that the child does not have may wait for these.
    auto& guard = of_process();
    guard.pools_.clear();
    guard.mutex_.unlock();
  }

  std::mutex mutex_;
  std::vector<ConnectionPool*> pools_;
};

std::unique_lock<std::mutex> no_fork() { return std::unique_lock(ForkGuard::of_process().mutex()); }

ConnectionPool::ConnectionPool(Place place) : place_(std::move(place)) {
  idle_.reserve(most_idle);
  ForkGuard::of_process().add(*this);
}

ConnectionPool::~ConnectionPool() { ForkGuard::of_process().remove(*this); }

Result<ConnectionPool::Lease> ConnectionPool::lease() {
  std::unique_ptr<Connection> idle;
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !paused_; });
    ++in_use_;
    if (!idle_.empty()) {
      idle = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  Lease lease(*this, std::move(idle));
  if (lease.connection_) return lease;
  auto opened = Connection::open(place_);
  if (!opened) return opened.error();
  lease.connection_ = *std::move(opened);
  if (const int status = lease->configure(); status != SQLITE_OK) return lease.failed("open", status);
  return lease;
}

void ConnectionPool::give_back(std::unique_ptr<Connection> connection, bool usable) noexcept {
  // A transaction that was not ended holds a lock.
  if (!usable || (connection && connection->in_transaction())) connection.reset();
  const std::lock_guard lock(mutex_);
  if (connection && idle_.size() < most_idle)
    idle_.push_back(std::move(connection));
  else
    connection.reset();
  if (--in_use_ == 0 && paused_) changed_.notify_all();
}

void ConnectionPool::pause() {
  std::unique_lock lock(mutex_);
  paused_ = true;
  changed_.wait(lock, [this] { return in_use_ == 0; });
  idle_.clear();
}

void ConnectionPool::resume() {
  const std::lock_guard lock(mutex_);
  paused_ = false;
  changed_.notify_all();
}

}}}  // namespace noun::sqlite
