#include "export_signals.hpp"

#include <pthread.h>
#include <unistd.h>
#include <csignal>

#include "progress_screen.hpp"

namespace noun_export {
namespace {

/// Wakes the waiting thread, which then checks over_. From elsewhere it has no effect.
constexpr int wake = SIGUSR1;

/// As a shell starts a program in the background.
bool is_ignored(int signal) {
  struct sigaction now = {};
  return ::sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

sigset_t waited_for() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, wake);
  for (const int signal : {SIGINT, SIGTERM})
    if (!is_ignored(signal)) sigaddset(&set, signal);
  return set;
}

}  // namespace

Signals::Signals() {
  const auto set = waited_for();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  waiter_ = std::thread([this] { wait(); });
}

Signals::~Signals() {
  over_ = true;
  pthread_kill(waiter_.native_handle(), wake);
  waiter_.join();
}

void Signals::wait() {
  const auto set = waited_for();
  int signal = 0;
  while (sigwait(&set, &signal) == 0) {
    if (signal == wake && over_) return;
    if (signal == wake) continue;
    constexpr int killed_by = 128;
    if (caught_ != 0) {
      progress::Screen::leave_clean();
      ::_exit(killed_by + signal);
    }
    caught_ = signal;
    stop_.request_stop();
  }
}

}  // namespace noun_export
