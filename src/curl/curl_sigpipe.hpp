#pragma once
/// @file
/// Keeps a SIGPIPE from a TLS library from killing the program, without changing its signal dispositions.

#include <csignal>

#include <noun/version.hpp>

namespace noun { inline namespace v0 { namespace curl {

/// If `needed`, blocks SIGPIPE in the calling thread for its lifetime, and discards one that was raised meanwhile.
/// libcurl prevents it for plain sockets; TLS libraries may raise it.
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
