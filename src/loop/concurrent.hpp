#pragma once
/// @file
/// The concurrent driver: many calls at once, on a thread that starts with the first call, or on one that waits for a
/// call.

#include <functional>
#include <memory>

#include "loop/call_loop.hpp"
#include "loop/driver.hpp"
#include "os/per_process.hpp"

namespace noun { inline namespace v0 {

/// Runs calls in the background. In a child of fork() it starts empty; the parent's calls stay with the parent.
/// @threadsafety  safe, except for destruction.
class ConcurrentDriver {
 public:
  /// `context` must outlive the driver.
  explicit ConcurrentDriver(DriverContext& context) noexcept : context_(context) {}
  ConcurrentDriver(const ConcurrentDriver&) = delete;
  ConcurrentDriver& operator=(const ConcurrentDriver&) = delete;
  /// Cancels running calls (each `finished` is called), and joins the thread and the workers. Within a `finished`,
  /// cancels at once and detaches the thread instead. Must not be called from the observer, or on one of the workers.
  ~ConcurrentDriver();

  /// Starts a call; from any thread, also from a `finished`. A stop request ends it within 50 ms, unless the transport
  /// has no multiplexer and is making another call's attempt.
  /// Throws std::bad_alloc, or std::system_error if no thread or multiplexer can be created; then nothing was started.
  void start(CallStart start);
  /// Runs the task, which must not throw, on one of the driver's workers. Throws as start().
  void post(std::function<void()> task);
  /// As post(), for a task that asks for credentials.
  void post_asking(std::function<void()> task);
  /// Runs a task that takes as long as a call. Throws as start().
  void post_long(std::function<void()> task);
  /// Runs the calls on the caller's thread until `ended` returns true, or returns at once: see CallLoop::run_until().
  void run_until(const std::function<bool()>& ended) noexcept;
  /// Makes a thread in run_until() call its `ended`. From any thread.
  void wake() noexcept;
  /// Whether the caller is on one of the driver's threads, workers included, where waiting for the driver would
  /// deadlock.
  bool on_own_thread() const noexcept;

 private:
  /// What the end of a driver needs of its thread. Virtual, so that only a program that starts calls links the loop.
  struct Worker {
    Worker() = default;
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;
    virtual ~Worker() = default;
    virtual void end() = 0;
    virtual bool on_own_thread() const noexcept = 0;
  };
  struct LoopWorker;
  LoopWorker& worker();
  LoopWorker* find() const noexcept;

  DriverContext& context_;
  PerProcess<std::unique_ptr<Worker>> workers_;
};

}}  // namespace noun
