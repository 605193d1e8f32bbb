#include "os/process_exit.hpp"

#include <condition_variable>
#include <cstddef>
#include <cstdlib>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "os/per_process.hpp"
#include "os/steady_now.hpp"

namespace noun { inline namespace v0 {
namespace {

/// What runs in one process.
struct ExitHandler {
  std::mutex threads_mutex;
  std::vector<EndsAtExit*> threads;
  std::mutex attempts_mutex;
  std::condition_variable ended;
  std::size_t attempts = 0;
  StopSource stop;
  std::thread::id ends = {};

  void run() noexcept;
};

/// The attempts of this thread in one process: a child of fork() has none of its parent's.
struct OwnAttempts {
  const ExitHandler* handler = nullptr;
  std::size_t count = 0;

  std::size_t& of(const ExitHandler& one) noexcept {
    if (std::exchange(handler, &one) != &one) count = 0;
    return count;
  }
};
thread_local OwnAttempts own_attempts;

/// Never destroyed: a global client may outlive this file's statics.
constinit PerProcess<ExitHandler> handlers;

void ExitHandler::run() noexcept {
  // A function of the program may never return to noun.
  const auto deadline = steady_now() + std::chrono::seconds(2);
  {
    const std::lock_guard lock(attempts_mutex);
    ends = std::this_thread::get_id();
  }
  stop.request_stop();
  {
    const std::lock_guard lock(threads_mutex);
    for (auto* const each : threads) each->stop_at_exit();
    for (auto* const each : threads) each->join_at_exit(deadline);
  }
  std::unique_lock lock(attempts_mutex);
  // A function that this thread's attempt has called may have ended the process: that attempt does not end.
  ended.wait_until(lock, deadline, [this] { return attempts <= own_attempts.of(*this); });
}

}  // namespace

void stop_threads_at_exit() {
  handlers.get();
  std::atexit([] {
    try {
      handlers.get().run();
    } catch (...) {
      // A child of fork() without memory, and so without threads of noun.
    }
  });
}

bool process_ends() noexcept try { return handlers.get().stop.stop_requested(); } catch (...) {
  return false;
}

void EndsAtExit::add_to_exit() {
  auto& handler = handlers.get();
  const auto refuse_at_end = [&] {
    if (handler.stop.stop_requested())
      throw std::system_error(std::make_error_code(std::errc::operation_canceled), "the process ends");
  };
  // The handler has the lock while it waits for the threads, of which this may be one.
  refuse_at_end();
  const std::lock_guard lock(handler.threads_mutex);
  // It goes through the list only once.
  refuse_at_end();
  handler.threads.push_back(this);
}

void EndsAtExit::remove_from_exit() noexcept try {
  auto& handler = handlers.get();
  const std::lock_guard lock(handler.threads_mutex);
  std::erase(handler.threads, this);
} catch (...) {
  // Only the first use in a process allocates, and add_to_exit() was before.
}

AttemptAtExit::AttemptAtExit() {
  auto& handler = handlers.get();
  const std::lock_guard lock(handler.attempts_mutex);
  ++handler.attempts;
  ++own_attempts.of(handler);
  if (handler.ends != std::this_thread::get_id()) stop_ = handler.stop.get_token();
}

AttemptAtExit::~AttemptAtExit() {
  if (!process_.is_current()) return;
  auto& handler = handlers.get();
  const std::lock_guard lock(handler.attempts_mutex);
  --handler.attempts;
  --own_attempts.of(handler);
  handler.ended.notify_all();
}

}}  // namespace noun
