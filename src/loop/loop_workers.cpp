#include "loop/loop_workers.hpp"

#include <memory>

namespace noun { inline namespace v0 {

std::function<void()> LoopWorkers::counted(std::function<void()> task) {
  // Decrements also if the task is dropped.
  struct Pending {
    explicit Pending(LoopWorkers& workers) noexcept : of(workers) { ++of.tasks_; }
    Pending(const Pending&) = delete;
    Pending& operator=(const Pending&) = delete;
    ~Pending() {
      --of.tasks_;
      of.inbox_.wake();
    }
    LoopWorkers& of;
  };
  return [pending = std::make_shared<Pending>(*this), task = std::move(task)] { task(); };
}

void LoopWorkers::join() noexcept {
  credentials_.join();
  pages_.join();
  downloads_.join();
}

}}  // namespace noun
