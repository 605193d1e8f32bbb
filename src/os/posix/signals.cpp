#include <noun/signals.hpp>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <exception>

#include <unistd.h>

#include "os/sockets.hpp"
#include "os/threads.hpp"
#include "os/wakeup.hpp"

namespace noun { inline namespace v0 {
namespace {

constexpr std::array caught_signals = {SIGINT, SIGTERM};

// What the handler reads: constant after the handler is installed.
constinit std::atomic<int> wake_handle = -1;
constinit std::atomic<pid_t> process = 0;
constinit std::atomic<bool> caught = false;

/// Requesting a stop is not async-signal-safe: a thread does it, which a descriptor wakes.
void on_signal(int number) {
  const int saved = errno;
  struct sigaction usual = {};
  usual.sa_handler = SIG_DFL;
  for (const int each : caught_signals) {
    struct sigaction now = {};
    // One that the program ignored stays so.
    if (::sigaction(each, nullptr, &now) == 0 && now.sa_handler == &on_signal) ::sigaction(each, &usual, nullptr);
  }
  // In a child of fork(), the descriptor and the thread are the parent's.
  if (process.load() != ::getpid() || caught.exchange(true))
    ::raise(number);
  else
    Wakeup::raise(wake_handle.load());
  errno = saved;
}

void handle(int number) noexcept {
  struct sigaction now = {};
  if (::sigaction(number, nullptr, &now) != 0 || now.sa_handler == SIG_IGN) return;
  struct sigaction ours = {};
  ours.sa_handler = &on_signal;
  ours.sa_flags = SA_RESTART;
  for (const int each : caught_signals) sigaddset(&ours.sa_mask, each);
  ::sigaction(number, &ours, nullptr);
}

/// Never destroyed: the thread outlives the statics of this file.
StopSource* watch_signals() noexcept try {
  // Never closed: a handler may write to it at any time.
  static auto* const wakeup = new Wakeup;
  if (!wakeup->open()) return new StopSource(no_stop_state);
  auto* source = new StopSource;
  thread_without_signals([source] {
    const std::array watched = {wakeup->descriptor()};
    while (wait_until_readable(watched, std::chrono::hours(1)) < 0) continue;
    source->request_stop();
  }).detach();
  wake_handle = wakeup->handle();
  process = ::getpid();
  for (const int number : caught_signals) handle(number);
  return source;
} catch (const std::exception&) {
  return nullptr;
}

}  // namespace

StopToken stop_on_signals() noexcept {
  static const auto* source = watch_signals();
  return source == nullptr ? StopToken() : source->get_token();
}

}}  // namespace noun
