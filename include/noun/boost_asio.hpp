#pragma once
/// @file
/// Operations with the completion tokens of Boost.Asio, 1.81 or later. The CMake target is noun::asio; the program
/// brings its Asio.
///
///     auto task = co_await noun::async_run(noun::op::get(tasks[7]), boost::asio::use_awaitable);

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

#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/execution/context.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/query.hpp>
#include <boost/asio/system_executor.hpp>

namespace noun { inline namespace v0 {

namespace detail { namespace for_boost_asio {
namespace net = ::boost::asio;
#include <noun/detail/asio_run.hpp>
}}  // namespace detail::for_boost_asio

/// A program that includes both headers names the namespace: `noun::with_boost_asio::async_run`.
inline namespace with_boost_asio {

/// Runs an operation for any completion token of Boost.Asio; as `noun::async_run` of `<noun/asio.hpp>`.
/// @param operation  made by noun::op.
/// @param token      any completion token of Boost.Asio.
/// @returns          what the token determines.
template <class T, BOOST_ASIO_COMPLETION_TOKEN_FOR(void(Result<T>)) Token>
auto async_run(Operation<T> operation, Token&& token) {
  return ::boost::asio::async_initiate<Token, void(Result<T>)>(
      detail::for_boost_asio::Initiation<T>(std::move(operation)), token);
}

}  // namespace with_boost_asio

}}  // namespace noun
