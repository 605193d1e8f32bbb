#pragma once
/// @file
/// Operations with the completion tokens of standalone Asio, 1.22 or later. The CMake target is noun::asio; the program
/// brings its Asio.
///
///     auto task = co_await noun::async_run(noun::op::get(tasks[7]), asio::use_awaitable);

#include <noun/start.hpp>

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>

#include <asio/associated_cancellation_slot.hpp>
#include <asio/associated_executor.hpp>
#include <asio/async_result.hpp>
#include <asio/cancellation_type.hpp>
#include <asio/execution/context.hpp>
#include <asio/execution_context.hpp>
#include <asio/executor_work_guard.hpp>
#include <asio/post.hpp>
#include <asio/query.hpp>
#include <asio/system_executor.hpp>

namespace noun { inline namespace v0 {

namespace detail { namespace for_asio {
namespace net = ::asio;
#include <noun/detail/asio_run.hpp>
}}  // namespace detail::for_asio

/// A program that includes both headers names the namespace: `noun::with_asio::async_run`.
inline namespace with_asio {

/// Runs an operation, as start() does, for any completion token: `co_await noun::async_run(operation, use_awaitable)`.
/// Its signature is `void(noun::Result<T>)`. The handler is posted to its associated executor, or else to the system
/// executor, which has outstanding work until then; the response is decoded there too. Its cancellation slot is
/// honored: `terminal` and `partial` cancel the operation, `total` only while nothing was sent (a page and an event
/// always, a download never). If the execution context ends first, the operation is cancelled and the handler is
/// destroyed without a call, as by the operations of Asio itself. With GCC 12 make operations that have options or a
/// body in a statement of their own; see noun::async().
/// @param operation  made by noun::op.
/// @param token      any completion token of Asio.
/// @returns          what the token determines.
template <class T, ASIO_COMPLETION_TOKEN_FOR(void(Result<T>)) Token>
auto async_run(Operation<T> operation, Token&& token) {
  return ::asio::async_initiate<Token, void(Result<T>)>(
      detail::for_asio::Initiation<T>(std::move(operation)), token);
}

}  // namespace with_asio

}}  // namespace noun
