#include "export_committer.hpp"

#include <utility>

namespace noun_export {

Committer::Committer(Output& output, Clock::duration interval, std::function<void()> on_failure)
    : output_(output), interval_(interval), on_failure_(std::move(on_failure)) {
  thread_ = std::thread([this] { run(); });
}

void Committer::write_page(const std::function<Checkpoint()>& write) {
  const std::lock_guard lock(mutex_);
  if (failure_) std::rethrow_exception(failure_);
  next_ = write();
  changed_.notify_one();
}

void Committer::write_without_checkpoint(const std::function<void()>& write) {
  const std::lock_guard lock(mutex_);
  if (failure_) std::rethrow_exception(failure_);
  if (next_) output_.commit(*std::exchange(next_, std::nullopt));
  write();
}

void Committer::end() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void Committer::stop() {
  end();
  if (failure_) std::rethrow_exception(failure_);
}

void Committer::run() {
  std::unique_lock lock(mutex_);
  for (auto due = Clock::now();;) {
    changed_.wait(lock, [&] { return stopped_ || next_.has_value(); });
    changed_.wait_until(lock, due, [&] { return stopped_; });
    if (stopped_) return;
    if (!next_) continue;
    try {
      output_.commit(*std::exchange(next_, std::nullopt));
    } catch (...) {
      failure_ = std::current_exception();
      lock.unlock();
      return on_failure_();
    }
    due = Clock::now() + interval_;
  }
}

}  // namespace noun_export
