#pragma once
/// @file
/// Operations in coroutines, of any task type.
///
///     auto task = co_await noun::async(noun::op::get(tasks[7]), executor);   // a noun::Result<Task>

#include <noun/start.hpp>

#include <coroutine>
#include <memory>
#include <optional>
#include <utility>

namespace noun { inline namespace v0 {

namespace detail {

/// Starts an operation when it is awaited, and resumes the coroutine on the executor.
template <class T>
class Awaitable {
 public:
  Awaitable(Operation<T> operation, Executor executor)
      : operation_(std::move(operation)), executor_(std::move(executor)) {}
  Awaitable(const Awaitable&) = delete;
  Awaitable& operator=(const Awaitable&) = delete;
  /// Cancels the operation if the frame is destroyed while it is suspended.
  ~Awaitable() { StartedAccess::disarm(started_); }

  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> waiting) {
    auto completion = std::make_unique<Resume>(*this, waiting);
    // The coroutine may be resumed, and this object destroyed, before start() returns: touch nothing after it.
    StartedAccess::start(OperationAccess::erase(operation_), std::move(executor_), std::move(completion), started_);
  }
  Result<T> await_resume() { return *std::move(result_); }

 private:
  class Resume final : public Completion {
   public:
    Resume(Awaitable& awaitable, std::coroutine_handle<> waiting) noexcept
        : awaitable_(awaitable), waiting_(waiting) {}
    void complete(ErasedResult result) override {
      awaitable_.result_.emplace(OperationAccess::result_of<T>(std::move(result)));
      waiting_.resume();
    }

   private:
    Awaitable& awaitable_;
    std::coroutine_handle<> waiting_;
  };

  Operation<T> operation_;
  Executor executor_;
  Started started_;
  std::optional<Result<T>> result_;
};

}  // namespace detail

/// Runs an operation in a coroutine: `co_await` starts it and returns its Result<T>, on the executor. A suspended
/// coroutine may be destroyed on its executor; that cancels the operation.
///
/// With GCC 12, make an operation that has options, a Request or a body in a statement of its own: that compiler
/// destroys an aggregate that is made inside a co_await expression twice.
/// @param operation  made by noun::op.
/// @param executor   as of start(); if it is left out, the coroutine continues on a thread of noun.
/// @returns          what is awaited once, in the expression that makes it. If it is not awaited, nothing is sent.
/// @throws std::bad_alloc, std::system_error  in the `co_await`, as start().
template <class T>
[[nodiscard]] detail::Awaitable<T> async(Operation<T> operation, Executor executor = {}) {
  return {std::move(operation), std::move(executor)};
}

}}  // namespace noun
