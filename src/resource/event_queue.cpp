#include "resource/event_queue.hpp"

#include <iterator>
#include <numeric>
#include <utility>

#include "call/report.hpp"

namespace noun { inline namespace v0 { namespace detail {
namespace {

/// More is added only below it: with what is added at once no more than 64 KiB.
constexpr std::size_t most_kept = std::size_t{64} * 1024 - EventQueue::most_at_once;

std::size_t bytes_of(const std::vector<RawEvent>& events) {
  return std::accumulate(events.begin(), events.end(), std::size_t{0},
                         [](std::size_t sum, const RawEvent& event) { return sum + EventQueue::size_of(event); });
}

}  // namespace

void EventQueue::put(std::vector<RawEvent>& events, bool waits) {
  if (events.empty()) return;
  std::function<void()> then;
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !waits || bytes_ < most_kept || stopped_; });
    bytes_ += bytes_of(events);
    waiting_.insert(waiting_.end(), std::move_iterator(events.begin()), std::move_iterator(events.end()));
    changed_.notify_all();
    std::swap(then, then_);
  }
  events.clear();
  if (then) then();
}

void EventQueue::end(std::optional<Error> error) noexcept {
  std::function<void()> then;
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(ended_, true)) return;
    error_ = std::move(error);
    changed_.notify_all();
    std::swap(then, then_);
  }
  if (then) then();
}

void EventQueue::stop() noexcept {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  changed_.notify_all();
}

EventQueue::Next EventQueue::take() {
  if (auto next = take_of_batch()) return *std::move(next);
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return may_take(); });
  return take_waiting();
}

bool EventQueue::start_take(const StopToken& stop, std::function<void()> then) {
  if (is_over_ || !batch_.empty()) return true;
  const std::lock_guard lock(mutex_);
  if (may_take() || stop.stop_requested()) return true;
  then_ = std::move(then);
  return false;
}

void EventQueue::cancel_take() noexcept {
  std::function<void()> then;
  {
    const std::lock_guard lock(mutex_);
    std::swap(then, then_);
  }
  if (then) then();
}

EventQueue::Next EventQueue::take_now() {
  if (auto next = take_of_batch()) return *std::move(next);
  const std::lock_guard lock(mutex_);
  return may_take() ? take_waiting() : refusal(Errc::cancelled, "cancelled by the caller", "");
}

/// Without the lock, but for the last event of the batch. Nothing if what comes next must be waited for.
std::optional<EventQueue::Next> EventQueue::take_of_batch() {
  if (is_over_) return Next(std::nullopt);
  if (taken_ + 1 < batch_.size()) return Next(std::move(batch_[taken_++]));
  if (batch_.empty()) return std::nullopt;
  const std::lock_guard lock(mutex_);
  return take_last_of_batch();
}

/// With the lock.
EventQueue::Next EventQueue::take_last_of_batch() {
  Next last(std::move(batch_.back()));
  batch_.clear();
  bytes_ -= batch_bytes_;
  changed_.notify_all();
  return last;
}

/// With the lock, if the batch is empty and there is anything to take.
EventQueue::Next EventQueue::take_waiting() {
  if (waiting_.empty()) {
    if (error_) return *std::exchange(error_, std::nullopt);
    return std::nullopt;
  }
  std::swap(batch_, waiting_);
  batch_bytes_ = bytes_;
  taken_ = 0;
  if (batch_.size() == 1) return take_last_of_batch();
  return {std::move(batch_[taken_++])};
}

}}}  // namespace noun::detail
