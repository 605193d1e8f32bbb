#include "loop/concurrent.hpp"

#include <memory>
#include <mutex>
#include <semaphore>
#include <system_error>
#include <thread>
#include <utility>

#include "loop/workers.hpp"
#include "os/own_process.hpp"
#include "os/process_exit.hpp"

namespace noun { inline namespace v0 {

// The thread of one process, and its loop. A child of fork() has no such thread, and may inherit a locked lock.
// So the child abandons the parent's worker and makes its own.
struct ConcurrentDriver::Worker final : EndsAtExit {
  explicit Worker(DriverContext& context) : loop(std::make_shared<CallLoop>(context)) {}
  ~Worker() { remove_from_exit(); }

  void start();
  /// Waits for the end of the loop. If the process ends meanwhile, so may the handler.
  void join();
  void stop_at_exit() noexcept override { loop->halt(); }
  void join_at_exit(Instant deadline) noexcept override;

  const OwnProcess process;
  const std::shared_ptr<CallLoop> loop;
  std::mutex starting;
  std::mutex joining;
  std::thread thread;
  const std::shared_ptr<std::binary_semaphore> ended = std::make_shared<std::binary_semaphore>(0);
  Worker* next_abandoned = nullptr;

  // Keeps the worker reachable, so that a leak checker does not report it.
  static void abandon(Worker* worker) noexcept {
    worker->next_abandoned = abandoned.load();
    while (!abandoned.compare_exchange_weak(worker->next_abandoned, worker)) {
    }
  }
  static constinit inline std::atomic<Worker*> abandoned = nullptr;
};

void ConcurrentDriver::Worker::start() {
  // Not std::call_once: some pthread_once implementations do not support exceptions, and creating a thread may throw.
  const std::lock_guard lock(starting);
  if (thread.joinable()) return;
  if (process_ends()) throw std::system_error(std::make_error_code(std::errc::operation_canceled), "the process ends");
  add_to_exit();
  try {
    const std::lock_guard joins(joining);
    thread = thread_without_signals([own = loop, over = ended] {
      own->run();
      over->release();
    });
  } catch (...) {
    remove_from_exit();
    throw;
  }
}

void ConcurrentDriver::Worker::join() {
  // Not `starting`: a `finished` may start a call.
  const std::lock_guard lock(joining);
  if (thread.joinable()) thread.join();
}

void ConcurrentDriver::Worker::join_at_exit(Instant deadline) noexcept {
  // An observer may end the process.
  if (loop->on_own_thread() || !ended->try_acquire_until(deadline)) return;
  join();
}

ConcurrentDriver::~ConcurrentDriver() {
  auto* const worker = worker_.load();
  if (worker == nullptr) return;
  if (!worker->process.is_current()) {
    Worker::abandon(worker);
    return;
  }
  if (worker->loop->on_own_thread()) {
    worker->loop->close_here();
    worker->thread.detach();
  } else {
    worker->loop->close();
    worker->join();
    worker->loop->workers().join();
  }
  delete worker;
}

ConcurrentDriver::Worker& ConcurrentDriver::worker() {
  auto* current = worker_.load(std::memory_order_acquire);
  if (current != nullptr && current->process.is_current()) return *current;
  auto own = std::make_unique<Worker>(context_);
  auto* const inherited = current;
  // If two threads race here, the second uses the worker of the first.
  if (!worker_.compare_exchange_strong(current, own.get())) return *current;
  if (inherited != nullptr) Worker::abandon(inherited);
  return *own.release();
}

void ConcurrentDriver::start(CallStart start) {
  auto& own = worker();
  own.start();
  // Keeps the loop alive: the call may end, and destroy the driver, before add() returns.
  const auto loop = own.loop;
  loop->add(std::move(start));
}

void ConcurrentDriver::post(std::function<void()> task) { worker().loop->workers().post(std::move(task)); }
void ConcurrentDriver::post_asking(std::function<void()> task) { worker().loop->workers().post_asking(std::move(task)); }
void ConcurrentDriver::post_long(std::function<void()> task) { worker().loop->workers().post_long(std::move(task)); }

ConcurrentDriver::Worker* ConcurrentDriver::started() const noexcept {
  auto* const current = worker_.load(std::memory_order_acquire);
  return current != nullptr && current->process.is_current() ? current : nullptr;
}

void ConcurrentDriver::run_until(const std::function<bool()>& ended) noexcept {
  if (const auto* const own = started()) own->loop->run_until(ended);
}

void ConcurrentDriver::wake() noexcept {
  if (const auto* const own = started(); own != nullptr && !own->loop->on_own_thread()) own->loop->wake();
}

bool ConcurrentDriver::on_own_thread() const noexcept {
  const auto* const own = started();
  return own != nullptr && (own->loop->on_own_thread() || own->loop->workers().on_own_thread());
}

}}  // namespace noun
