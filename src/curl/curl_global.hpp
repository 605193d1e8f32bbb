#pragma once
/// @file
/// What libcurl shares with the process: its initialization, the protection of handle creation from fork(), and SIGPIPE.

#include <csignal>
#include <mutex>

#include <noun/version.hpp>

namespace noun { inline namespace v0 { namespace curl {

/// Initializes libcurl on the first call. It is never shut down, because other code in the process may use it.
/// @returns       whether libcurl can be used.
/// @threadsafety  safe.
bool initialize() noexcept;

/// Locks out fork() for the lifetime of the lock. Hold it while libcurl creates a handle: libcurl takes a lock of its
/// own there, which would stay locked in a child of fork().
std::unique_lock<std::mutex> hold_off_fork();

/// If `needed`, blocks SIGPIPE in the calling thread for its lifetime, and discards one that was raised meanwhile; the
/// program's signal dispositions stay. libcurl prevents it for plain sockets; TLS libraries may raise it.
class SigpipeGuard {
 public:
  explicit SigpipeGuard(bool needed) noexcept;
  SigpipeGuard(const SigpipeGuard&) = delete;
  SigpipeGuard& operator=(const SigpipeGuard&) = delete;
  ~SigpipeGuard();

 private:
  bool active_;
  bool was_pending_ = false;
  sigset_t before_;
};

}}}  // namespace noun::curl
