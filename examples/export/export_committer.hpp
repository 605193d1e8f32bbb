#pragma once
// Commits pages while the run waits for the next one, which may take until the quota resets.

#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

#include "export_output.hpp"

namespace noun_export {

/// While it lives, the output is written in write_page() alone. Used by one thread.
class Committer {
 public:
  using Clock = std::chrono::steady_clock;

  /// @param interval    the least time between two commits: each costs the disk two round trips, and what is lost with
  ///                    a kill is asked for again.
  /// @param on_failure  called at once where a commit fails, by another thread; write_page() and stop() then throw what
  ///                    the commit threw.
  Committer(Output& output, Clock::duration interval, std::function<void()> on_failure);
  Committer(const Committer&) = delete;
  Committer& operator=(const Committer&) = delete;
  ~Committer() = default;

  /// Nothing is committed while `write` writes a page. What it returns is committed once the interval allows for it.
  void write_page(const std::function<Checkpoint()>& write);
  /// From now on the output is the caller's. The last page may still be uncommitted.
  void stop();

 private:
  void run(const std::stop_token& stop);

  Output& output_;
  const Clock::duration interval_;
  const std::function<void()> on_failure_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::optional<Checkpoint> next_;
  std::exception_ptr failure_;
  std::jthread thread_;
};

}  // namespace noun_export
