#include "os/sigpipe.hpp"

#include <cerrno>
#include <csignal>
#include <ctime>

#include <pthread.h>

namespace noun { inline namespace v0 {
namespace {

sigset_t only_sigpipe() noexcept {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGPIPE);
  return set;
}

}  // namespace

SigpipeGuard::SigpipeGuard(bool needed) noexcept : active_(needed) {
  if (!active_) return;
  sigset_t pending;
  sigemptyset(&pending);
  sigpending(&pending);
  was_pending_ = sigismember(&pending, SIGPIPE) == 1;
  const auto set = only_sigpipe();
  sigset_t before;
  active_ = pthread_sigmask(SIG_BLOCK, &set, &before) == 0;
  was_blocked_ = active_ && sigismember(&before, SIGPIPE) == 1;
}

SigpipeGuard::~SigpipeGuard() {
  if (!active_) return;
  const auto set = only_sigpipe();
  // A signal that was pending before belongs to the program and stays.
  const timespec no_wait{};
  while (!was_pending_ && sigtimedwait(&set, nullptr, &no_wait) < 0 && errno == EINTR) continue;
  if (!was_blocked_) pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

}}  // namespace noun
