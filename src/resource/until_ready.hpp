#pragma once
/// @file
/// Runs a GET with CallOptions::wait_until_ready.

#include <memory>
#include <optional>
#include <utility>

#include <noun/stop.hpp>

#include "decision/poll.hpp"
#include "resource/request_series.hpp"

namespace noun { inline namespace v0 { namespace detail {

/// The same request, until its response is not a 202. begin(), then as each series.
class UntilReady final : public RequestSeries {
 public:
  explicit UntilReady(ClientCore& core) : core_(core) {}

  /// Returns the first request; nothing if it must not be sent.
  /// @param reads_nothing  whether the result is of no interest.
  std::optional<CallRequest> begin(const Address& address, const VerbRequest& verb, bool reads_nothing);
  std::optional<CallRequest> next(const Done& done, const Call& call) override;
  void fail(Failure failure) override { failure_ = std::move(failure); }
  Result<void> result(Done done, const Call& call, const Reader& reader) override;
  Result<void> result(const Reader& reader) override;
  StopToken stop() const noexcept override { return stop_; }

 private:
  ClientCore& core_;
  StopToken stop_;
  Instant began_ = {};
  PollWait wait_;
  /// The last 202, and the attempts up to it.
  std::shared_ptr<const Response> last_;
  int attempts_ = 0;
  /// Why the request must not be sent again.
  std::optional<Failure> failure_;
  /// Why the request must not be sent.
  std::optional<Error> error_;
};

}}}  // namespace noun::detail
