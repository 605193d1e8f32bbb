#include "transport/concurrent.hpp"

#include <csignal>
#include <mutex>
#include <thread>
#include <utility>

#include <unistd.h>

namespace noun { inline namespace v0 {

// The thread of one process, and its loop. A child of fork() has no such thread, and may inherit a locked lock.
// So the child abandons the parent's crew and makes its own.
struct ConcurrentDriver::Crew {
  explicit Crew(Surroundings& surroundings) : loop(std::make_shared<CallLoop>(surroundings)) {}

  void begin();

  const pid_t process = ::getpid();
  const std::shared_ptr<CallLoop> loop;
  std::mutex begins;
  std::thread thread;
  Crew* next_abandoned = nullptr;

  // Keeps the crew reachable, so that a leak checker does not report it.
  static void abandon(Crew* crew) noexcept {
    crew->next_abandoned = abandoned.load();
    while (!abandoned.compare_exchange_weak(crew->next_abandoned, crew)) {
    }
  }
  static constinit inline std::atomic<Crew*> abandoned = nullptr;
};

void ConcurrentDriver::Crew::begin() {
  // Not std::call_once: some pthread_once implementations do not support exceptions, and creating a thread may throw.
  const std::lock_guard lock(begins);
  if (thread.joinable()) return;
  // Signals of the program are not to be delivered to this thread.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    thread = std::thread([own = loop] { own->run(); });
  } catch (...) {
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    throw;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

ConcurrentDriver::~ConcurrentDriver() {
  auto* const crew = crew_.load();
  if (crew == nullptr) return;
  if (crew->process != ::getpid()) {
    Crew::abandon(crew);
    return;
  }
  if (crew->loop->on_own_thread()) {
    crew->loop->close_here();
    crew->thread.detach();
  } else {
    crew->loop->close();
    if (crew->thread.joinable()) crew->thread.join();
  }
  delete crew;
}

ConcurrentDriver::Crew& ConcurrentDriver::crew() {
  auto* current = crew_.load(std::memory_order_acquire);
  if (current != nullptr && current->process == ::getpid()) return *current;
  auto own = std::make_unique<Crew>(surroundings_);
  auto* const inherited = current;
  // If two threads race here, the second uses the crew of the first.
  if (!crew_.compare_exchange_strong(current, own.get())) return *current;
  if (inherited != nullptr) Crew::abandon(inherited);
  return *own.release();
}

void ConcurrentDriver::start(std::unique_ptr<CallJob> job, const std::stop_token& stop, Finished finished) {
  auto& own = crew();
  own.begin();
  // Keeps the loop alive: the call may end, and destroy the driver, before add() returns.
  const auto loop = own.loop;
  loop->add(std::move(job), stop, std::move(finished));
}

bool ConcurrentDriver::on_own_thread() const noexcept {
  const auto* const crew = crew_.load(std::memory_order_acquire);
  return crew != nullptr && crew->process == ::getpid() && crew->loop->on_own_thread();
}

}}  // namespace noun
