#include "curl/curl_sigpipe.hpp"

#include <cerrno>
#include <ctime>

namespace noun { inline namespace v0 { namespace curl {
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
  active_ = pthread_sigmask(SIG_BLOCK, &set, &before_) == 0;
}

SigpipeGuard::~SigpipeGuard() {
  if (!active_) return;
  // A signal that was pending before belongs to the program and stays.
  if (!was_pending_) {
    const auto set = only_sigpipe();
    const timespec no_wait{};
    while (sigtimedwait(&set, nullptr, &no_wait) < 0 && errno == EINTR) {
    }
  }
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

}}}  // namespace noun::curl
