#pragma once
// Commits pages on its own thread: the run may wait for the next page until the quota resets.

#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "export_output.hpp"

namespace noun_export {

/// During its lifetime, write to the output only within write_page(). Not thread-safe.
class Committer {
 public:
  using Clock = std::chrono::steady_clock;

  /// @param interval    the minimum time between two commits. Each costs two disk round trips; pages that are lost with
  ///                    a kill are requested again.
  /// @param on_failure  called by another thread if a commit fails; write_page() and stop() then throw the exception
  ///                    of the commit.
  Committer(Output& output, Clock::duration interval, std::function<void()> on_failure);
  Committer(const Committer&) = delete;
  Committer& operator=(const Committer&) = delete;
  ~Committer() { end(); }

  /// Calls `write`, which writes a page, while no commit runs. Commits the returned checkpoint after the interval.
  void write_page(const std::function<Checkpoint()>& write);
  /// Calls `write`, which writes what has no checkpoint, after the last checkpoint is committed: later it would not be at
  /// the end of the output.
  void write_without_checkpoint(const std::function<void()>& write);
  /// Stops committing; then the caller may write to the output. The last page may be uncommitted.
  void stop();

 private:
  void end();
  void run();

  Output& output_;
  const Clock::duration interval_;
  const std::function<void()> on_failure_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Checkpoint> next_;
  std::exception_ptr failure_;
  bool stopped_ = false;
  std::thread thread_;
};

}  // namespace noun_export
