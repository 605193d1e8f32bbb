#pragma once

#include <coroutine>
#include <exception>
#include <utility>

namespace noun_test {

/// A coroutine that starts at once, and is destroyed with its task.
class Task {
 public:
  struct promise_type {
    Task get_return_object() { return Task(std::coroutine_handle<promise_type>::from_promise(*this)); }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() noexcept {}
    void unhandled_exception() { std::terminate(); }
  };

  explicit Task(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
  Task& operator=(Task&&) = delete;
  ~Task() {
    if (handle_) handle_.destroy();
  }
  bool done() const { return handle_.done(); }

 private:
  std::coroutine_handle<promise_type> handle_;
};

}  // namespace noun_test
