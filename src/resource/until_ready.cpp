#include "resource/until_ready.hpp"

#include <algorithm>
#include <utility>

#include "call/redaction.hpp"
#include "decision/classify.hpp"
#include "resource/request_builder.hpp"

namespace noun { inline namespace v0 { namespace detail {

std::optional<CallRequest> UntilReady::begin(const Address& address, const VerbRequest& verb, bool reads_nothing) {
  stop_ = verb.options.stop;
  began_ = core_.driver_context.clock->now().steady;
  auto request = build_request(core_, address, verb, reads_nothing);
  if (request) return *std::move(request);
  error_ = std::move(request).error();
  return std::nullopt;
}

std::optional<CallRequest> UntilReady::next(const Done& done, const Call& call) {
  if (done.error || done.failure || done.response->status != accepted_status) return std::nullopt;
  last_ = done.response;
  attempts_ += call.history().attempts;
  core_.keep(call, done);
  const auto now = core_.driver_context.clock->now();
  wait_ = wait_before_poll(*done.response, core_.call_context.dialect, now.wall, wait_);
  failure_ = fault_of_wait(core_, wait_, now, done.response);
  if (failure_) return std::nullopt;
  const auto until = after(now.steady, wait_.span);
  auto request = call.request();
  request.validates = false;
  request.cached = nullptr;
  request.priority = Priority::bulk;
  request.not_before = until;
  observe_wait(core_, *done.response, {request.url, {call.headers(), *core_.call_context.known_secrets}}, &call, until,
               now);
  return request;
}

Result<void> UntilReady::result(Done done, const Call& call, const Reader& reader) {
  if (done.failure && !done.failure->last_response) done.failure->last_response = last_;
  auto result = failure_ ? Result<void>(call.error_for(*failure_)) : core_.result_of(std::move(done), call, reader);
  if (result || !last_) return result;
  // The error of the last of several calls becomes that of all, except for its message.
  auto details = result.error().details();
  if (details.sent == Sent::no) details.sent = Sent::answered;
  details.attempts = failure_ ? attempts_ : details.attempts + attempts_;
  details.elapsed = std::max(details.elapsed, call.history().ended - began_);
  return Error(std::move(details));
}

Result<void> UntilReady::result(const Reader& /*reader*/) { return *error_; }

}}}  // namespace noun::detail
