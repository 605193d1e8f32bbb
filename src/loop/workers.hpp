#pragma once
/// @file
/// Threads for what may take long and must not run on a loop's thread.

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <list>
#include <mutex>
#include <thread>
#include <vector>

#include <noun/version.hpp>

namespace noun { inline namespace v0 {

/// Up to `most` threads, each started when it is first needed.
/// @threadsafety  safe, except for destruction.
class Workers {
 public:
  /// Must not throw.
  using Task = std::function<void()>;

  explicit Workers(std::size_t most) noexcept : most_(most) {}
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  ~Workers() { join(); }

  /// Runs the task on one of the threads. Throws std::bad_alloc, or std::system_error if there is no thread for it;
  /// then the task does not run.
  void post(Task task);
  /// Starts the first thread, so that a later post() needs none. Throws std::system_error.
  void start();
  /// Drops the tasks that have not started, and joins the threads. Not on one of them.
  void join() noexcept;
  /// Whether the caller is on one of the threads.
  bool on_own_thread() const noexcept;

 private:
  void add_thread();
  void work() noexcept;

  const std::size_t most_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<Task> waiting_;
  std::size_t idle_ = 0;
  bool closed_ = false;
  std::vector<std::thread> threads_;
};

/// Starts the thread that runs completions for which the program has no executor, unless it runs. It is never joined.
/// Throws std::system_error.
void start_completion_thread();
/// Runs the function on that thread, after those posted before. Exceptions of the function are dropped. Throws
/// std::bad_alloc, or std::system_error if the thread cannot be started; then the function does not run.
void post_completion(std::function<void()> completion);

}}  // namespace noun
