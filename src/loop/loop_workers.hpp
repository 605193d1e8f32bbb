#pragma once
/// @file
/// The threads of a loop for what may block.

#include <atomic>
#include <cstddef>
#include <functional>
#include <utility>

#include "loop/loop_inbox.hpp"
#include "loop/workers.hpp"

namespace noun { inline namespace v0 {

/// Three pools, so that a short task does not wait for a long one. The tasks must not throw.
/// @threadsafety  safe, except for destruction.
class LoopWorkers {
 public:
  /// @param inbox  is woken when a task of post() or post_asking() has run.
  explicit LoopWorkers(LoopInbox& inbox) noexcept : inbox_(inbox) {}

  /// Runs the task. Until it has run, a virtual clock stands still. Throws std::bad_alloc, or std::system_error if there
  /// is no thread for it.
  void post(std::function<void()> task) { pages_.post(counted(std::move(task))); }
  /// As post(), for a task that asks for credentials.
  void post_asking(std::function<void()> task) { credentials_.post(counted(std::move(task))); }
  /// Asks for the credentials of a call, which the loop counts.
  void post_for_call(std::function<void()> task) { credentials_.post(std::move(task)); }
  /// Runs a task that takes as long as a call; a virtual clock goes on.
  void post_long(std::function<void()> task) { downloads_.post(std::move(task)); }
  /// Whether a task of post() or post_asking() has not run.
  bool busy() const noexcept { return tasks_ > 0; }
  /// Whether the caller is on one of the threads.
  bool on_own_thread() const noexcept {
    return credentials_.on_own_thread() || pages_.on_own_thread() || downloads_.on_own_thread();
  }
  /// Drops the tasks that have not started, and joins the threads. After CallLoop::run() has returned.
  void join() noexcept;

 private:
  std::function<void()> counted(std::function<void()> task);

  LoopInbox& inbox_;
  std::atomic<std::size_t> tasks_ = 0;
  Workers credentials_{16};
  Workers pages_{4};
  Workers downloads_{64};
};

}}  // namespace noun
