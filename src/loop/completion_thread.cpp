#include "loop/completion_thread.hpp"

#include <condition_variable>
#include <list>
#include <mutex>
#include <utility>

#include "loop/workers.hpp"
#include "os/per_process.hpp"

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

/// Never destroyed: it may run when statics are.
constinit PerProcess<CompletionThread> completion_thread;

}  // namespace

void start_completion_thread() { completion_thread.get().start(); }
void post_completion(std::function<void()> completion) { completion_thread.get().post(std::move(completion)); }

}}  // namespace noun
