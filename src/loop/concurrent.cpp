#include "loop/concurrent.hpp"

#include <future>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "loop/workers.hpp"
#include "os/process_exit.hpp"
#include "os/threads.hpp"

namespace noun { inline namespace v0 {

/// The thread of one process, and its loop.
struct ConcurrentDriver::LoopWorker final : Worker, EndsAtExit {
  explicit LoopWorker(DriverContext& context) : loop(std::make_shared<CallLoop>(context)) {}
  LoopWorker(const LoopWorker&) = delete;
  LoopWorker& operator=(const LoopWorker&) = delete;
  ~LoopWorker() override { remove_from_exit(); }

  void start();
  void end() override;
  bool on_own_thread() const noexcept override { return loop->on_own_thread() || loop->workers().on_own_thread(); }
  /// Waits for the end of the loop. If the process ends meanwhile, so may the handler.
  void join();
  void stop_at_exit() noexcept override { loop->halt(); }
  void join_at_exit(Instant deadline) noexcept override;

  const std::shared_ptr<CallLoop> loop;
  std::mutex starting;
  std::mutex joining;
  std::thread thread;
  // No semaphore: where there is no futex, those of libstdc++ 12 can miss a release.
  const std::shared_ptr<std::promise<void>> over = std::make_shared<std::promise<void>>();
  const std::shared_future<void> ended = over->get_future();
};

void ConcurrentDriver::LoopWorker::start() {
  // Not std::call_once: some pthread_once implementations do not support exceptions, and creating a thread may throw.
  const std::lock_guard lock(starting);
  if (thread.joinable()) return;
  add_to_exit();
  try {
    const std::lock_guard joins(joining);
    thread = thread_without_signals([own = loop, end = over] {
      own->run();
      end->set_value();
    });
  } catch (...) {
    remove_from_exit();
    throw;
  }
}

void ConcurrentDriver::LoopWorker::join() {
  // Not `starting`: a `finished` may start a call.
  const std::lock_guard lock(joining);
  if (thread.joinable()) thread.join();
}

void ConcurrentDriver::LoopWorker::join_at_exit(Instant deadline) noexcept {
  // An observer may end the process.
  if (loop->on_own_thread() || ended.wait_until(deadline) != std::future_status::ready) return;
  join();
}

void ConcurrentDriver::LoopWorker::end() {
  if (loop->on_own_thread()) {
    loop->close_here();
    thread.detach();
  } else {
    loop->close();
    join();
    loop->workers().join();
  }
}

ConcurrentDriver::~ConcurrentDriver() {
  if (auto* const worker = workers_.find()) (*worker)->end();
  workers_.destroy();
}

ConcurrentDriver::LoopWorker& ConcurrentDriver::worker() {
  return static_cast<LoopWorker&>(*workers_.get([this] { return std::make_unique<LoopWorker>(context_); }));
}

ConcurrentDriver::LoopWorker* ConcurrentDriver::find() const noexcept {
  auto* const worker = workers_.find();
  return worker != nullptr ? static_cast<LoopWorker*>(worker->get()) : nullptr;
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

void ConcurrentDriver::run_until(const std::function<bool()>& ended) noexcept {
  if (const auto* const own = find()) own->loop->run_until(ended);
}

void ConcurrentDriver::wake() noexcept {
  if (const auto* const own = find(); own != nullptr && !own->loop->on_own_thread()) own->loop->wake();
}

bool ConcurrentDriver::on_own_thread() const noexcept {
  const auto* const own = workers_.find();
  return own != nullptr && (*own)->on_own_thread();
}

}}  // namespace noun
