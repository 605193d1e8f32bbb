// A call that the test drives step by step: the test is its driver, transport and clock.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "call/call.hpp"

namespace call_test {

using namespace std::chrono_literals;
using noun::CallState;
using noun::Duration;
using noun::Errc;
using noun::Instant;
using noun::Method;
using noun::Sent;
using noun::StopReason;
using noun::WaitReason;
using noun::WallTime;

/// The clocks when a bench starts. The wall clock reads 2023-11-14 22:13:20 UTC.
constexpr Instant bench_begin{1000s};
constexpr WallTime bench_wall_begin{1'700'000'000s};
constexpr std::string_view date_at_begin = "Tue, 14 Nov 2023 22:13:20 GMT";

/// A client without jitter, and one of its requests.
class CallBench {
 public:
  explicit CallBench(Method method = Method::get) {
    context.retry.jitter = 0;
    context.observed = true;
    context.budget = std::make_shared<noun::BudgetAccount>(noun::RetryBudget{});
    context.gate = noun::make_quota_ledger()->gate("https://api.example.com", "bench");
    request.method = method;
    request.url = "https://api.example.com/v1/things/7";
    request.headers = {{"Accept", "application/json"}};
    request.attempt_timeout = 60s;
  }

  noun::CallContext context;
  noun::CallRequest request;
  /// Responds to Authorize at once; without it, with no credentials.
  std::function<noun::Result<noun::Headers>(const noun::CredentialsRequest&)> credentials;
  noun::Now now = {bench_begin, bench_wall_begin};
  std::optional<noun::Step> step;
  /// All events of the call.
  std::vector<noun::Event> events;
  /// Every wait and every URL that was sent, in order.
  std::vector<Duration> waits;
  std::vector<std::string> sent_urls;

  CallBench& deadline_in(Duration span) {
    request.deadline = now.steady + span;
    return *this;
  }
  /// Sets the capacity of the retry budget, and the tokens that a success returns.
  CallBench& tokens(double capacity, double per_success = 0) {
    context.budget = std::make_shared<noun::BudgetAccount>(noun::RetryBudget{capacity, per_success});
    return *this;
  }
  /// A request of another call on the same quota, in flight.
  noun::quota::Permit request_elsewhere() {
    auto acquired = context.gate->acquire(now, context.quota);
    EXPECT_TRUE(std::holds_alternative<noun::quota::Permit>(acquired));
    return std::get<noun::quota::Permit>(std::move(acquired));
  }
  /// A request of another call, with its response.
  CallBench& spend_elsewhere(const noun::quota::Report& report = {}) {
    context.gate->record(request_elsewhere(), now, report);
    return *this;
  }
  CallBench& report_elsewhere(std::int64_t remaining, std::optional<Duration> resets_in = {}) {
    noun::quota::Report report;
    report.limit = 10;
    report.remaining = remaining;
    if (resets_in) report.reset = noun::wire::ResetReading{.in = *resets_in, .at = {}};
    return spend_elsewhere(report);
  }
  /// The response to another call reported that nothing remains for `span`.
  CallBench& exhausted_for(Duration span) { return report_elsewhere(0, span); }

  CallBench& pass(Duration span) {
    now.steady += span;
    now.wall += span;
    return *this;
  }
  CallBench& begin() {
    call_.emplace(context, request, 1, 42);
    return take(call_->begin(now));
  }
  /// The attempt gets a response after `took`.
  CallBench& respond(int status, noun::Headers headers = {}, std::string body = {}, Duration took = 0s) {
    EXPECT_TRUE(sends());
    pass(took);
    return take(call_->on_response(now, noun::Response{status, std::move(headers), std::move(body), {}}));
  }
  /// The attempt fails after `took`.
  CallBench& fail(noun::Error error, Duration took = 0s) {
    EXPECT_TRUE(sends());
    pass(took);
    return take(call_->on_response(now, std::move(error)));
  }
  CallBench& fail(Errc code, Sent sent) { return fail(noun::Error(code, "it broke", sent)); }
  /// Wakes the call at the end of its wait, or after `span`.
  CallBench& wake() { return wake(wait()); }
  CallBench& wake(Duration span) {
    EXPECT_TRUE(waits_now());
    pass(span);
    return take(call_->on_wake(now));
  }
  CallBench& cancel() {
    if (!call_) call_.emplace(context, request, 1, 42);
    return take(call_->on_cancel(now));
  }

  bool sends() const { return step && std::holds_alternative<noun::Send>(*step); }
  bool waits_now() const { return step && std::holds_alternative<noun::Wait>(*step); }
  bool is_done() const { return step && std::holds_alternative<noun::Done>(*step); }
  bool succeeded() const { return is_done() && !done().error; }
  bool failed() const { return is_done() && done().error; }

  const noun::Send& send() const { return std::get<noun::Send>(*step); }
  const noun::Done& done() const { return std::get<noun::Done>(*step); }
  const noun::Error& error() const { return done().error.value(); }
  std::string message() const { return failed() ? error().message() : "(no error)"; }
  /// How long the call will wait; -1 s if it does not wait.
  Duration wait() const { return waits_now() ? std::get<noun::Wait>(*step).until - now.steady : -1s; }
  WaitReason reason() const { return waits_now() ? std::get<noun::Wait>(*step).reason : WaitReason::none; }
  const noun::WakeTicket& ticket() const { return std::get<noun::Wait>(*step).ticket; }
  int attempts() const { return call_->history().attempts; }
  noun::Call& call() { return *call_; }
  /// The last step as text: `sends`, `waits 30 s (retry_after)`, or how the call ended, with the parts of its error,
  /// and with permits and holds if any are left.
  std::string outcome() const {
    const auto seconds = [](Duration span) { return fmt::format("{} s", std::chrono::duration<double>(span).count()); };
    if (sends()) return "sends";
    if (waits_now()) return fmt::format("waits {} ({})", seconds(wait()), name_of(reason()));
    const auto& history = call_->history();
    noun::ErrorDetails end{.sent = history.sent, .attempts = history.attempts, .elapsed = history.elapsed()};
    if (failed()) end = error().details();
    std::string text = "succeeds";
    if (failed()) text = fmt::format("fails: {} ({})", to_string(end.code), to_string(end.stopped_because));
    text += fmt::format(", sent {}, {} attempt{} in {}", to_string(end.sent), end.attempts,
                        end.attempts == 1 ? "" : "s", seconds(end.elapsed));
    const int status = failed() ? end.status : done().response->status;
    if (status != 0) text += fmt::format(", status {}", status);
    if (end.retry_at) text += fmt::format(", again in {}", seconds(*end.retry_at - now.wall));
    if (in_flight() > 0) text += fmt::format(", {} in flight", in_flight());
    if (held() > 0) text += fmt::format(", {} held", held());
    return text;
  }
  std::size_t in_flight() const { return context.gate->snapshot(now).in_flight; }
  std::size_t held() const { return context.gate->snapshot(now).held; }
  std::vector<noun::Event> events_of(noun::EventKind kind) const {
    std::vector<noun::Event> found;
    for (const auto& event : events)
      if (event.kind == kind) found.push_back(event);
    return found;
  }
  /// The only event of its kind.
  noun::Event only_event(noun::EventKind kind) const {
    const auto found = events_of(kind);
    EXPECT_EQ(found.size(), 1U);
    return found.at(0);
  }

 private:
  CallBench& take(noun::Step next) {
    step = std::move(next);
    while (const auto* authorize = std::get_if<noun::Authorize>(&*step)) {
      EXPECT_EQ(call_->state(), CallState::authorizing);
      auto given = credentials ? credentials(authorize->request) : noun::Headers{};
      step = call_->on_credentials(now, std::move(given));
    }
    const auto state = call_->state();
    const bool is_waiting = state == CallState::delayed || state == CallState::held || state == CallState::rejected ||
                            state == CallState::backing_off;
    EXPECT_EQ(is_waiting, waits_now()) << static_cast<int>(state);
    EXPECT_EQ(state == CallState::sent, sends()) << static_cast<int>(state);
    EXPECT_EQ(state == CallState::ended, is_done()) << static_cast<int>(state);
    if (auto* done = std::get_if<noun::Done>(&*step)) done->error = call_->error_of(*done);
    for (auto& event : call_->take_events()) events.push_back(std::move(event));
    if (waits_now()) waits.push_back(wait());
    if (sends()) sent_urls.emplace_back(send().url);
    return *this;
  }

  std::optional<noun::Call> call_;
};

}  // namespace call_test
