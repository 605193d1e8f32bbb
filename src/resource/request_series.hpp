#pragma once
/// @file
/// Calls that follow one another until an operation has ended.

#include <memory>
#include <optional>

#include <noun/operation.hpp>
#include <noun/stop.hpp>

#include "call/call.hpp"
#include "call/redaction.hpp"
#include "decision/poll.hpp"
#include "resource/client_core.hpp"

namespace noun { inline namespace v0 { namespace detail {

/// The requests of one operation: each is an ordinary call, which waits before it begins. next() after each, then
/// result().
class RequestSeries {
 public:
  RequestSeries() = default;
  RequestSeries(const RequestSeries&) = delete;
  RequestSeries& operator=(const RequestSeries&) = delete;
  virtual ~RequestSeries() = default;

  /// Returns the request after a call that has ended; nothing if that was the last one.
  virtual std::optional<CallRequest> next(const Done& done, const Call& call) = 0;
  /// The request after the last call cannot be sent: the result of that call is this failure.
  virtual void fail(Failure failure) = 0;
  /// The result of the last call; without one, of the series.
  virtual Result<void> result(Done done, const Call& call, const Reader& reader) = 0;
  virtual Result<void> result(const Reader& reader) = 0;
  /// Stop requests of the caller.
  virtual StopToken stop() const noexcept = 0;
};

/// Runs the series on the caller's thread.
/// @param first  its first request; nothing if there is none to send.
Result<void> run(ClientCore& core, RequestSeries& series, std::optional<CallRequest> first, const Reader& reader);

/// Returns why the wait before the next request is not started: the server reported it, and it is longer than the
/// dialect's farthest reset. Nothing if it may start.
/// @param response  that asks for it; null for a token.
std::optional<Failure> fault_of_wait(const ClientCore& core, const PollWait& wait, Now now,
                                     std::shared_ptr<const Response> response);

/// Reports to the observer that the next request waits until an instant.
/// @param call  that has the response; null if it was given.
void observe_wait(ClientCore& core, const Response& response, const Redaction& redaction, const Call* call,
                  Instant until, Now now);

}}}  // namespace noun::detail
