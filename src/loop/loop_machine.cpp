#include "loop/loop_machine.hpp"

namespace noun { inline namespace v0 {
namespace {

/// When the step ends by itself.
Instant end_of(const Step& step) noexcept {
  if (const auto* wait = std::get_if<Wait>(&step)) return wait->until;
  const auto* authorize = std::get_if<Authorize>(&step);
  return authorize != nullptr ? authorize->deadline : Instant::max();
}

}  // namespace

template <class Awaited>
RunningCall* LoopMachine::waiting_for(Id id) noexcept {
  const auto found = calls_.find(id);
  if (found == calls_.end()) return nullptr;
  const auto& step = found->second.step;
  return step && std::holds_alternative<Awaited>(*step) ? &found->second : nullptr;
}

LoopAction LoopMachine::on(Started event, Now now) {
  auto& running = calls_.at(event.id);
  auto& call = running.job->call();
  return take_step(running, running.must_stop() ? call.on_cancel(now) : call.begin(now));
}

LoopAction LoopMachine::on(Stopped event, Now now) {
  const auto found = calls_.find(event.id);
  if (found == calls_.end() || !found->second.step || !found->second.must_stop()) return {};
  auto& running = found->second;
  if (running.is_sending()) {
    // A request that may only be stopped unless it was sent is on its way.
    if (!running.stop.stop_requested() || std::exchange(running.cancel_requested, true)) return {};
    return CancelAttempt{running};
  }
  // So that its credentials are not asked for any more.
  running.stop.request_stop();
  return go_on(running, now, [&](Call& call) { return call.on_cancel(now); });
}

LoopAction LoopMachine::on(Woken event, Now now) {
  auto* const running = waiting_for<Wait>(event.id);
  if (running == nullptr || !std::get<Wait>(*running->step).ticket.overtaken()) return {};
  return go_on(*running, now, [&](Call& call) { return call.on_wake(now); });
}

LoopAction LoopMachine::on(Credentials event, Now now) {
  auto* const running = waiting_for<Authorize>(event.id);
  if (running == nullptr) return {};
  return go_on(*running, now, [&](Call& call) { return call.on_credentials(now, std::move(event.credentials)); });
}

LoopAction LoopMachine::on(Ended event, Now now) {
  auto* const running = waiting_for<Send>(event.id);
  if (running == nullptr) return {};
  // Also after a stop request: what the server responded is known.
  return take_step(*running, running->job->call().on_response(now, std::move(event.response)));
}

LoopAction LoopMachine::on(Due event, Now now) {
  if (auto* const running = waiting_for<Wait>(event.id))
    return go_on(*running, now, [&](Call& call) { return call.on_wake(now); });
  return on(Credentials{event.id, Error(Errc::deadline_exceeded, "the credentials were not there in time")}, now);
}

LoopAction LoopMachine::fail(Id id, Failure failure, Now now) noexcept {
  const auto found = calls_.find(id);
  if (found == calls_.end()) return {};
  found->second.job->call().abandon(now, failure.code);
  return finish(found->second, {.failure = std::move(failure)});
}

std::optional<LoopMachine::Id> LoopMachine::next_new() noexcept {
  const auto next = calls_.upper_bound(last_started_);
  if (next == calls_.end()) return std::nullopt;
  return last_started_ = next->first;
}

std::optional<LoopMachine::Id> LoopMachine::next_due(Instant now) const noexcept {
  return sleep_until() <= now ? std::optional(timers_.begin()->second) : std::nullopt;
}

void LoopMachine::stop_all() noexcept {
  for (auto& [id, running] : calls_) running.stop.request_stop();
}

/// Ends a wait by its event, or by a stop request that came before.
template <class Event>
LoopAction LoopMachine::go_on(RunningCall& running, Now now, Event event) {
  leave(running);
  auto& call = running.job->call();
  return take_step(running, running.must_stop() ? call.on_cancel(now) : event(call));
}

LoopAction LoopMachine::take_step(RunningCall& running, Step step) {
  if (auto* done = std::get_if<Done>(&step)) return finish(running, std::move(*done));
  auto& taken = running.step.emplace(std::move(step));
  if (auto* send = std::get_if<Send>(&taken)) {
    running.cancel_requested = false;
    return StartAttempt{running, *send};
  }
  timers_.emplace(end_of(taken), running.id);
  if (const auto* authorize = std::get_if<Authorize>(&taken)) return AskCredentials{running, *authorize};
  return Sleep{running, std::get<Wait>(taken).ticket};
}

void LoopMachine::leave(RunningCall& running) noexcept {
  if (running.step) timers_.erase({end_of(*running.step), running.id});
  running.step.reset();
}

LoopAction LoopMachine::finish(RunningCall& running, Done done) noexcept {
  leave(running);
  return Finish{calls_.extract(running.id), std::move(done)};
}

}}  // namespace noun
