#include "loop/simulation.hpp"

#include <algorithm>
#include <utility>

namespace noun { inline namespace v0 {

Simulation::Simulation(DriverContext& context, testing::ManualClock& clock, Latency latency)
    : context_(context), clock_(clock), latency_(std::move(latency)) {}

void Simulation::start(std::unique_ptr<CallJob> job, Finished finished) {
  RunningCalls one;
  auto& running = one[++last_id_];
  running.id = last_id_;
  running.job = std::move(job);
  running.start.finished = [finished = std::move(finished)](Done done, const std::shared_ptr<CallJob>& ended) {
    done.error = ended->call().error_of(done);
    finished(std::move(done));
  };
  machine_.add(one);
  handle(LoopMachine::Started{*machine_.next_new()});
}

void Simulation::run() {
  for (;;) {
    for (const auto call : std::exchange(woken_->calls, {})) handle(LoopMachine::Woken{call});
    if (!woken_->calls.empty()) continue;
    const auto arrives_at = arrivals_.empty() ? Instant::max() : arrivals_.top().when;
    const auto next = std::min(arrives_at, machine_.sleep_until());
    if (next == Instant::max()) return;
    clock_.advance(next - clock_.now().steady);
    if (arrives_at > next) {
      handle(LoopMachine::Due{*machine_.next_due(next)});
      continue;
    }
    const auto arrival = arrivals_.top();
    arrivals_.pop();
    arrive(arrival);
  }
}

void Simulation::arrive(const Arrival& arrival) {
  if (arrival.send != nullptr)
    *arrival.response = context_.attempt(*arrival.send, clock_.now(), {});
  else
    handle(LoopMachine::Ended{arrival.of, std::move(*arrival.response)});
}

template <class Event>
void Simulation::handle(Event event) {
  auto action = machine_.on(std::move(event), clock_.now());
  std::visit([&](auto& one) { perform(one); }, action);
}

void Simulation::perform(StartAttempt& action) {
  context_.publish(action.call.job->call(), &action.send);
  const auto there_and_back = latency_(++exchanges_);
  const auto now = clock_.now().steady;
  const auto response = std::make_shared<Result<Response>>(Response{});
  arrivals_.push({after(now, there_and_back / 2), ++order_, action.call.id, &action.send, response});
  arrivals_.push({after(now, there_and_back), ++order_, action.call.id, nullptr, response});
}

void Simulation::perform(AskCredentials& action) {
  const auto id = action.call.id;
  handle(LoopMachine::Credentials{id, context_.credentials(action.authorize, {})});
}

void Simulation::perform(Sleep& action) {
  auto& call = action.call.job->call();
  context_.publish(call, nullptr);
  call.wake_through(woken_, action.call.id);
  if (action.ticket.overtaken()) woken_->on_woken(action.call.id);
}

void Simulation::perform(Finish& action) {
  auto& ended = action.call.mapped();
  context_.publish(ended.job->call(), nullptr);
  ended.start.finished(std::move(action.done), ended.job);
}

}}  // namespace noun
