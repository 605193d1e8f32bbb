#include "loop/wake_board.hpp"

#include <pthread.h>

namespace noun { inline namespace v0 {

void WakeBoard::listen(const WakeCounter& counter, Sleeper& sleeper) {
  const std::lock_guard lock(mutex_);
  sleepers_.emplace(&counter, &sleeper);
  count_ = sleepers_.size();
}

void WakeBoard::leave(const WakeCounter& counter) noexcept {
  const std::lock_guard lock(mutex_);
  sleepers_.erase(&counter);
  count_ = sleepers_.size();
}

void WakeBoard::ring(const WakeCounter& counter) noexcept {
  // A read-modify-write on purpose: either this sees the listener, or the listener sees the risen counter.
  if (count_.fetch_add(0) == 0) return;
  const std::lock_guard lock(mutex_);
  if (const auto found = sleepers_.find(&counter); found != sleepers_.end()) found->second->on_woken(counter);
}

WakeBoard& wake_board() {
  // Never destroyed: a global client may outlive this file's statics.
  static auto* const board = [] {
    static auto* const made = new WakeBoard;
    const auto lock = [] { made->mutex_.lock(); };
    const auto unlock = [] { made->mutex_.unlock(); };
    const auto clear = [] {
      made->sleepers_.clear();
      made->count_ = 0;
      made->mutex_.unlock();
    };
    pthread_atfork(lock, unlock, clear);
    return made;
  }();
  return *board;
}

}}  // namespace noun
