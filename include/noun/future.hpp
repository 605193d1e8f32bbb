#pragma once
/// @file
/// Operations whose result is awaited through a std::future.
///
///     auto later = noun::future(noun::op::get(languages["deu"]));
///     const noun::Result<Language> language = later.get();

#include <noun/start.hpp>

#include <future>
#include <memory>
#include <utility>

namespace noun { inline namespace v0 {

namespace detail {

/// Completes a future.
template <class T>
class PromiseCompletion final : public Completion {
 public:
  explicit PromiseCompletion(std::shared_ptr<std::promise<Result<T>>> promise) : promise_(std::move(promise)) {}
  void complete(ErasedResult result) override { promise_->set_value(OperationAccess::result_of<T>(std::move(result))); }
  bool is_awaited() const noexcept override { return true; }

 private:
  std::shared_ptr<std::promise<Result<T>>> promise_;
};

}  // namespace detail

/// Starts an operation. Its response is decoded on a thread of noun, which completes one operation after the other.
/// Dropping the future does not cancel the operation; a stop token in its options does. An observer, and a completion
/// without an executor, must not wait for a future: it would wait for its own thread. When the process ends by exit(),
/// or by returning from main(), what still runs has the result `cancelled`.
/// @param operation  made by noun::op.
/// @returns          a future that has the result when the operation has ended.
/// @throws std::bad_alloc, std::system_error  as start().
/// @threadsafety     safe.
template <class T>
[[nodiscard]] std::future<Result<T>> future(const Operation<T>& operation) {
  // Outlives its future if start() throws: a promise that is broken allocates, and ends the program if it cannot.
  const auto promise = std::make_shared<std::promise<Result<T>>>();
  auto later = promise->get_future();
  Started started;
  detail::StartedAccess::start(detail::OperationAccess::erase(operation), {},
                               std::make_unique<detail::PromiseCompletion<T>>(promise), started);
  return later;
}

}}  // namespace noun
