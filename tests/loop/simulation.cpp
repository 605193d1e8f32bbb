#include "loop/simulation.hpp"

#include <utility>

namespace noun { inline namespace v0 {

Simulation::Simulation(DriverContext& context, testing::ManualClock& clock, Latency latency)
    : context_(context), clock_(clock), latency_(std::move(latency)) {}

void Simulation::start(std::unique_ptr<Call> call, Finished finished) {
  auto running = std::make_shared<Running>();
  running->call = std::move(call);
  running->finished = std::move(finished);
  take_step(running, running->call->begin(clock_.now()));
}

void Simulation::run() {
  while (!events_.empty()) {
    const auto event = events_.top();
    events_.pop();
    clock_.advance(event.when - clock_.now().steady);
    handle(event);
    wake_the_overtaken();
  }
}

void Simulation::schedule(Instant when, What what, std::shared_ptr<Running> of) {
  events_.push({when, ++order_, what, std::move(of)});
}

void Simulation::take_step(const std::shared_ptr<Running>& running, Step step) {
  while (const auto* authorize = std::get_if<Authorize>(&step)) {
    auto credentials = context_.credentials(*authorize, {});
    step = running->call->on_credentials(clock_.now(), std::move(credentials));
  }
  if (context_.observer) context_.notify(running->call->take_events());
  const auto now = clock_.now().steady;
  if (auto* done = std::get_if<Done>(&step)) {
    auto finished = std::move(running->finished);
    done->error = running->call->error_of(*done);
    return finished(std::move(*done));
  }
  if (const auto* wait = std::get_if<Wait>(&step)) {
    running->wake_at = wait->until;
    running->waiting = true;
    waiting_.push_back(running);
    schedule(wait->until, What::wakes, running);
  } else {
    const auto there_and_back = latency_(++exchanges_);
    schedule(after(now, there_and_back / 2), What::arrives, running);
    schedule(after(now, there_and_back), What::responds, running);
  }
  running->step = std::move(step);
}

void Simulation::handle(const Event& event) {
  auto& running = *event.of;
  const auto now = clock_.now();
  switch (event.what) {
    case What::arrives: running.response = context_.attempt(std::get<Send>(running.step), now, {}); return;
    case What::responds:
      return take_step(event.of, running.call->on_response(now, *std::exchange(running.response, std::nullopt)));
    case What::wakes:
      // If one wait gets two wake-ups, the first counts; a later wait has its own time.
      if (!running.waiting || event.when < running.wake_at) return;
      running.waiting = false;
      std::erase(waiting_, event.of);
      return take_step(event.of, running.call->on_wake(now));
  }
}

void Simulation::wake_the_overtaken() {
  std::vector<std::shared_ptr<Running>> overtaken;
  for (const auto& running : waiting_)
    if (std::get<Wait>(running->step).ticket.overtaken()) overtaken.push_back(running);
  const auto now = clock_.now().steady;
  for (const auto& running : overtaken) {
    running->wake_at = now;
    schedule(now, What::wakes, running);
    std::get<Wait>(running->step).ticket = {};
  }
}

}}  // namespace noun
