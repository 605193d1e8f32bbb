#include "call/call.hpp"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "call/redaction.hpp"
#include "call/response_meaning.hpp"
#include "decision/resumption.hpp"
#include "vocabulary/error_text.hpp"
#include "wire/cache_control.hpp"
#include "wire/deprecation.hpp"
#include "wire/http_date.hpp"
#include "wire/trace_context.hpp"

namespace noun { inline namespace v0 {
namespace {

/// The fields that another origin may see; one that receives the body may see its type.
Headers public_fields(const Headers& headers, bool has_body) {
  Headers shown;
  for (const auto* name : {"Accept", "Accept-Encoding", "User-Agent"})
    if (const auto value = headers.get(name)) shown.add(name, *value);
  if (const auto value = headers.get("Content-Type"); value && has_body) shown.add("Content-Type", *value);
  return shown;
}

/// The fields of a request that has lost its body: those that describe a body are left out.
/// @source RFC 9110, section 15.4.
Headers fields_without_body(const Headers& headers) {
  Headers kept;
  for (const auto& field : headers)
    if (!cache::describes_body(field.name)) kept.push_back(field);
  return kept;
}

std::string sentence(const wire::Deprecation& deprecation, std::chrono::sys_seconds now) {
  std::string text = "the server reports that this endpoint ";
  const bool later = deprecation.since && *deprecation.since > now;
  if (deprecation.deprecated) text += later ? "will be deprecated" : "is deprecated";
  if (deprecation.since) text += (later ? " at " : " since ") + wire::format_rfc3339(*deprecation.since);
  if (deprecation.deprecated && deprecation.unavailable_at) text += " and ";
  if (deprecation.unavailable_at)
    text += "may stop responding at " + wire::format_rfc3339(*deprecation.unavailable_at);
  if (!deprecation.link.empty()) text += fmt::format("; see {}", deprecation.link);
  return text;
}

/// Whether the cache is to know a response with this verdict. What the dialect takes for an error is no state of the
/// resource.
bool may_be_stored(Verdict verdict, int status) noexcept {
  constexpr int gone = 410;
  return verdict == Verdict::success || verdict == Verdict::redirect || verdict == Verdict::absent ||
         (verdict == Verdict::permanent && status == gone);
}

/// A timeout up to this much before the caller's deadline counts as the deadline: transports round their timers.
constexpr auto clock_grain = std::chrono::milliseconds(1);

/// What a call has not sent before its first attempt: other calls may have gone before one that is delayed.
std::string_view unsent(const CallRequest& request) noexcept {
  return request.not_before == Instant::min() ? "anything" : "the request";
}

Failure past_deadline(const CallHistory& history, const CallRequest& request) {
  return {.code = Errc::deadline_exceeded,
          .stopped_because = StopReason::time,
          .what = history.attempts == 0
                      ? fmt::format("the caller's deadline passed before {} was sent", unsent(request))
                      : "the caller's deadline passed"};
}

/// What snapshots call a route, after one of its requests.
std::string name_of_route(const CallRequest& request) {
  return fmt::format("{} {}", to_string(request.method), wire::split_url(request.url).path);
}

}  // namespace

template <class Fill>
void Call::add_event(EventKind kind, Now now, Fill fill) {
  if (!context_.observed) return;
  auto event = this->event(kind, now);
  fill(event);
  events_.push_back(std::move(event));
}

Event Call::event(EventKind kind, Now now) const {
  auto reading = context_.gate->reading(now, request_.route);
  const Redaction redaction(url(), secrets());
  const bool shows_route = request_.shown_route && !redirected_;
  Event event{.kind = kind,
              .call = history_.call,
              .attempt = history_.attempts,
              .method = method(),
              .url = redaction.url(),
              .route = shows_route ? redaction.line(*request_.shown_route) : std::string(),
              .at = now.wall,
              .elapsed = now.steady - history_.began.value_or(now.steady),
              .quota = reading.quota,
              .partition = std::move(reading.partition)};
  if (request_.continuation != nullptr) {
    event.bytes = request_.continuation->received();
    event.total_bytes = request_.continuation->total();
  }
  return event;
}

Event Call::progress(Now now) {
  auto progress = event(EventKind::progress, now);
  reported_bytes_ = progress.bytes;
  return progress;
}

Event Call::sent_progress(Now now, std::uint64_t bytes, std::uint64_t size) const {
  auto progress = event(EventKind::progress, now);
  progress.sent_bytes = bytes;
  progress.body_size = size;
  return progress;
}

void Call::trace(Send& send, const TraceContext& trace) {
  if (left_origin() || !wire::is_traceparent(trace.traceparent) || send.headers->contains("traceparent")) return;
  if (send.headers != &attempt_.fields) attempt_.fields = *send.headers;
  attempt_.fields.add("traceparent", trace.traceparent);
  if (wire::is_tracestate(trace.tracestate)) attempt_.fields.set("tracestate", trace.tracestate);
  send.headers = &attempt_.fields;
}

void Call::read_from(Send& send, std::shared_ptr<const BodySource> source) {
  attempt_.source = std::move(source);
  send.source = attempt_.source.get();
}

Call::Call(const CallContext& context, const CallRequest& request, std::uint64_t id, std::uint64_t seed)
    : context_(context), request_(request), random_state_(seed), earlier_secrets_(request.secrets) {
  history_.call = id;
}

Step Call::begin(Now now) {
  history_.began = now.steady;
  use(context_.credentials);
  return now.steady < request_.not_before ? delay(now, CallEvent::delayed) : start(now);
}

Step Call::delay(Now now, CallEvent why) {
  const auto until = request_.not_before;
  if (is_after_deadline(until))
    return stop(now, {.code = Errc::deadline_exceeded,
                      .stopped_because = StopReason::time,
                      .what = fmt::format("a wait of {} before the request would exceed the caller's deadline",
                                          readable(until - now.steady)),
                      .retry_at = wall_time_of(until, now)});
  return wait(now, why, {until, WaitReason::none, {}, until});
}

Step Call::start(Now now) {
  if (uses_cache())
    if (auto stored = ready(now)) return use_stored(now, *std::move(stored));
  return proceed(now);
}

cache::Flights::Request Call::flight() const {
  const auto& own = *request_.cached;
  return {.name = own.key.text(), .headers = request_.headers, .writes = own.writes, .priority = request_.priority};
}

/// A stored response that may be used without a request.
std::optional<Response> Call::ready(Now now) {
  auto stored = request_.exchange()->ready(url(), cache_fields(), now.wall);
  return stored && is_final(*stored) ? std::move(stored) : std::nullopt;
}

/// Waits for the response to an identical request. Looks again each second: the other call may end without waking this
/// one.
Step Call::follow(Now now, CallEvent why) {
  constexpr auto look_again = std::chrono::seconds(1);
  const auto until = std::min(after(now.steady, look_again), request_.deadline);
  const auto& wakes = request_.exchange()->waiting()->wakes;
  return wait(now, why, {until, WaitReason::same_request, {&wakes, 0}, until});
}

Step Call::go_on_following(Now now) {
  if (!request_.exchange()->take_landed() && now.steady < request_.deadline)
    return follow(now, CallEvent::woken_early);
  enter(CallEvent::woken);
  if (auto stored = ready(now)) return use_stored(now, *std::move(stored));
  return proceed(now);
}

/// The calls that follow this one go on: they do not wait while it waits.
void Call::land() noexcept {
  if (request_.exchange() != nullptr) context_.gate->wake(request_.exchange()->land());
}

void Call::wake_through(const std::shared_ptr<quota::Sleeper>& sleeper, std::uint64_t number) noexcept {
  if (state_ == CallState::following)
    context_.gate->wake_through(*request_.exchange()->waiting(), sleeper, number);
  else
    place_.wake_through(sleeper, number);
}

Verdict Call::verdict_on(const Response& stored) const {
  return classify_response(stored, context_.dialect, false, request_.has_key());
}

/// Whether a response from the server would end the call, or redirect it: what is a fault by the dialect of today is
/// requested again.
bool Call::is_final(const Response& stored) const { return may_be_stored(verdict_on(stored), stored.status); }

/// A stored response ends the call as it would from the server.
Step Call::use_stored(Now now, Response response) {
  add_event(EventKind::cached, now, [&](Event& event) {
    event.status = response.status;
    event.cache = response.cache;
  });
  const auto verdict = verdict_on(response);
  last_response_ = std::make_shared<const Response>(std::move(response));
  return judge(now, verdict, last_response_, std::nullopt);
}

Step Call::on_credentials(Now now, Result<Headers> credentials) {
  if (!credentials) {
    const auto& error = credentials.error();
    if (error.code() == Errc::deadline_exceeded && now.steady + clock_grain >= request_.deadline)
      return stop(now, past_deadline(history_, request_));
    return stop(now, {.code = Errc::credentials,
                      .stopped_because = error.stopped_because(),
                      .what = what_of(error),
                      .advice = error.advice().empty() ? "check the source of the credentials" : error.advice(),
                      .retry_at = error.retry_at()});
  }
  use(*std::move(credentials));
  credentials_.on_authorized();
  enter(CallEvent::authorized);
  return proceed(now);
}

Step Call::on_wake(Now now) {
  if (state_ == CallState::following) return go_on_following(now);
  if (state_ == CallState::delayed) {
    if (now.steady < request_.not_before) return delay(now, CallEvent::woken_early);
    history_.began = now.steady;
    enter(CallEvent::woken);
    return start(now);
  }
  const auto waited = now.steady - waiting_.since;
  const bool for_quota = state_ != CallState::backing_off;
  credentials_.on_waited(waited);
  (for_quota ? history_.held : history_.backed_off) += waited;
  if (for_quota && retry_history_.first_fault) retry_history_.held_since += waited;
  if (state_ != CallState::held && now.steady < waiting_.until)
    return wait(now, CallEvent::woken_early, {waiting_.until, waiting_.reason, {}, waiting_.until});
  enter(CallEvent::woken);
  return proceed(now);
}

Step Call::on_cancel(Now now) {
  return stop(now, {.code = Errc::cancelled,
                    .stopped_because = StopReason::cancelled,
                    .what = history_.attempts == 0
                                ? fmt::format("cancelled by the caller before {} was sent", unsent(request_))
                                : "cancelled by the caller during a wait"});
}

Step Call::proceed(Now now) {
  if (now.steady >= request_.deadline) return stop(now, past_deadline(history_, request_));
  if (uses_cache() && history_.attempts == 0 && request_.exchange()->shares_flights() &&
      request_.exchange()->follow(request_.cached->flights, flight())) {
    place_.leave(now.steady);
    return follow(now, CallEvent::follows);
  }
  if (may_be_poll() && !may_poll_) {
    const auto at = context_.polls->claim(request_.url, now.steady);
    may_poll_ = at <= now.steady;
    if (!may_poll_) return hold(now, {.earliest = {at, WaitReason::retry_after}, .acquire_at = at, .place = {}});
  }
  const auto ask = this->ask(now);
  if (!may_use_credentials() && context_.gate->earliest(now, context_.quota, ask, place_).at <= now.steady)
    return authorize(now);
  auto acquired = context_.gate->acquire(now, context_.quota, ask, std::move(place_));
  if (auto* permit = std::get_if<quota::Permit>(&acquired)) {
    if (may_use_credentials()) return send(now, std::move(*permit));
    // earliest() was later, but acquire() admits it: credentials must not be fetched with a permit.
    acquired = quota::Hold{};
    return authorize(now);
  }
  return hold(now, std::move(std::get<quota::Hold>(acquired)));
}

Step Call::proceed_again(Now now) {
  enter(CallEvent::repeated);
  return proceed(now);
}

/// Of the next attempt, once: the program makes it. A redirect has its own.
void Call::set_url() {
  if (request_.continuation == nullptr || redirected_ || std::exchange(attempt_.has_next_url, true)) return;
  attempt_.url = request_.continuation->url(request_.url);
}

/// The header fields of an attempt at url(), without those that continue a body.
Headers Call::own_fields() const {
  auto fields = left_origin() ? public_fields(request_.headers, has_body()) : headers();
  return became_get() ? fields_without_body(fields) : std::move(fields);
}

/// The credentials function may itself make calls on this quota: no permit is held while it runs. An offered one stays
/// offered, and lapses if the function takes long: other calls that were offered it would ask for credentials too.
Step Call::authorize(Now now) {
  land();
  enter(CallEvent::unauthorized);
  set_url();
  auto fields = became_get() ? fields_without_body(request_.headers) : request_.headers;
  if (request_.continuation != nullptr) request_.continuation->add_fields(fields);
  return Authorize{.request = {.attempt = history_.attempts + 1,
                               .reason = credentials_.reason(),
                               .method = method(),
                               .url = url(),
                               .headers = std::move(fields),
                               .body = body(),
                               .body_is_streamed = has_body() && request_.source != nullptr,
                               .rejected = credentials_.rejected(),
                               .at = signing_time_.take(now.wall, context_.clock_offset.get())},
                   .deadline = request_.deadline};
}

quota::Ask Call::ask(Now now) const {
  return {.priority = request_.priority,
          .patient_until = patient_until(now),
          .demand = request_.demand,
          .route = request_.route,
          .connections = static_cast<std::int64_t>(std::min<std::size_t>(context_.limits.connections, 1'000'000))};
}

bool Call::may_use_credentials() const noexcept {
  return left_origin() || !context_.credentials_may_change || credentials_.are_fresh();
}

/// The most recent ones; a download may be redirected any number of times.
void Call::keep_secrets(std::vector<std::string> secrets) {
  constexpr std::size_t most = 256;
  for (auto& secret : secrets) {
    std::erase(earlier_secrets_, secret);
    if (earlier_secrets_.size() == most) earlier_secrets_.erase(earlier_secrets_.begin());
    earlier_secrets_.push_back(std::move(secret));
  }
}

std::vector<std::string> Call::sent_secrets() const {
  auto secrets = secrets_in_query(url(), *context_.known_secrets);
  for (auto& secret : secrets_in(headers())) secrets.push_back(std::move(secret.text));
  secrets.insert(secrets.end(), earlier_secrets_.begin(), earlier_secrets_.end());
  return secrets;
}

void Call::use(Headers credentials) { keep_secrets(credentials_.use(std::move(credentials), request_.headers)); }

Step Call::send(Now now, quota::Permit permit) {
  set_url();
  enter(CallEvent::admitted);
  attempt_ = {.permit = std::move(permit), .sent_at = now, .url = std::move(attempt_.url)};
  waiting_ = {};
  ++history_.attempts;
  credentials_.on_sent();
  add_event(EventKind::sent, now, [](Event&) {});
  const auto* fields = &headers();
  if (request_.continuation != nullptr) {
    attempt_.fields = own_fields();
    request_.continuation->add_fields(attempt_.fields);
    fields = &attempt_.fields;
  } else if (uses_cache()) {
    auto& exchange = *request_.exchange();
    if (exchange.may_add_fields()) {
      attempt_.fields.reserve(headers().size() + 1);
      attempt_.fields = headers();
      exchange.add_fields(attempt_.fields, credentials_.own());
      fields = &attempt_.fields;
    }
    if (history_.attempts == 1 && exchange.shares_flights()) exchange.lead(request_.cached->flights, flight());
  } else if (became_get()) {
    attempt_.fields = own_fields();
    fields = &attempt_.fields;
  }
  return Send{.method = method(),
              .url = url(),
              .headers = fields,
              .body = body(),
              .has_body = has_body(),
              .source = became_get() ? nullptr : request_.source.get(),
              .sink = request_.sink,
              .deadline = std::min(after(now.steady, request_.attempt_timeout), request_.deadline),
              .fresh_connection = retry_history_.once.misdirected,
              .limits = request_.limits.get(),
              .timeouts = request_.timeouts.get()};
}

Instant Call::patient_until(Now now) const noexcept {
  return std::min(after(now.steady, context_.quota.max_wait - waited_for_quota(now)), request_.deadline);
}

/// A wait until the deadline itself leaves no time for the attempt.
bool Call::may_wait(Now now, Instant until) const noexcept {
  return context_.quota.when_exhausted == WhenExhausted::wait && until <= patient_until(now) &&
         until < request_.deadline;
}

Step Call::hold(Now now, quota::Hold hold) {
  place_ = std::move(hold.place);
  if (hold.unavailable)
    return stop(now, {.code = Errc::resource,
                      .stopped_because = StopReason::permanent,
                      .what = "the store of the shared quota is unavailable, and this process holds no permit" +
                              (hold.unavailable->empty() ? "" : ": " + *hold.unavailable),
                      .advice = "fix the store, or set SharingOptions::when_unavailable to continue_alone"});
  const auto [earliest, reason] = hold.earliest;
  const bool check_again = !quota::is_definite(reason) && context_.quota.max_wait > waited_for_quota(now);
  if (!check_again && !may_wait(now, earliest)) {
    Failure failure{.code = Errc::rate_limited, .what = std::string(to_string(reason))};
    if (reason == WaitReason::rejected && history_.attempts == 0 && !context_.dialect.quota_by_route) {
      failure.what = "the server rejected another request of this client";
      failure.advice = ", or set ClientOptions::dialect.quota_by_route if the server counts each path apart";
    }
    return stop_for_quota(now, earliest, std::move(failure));
  }
  const auto until = std::min(hold.acquire_at, patient_until(now));
  return wait(now, CallEvent::held, {until, reason, place_.ticket(), std::min(earliest, until)});
}

Step Call::stop_for_quota(Now now, Instant until, Failure failure) {
  failure.stopped_because = StopReason::time;
  failure.retry_at = wall_time_of(until, now);
  const auto wait = readable(until - now.steady);
  if (context_.quota.when_exhausted == WhenExhausted::fail) {
    failure.then = fmt::format("a wait of {} is not allowed", wait);
    failure.advice.insert(0, "set ClientOptions::quota.when_exhausted to wait");
  } else if (is_after_deadline(until)) {
    failure.then = fmt::format("a wait of {} would exceed the caller's deadline", wait);
    failure.advice.insert(0, "set a later deadline");
  } else {
    failure.then =
        fmt::format("a wait of {} would exceed the {} that a call may wait in all", wait,
                    readable(context_.quota.max_wait));
    failure.advice.insert(0, "raise ClientOptions::quota.max_wait");
  }
  return stop(now, std::move(failure));
}

Step Call::wait(Now now, CallEvent why, Wait wait) {
  land();
  enter(why);
  const auto before = std::exchange(waiting_, {now.steady, wait.until, wait.reason});
  const bool before_sending = state_ == CallState::held || state_ == CallState::following;
  if (before.reason != wait.reason)
    add_event(before_sending ? EventKind::holding : EventKind::retrying, now, [&](Event& event) {
      event.reason = wait.reason;
      event.wait = wait.earliest - now.steady;
      event.until = wall_time_of(wait.earliest, now);
    });
  return wait;
}

void Call::add_attempt_event(Now now, int status, std::optional<Errc> error) {
  add_event(EventKind::attempt_ended, now, [&](Event& event) {
    event.elapsed = now.steady - attempt_.sent_at.steady;
    event.status = status;
    event.error = error;
  });
}

void Call::add_notice(Now now, std::string note) {
  if (!note.empty()) add_event(EventKind::notice, now, [&](Event& event) { event.note = std::move(note); });
}

void Call::record_poll(Now now, const Response& response) {
  if (!may_be_poll() || left_origin()) return;
  const auto interval =
      wire::read_delta_seconds(response.headers.get(context_.dialect.poll_interval_header).value_or(""));
  if (!interval || *interval <= Duration::zero() || *interval > context_.dialect.farthest_reset) return;
  context_.polls->record(request_.url, now.steady, *interval);
}

/// Once for each route of a client.
void Call::notice_deprecation(Now now, const Headers& headers) {
  if (!context_.observed || left_origin()) return;
  const auto deprecation = wire::read_deprecation(headers, url(), now.wall);
  if (deprecation && context_.deprecated->add(request_.route))
    add_notice(now, Redaction(url(), secrets())
                        .line(sentence(*deprecation, std::chrono::floor<std::chrono::seconds>(now.wall))));
}

Step Call::on_response(Now now, Result<Response> response) {
  return response ? handle_response(now, *std::move(response)) : handle_failure(now, response.error());
}

Step Call::handle_response(Now now, Response response) {
  response.url = url();
  auto [verdict, report] = meaning_of(response, request_, context_.dialect, now.wall);
  if (response.status == not_modified_status && context_.dialect.not_modified_cost == 0 && has_credentials())
    report.counted = false;
  const auto retry_after = report.retry_after;
  const cache::Arrival arrival{.took = now.steady - attempt_.sent_at.steady,
                               .since_date = uses_cache() && report.date
                                                 ? context_.gate->since(*report.date, now, request_.route)
                                                 : Duration::zero()};
  auto [note, rejected] = record(now, std::move(report));
  if (rejected) {
    if (verdict == Verdict::maybe_processed) history_.maybe_applied = true;
    verdict = Verdict::limited;
  }
  add_attempt_event(now, response.status, std::nullopt);
  add_notice(now, std::move(note));
  notice_deprecation(now, response.headers);
  record_poll(now, response);
  history_.note(Sent::answered);
  if (uses_cache() && (response.status == not_modified_status || may_be_stored(verdict, response.status))) {
    switch (request_.exchange()->on_response(response, cache_fields(), arrival, now.wall)) {
      case cache::Answer::as_received: break;
      case cache::Answer::confirmed: return use_stored(now, std::move(response));
      case cache::Answer::unexpected: return retry_at_once(now);
    }
  }
  last_response_ = std::make_shared<const Response>(std::move(response));
  return judge(now, verdict, last_response_, retry_after);
}

/// Whether an attempt was rejected because of the time in its credentials.
bool Call::rejects_time(Now now, const Response& response) {
  return context_.clock_offset && !left_origin() && may_reject_time(response.status) &&
         signing_time_.is_rejected(*context_.clock_offset, response.headers, now.wall,
                                   !retry_history_.once.unauthorized);
}

Step Call::judge(Now now, Verdict verdict, std::shared_ptr<const Response> response,
                 std::optional<Duration> retry_after) {
  const int status = response->status;
  if (rejects_time(now, *response)) verdict = Verdict::unauthorized;
  switch (verdict) {
    case Verdict::success:
      if (request_.continuation != nullptr) return after_part(now, std::move(response));
      if ((method() == Method::get || method() == Method::query) && !headers().contains("Range") &&
          names_byte_part(response->headers))
        return stop(now, {.code = Errc::protocol,
                          .what = "the server responded with a part of the resource, which was not requested",
                          .advice = "report it to the API's owner, or check the proxies in between",
                          .response = std::move(response)});
      return succeed(now, std::move(response));
    case Verdict::limited: return after_rejection(now, std::move(response), retry_after);
    case Verdict::redirect:
      if (status == 303 && request_.returns_see_other) return finish(now, std::move(response));
      return after_redirect(now, std::move(response), retry_after);
    case Verdict::unauthorized:
      if (!context_.credentials_may_change || left_origin()) break;
      if (std::exchange(retry_history_.once.unauthorized, true)) break;
      credentials_.on_rejected();
      history_.note(FailedAttempt{.status = status});
      return retry_at_once(now);
    case Verdict::misdirected:
      if (std::exchange(retry_history_.once.misdirected, true)) break;
      [[fallthrough]];
    case Verdict::unprocessed:
    case Verdict::maybe_processed:
    case Verdict::still_running:
      return after_fault(now, verdict, retry_after,
                         {.code = errc_of_status(status), .response = std::move(response)});
    case Verdict::absent:
      if (request_.method != Method::delete_ || !history_.maybe_applied) break;
      add_notice(now, "the item is gone: an earlier attempt of this call may have removed it");
      return finish(now, std::move(response));
    case Verdict::unsatisfiable:
      if (request_.continuation == nullptr) break;
      switch (request_.continuation->on_unsatisfiable(response->headers)) {
        case Unsatisfiable::complete: return finish(now, std::move(response));
        case Unsatisfiable::restart: return retry_at_once(now);
        case Unsatisfiable::refused: break;
      }
      if (request_.continuation->stuck())
        return stop_stuck(now, {.code = Errc::truncated, .response = std::move(response)});
      break;
    case Verdict::permanent:
      if (status != not_modified_status || request_.exchange() == nullptr) break;
      return stop(now, {.code = Errc::protocol,
                        .what = "the server responded 304 Not Modified to a request without a condition",
                        .advice = "report it to the API's owner, or check the proxies in between",
                        .response = std::move(response)});
  }
  // Of a success only a sign in its body leads here.
  return stop(now, {.code = is_success(status) ? Errc::server_error : errc_of_status(status),
                    .server_error = response->body,
                    .response = std::move(response)});
}

quota::Gate::Recorded Call::record(Now now, quota::Report report, bool is_head) {
  report.retry = retry();
  // The gate remembers the names of quotas for longer than the secrets of this call are known.
  const auto hide = [&](std::string& name) {
    if (!name.empty()) name = Redaction(url(), secrets()).line(std::move(name));
  };
  if (context_.dialect.quota_by_route) {
    constexpr std::size_t longest = 64;
    report.route_name = name_of_route(request_);
    hide(report.route_name);
    report.route_name.resize(std::min(report.route_name.size(), longest));
  }
  hide(report.partition);
  for (auto& quota : report.more) hide(quota.name);
  if (!left_origin())
    return is_head ? context_.gate->record_head(attempt_.permit, now, std::move(report))
                   : context_.gate->record(std::move(attempt_.permit), now, std::move(report));
  // What another origin reports is not about this quota.
  context_.gate->release(std::move(attempt_.permit));
  return {};
}

Step Call::handle_failure(Now now, const Error& error) {
  const auto& head = error.details().response;
  quota::Report report{{}, quota::Outcome::lost};
  if (head) {
    report = meaning_of_head(*head, request_, context_.dialect, now.wall);
    last_response_ = head;
  }
  const bool rejected = report.outcome == quota::Outcome::rejected;
  // That of a success is not about this request.
  const auto retry_after = head && is_success(head->status) && !rejected ? std::nullopt : report.retry_after;
  if (error.sent() == Sent::no)
    context_.gate->release(std::move(attempt_.permit));
  else
    record(now, std::move(report));
  add_attempt_event(now, head ? head->status : 0, error.code());
  // The head of a response is enough to know that it is a rejection.
  history_.note(rejected ? Sent::answered : error.sent());

  if (request_.continuation != nullptr && request_.continuation->has_ended() && last_response_)
    return succeed(now, last_response_);
  Failure failure{.code = error.code(), .what = what_of(error), .advice = error.advice(), .response = head};
  if (request_.continuation != nullptr && request_.continuation->failed()) return stop_stuck(now, std::move(failure));
  if (error.code() == Errc::cancelled) failure.stopped_because = StopReason::cancelled;
  if (error.code() == Errc::timeout && now.steady + clock_grain >= request_.deadline) {
    failure.code = Errc::deadline_exceeded;
    failure.stopped_because = StopReason::time;
    failure.then = "the caller's deadline has passed";
    failure.advice.clear();
    return stop(now, std::move(failure));
  }
  if (rejected && error.code() != Errc::cancelled) return after_rejection(now, head, retry_after);
  const bool once = error.details().retryable == Retryable::once;
  const auto verdict = classify_failure(error, once && std::exchange(retry_history_.once.fault, true));
  if (verdict == Verdict::permanent) return stop(now, std::move(failure));
  if (request_.continuation != nullptr && request_.continuation->stuck()) return stop_stuck(now, std::move(failure));
  return after_fault(now, verdict, retry_after, std::move(failure));
}

Step Call::after_rejection(Now now, std::shared_ptr<const Response> response, std::optional<Duration> retry_after) {
  history_.note(FailedAttempt{.status = response->status, .code = Errc::rate_limited});
  count_progress();
  auto rejection = rejections_.add(now.steady, retry_after, history_.held);
  rejection.default_wait = context_.dialect.default_wait;
  rejection.spread = draw();
  rejection.retry = retry();
  auto [until, reason] = context_.gate->earliest(now, context_.quota, ask(now), rejection);
  if (!may_wait(now, until))
    return stop_for_quota(
        now, until, {.code = Errc::rate_limited, .server_error = response->body, .response = std::move(response)});
  if (const auto asked = requested_wait(retry_after).asked())
    if (const auto again = after(now.steady, *asked); again > until && again < request_.deadline) {
      until = again;
      reason = WaitReason::retry_after;
    }
  return_to_start();
  return wait(now, CallEvent::rejected, {until, reason, {}, until});
}

Step Call::after_fault(Now now, Verdict verdict, std::optional<Duration> retry_after, Failure failure) {
  if (uses_cache())
    if (auto stored = request_.exchange()->instead_of_failure(url(), cache_fields(), now.wall);
        stored && verdict_on(*stored) == Verdict::success)
      return use_stored(now, *std::move(stored));
  const int status = failure.response ? failure.response->status : 0;
  history_.note(FailedAttempt{.status = errc_of_status(status) == failure.code ? status : 0, .code = failure.code});
  if (verdict == Verdict::maybe_processed) history_.maybe_applied = true;
  count_progress();
  const bool at_once = verdict == Verdict::misdirected;
  auto requested = requested_wait(retry_after);
  if (at_once) requested.retry_after = Duration::zero();
  ++(at_once ? retry_history_.at_once : retry_history_.faults);
  if (!retry_history_.first_fault) retry_history_.first_fault = now.steady;
  const auto decision = decide_retry(retry(), *context_.budget, retry_history_, request_.may_repeat_after(verdict),
                                     requested, draw(), now.steady, request_.deadline);
  if (decision.stop) {
    const auto asked = requested.asked();
    const auto again = after(now.steady, std::max(asked.value_or(Duration::zero()), decision.wait));
    failure.stopped_because = *decision.stop;
    if (decision.stop == StopReason::budget) failure.then = "the client's retry budget is used up";
    if (decision.stop == StopReason::time)
      failure.then = fmt::format("a wait of {} would exceed {}", readable(again - now.steady),
                                 is_after_deadline(again) ? "the caller's deadline"
                                                          : give_up_option());
    if (again > now.steady && (asked || decision.stop == StopReason::time))
      failure.retry_at = wall_time_of(again, now);
    return stop(now, std::move(failure));
  }
  return_to_start();
  if (at_once) return retry_at_once(now);
  const auto until = after(now.steady, decision.wait);
  return wait(now, CallEvent::faulted, {until, decision.reason, {}, until});
}

Step Call::after_redirect(Now now, std::shared_ptr<const Response> response, std::optional<Duration> retry_after) {
  auto decision = decide_redirect(method(), response->status, response->headers, url(),
                                  wire::origin_of(request_.url).value(), redirected_ ? redirected_->times : 0,
                                  context_.limits.redirects, request_.redirect_scope, request_.trusted);
  if (auto* refused = std::get_if<Refuse>(&decision))
    return stop(now, {.code = refused->code,
                      .then = std::move(refused->what),
                      .advice = std::move(refused->advice),
                      .response = std::move(response)});
  const auto until = after(now.steady, retry_after.value_or(Duration::zero()));
  const bool waits = until > now.steady;
  if (waits) {
    if (!retry_history_.first_fault) retry_history_.first_fault = now.steady;
    if (is_after_deadline(until) || until > give_up_at(retry(), retry_history_, now.steady))
      return stop_before_redirect(now, until, std::move(response));
  }
  ++history_.redirects;
  auto& follow = std::get<Follow>(decision);
  follow.leaves_origin = follow.leaves_origin || left_origin();
  follow.becomes_get = follow.becomes_get || became_get();
  redirect(Redirected{std::move(follow), redirected_ ? redirected_->times + 1 : 1});
  add_event(EventKind::redirected, now, [](Event&) {});
  if (!waits) return proceed_again(now);
  return wait(now, CallEvent::faulted, {until, WaitReason::retry_after, {}, until});
}

Step Call::stop_before_redirect(Now now, Instant until, std::shared_ptr<const Response> response) {
  const bool late = is_after_deadline(until);
  return stop(now, {.code = Errc::redirected,
                    .stopped_because = StopReason::time,
                    .then = fmt::format("a wait of {} would exceed {}", readable(until - now.steady),
                                        late ? "the caller's deadline" : give_up_option()),
                    .advice = late ? "set a later deadline" : "raise " + give_up_option(),
                    .retry_at = wall_time_of(until, now),
                    .response = std::move(response)});
}

Step Call::retry_at_once(Now now) {
  add_event(EventKind::retrying, now, [&](Event& event) { event.until = now.wall; });
  return proceed_again(now);
}

/// A response of a continued body has ended as it should.
Step Call::after_part(Now now, std::shared_ptr<const Response> response) {
  auto& body = *request_.continuation;
  const auto next = body.on_end();
  if (next == Continuation::Next::nothing) return succeed(now, std::move(response));
  if (next == Continuation::Next::at_once) {
    count_progress();
    return proceed_again(now);
  }
  auto fault = body.early_end();
  Failure failure{.code = fault.code,
                  .what = std::move(fault.what),
                  .advice = std::move(fault.advice),
                  .response = std::move(response)};
  if (fault.would_repeat) return stop(now, std::move(failure));
  if (body.stuck()) return stop_stuck(now, std::move(failure));
  return after_fault(now, Verdict::maybe_processed, std::nullopt, std::move(failure));
}

Step Call::stop_stuck(Now now, Failure failure) {
  auto fault = request_.continuation->stuck_fault();
  failure.code = fault.code;
  (request_.continuation->failed() ? failure.what : failure.then) = std::move(fault.what);
  failure.advice = std::move(fault.advice);
  if (fault.body.empty() || !last_response_) return stop(now, std::move(failure));
  // What the server has reported is read as the body of the response.
  auto response = *last_response_;
  response.headers.set("Content-Type", "application/json");
  response.body = std::move(fault.body);
  failure.response = std::make_shared<const Response>(std::move(response));
  failure.text = failure.response->body;
  return stop(now, std::move(failure));
}

void Call::on_stream(Now now, const Response& head) {
  if (attempt_.permit) record(now, meaning_of_head(head, request_, context_.dialect, now.wall), true);
}

/// After something of a body was received, its attempts count from the first.
void Call::count_progress() {
  if (request_.continuation == nullptr) return;
  const bool progressed = request_.continuation->take_progress();
  if (progressed) {
    context_.budget->success();
    retry_history_.start_over();
    retry_history_.once.unauthorized = false;
    signing_time_.confirm();
    rejections_.start_over();
  }
  retry_history_.progressed = progressed;
}

/// Before a body is continued after a fault: an address that the server redirected to may have expired.
void Call::return_to_start() {
  if (request_.continuation != nullptr) redirect(std::nullopt);
}

void Call::redirect(std::optional<Redirected> to) {
  keep_secrets(secrets_in_query(url(), *context_.known_secrets));
  if (to || redirected_) attempt_.fields.clear();
  redirected_ = std::move(to);
}

/// A server could make noun request a body that continues without end: there is a shortest wait.
RequestedWait Call::requested_wait(std::optional<Duration> retry_after) const noexcept {
  if (request_.continuation == nullptr) return {.retry_after = retry_after};
  if (retry_after) retry_after = std::max(*retry_after, shortest_wait);
  return {.retry_after = retry_after, .reconnection = request_.continuation->wait()};
}

Step Call::succeed(Now now, std::shared_ptr<const Response> response) {
  const auto largest = (request_.limits ? *request_.limits : context_.limits).body;
  if (response->body.size() > largest)
    return stop(now, {.code = Errc::too_large,
                      .what = fmt::format("the body is longer than {} bytes", largest),
                      .advice = "raise ClientOptions::limits.body, or request less",
                      .response = std::move(response)});
  const auto* usual = request_.usual_statuses;
  if (usual != nullptr && std::find(usual->begin(), usual->end(), response->status) == usual->end()) {
    auto note = fmt::format("the server responded {}, which dialect {} does not expect here",
                            status_text(response->status), context_.dialect.name);
    if (context_.strict_statuses)
      return stop(now, {.code = Errc::protocol,
                        .what = std::move(note),
                        .advice = "add it to the statuses of ClientOptions::dialect, or set "
                                  "ClientOptions::strict_statuses to false",
                        .response = std::move(response)});
    if (context_.observed && context_.noticed->add(request_.method, response->status)) add_notice(now, std::move(note));
  }
  return finish(now, std::move(response));
}

Step Call::finish(Now now, std::shared_ptr<const Response> response) {
  enter(CallEvent::succeeded);
  land();
  if (reported_bytes_ > 0 && reported_bytes_ != request_.continuation->received())
    add_event(EventKind::progress, now, [](Event&) {});
  end(now, response->status, std::nullopt);
  if (history_.attempts > 0) context_.budget->success();
  return Done{.response = std::move(response)};
}

Step Call::stop(Now now, Failure failure) {
  enter(failure.stopped_because == StopReason::cancelled ? CallEvent::cancelled : CallEvent::failed);
  attempt_.permit = {};
  place_.leave(now.steady);
  land();
  end(now, failure.response ? failure.response->status : 0, failure.code);
  if (!failure.response) failure.last_response = last_response_;
  auto response = failure.response ? failure.response : failure.last_response;
  return Done{.response = std::move(response), .failure = std::move(failure)};
}

void Call::end(Now now, int status, std::optional<Errc> error) {
  history_.ended = now.steady;
  // Of a call that was stopped before it began nothing is reported: its client, and what the observer uses, may be gone.
  if (!history_.began) return;
  add_event(EventKind::ended, now, [&](Event& event) {
    event.status = status;
    event.error = error;
  });
}

void Call::abandon(Now now, Errc why) noexcept try {
  if (state_ == CallState::ended) return;
  if (state_ == CallState::sent) history_.note(Sent::maybe);
  enter(CallEvent::cancelled);
  attempt_.permit = {};
  place_ = {};
  land();
  end(now, 0, why);
} catch (const std::bad_alloc&) {
  // Without memory for its event it ends without one.
}

std::optional<Error> Call::error_of(const Done& done) const {
  if (done.error) return done.error;
  return done.failure ? std::optional(error_for(*done.failure)) : std::nullopt;
}

Error Call::error_for(const Failure& failure) const {
  const auto own = attempt_.fields.empty() ? own_fields() : Headers();
  return report({.method = method(),
                 .url = url(),
                 .secrets = secrets(),
                 .fields = attempt_.fields.empty() ? own : attempt_.fields,
                 .has_body = has_body(),
                 .body_file = request_.body_file,
                 .idempotency_key = request_.idempotency_key,
                 .changes_nothing = request_.changes_nothing},
                history_, context_.dialect, failure);
}

/// A random number in [0, 1), by SplitMix64: good enough to spread waits.
/// @source Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014.
double Call::draw() noexcept {
  random_state_ += 0x9E3779B97F4A7C15U;
  auto mixed = random_state_;
  mixed = (mixed ^ (mixed >> 30U)) * 0xBF58476D1CE4E5B9U;
  mixed = (mixed ^ (mixed >> 27U)) * 0x94D049BB133111EBU;
  mixed ^= mixed >> 31U;
  return static_cast<double>(mixed >> 11U) * 0x1.0p-53;
}

}}  // namespace noun
