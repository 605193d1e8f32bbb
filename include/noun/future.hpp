#pragma once
/// @file
/// Operations whose result is awaited through a std::future.
///
///     auto later = noun::future(noun::op::get(languages["deu"]));
///     const noun::Result<Language> language = later.get();

#include <noun/start.hpp>

#include <future>
#include <utility>

namespace noun { inline namespace v0 {

/// Starts an operation. Its response is decoded on a thread of noun, which completes one operation after the other.
/// Dropping the future does not cancel the operation; a stop token in its options does. An observer, and a completion
/// without an executor, must not wait for a future: it would wait for its own thread.
/// @param operation  made by noun::op.
/// @returns          a future that has the result when the operation has ended.
/// @throws std::bad_alloc, std::system_error  as start().
/// @threadsafety     safe.
template <class T>
[[nodiscard]] std::future<Result<T>> future(const Operation<T>& operation) {
  std::promise<Result<T>> promise;
  auto later = promise.get_future();
  start(operation, [promise = std::move(promise)](Result<T> result) mutable { promise.set_value(std::move(result)); });
  return later;
}

}}  // namespace noun
