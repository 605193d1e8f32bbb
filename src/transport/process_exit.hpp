#pragma once
/// @file
/// The end of the process. OpenSSL frees its locks in a handler of std::exit(), while noun's threads may be in libcurl.
/// noun's own handler runs before it: it stops the loops and the attempts, and waits for them.

#include <stop_token>

#include <noun/time.hpp>

#include "transport/own_process.hpp"

namespace noun { inline namespace v0 {

/// Registers the handler, once. After libcurl was initialized, and OpenSSL with it: handlers run in reverse order.
void stop_threads_at_exit();

/// Whether the handler has begun. From then on connections are left to the system, which closes them: to close a TLS
/// session needs OpenSSL.
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
  /// Throws std::bad_alloc.
  void add_to_exit();
  /// The handler does not use this object any more.
  void remove_from_exit() noexcept;
};

/// An attempt that its caller waits for, on any thread. The handler stops it, and waits until it is destroyed.
class AttemptAtExit {
 public:
  /// Throws std::bad_alloc.
  AttemptAtExit();
  AttemptAtExit(const AttemptAtExit&) = delete;
  AttemptAtExit& operator=(const AttemptAtExit&) = delete;
  ~AttemptAtExit();

  /// Whether it must end. Never on the thread that ends the process: a destructor of a static object may make calls.
  const std::stop_token& stop() const noexcept { return stop_; }

 private:
  const OwnProcess process_;
  std::stop_token stop_;
};

}}  // namespace noun
