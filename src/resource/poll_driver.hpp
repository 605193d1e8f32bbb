#pragma once
/// @file
/// Runs a long-running operation: each request is an ordinary call, which waits before it begins.

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <noun/operation.hpp>
#include <noun/options.hpp>

#include "call/call.hpp"
#include "call/redaction.hpp"
#include "decision/poll.hpp"
#include "resource/client_core.hpp"

namespace noun { inline namespace v0 { namespace detail {

/// What op::finish() was given.
struct FinishRequest {
  /// What starts the operation; its first response; a token; or the error in place of these.
  std::variant<OperationRequest, std::shared_ptr<const Response>, std::string, Error> from;
  FinishOptions options;
};

/// One operation, or a GET that waits until its response is ready. begin(), then next() for each request that it and
/// next() return, then result().
class PollDriver {
 public:
  /// @param reads_nothing  whether the result is of no interest.
  PollDriver(ClientCore& core, bool reads_nothing);
  PollDriver(const PollDriver&) = delete;
  PollDriver& operator=(const PollDriver&) = delete;

  /// @{
  /// Returns the first request; nothing if there is none to send.
  std::optional<CallRequest> begin(const FinishRequest& finish);
  std::optional<CallRequest> begin(const Address& address, const VerbRequest& verb);
  /// @}
  /// Returns the request after a call that has ended; nothing if that was the last one.
  std::optional<CallRequest> next(const Done& done, const Call& call);
  /// The result of the last call; without one, of the first response.
  Result<void> result(Done done, const Call& call, const Reader& reader);
  Result<void> result(const Reader& reader);
  /// Stop requests of the caller; after begin().
  std::stop_token stop() const noexcept { return stop_.get_token(); }

 private:
  using OnStop = std::optional<std::stop_callback<std::function<void()>>>;

  std::optional<CallRequest> start(const FinishRequest& finish);
  std::optional<CallRequest> resume(std::string_view token);
  std::optional<CallRequest> take(PollStep step, const std::shared_ptr<const Response>& response, const Call* call,
                                  Now now);
  std::optional<CallRequest> again(const Done& done, const Call& call);
  std::optional<CallRequest> fail(Error error);
  void pass_on(OnStop& callback, const std::stop_token& caller);
  Redaction redaction_of(const Response& response, const Call* call) const;
  void observe(const Response& response, const Call* call, Instant until, Now now) const;
  Error with_token(Error error, const Call& call) const;

  ClientCore& core_;
  const bool reads_nothing_;
  FinishOptions options_;
  Instant deadline_ = Instant::max();
  Poll poll_;
  /// Whether the same request is sent until its response is ready, and the wait before it.
  bool repeats_ = false;
  PollWait wait_;
  /// Why there is no result, before or after a call.
  std::optional<Error> error_;
  std::optional<Failure> failure_;
  /// Those of the request that started the operation: its responses may repeat them.
  std::vector<std::string> secrets_;
  /// The first response, if it was given.
  std::shared_ptr<const Response> first_;
  /// Where the result is in the last response.
  std::optional<std::string> place_;
  std::stop_source stop_;
  OnStop on_stop_;
  OnStop on_start_stop_;
};

/// As Client::poll_token().
Result<std::string> poll_token_of(ClientCore& core, const Response& started);

}}}  // namespace noun::detail
