#include "loop/workers.hpp"

#include <system_error>
#include <utility>

#include "os/per_process.hpp"
#include "os/threads.hpp"

namespace noun { inline namespace v0 {
namespace {

/// The workers whose thread this is.
thread_local const Workers* own_workers = nullptr;

Workers& completion_thread() {
  // Never destroyed: it may run when statics are.
  static constinit PerProcess<Workers> completions;
  return completions.get([] { return Workers(1); });
}

}  // namespace

void Workers::post(Task task) {
  std::list<Task> one;
  one.push_back(std::move(task));
  const std::lock_guard lock(mutex_);
  if (idle_ <= waiting_.size() && threads_.size() < most_) try {
      add_thread();
    } catch (const std::system_error&) {
      // The threads that there are take it in turn.
      if (threads_.empty()) throw;
    }
  waiting_.splice(waiting_.end(), one);
  changed_.notify_one();
}

void Workers::start() {
  const std::lock_guard lock(mutex_);
  if (threads_.empty()) add_thread();
}

void Workers::add_thread() {
  threads_.reserve(most_);
  threads_.push_back(thread_without_signals([this] { work(); }));
}

void Workers::join() noexcept {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }
  for (auto& thread : threads_)
    if (thread.joinable()) thread.join();
  waiting_.clear();
}

bool Workers::on_own_thread() const noexcept { return own_workers == this; }

void Workers::work() noexcept {
  own_workers = this;
  std::unique_lock lock(mutex_);
  for (;;) {
    ++idle_;
    changed_.wait(lock, [&] { return closed_ || !waiting_.empty(); });
    --idle_;
    if (closed_) return;
    std::list<Task> one;
    one.splice(one.end(), waiting_, waiting_.begin());
    lock.unlock();
    one.front()();
    // What the task owns is destroyed without the lock too.
    one.clear();
    lock.lock();
  }
}

void start_completion_thread() { completion_thread().start(); }

void post_completion(std::function<void()> completion) {
  completion_thread().post([completion = std::move(completion)] {
    try {
      completion();
    } catch (...) {
    }
  });
}

}}  // namespace noun
