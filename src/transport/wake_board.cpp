#include "transport/wake_board.hpp"

#include <algorithm>

#include <pthread.h>

namespace noun { inline namespace v0 {

void WakeBoard::listen(const WakeCounter& counter, Sleeper& sleeper) {
  const std::lock_guard lock(mutex_);
  entries_.push_back({&counter, &sleeper});
  ++count_;
}

void WakeBoard::leave(const WakeCounter& counter, Sleeper& sleeper) noexcept {
  const std::lock_guard lock(mutex_);
  const auto found = std::find(entries_.begin(), entries_.end(), Entry{&counter, &sleeper});
  if (found == entries_.end()) return;
  entries_.erase(found);
  --count_;
}

void WakeBoard::ring(const WakeCounter& counter) noexcept {
  // It reads by writing: then either this sees who listens, or the listener's look sees what the counter rose to.
  if (count_.fetch_add(0) == 0) return;
  const std::lock_guard lock(mutex_);
  for (const auto& entry : entries_)
    if (entry.counter == &counter) entry.sleeper->on_risen();
}

WakeBoard& wake_board() {
  // Never destroyed: a client that is a global may outlive this file's statics.
  static auto* const board = [] {
    static auto* const made = new WakeBoard;
    const auto lock = [] { made->mutex_.lock(); };
    const auto unlock = [] { made->mutex_.unlock(); };
    const auto clear = [] {
      made->entries_.clear();
      made->count_ = 0;
      made->mutex_.unlock();
    };
    pthread_atfork(lock, unlock, clear);
    return made;
  }();
  return *board;
}

}}  // namespace noun
