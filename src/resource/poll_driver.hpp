#pragma once
/// @file
/// Runs a long-running operation.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <noun/operation.hpp>
#include <noun/options.hpp>
#include <noun/stop.hpp>

#include "call/call.hpp"
#include "call/redaction.hpp"
#include "decision/poll.hpp"
#include "resource/request_series.hpp"

namespace noun { inline namespace v0 { namespace detail {

/// What op::finish() was given.
class FinishRequest final : public Work {
 public:
  /// What starts the operation; its first response; a token; or the error in place of these.
  using From = std::variant<OperationRequest, std::shared_ptr<const Response>, std::string, Error>;

  FinishRequest(From from, FinishOptions options) : from_(std::move(from)), options_(std::move(options)) {}

  Result<void> perform(ClientCore& core, const Address& address, const Reader& reader) override;
  void start(const std::shared_ptr<Work>& self, BackgroundCall& call, const Address& address) override;
  const From& from() const noexcept { return from_; }
  const FinishOptions& options() const noexcept { return options_; }

 private:
  const From from_;
  const FinishOptions options_;
};

/// One long-running operation. begin(), then as each series.
class PollDriver final : public RequestSeries {
 public:
  /// @param reads_nothing  whether the result is of no interest.
  PollDriver(ClientCore& core, bool reads_nothing);

  /// Returns the first request; nothing if there is none to send.
  std::optional<CallRequest> begin(const FinishRequest& finish);
  std::optional<CallRequest> next(const Done& done, const Call& call) override;
  void fail(Failure failure) override { failure_ = std::move(failure); }
  Result<void> result(Done done, const Call& call, const Reader& reader) override;
  /// Of the first response.
  Result<void> result(const Reader& reader) override;
  StopToken stop() const noexcept override { return stop_.get_token(); }

 private:
  using OnStop = std::optional<StopCallback<std::function<void()>>>;

  std::optional<CallRequest> start(const OperationRequest& operation);
  std::optional<CallRequest> resume(std::string_view token);
  std::optional<CallRequest> take(PollStep step, const std::shared_ptr<const Response>& response, const Call* call,
                                  Now now);
  std::optional<CallRequest> fail(Error error);
  void pass_on(OnStop& callback, const StopToken& caller);
  Redaction redaction_of(const Response& response, const Call* call) const;
  Error with_token(Error error, const Headers& sent) const;

  ClientCore& core_;
  const bool reads_nothing_;
  FinishOptions options_;
  Instant deadline_ = Instant::max();
  Poll poll_;
  /// When the last request was to be sent.
  Instant due_ = Instant::min();
  /// Why there is no result, before or after a call.
  std::optional<Error> error_;
  std::optional<Failure> failure_;
  /// Those of the request that started the operation: its responses may repeat them.
  std::vector<std::string> secrets_;
  /// The first response, if it was given.
  std::shared_ptr<const Response> first_;
  /// Where the result is in the last response.
  std::optional<std::string> place_;
  StopSource stop_;
  OnStop on_stop_;
  OnStop on_start_stop_;
};

/// Returns the error of a call that has started no operation; nothing if it has.
/// @param started  its response; null without one.
/// @param error    null if it succeeded.
std::optional<Error> fault_of_start(const Response* started, const Error* error);
/// As Client::poll_token().
Result<std::string> poll_token_of(ClientCore& core, const Response& started);

}}}  // namespace noun::detail
