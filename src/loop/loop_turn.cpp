#include "loop/loop_turn.hpp"

#include <chrono>

namespace noun { inline namespace v0 {

void LoopTurn::take() noexcept {
  std::unique_lock lock(mutex_);
  take(lock);
}

void LoopTurn::take(std::unique_lock<std::mutex>& lock) noexcept {
  awaits_return_ = true;
  changed_.wait(lock, [this] { return !borrowed_; });
  awaits_return_ = is_needed_ = false;
  is_own_ = true;
  thread_ = std::this_thread::get_id();
}

void LoopTurn::lend() noexcept {
  // Most programs come back for the next result sooner; timers and arrived bytes wait for so long.
  constexpr auto rest = std::chrono::milliseconds(2);
  std::unique_lock lock(mutex_);
  is_own_ = false;
  changed_.notify_all();
  for (bool rested = false; !rested;) {
    awaits_return_ = true;
    changed_.wait(lock, [this] { return !borrowed_; });
    awaits_return_ = false;
    const auto seen = returns_;
    const auto goes_on = [this] { return !borrowed_ && (is_needed_ || calls_ > 0); };
    rested = changed_.wait_for(lock, rest, goes_on) || (!borrowed_ && returns_ == seen);
  }
  take(lock);
}

void LoopTurn::leave() noexcept {
  const std::lock_guard lock(mutex_);
  is_own_ = false;
  changed_.notify_all();
}

void LoopTurn::give_back() noexcept {
  thread_ = std::thread::id();
  const std::lock_guard lock(mutex_);
  borrowed_ = false;
  ++returns_;
  if (awaits_return_) changed_.notify_all();
}

void LoopTurn::need() noexcept {
  const std::lock_guard lock(mutex_);
  is_needed_ = true;
  changed_.notify_all();
}

void LoopTurn::add_call() noexcept {
  ++calls_;
  need();
}

}}  // namespace noun
