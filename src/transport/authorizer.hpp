#pragma once
/// @file
/// Asks for the credentials of the calls of a concurrent driver, on threads that do nothing else.

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include <noun/transport.hpp>

#include "transport/call_job.hpp"
#include "transport/driver.hpp"

namespace noun { inline namespace v0 {

/// Starts a thread to which no signals of the program are delivered. Throws std::system_error.
std::thread thread_without_signals(std::function<void()> work);

/// Up to 16 threads, each started when it is first needed. Used by the thread of the loop; join() by any, after it.
class Authorizer {
 public:
  /// An Authorize step of a call, and its result.
  struct Request {
    Multiplexer::Id call = 0;
    /// Keeps the views of `step` valid.
    std::shared_ptr<CallJob> job = {};
    Authorize step = {};
    std::stop_token stop = {};
    std::optional<Result<Headers>> credentials = {};
  };

  /// @param on_ended  called on one of the threads after each request, when take_ended() has its result.
  Authorizer(DriverContext& context, std::function<void()> on_ended)
      : context_(context), on_ended_(std::move(on_ended)) {}
  Authorizer(const Authorizer&) = delete;
  Authorizer& operator=(const Authorizer&) = delete;
  ~Authorizer() { join(); }

  /// Queues the request. Throws std::bad_alloc, or std::system_error if there is no thread for it; then it was not
  /// queued.
  void start(Request request);
  /// The requests that ended, with their credentials.
  std::list<Request> take_ended() noexcept;
  /// Drops the requests that have not started, and joins the threads.
  void join() noexcept;
  /// Whether the caller is on one of the threads.
  bool on_own_thread() const noexcept;

 private:
  void work() noexcept;
  void ask(Request& request) noexcept;

  DriverContext& context_;
  const std::function<void()> on_ended_;
  const Result<Headers> exhausted_ = Error(Errc::resource, "out of memory while asking for credentials");

  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<Request> waiting_;
  std::list<Request> ended_;
  std::size_t idle_ = 0;
  bool closed_ = false;
  std::vector<std::thread> threads_;
};

}}  // namespace noun
