#pragma once
/// @file
/// An operation that runs in the background, until its response is there to be read.

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <variant>

#include <noun/detail/stream_source.hpp>
#include <noun/operation.hpp>
#include <noun/stop.hpp>

#include "call/call.hpp"
#include "loop/call_start.hpp"
#include "resource/client_core.hpp"
#include "resource/request_series.hpp"

namespace noun { inline namespace v0 { namespace detail {

class DownloadRequest;
class EventOperation;
class PageOperation;

/// One operation in the background. Owned by a shared_ptr. The client must outlive it.
/// @threadsafety  safe, except for read().
class BackgroundCall : public std::enable_shared_from_this<BackgroundCall> {
 public:
  /// Sends nothing.
  explicit BackgroundCall(const ErasedOperation& operation);
  BackgroundCall(const BackgroundCall&) = delete;
  BackgroundCall& operator=(const BackgroundCall&) = delete;
  virtual ~BackgroundCall() { forget(); }

  /// Starts it, once. ended() follows exactly once; if it cannot be started, before begin() returns.
  void begin(const OperationRequest& request) noexcept;
  /// Ends it, as cancelled.
  void stop() noexcept { stop_.request_stop(); }
  /// Ends a call as long as none of its attempts may have reached the server, and a page and an event in any case.
  void stop_unless_sent() noexcept { stop_unless_sent_.request_stop(); }
  /// Returns the result, and reads the response for it. Once, after ended().
  ErasedResult read() noexcept;
  /// In place of read(), if nobody wants the result.
  void forget() noexcept;

  ClientCore& core() const noexcept { return core_; }
  /// Whether the result is of no interest.
  bool reads_nothing() const noexcept { return reader_.read == nullptr; }
  /// @{
  /// Starts what is not one request; for Work::start(), in begin().
  void start(std::shared_ptr<const DownloadRequest> download, const Address& address);
  void start(std::shared_ptr<PageOperation> page);
  void start(std::shared_ptr<EventOperation> event);
  void start(std::unique_ptr<RequestSeries> series, std::optional<CallRequest> first);
  /// @}

 protected:
  /// The result is there. Called on the thread that runs the client's loop, on one of its workers, in begin() or in
  /// stop(), without a lock; must be quick.
  virtual void ended() noexcept = 0;
  /// Where functions of the program run; if it is empty or throws, one of the client's workers runs them.
  virtual Executor executor() const { return {}; }
  /// Whether the thread that waits for the result does so in ConcurrentDriver::run_until().
  virtual bool waiter_runs_loop() const noexcept { return false; }
  /// Whether a thread waits for ended(), also when the process ends.
  virtual bool is_awaited() const noexcept { return false; }

 private:
  struct Ended {
    Done done;
    std::shared_ptr<CallJob> job;
  };
  using OnStop = std::optional<StopCallback<std::function<void()>>>;

  void start(const Address& address, const VerbRequest& verb);
  void cancel_download() noexcept;
  void start_next(CallRequest request);
  void ended_one(Done done, std::shared_ptr<CallJob> job) noexcept;
  void pass_on(const StopToken& caller);
  void fetch_page() noexcept;
  void end(Result<void> result) noexcept;
  void end_with_exception() noexcept;
  void fail_series(Failure failure, const Done& last) noexcept;
  Result<void> read_result();
  void keep_unread(Ended ended) noexcept;

  std::shared_ptr<void> target_;
  Reader reader_;
  ClientCore& core_;
  StopSource stop_;
  StopSource stop_unless_sent_;
  /// Set while this is the operation that its listing runs.
  std::shared_ptr<PageOperation> page_;
  /// Set while this is the operation that its stream runs.
  std::shared_ptr<EventOperation> event_;
  /// Set if it is a long-running operation, or a GET that waits until it is ready.
  std::unique_ptr<RequestSeries> series_;
  /// Why nobody has looked at the response of its last call.
  std::optional<Failure> unseen_because_;
  /// By the thread that ends the download; until it can be ended, by start_download().
  std::atomic<bool> download_taken_ = true;
  /// Whether the function that fetches the page has run: an executor may run it twice, and throw after it has run it.
  std::atomic<bool> page_asked_ = false;
  /// Nothing: a page or an event to take.
  std::variant<std::monostate, Result<void>, Ended> result_;
  /// Passes the caller's stop request on.
  OnStop on_stop_;
  /// Ends what is not a call of the loop.
  OnStop on_own_stop_;
  OnStop on_own_stop_unless_sent_;
};

}}}  // namespace noun::detail
