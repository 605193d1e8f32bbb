#include "os/sigpipe.hpp"

#include <csignal>

#include <pthread.h>

namespace noun { inline namespace v0 {
namespace {

sigset_t only_sigpipe() noexcept {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGPIPE);
  return set;
}

bool is_pending() noexcept {
  sigset_t pending;
  sigemptyset(&pending);
  sigpending(&pending);
  return sigismember(&pending, SIGPIPE) == 1;
}

}  // namespace

SigpipeGuard::SigpipeGuard(bool needed) noexcept : active_(needed) {
  if (!active_) return;
  was_pending_ = is_pending();
  const auto set = only_sigpipe();
  sigset_t before;
  active_ = pthread_sigmask(SIG_BLOCK, &set, &before) == 0;
  was_blocked_ = active_ && sigismember(&before, SIGPIPE) == 1;
}

SigpipeGuard::~SigpipeGuard() {
  if (!active_) return;
  const auto set = only_sigpipe();
  // A signal that was pending before belongs to the program and stays. macOS has no sigtimedwait().
  int taken = 0;
  if (!was_pending_ && is_pending()) sigwait(&set, &taken);
  if (!was_blocked_) pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

}}  // namespace noun
