#pragma once
/// @file
/// One call as a state machine: an event in, exactly one step out. It decides what happens next; a driver sends, waits
/// and reads clocks.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <noun/dialect.hpp>
#include <noun/event.hpp>
#include <noun/http.hpp>
#include <noun/limits.hpp>
#include <noun/quota.hpp>
#include <noun/result.hpp>
#include <noun/retry.hpp>

#include "cache/byte_store.hpp"
#include "cache/exchange.hpp"
#include "call/call_state.hpp"
#include "call/noticed.hpp"
#include "call/redaction.hpp"
#include "call/report.hpp"
#include "decision/clock_offset.hpp"
#include "decision/continuation.hpp"
#include "decision/location.hpp"
#include "decision/poll_times.hpp"
#include "decision/retry.hpp"
#include "quota/gate.hpp"
#include "wire/rate_limit.hpp"
#include "wire/url.hpp"

namespace noun { inline namespace v0 {

class BodySink;
class BodySource;

/// What the cache of the client has for a request.
struct CachedRequest {
  /// The part of the cache in the call; null for a write.
  std::shared_ptr<cache::Exchange> exchange = {};
  cache::Key key = {};
  /// The requests in flight on the cache.
  std::shared_ptr<cache::Flights> flights = {};
  /// How many writes of its group had ended when it was looked up.
  std::uint64_t writes = 0;
  /// Of a write: the URL of the collection that contains the item, or empty.
  std::string collection = {};
};

/// The request of a call. Constant over all attempts.
struct CallRequest {
  Method method = Method::get;
  /// Absolute, with the query. Credentials are sent to its origin, and by a redirect only as `redirect_scope` allows.
  std::string url = {};
  /// Hash of the method and of the path without its ids; 0 if unknown.
  quota::RouteKey route = 0;
  /// Event::route, before its secrets are hidden; null if nobody observes the client.
  std::shared_ptr<const std::string> shown_route = {};
  /// The header fields of the client and of the call, without credentials.
  Headers headers = {};
  /// Its text is sent, if `has_body`.
  Body body = {};
  bool has_body = false;
  /// The body, if it is streamed; otherwise null.
  std::shared_ptr<const BodySource> source = {};
  /// The path of the file that is the body; empty if it is something else.
  std::string body_file = {};
  /// How a body that is downloaded or streamed continues, and what takes its bytes; null for other calls.
  Continuation* continuation = nullptr;
  BodySink* sink = nullptr;
  UseCache use_cache = UseCache::normal;
  /// The server is asked, whatever the cache's mode is.
  bool validates = false;
  /// Null without a cache.
  std::shared_ptr<CachedRequest> cached = {};
  RedirectScope redirect_scope = RedirectScope::origin;
  /// The origins that may receive its body by a redirect.
  std::vector<wire::UrlOrigin> trusted = {};
  /// It may be repeated, whatever its method.
  bool changes_nothing = false;
  std::string idempotency_key = {};
  /// Hidden in events and errors, beside those of the URL and of the header fields: a server may repeat them.
  std::vector<std::string> secrets = {};
  Priority priority = Priority::normal;
  /// The number of requests that the caller will still send, including this one, if known.
  std::optional<std::int64_t> demand = {};
  Duration attempt_timeout = {};
  Instant deadline = Instant::max();
  /// Nothing is sent before it. Not part of the elapsed time.
  Instant not_before = Instant::min();
  /// A 303 ends the call, as a success.
  bool returns_see_other = false;
  /// Instead of the client's.
  std::optional<RetryPolicy> retry = {};
  /// The dialect's statuses of success for this verb; null if any 2xx is expected.
  const std::vector<int>* usual_statuses = nullptr;
  /// Instead of the client's, if it is not null.
  std::shared_ptr<const Limits> limits = {};
  /// Instead of the client's.
  std::shared_ptr<const Timeouts> timeouts = {};

  bool has_key() const noexcept { return !idempotency_key.empty(); }
  cache::Exchange* exchange() const noexcept { return cached ? cached->exchange.get() : nullptr; }
  /// Whether it may change something at the server.
  bool writes() const noexcept { return !is_safe(method) && !changes_nothing; }
  /// Whether it may be sent again after a verdict.
  bool may_repeat_after(Verdict verdict) const noexcept {
    return may_repeat(verdict, method, has_key() || changes_nothing);
  }
};

/// What the calls of one client share. Must outlive them.
struct CallContext {
  Dialect dialect = Dialect();
  RetryPolicy retry = {};
  QuotaPolicy quota = {};
  Limits limits = {};
  bool strict_statuses = false;
  /// Whether the client has an observer, or sends trace contexts. Without either no events are made.
  bool observed = false;
  /// The unusual statuses of success that were reported; the client's copies share them.
  std::shared_ptr<NoticedStatuses> noticed = std::make_shared<NoticedStatuses>();
  /// The same of deprecated routes.
  std::shared_ptr<NoticedRoutes> deprecated = std::make_shared<NoticedRoutes>();
  /// Of Dialect::poll_interval_header.
  std::shared_ptr<PollTimes> polls = std::make_shared<PollTimes>();
  /// Credentials that are the same for every attempt.
  Headers credentials = {};
  /// Whether each attempt asks for its credentials (Authorize), and a 401 asks once more.
  bool credentials_may_change = false;
  /// The server's clock, for credentials that have the time in them; null for others.
  std::shared_ptr<ClockOffset> clock_offset = {};
  /// Hidden in events and errors; never null.
  std::shared_ptr<const KnownSecrets> known_secrets = std::make_shared<const KnownSecrets>();
  std::shared_ptr<BudgetAccount> budget = {};
  std::shared_ptr<quota::Gate> gate = {};
};

/// Ask for the credentials of the next attempt, which may take long: without a lock, and not on a thread that other
/// calls need. The call holds no permit. The views are valid as long as the call.
struct Authorize {
  CredentialsRequest request;
  /// When the call must have ended.
  Instant deadline;
};
/// Send one attempt. The views are valid until the next event of the call.
struct Send {
  Method method;
  std::string_view url;
  const Headers* headers;
  std::string_view body;
  bool has_body;
  const BodySource* source = nullptr;
  BodySink* sink = nullptr;
  /// The attempt must end before it.
  Instant deadline = {};
  bool fresh_connection = false;
  /// Instead of the client's, if it is not null.
  const Limits* limits = nullptr;
  const Timeouts* timeouts = nullptr;
};
/// Wait until `until`, or until the ticket is overtaken.
struct Wait {
  Instant until;
  WaitReason reason;
  WakeTicket ticket;
  /// The earliest instant at which the call may proceed, as far as known; not later than `until`.
  Instant earliest;
};
/// The call has ended. Call::error_of() writes its error, which takes longer than the steps: not on a thread that other
/// calls need.
struct Done {
  std::shared_ptr<const Response> response = {};
  /// Why the call has no result.
  std::optional<Failure> failure = {};
  /// The same, by a driver that could not go on.
  std::optional<Error> error = {};
};
using Step = std::variant<Authorize, Send, Wait, Done>;

/// The credentials that the next attempt has, and why others are asked for.
class AttemptCredentials {
 public:
  /// Sets those of the next attempts, which add their fields to the request's.
  /// @returns  the secrets of those that they replace.
  std::vector<std::string> use(Headers credentials, const Headers& request) {
    std::vector<std::string> replaced;
    if (credentials_ != credentials)
      for (auto& secret : secrets_in(credentials_)) replaced.push_back(std::move(secret.text));
    credentials_ = std::move(credentials);
    if (credentials_.empty()) return replaced;
    fields_ = request;
    for (const auto& field : credentials_) fields_.set(field.name, field.value);
    return replaced;
  }
  const Headers& own() const noexcept { return credentials_; }
  /// The header fields of an attempt.
  const Headers& fields(const Headers& request) const noexcept { return credentials_.empty() ? request : fields_; }
  /// Whether they were asked for since the last attempt, and before no more than a second of waiting.
  bool are_fresh() const noexcept { return waited_ && *waited_ <= stay_fresh; }
  CredentialsReason reason() const noexcept { return reason_; }
  /// What the server rejected, if that is the reason.
  const Headers& rejected() const noexcept { return rejected_; }

  void on_authorized() noexcept { waited_ = Duration::zero(); }
  void on_waited(Duration span) noexcept {
    if (waited_) *waited_ += span;
  }
  void on_sent() noexcept {
    waited_.reset();
    reason_ = CredentialsReason::retry;
    rejected_.clear();
  }
  /// The server did not accept them.
  void on_rejected() {
    reason_ = CredentialsReason::unauthorized;
    rejected_ = credentials_;
  }

 private:
  static constexpr auto stay_fresh = std::chrono::seconds(1);

  Headers credentials_;
  Headers fields_;
  Headers rejected_;
  CredentialsReason reason_ = CredentialsReason::first;
  /// Since they were asked for; nothing if they were not, for this attempt.
  std::optional<Duration> waited_;
};

/// One logical call. Not thread-safe: it belongs to one driver.
class Call {
 public:
  /// @param context  must outlive the call, as `request` must.
  /// @param id       identifies the call in events.
  /// @param seed     of the random numbers of the call.
  Call(const CallContext& context, const CallRequest& request, std::uint64_t id, std::uint64_t seed);

  Step begin(Now now);
  /// The credentials that the last Authorize asked for, or why there are none.
  Step on_credentials(Now now, Result<Headers> credentials);
  /// The attempt of the last Send ended, with a response or an error.
  Step on_response(Now now, Result<Response> response);
  /// The last Wait ended, by time or by its ticket.
  Step on_wake(Now now);
  /// The caller requested a stop, before begin(), or instead of the event after an Authorize or a Wait.
  Step on_cancel(Now now);

  /// The head of the last Send's response arrived, whose body is a stream without an end that is known: as
  /// Gate::record_head(). The driver then wakes the gate's calls.
  void on_stream(Now now, const Response& head);
  /// The event of a download that received bytes during the attempt. The end of the call adds the last one.
  Event progress(Now now);
  /// The event of an attempt whose streamed body is read.
  /// @param bytes  of it, so far.
  /// @param size   of the whole body.
  Event sent_progress(Now now, std::uint64_t bytes, std::uint64_t size) const;
  /// Adds the trace context to an attempt before it is made, unless another origin would receive it.
  void trace(Send& send, const TraceContext& trace);
  /// Makes an attempt read its body from another source, with the same bytes.
  void read_from(Send& send, std::shared_ptr<const BodySource> source);
  /// The secrets of its attempts so far, beside those that the client knows: a body that is read during an attempt may
  /// repeat them.
  std::vector<std::string> sent_secrets() const;
  /// Returns the events since the last call of this function; none unless the context is observed. That of a Send is the
  /// last one.
  std::vector<Event> take_events() noexcept { return std::exchange(events_, {}); }
  /// The quota gate. After each event of the call, the driver must wake the calls of its take_woken().
  const std::shared_ptr<quota::Gate>& gate() const noexcept { return context_.gate; }
  const CallRequest& request() const noexcept { return request_; }
  /// The header fields of the next or last attempt, including credentials.
  const Headers& headers() const noexcept { return credentials_.fields(request_.headers); }
  /// As Place::wake_through(), while it waits.
  void wake_through(const std::shared_ptr<quota::Sleeper>& sleeper, std::uint64_t number) noexcept;
  CallState state() const noexcept { return state_; }
  /// The attempts and waits so far.
  const CallHistory& history() const noexcept { return history_; }
  /// Its driver cannot go on: releases what the call still holds. The driver then wakes the gate's calls.
  /// @param why  for the observer.
  void abandon(Now now, Errc why) noexcept;
  /// The error of this call, after its end; nothing if it succeeded.
  std::optional<Error> error_of(const Done& done) const;
  /// The error of this call for a failure after its end (a body that does not decode).
  Error error_for(const Failure& failure) const;

 private:
  /// An attempt, from its permit to its outcome.
  struct Attempt {
    quota::Permit permit = {};
    Now sent_at = {};
    /// As they were sent to url(), of a continued body, with a cache or a trace context, which add some to those of the
    /// call; otherwise empty.
    Headers fields = {};
    /// Of a continued body, from Authorize on; if it is empty, that of the call.
    std::string url = {};
    /// Whether `url` is that of the next attempt.
    bool has_next_url = false;
    /// What reads a streamed body instead of the request's; may be null.
    std::shared_ptr<const BodySource> source = {};
  };
  /// A wait, or the last one before the next attempt.
  struct Waiting {
    Instant since = {};
    Instant until = {};
    /// As the observer knows it.
    WaitReason reason = WaitReason::none;
  };
  /// Where redirects have led. A body that continues forgets it when it starts over.
  struct Redirected {
    Follow to;
    std::size_t times;
  };

  void enter(CallEvent event) noexcept { state_ = next_state(state_, event); }
  Step start(Now now);
  Step delay(Now now, CallEvent why);
  Step proceed(Now now);
  Step proceed_again(Now now);
  void set_url();
  Headers own_fields() const;
  Step authorize(Now now);
  void use(Headers credentials);
  quota::Ask ask(Now now) const;
  bool may_use_credentials() const noexcept;
  Step send(Now now, quota::Permit permit);
  Step hold(Now now, quota::Hold hold);
  bool may_be_poll() const noexcept {
    return request_.method == Method::get && !context_.dialect.poll_interval_header.empty();
  }
  void record_poll(Now now, const Response& response);
  Instant patient_until(Now now) const noexcept;
  Duration waited_for_quota(Now now) const noexcept { return rejections_.waited(now.steady, history_.held); }
  bool may_wait(Now now, Instant until) const noexcept;
  Step stop_for_quota(Now now, Instant until, Failure failure);
  Step wait(Now now, CallEvent why, Wait wait);
  Step stop(Now now, Failure failure);
  Step after_part(Now now, std::shared_ptr<const Response> response);
  Step stop_stuck(Now now, Failure failure);
  void count_progress();
  void return_to_start();
  void redirect(std::optional<Redirected> to);
  RequestedWait requested_wait(std::optional<Duration> retry_after) const noexcept;
  Step succeed(Now now, std::shared_ptr<const Response> response);
  Step finish(Now now, std::shared_ptr<const Response> response);

  Step handle_response(Now now, Response response);
  cache::RequestFields cache_fields() const noexcept {
    return {headers(), credentials_.own(), context_.credentials_may_change && history_.attempts == 0};
  }
  bool uses_cache() const noexcept { return request_.exchange() != nullptr && !redirected_; }
  Verdict verdict_on(const Response& stored) const;
  bool is_final(const Response& stored) const;
  Step use_stored(Now now, Response response);
  std::optional<Response> ready(Now now);
  cache::Flights::Request flight() const;
  Step follow(Now now, CallEvent why);
  Step go_on_following(Now now);
  void land() noexcept;
  quota::Gate::Recorded record(Now now, quota::Report report, bool is_head = false);
  Step handle_failure(Now now, const Error& error);
  void add_attempt_event(Now now, int status, std::optional<Errc> error);
  void end(Now now, int status, std::optional<Errc> error);
  void add_notice(Now now, std::string note);
  void notice_deprecation(Now now, const Headers& headers);
  bool rejects_time(Now now, const Response& response);
  Step judge(Now now, Verdict verdict, std::shared_ptr<const Response> response, std::optional<Duration> retry_after);
  Step after_rejection(Now now, std::shared_ptr<const Response> response, std::optional<Duration> retry_after);
  Step after_fault(Now now, Verdict verdict, std::optional<Duration> retry_after, Failure failure);
  Step after_redirect(Now now, std::shared_ptr<const Response> response, std::optional<Duration> retry_after);
  Step stop_before_redirect(Now now, Instant until, std::shared_ptr<const Response> response);
  Step retry_at_once(Now now);

  template <class Fill>
  void add_event(EventKind kind, Now now, Fill fill);
  Event event(EventKind kind, Now now) const;
  RequestSecrets secrets() const noexcept {
    return {headers(), *context_.known_secrets, earlier_secrets_, left_origin()};
  }
  void keep_secrets(std::vector<std::string> secrets);
  std::string_view url() const noexcept {
    if (redirected_) return redirected_->to.url;
    return attempt_.url.empty() ? request_.url : attempt_.url;
  }
  /// Whether a redirect turned a QUERY into a GET, which has no body.
  bool became_get() const noexcept { return redirected_ && redirected_->to.becomes_get; }
  Method method() const noexcept { return became_get() ? Method::get : request_.method; }
  bool has_body() const noexcept { return request_.has_body && !became_get(); }
  std::string_view body() const noexcept {
    return became_get() ? std::string_view() : detail::BodyAccess::text_of(request_.body);
  }
  /// Whether the last attempt identified the caller.
  bool has_credentials() const noexcept {
    return !left_origin() && (!credentials_.own().empty() || request_.headers.contains("Authorization"));
  }
  /// Whether a redirect led to another origin: no credentials from then on.
  bool left_origin() const noexcept { return redirected_ && redirected_->to.leaves_origin; }
  bool is_after_deadline(Instant when) const noexcept {
    return request_.deadline != Instant::max() && when >= request_.deadline;
  }
  const RetryPolicy& retry() const noexcept { return request_.retry ? *request_.retry : context_.retry; }
  std::string give_up_option() const {
    return request_.retry ? "CallOptions::retry.give_up_after" : "ClientOptions::retry.give_up_after";
  }
  double draw() noexcept;

  const CallContext& context_;
  const CallRequest& request_;
  std::uint64_t random_state_;
  CallState state_ = CallState::ready;
  CallHistory history_;
  std::vector<Event> events_;
  AttemptCredentials credentials_;
  SigningTime signing_time_;
  Attempt attempt_;
  quota::Place place_;
  /// Whether the URL may be requested by its poll interval; the attempts after the first may be.
  bool may_poll_ = false;
  Waiting waiting_;
  std::optional<Redirected> redirected_;
  /// Of the URLs and credentials that are not used any more; a server may still repeat them.
  std::vector<std::string> earlier_secrets_;
  RejectionHistory rejections_;
  RetryHistory retry_history_;
  std::shared_ptr<const Response> last_response_;
  /// Bytes of a download, as the observer knows them.
  std::uint64_t reported_bytes_ = 0;
};

}}  // namespace noun
