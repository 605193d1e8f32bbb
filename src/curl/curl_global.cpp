#include "curl/curl_global.hpp"

#include <cerrno>
#include <ctime>

#include <curl/curl.h>

#include "os/process.hpp"
#include "os/process_exit.hpp"

namespace noun { inline namespace v0 { namespace curl {
namespace {

std::once_flag initialized;
bool usable = false;
constinit std::mutex creation;

sigset_t only_sigpipe() noexcept {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGPIPE);
  return set;
}

}  // namespace

bool initialize() noexcept try {
  std::call_once(initialized, [] {
    const auto lock = [] { creation.lock(); };
    const auto unlock = [] { creation.unlock(); };
    usable = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK && call_at_fork(lock, unlock, unlock);
    stop_threads_at_exit();
  });
  return usable;
} catch (...) {
  return false;
}

std::unique_lock<std::mutex> hold_off_fork() { return std::unique_lock(creation); }

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
