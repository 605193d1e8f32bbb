#include "loop/completion_thread.hpp"

#include <atomic>
#include <condition_variable>
#include <list>
#include <mutex>
#include <utility>

#include "loop/workers.hpp"
#include "os/own_process.hpp"

namespace noun { inline namespace v0 {
namespace {

class CompletionThread {
 public:
  void start() {
    const std::lock_guard lock(mutex_);
    start_locked();
  }

  void post(std::function<void()> completion) {
    std::list<std::function<void()>> one;
    one.push_back(std::move(completion));
    const std::lock_guard lock(mutex_);
    start_locked();
    if (waiting_.empty()) posted_.notify_one();
    waiting_.splice(waiting_.end(), one);
  }

  const OwnProcess process;

 private:
  void start_locked() {
    if (std::exchange(running_, true)) return;
    try {
      thread_without_signals([this] { run(); }).detach();
    } catch (...) {
      running_ = false;
      throw;
    }
  }

  void run() noexcept {
    for (std::list<std::function<void()>> all;; all.pop_front()) {
      if (all.empty()) {
        std::unique_lock lock(mutex_);
        posted_.wait(lock, [this] { return !waiting_.empty(); });
        all.swap(waiting_);
      }
      try {
        all.front()();
      } catch (...) {
      }
    }
  }

  std::mutex mutex_;
  std::condition_variable posted_;
  std::list<std::function<void()>> waiting_;
  bool running_ = false;
};

/// That of this process. Never destroyed: its thread may run when statics are. A child of fork() has no such thread,
/// and may inherit a locked lock; it makes its own.
CompletionThread& completion_thread() {
  static std::atomic<CompletionThread*> current = nullptr;
  auto* known = current.load();
  if (known != nullptr && known->process.is_current()) return *known;
  auto* const own = new CompletionThread;
  if (current.compare_exchange_strong(known, own)) return *own;
  delete own;
  return *known;
}

}  // namespace

void start_completion_thread() { completion_thread().start(); }
void post_completion(std::function<void()> completion) { completion_thread().post(std::move(completion)); }

}}  // namespace noun
