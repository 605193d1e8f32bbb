#pragma once
/// @file
/// Keeps SIGPIPE of a TLS library from killing the host program, without touching its signal dispositions.

#include <csignal>

#include <noun/version.hpp>

namespace noun { inline namespace v0 { namespace curl {

/// Blocks SIGPIPE in the calling thread for its lifetime, if `needed`, and swallows one that came meanwhile. libcurl
/// keeps plain sockets from raising it; only the TLS libraries below it may.
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
