#pragma once
/// @file
/// The concurrent driver: many calls at once on one thread, which starts with the first call.

#include <atomic>
#include <memory>
#include <stop_token>

#include "transport/call_loop.hpp"
#include "transport/driver.hpp"

namespace noun { inline namespace v0 {

/// Runs calls in the background. In a child of fork() it starts empty; the parent's calls stay with the parent.
/// @threadsafety  safe, except for destruction.
class ConcurrentDriver {
 public:
  using Finished = CallLoop::Finished;

  /// `context` must outlive the driver.
  explicit ConcurrentDriver(DriverContext& context) noexcept : context_(context) {}
  ConcurrentDriver(const ConcurrentDriver&) = delete;
  ConcurrentDriver& operator=(const ConcurrentDriver&) = delete;
  /// Cancels running calls (each `finished` is called), joins the thread, and waits for the credentials functions that
  /// still run. Within a `finished`, cancels at once and detaches the thread instead. Must not be called from the
  /// observer, or from a credentials function of its calls.
  ~ConcurrentDriver();

  /// Starts a call; from any thread, also from a `finished`. A stop request ends it within 50 ms, unless the transport
  /// has no multiplexer and is making another call's attempt.
  /// @param finished  called once, on the driver's thread and without a lock, with the ended call. Exceptions are
  ///                  dropped.
  /// Throws std::bad_alloc, or std::system_error if no thread can be created; then nothing was started.
  void start(std::unique_ptr<CallJob> job, const std::stop_token& stop, Finished finished);
  /// Whether the caller is a callback or a credentials function on one of the driver's threads, where blocking on the
  /// driver would deadlock.
  bool on_own_thread() const noexcept;

 private:
  struct Worker;
  Worker& worker();

  DriverContext& context_;
  std::atomic<Worker*> worker_ = nullptr;
};

}}  // namespace noun
