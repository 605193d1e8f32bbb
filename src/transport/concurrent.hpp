#pragma once
/// @file
/// The concurrent driver: many calls at once on one thread, which begins with the first of them.

#include <atomic>
#include <memory>
#include <stop_token>

#include "transport/call_loop.hpp"
#include "transport/driver.hpp"

namespace noun { inline namespace v0 {

/// Runs calls in the background. In a child of fork() it begins anew: the calls of its parent are the parent's.
/// @threadsafety  safe, but for its destruction.
class ConcurrentDriver {
 public:
  using Finished = CallLoop::Finished;

  /// `surroundings` outlives the driver.
  explicit ConcurrentDriver(Surroundings& surroundings) noexcept : surroundings_(surroundings) {}
  ConcurrentDriver(const ConcurrentDriver&) = delete;
  ConcurrentDriver& operator=(const ConcurrentDriver&) = delete;
  /// Cancels what still runs (each `finished` is called), and joins its thread. Within a `finished` all that is done at
  /// once, and the thread is let go instead of joined. Not from the observer or a credentials function on its thread.
  ~ConcurrentDriver();

  /// Starts a call; from any thread, also from a `finished`. It ends within 50 ms of a stop request, unless the
  /// transport has no multiplexer and makes another call's attempt meanwhile.
  /// @param finished  called once, on the driver's thread and under no lock, with the call for what it tells of itself.
  ///                  What it throws is dropped.
  /// Throws std::bad_alloc, or std::system_error where no thread can be made; then nothing was started.
  void start(std::unique_ptr<CallJob> job, const std::stop_token& stop, Finished finished);
  /// Whether the caller is on the driver's own thread (a callback): there nothing may block on the driver.
  bool on_own_thread() const noexcept;

 private:
  struct Crew;
  Crew& crew();

  Surroundings& surroundings_;
  std::atomic<Crew*> crew_ = nullptr;
};

}}  // namespace noun
