#pragma once
/// @file
/// A call of a loop: with its request, how it starts and how it ends.

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include <noun/stop.hpp>

#include "call/call.hpp"

namespace noun { inline namespace v0 {

/// A call together with its request, to which the call holds a reference.
class CallJob {
 public:
  /// Parameters as for Call; `context` must outlive the job.
  CallJob(const CallContext& context, CallRequest request, std::uint64_t id, std::uint64_t seed)
      : request_(std::move(request)), call_(context, request_, id, seed) {}
  CallJob(const CallJob&) = delete;
  CallJob& operator=(const CallJob&) = delete;

  const CallRequest& request() const noexcept { return request_; }
  Call& call() noexcept { return call_; }

 private:
  const CallRequest request_;
  Call call_;
};

/// How a call of a loop starts and ends.
struct CallStart {
  std::unique_ptr<CallJob> job = {};
  /// Ends the call, as cancelled.
  StopToken stop = {};
  /// Where stop requests come from that reach `stop` a little later: until then nothing is sent any more.
  StopToken caller = {};
  /// Ends the call as long as none of its attempts may have reached the server.
  StopToken stop_unless_sent = {};
  /// Called on the thread that runs the loop, without a lock, when the call has ended. It may add calls; what takes long
  /// belongs on another thread. Exceptions are dropped.
  std::function<void(Done done, std::shared_ptr<CallJob> job)> finished = {};
  /// Runs the credentials function elsewhere; if it is empty or throws, one of the loop's workers does.
  std::function<void(std::function<void()>)> run_credentials = {};
  /// Whether the thread that waits for the call does so in run_until().
  bool waiter_runs_loop = false;
  /// Whether a thread waits for `finished`: then it is called also when the process ends, with `cancelled`.
  bool is_awaited = false;
};

}}  // namespace noun
