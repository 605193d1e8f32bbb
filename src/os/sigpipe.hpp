#pragma once
/// @file
/// The signal of a write to a connection that is over. Windows has none.

#include <noun/version.hpp>

namespace noun { inline namespace v0 {

/// If `needed`, blocks SIGPIPE in the calling thread for its lifetime, and discards one that was raised meanwhile; the
/// program's signal dispositions stay. libcurl prevents it for plain sockets; TLS libraries may raise it.
class SigpipeGuard {
 public:
  explicit SigpipeGuard(bool needed) noexcept;
  SigpipeGuard(const SigpipeGuard&) = delete;
  SigpipeGuard& operator=(const SigpipeGuard&) = delete;
  ~SigpipeGuard();

 private:
  // Where the system has no such signal, nothing is to be remembered.
  [[maybe_unused]] bool active_;
  [[maybe_unused]] bool was_blocked_ = false;
  [[maybe_unused]] bool was_pending_ = false;
};

}}  // namespace noun
