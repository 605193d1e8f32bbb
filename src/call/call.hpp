#pragma once
/// @file
/// One call as a state machine: an event in, exactly one step out. It decides; a driver sends, waits and reads clocks.
/// Everything that affects what a call does next is decided here or on the floor below.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <noun/dialect.hpp>
#include <noun/event.hpp>
#include <noun/limits.hpp>
#include <noun/message.hpp>
#include <noun/quota.hpp>
#include <noun/result.hpp>
#include <noun/retry.hpp>

#include "call/call_history.hpp"
#include "call/report.hpp"
#include "decision/retry.hpp"
#include "quota/gate.hpp"
#include "wire/rate_limit.hpp"
#include "wire/url.hpp"

namespace noun { inline namespace v0 {

/// What a caller asks for. Constant over all attempts.
struct CallRequest {
  Method method = Method::get;
  /// Absolute, with its query; within `origin`.
  std::string url = {};
  wire::UrlOrigin origin = {};
  /// What kind of request it is; 0 for none in particular.
  quota::RouteKey route = 0;
  /// The client's and the call's fields, without credentials.
  Headers headers = {};
  std::string body = {};
  bool has_body = false;
  /// Whatever the method says: to send it twice is no harm.
  bool changes_nothing = false;
  std::string idempotency_key = {};
  Priority priority = Priority::normal;
  /// How many requests the caller still has, this one included, where that is known.
  std::optional<std::int64_t> demand = {};
  Duration attempt_timeout = {};
  Instant deadline = Instant::max();
  /// The dialect's statuses of success for this verb, if it has an opinion.
  const std::vector<int>* usual_statuses = nullptr;
};

/// What the calls of one client have in common. Outlives them.
struct CallContext {
  Dialect dialect = {};
  RetryPolicy retry = {};
  QuotaPolicy quota = {};
  Limits limits = {};
  bool strict_statuses = false;
  /// Whether anybody looks at events; otherwise none are made.
  bool observed = false;
  /// Hook one: the credentials of attempt number n (from 1); may be empty. Asked before each attempt.
  std::function<Result<Headers>(int attempt)> prepare = {};
  /// Whether asking `prepare` again after a 401 may give other credentials.
  bool credentials_may_change = false;
  /// Hook two: another opinion on an answer than classify's; may be empty.
  std::function<Verdict(const Response& response, Verdict classified)> judge = {};
  std::shared_ptr<BudgetAccount> budget = {};
  std::shared_ptr<quota::Gate> gate = {};
};

/// Send one attempt. The views live until the next event is given to the call.
struct Send {
  Method method;
  std::string_view url;
  const Headers* headers;
  std::string_view body;
  bool has_body;
  /// When the attempt must have ended.
  Instant deadline;
  bool fresh_connection;
};
/// Wait until then, or until the ticket is overtaken.
struct Wait {
  Instant until;
  WaitReason reason;
  WakeTicket ticket;
  /// When the call can go on at the earliest, as far as is known; not later than `until`.
  Instant earliest;
};
/// The call has ended.
struct Done {
  std::shared_ptr<const Response> response;
  std::optional<Error> error;
};
using Step = std::variant<Send, Wait, Done>;

/// One logical call. Not synchronised; belongs to one driver.
class Call {
 public:
  /// @param id    names the call in events.
  /// @param seed  where the call's chance comes from.
  Call(const CallContext& context, const CallRequest& request, std::uint64_t id, std::uint64_t seed) noexcept;

  Step begin(Now now);
  /// The attempt of the last Send ended.
  Step on_response(Now now, Result<Response> response);
  /// The last Wait ended, by time or by its ticket.
  Step on_wake(Now now);
  /// The caller asked to stop during a Wait.
  Step on_cancel(Now now);

  /// What happened since the last look, for the observer; empty unless the context is observed.
  std::vector<Event> take_events() noexcept { return std::exchange(events_, {}); }
  /// The gate that the call passes: after each event, the calls that it wakes are to be woken.
  const std::shared_ptr<quota::Gate>& gate() const noexcept { return context_.gate; }
  /// The fields of the next or last attempt, credentials included.
  const Headers& headers() const noexcept { return credentials_.empty() ? request_.headers : headers_; }
  /// What went out and came back.
  const CallHistory& history() const noexcept { return history_; }
  /// The error of this call for a finding that was made after it ended (a body that does not decode).
  Error error_for(const Failure& failure) const;

 private:
  Step proceed(Now now);
  std::optional<Step> authorize(Now now);
  std::optional<Error> prepare();
  std::variant<quota::Permit, quota::Hold> acquire(Now now);
  quota::AcquireOptions acquire_options(Now now) const;
  bool may_go(Now now) const;
  bool credentials_are_fresh() const noexcept;
  Step send(Now now, quota::Permit permit);
  Step hold(Now now, quota::Hold hold);
  Instant patient_until(Now now) const noexcept;
  bool may_wait(Now now, Instant until) const noexcept;
  Step stop_for_quota(Now now, Instant until, Failure failure);
  Step wait(Now now, Wait wait, bool for_quota);
  Step stop(Now now, Failure failure);
  Step succeed(Now now, std::shared_ptr<const Response> response);
  Step finish(Now now, std::shared_ptr<const Response> response);

  Step handle_response(Now now, Response response);
  Step handle_failure(Now now, const Error& error);
  void add_attempt_event(Now now, int status, std::optional<Errc> error);
  void add_notice(Now now, std::string note);
  Step judge(Now now, Verdict verdict, std::shared_ptr<const Response> response, const wire::RateLimitReading& reading);
  RetryPolicy backoff_of_rejections() const noexcept;
  Step after_rejection(Now now, std::shared_ptr<const Response> response, std::optional<Duration> retry_after);
  Step after_fault(Now now, Verdict verdict, std::optional<Duration> retry_after, Failure failure);
  Step after_redirect(Now now, std::shared_ptr<const Response> response);
  Step retry_at_once(Now now);

  template <class Fill>
  void add_event(EventKind kind, Now now, Fill fill);
  std::string_view url() const noexcept { return redirected_.empty() ? request_.url : redirected_; }
  bool has_deadline() const noexcept { return request_.deadline != Instant::max(); }
  bool has_key() const noexcept { return !request_.idempotency_key.empty(); }
  double draw() noexcept;

  const CallContext& context_;
  const CallRequest& request_;
  std::uint64_t random_state_;
  CallHistory history_;
  std::vector<Event> events_;

  std::string redirected_;
  Headers credentials_;
  Headers headers_;
  bool prepared_ = false;
  Duration held_since_prepared_ = {};
  bool credentials_renewed_ = false;
  bool fresh_connection_ = false;

  quota::Permit permit_;
  quota::Place place_;
  Now sent_at_ = {};
  Instant waiting_since_ = {};
  Duration planned_wait_ = {};
  bool waiting_for_quota_ = false;
  WaitReason reported_reason_ = WaitReason::none;
  Instant not_before_ = Instant::min();
  bool rejected_ = false;  // for the quota's sake
  int doublings_ = 0;      // of such rejections, without a wait that could be obeyed
  RetryHistory retry_history_;
  std::shared_ptr<const Response> last_response_;
};

}}  // namespace noun
