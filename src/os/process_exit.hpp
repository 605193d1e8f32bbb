#pragma once
/// @file
/// Stops noun's threads when the process exits. OpenSSL frees its locks in a handler of std::exit(); a thread that is in
/// libcurl then would crash. noun's handler runs first: it stops the loops and the attempts, and waits for them.


#include <noun/stop.hpp>
#include <noun/time.hpp>

#include "os/own_process.hpp"

namespace noun { inline namespace v0 {

/// Registers the handler. Call it once, after libcurl has initialized OpenSSL: handlers run in reverse order. Throws
/// std::bad_alloc.
void stop_threads_at_exit();

/// Whether the handler has started. After that, do not close connections: closing a TLS session needs OpenSSL.
/// @threadsafety  safe.
bool process_ends() noexcept;

/// A thread that the handler stops.
/// @threadsafety  safe.
class EndsAtExit {
 public:
  EndsAtExit() = default;
  EndsAtExit(const EndsAtExit&) = delete;
  EndsAtExit& operator=(const EndsAtExit&) = delete;

  /// Asks the thread to end, and does not wait.
  virtual void stop_at_exit() noexcept = 0;
  /// Waits for its end until `deadline`.
  virtual void join_at_exit(Instant deadline) noexcept = 0;

 protected:
  ~EndsAtExit() = default;
  /// Throws std::bad_alloc, or std::system_error if the handler has started.
  void add_to_exit();
  /// Afterwards the handler does not use this object.
  void remove_from_exit() noexcept;
};

/// Marks a blocking attempt for its lifetime, or a download or a stream with all of its attempts. Destroyed by the
/// thread that made it. The handler requests a stop, and waits until all are destroyed but those of its own thread.
class AttemptAtExit {
 public:
  /// Throws std::bad_alloc.
  AttemptAtExit();
  AttemptAtExit(const AttemptAtExit&) = delete;
  AttemptAtExit& operator=(const AttemptAtExit&) = delete;
  ~AttemptAtExit();

  /// Requested when the handler starts. Never on the thread that runs the handler: destructors of static objects may
  /// make calls.
  const StopToken& stop() const noexcept { return stop_; }

 private:
  const OwnProcess process_;
  StopToken stop_;
};

}}  // namespace noun
