#include "loop/call_loop.hpp"

#include <algorithm>
#include <iterator>
#include <system_error>

#include "os/process_exit.hpp"

namespace noun { inline namespace v0 {
namespace {

thread_local bool is_loop_thread = false;

}  // namespace

bool on_a_loop_thread() noexcept { return is_loop_thread; }

void mark_loop_thread() noexcept { is_loop_thread = true; }

CallLoop::CallLoop(DriverContext& context)
    : context_(context),
      multiplexer_(context.transport->multiplexer()),
      exhausted_(Errc::resource, "out of memory during the call, or a function of the client threw an exception",
                 Sent::maybe),
      inbox_(multiplexer_.get(), *context.clock, turn_) {}

CallLoop::~CallLoop() {
  for (const auto& [counter, running] : listeners_) inbox_.leave(*counter);
  if (process_ends()) static_cast<void>(multiplexer_.release());
}

void CallLoop::add(CallStart start) {
  const bool waiter_runs_loop = start.waiter_runs_loop;
  inbox_.add(std::move(start));
  if (!waiter_runs_loop) turn_.add_call();
}

void CallLoop::close() noexcept {
  inbox_.close();
  turn_.need();
}

void CallLoop::halt() noexcept {
  inbox_.halt();
  turn_.need();
}

void CallLoop::close_here() noexcept {
  close();
  work([] { return false; });
  over_ = true;
  workers_.join();
  multiplexer_.reset();
}

void CallLoop::run() noexcept {
  is_loop_thread = true;
  turn_.take();
  while (work([this] { return turn_.is_borrowed(); })) turn_.lend();
  if (inbox_.is_halted()) end_awaited();
}

/// Attempts and quotas are left as they are: nothing is sent any more.
void CallLoop::end_awaited() noexcept {
  inbox_.take_calls(calls_);
  for (auto& [id, running] : calls_) {
    if (!running.start.is_awaited) continue;
    try {
      const auto finished = std::exchange(running.start.finished, nullptr);
      if (finished) finished({.error = Error(Errc::cancelled, "the process ends", Sent::maybe)}, running.job);
    } catch (...) {
    }
  }
  turn_.leave();
}

void CallLoop::run_until(const std::function<bool()>& ended) noexcept {
  if (!multiplexer_ || !turn_.borrow([this] { wake(); })) return;
  is_loop_thread = true;
  work(ended);
  is_loop_thread = false;
  turn_.give_back();
}

/// Returns true if `until` did, after a round; false if the loop was closed and has no more calls, or was halted.
bool CallLoop::work(const std::function<bool()>& until) noexcept {
  while (!over_ && !inbox_.is_halted()) {
    // Events after this load end the sleep at once.
    const auto seen = inbox_.wakes().load();
    if (!receive_new()) return false;
    start_new();
    if (!over_) take_credentials();
    if (!over_) take_results();
    if (!over_) cancel_stopped();
    if (!over_) wake_due();
    if (!over_ && until()) return true;
    if (!over_) sleep(seen);
  }
  return false;
}

bool CallLoop::receive_new() noexcept {
  ends_ = inbox_.take_calls(calls_);
  if (!ends_) return true;
  for (auto& [id, running] : calls_) running.stop.request_stop();
  inbox_.look_at_all();
  return !calls_.empty();
}

void CallLoop::start_new() noexcept {
  for (auto at = calls_.upper_bound(last_started_); !over_ && at != calls_.end();
       at = calls_.upper_bound(last_started_)) {
    last_started_ = at->first;
    at->second.listen_for_stops(inbox_);
    handle(at->second,
           [&](Call& call, Now now) { return at->second.must_stop() ? call.on_cancel(now) : call.begin(now); });
  }
}

void CallLoop::take_credentials() noexcept {
  for (auto& ended : inbox_.take_credentials()) {
    --authorizing_;
    const auto found = over_ ? calls_.end() : calls_.find(ended.call);
    // A call that was cancelled meanwhile does not need them.
    if (found == calls_.end() || found->second.state != State::authorizes) continue;
    stop_waiting(found->second);
    handle(found->second, [&](Call& call, Now now) {
      if (found->second.must_stop()) return call.on_cancel(now);
      if (ended.out_of_memory) throw std::bad_alloc();
      if (ended.credentials) return call.on_credentials(now, *std::move(ended.credentials));
      return call.on_credentials(now, Error(Errc::credentials, "the executor did not run the credentials function",
                                            "keep the executor until its calls have ended"));
    });
  }
}

void CallLoop::take_results() noexcept {
  while (!over_ && next_result_ < results_.size()) {
    auto& result = results_[next_result_++];
    const auto found = calls_.find(result.id);
    if (found == calls_.end() || found->second.state != State::sends) continue;
    auto& call = found->second.job->call();
    handle(found->second, [&](Call&, Now now) { return call.on_response(now, std::move(result.result)); });
  }
}

void CallLoop::cancel_stopped() noexcept {
  const auto stopped = inbox_.take_stopped();
  if (!stopped) {
    for (auto at = calls_.begin(); !over_ && at != calls_.end();) cancel((at++)->second);
    return;
  }
  for (auto id = stopped->begin(); !over_ && id != stopped->end(); ++id)
    if (const auto found = calls_.find(*id); found != calls_.end()) cancel(found->second);
}

/// Ends the call if it must stop.
void CallLoop::cancel(RunningCall& running) noexcept {
  if (!running.must_stop()) return;
  if (running.state == State::waits || running.state == State::authorizes) {
    // So that its credentials are not asked for any more.
    running.stop.request_stop();
    stop_waiting(running);
    handle(running, [](Call& call, Now now) { return call.on_cancel(now); });
  } else if (running.state == State::sends && running.stop.stop_requested() &&
             !std::exchange(running.cancel_requested, true)) {
    try {
      multiplexer_->cancel(running.id);
    } catch (...) {
      running.cancel_requested = false;
      inbox_.look_at(running.id);
    }
  }
}

// Collect all due calls first: a call may wake others, but runs at most once in a round.
void CallLoop::wake_due() noexcept {
  RunningCall* first = nullptr;
  RunningCall** last = &first;
  const auto add = [&](RunningCall& running) {
    if (std::exchange(running.is_due, true)) return;
    running.next_due = nullptr;
    *last = &running;
    last = &running.next_due;
  };
  const auto now = context_.clock->now().steady;
  for (auto at = timers_.begin(); at != timers_.end() && at->when <= now; ++at) add(*at->of);
  for (const auto* counter : inbox_.take_woken())
    if (const auto found = listeners_.find(counter); found != listeners_.end()) add(*found->second);
  while (!over_ && first != nullptr) {
    auto& running = *std::exchange(first, first->next_due);
    running.is_due = false;
    const bool authorizes = running.state == State::authorizes;
    stop_waiting(running);
    handle(running, [&](Call& call, Now then) {
      if (running.must_stop()) return call.on_cancel(then);
      if (!authorizes) return call.on_wake(then);
      return call.on_credentials(then, Error(Errc::deadline_exceeded, "the credentials were not there in time"));
    });
  }
}

void CallLoop::sleep(std::uint64_t seen) noexcept try {
  // A multiplexer without attempts still looks after its connections.
  if (calls_.empty() && ends_) return;
  if (calls_.empty() && !multiplexer_) return inbox_.wakes().wait(seen);
  const auto now = context_.clock->now().steady;
  const auto until = inbox_.has_woken() ? now : timers_.empty() ? Instant::max() : timers_.begin()->when;
  if (!multiplexer_) {
    if (until <= now) return;
    // Another clock may be virtual: it would pass the time that a worker needs.
    if ((authorizing_ > 0 || workers_.busy()) && context_.clock != system_clock())
      inbox_.wakes().wait(seen);
    else
      context_.clock->wait(until, {&inbox_.wakes(), seen}, {});
    return;
  }
  results_.clear();
  next_result_ = 0;
  results_ = multiplexer_->wait(until == Instant::max() ? Duration::max() : until - now);
  failed_.clear();
} catch (...) {
  fail_all_attempts();
}

// Results that the multiplexer still returns for these attempts are ignored.
void CallLoop::fail_all_attempts() noexcept {
  failing_ = true;
  for (auto at = calls_.begin(); !over_ && at != calls_.end();) {
    auto& running = (at++)->second;
    if (running.state != State::sends) continue;
    try {
      multiplexer_->cancel(running.id);
    } catch (...) {
    }
    finish(running, {.error = exhausted_});
  }
  failing_ = false;
}

template <class Event>
void CallLoop::handle(RunningCall& running, Event event) noexcept {
  const auto id = running.id;
  try {
    const auto now = context_.clock->now();
    take_step(running, event(running.job->call(), now), now);
  } catch (...) {
    const auto found = over_ ? calls_.end() : calls_.find(id);
    if (found != calls_.end()) finish(found->second, {.error = exhausted_});
  }
}

void CallLoop::take_step(RunningCall& running, Step step, Now now) {
  for (;;) {
    if (context_.observer) {
      context_.notify(running.job->call().take_events());
      now = context_.clock->now();
    }
    context_.wake(*running.job->call().gate());
    if (auto* done = std::get_if<Done>(&step)) return finish(running, std::move(*done));
    running.step = std::move(step);
    if (const auto* wait = std::get_if<Wait>(&running.step)) return hold(running, *wait);
    if (const auto* asks = std::get_if<Authorize>(&running.step)) return authorize(running, *asks);
    if (multiplexer_) return start(running, std::get<Send>(running.step), now);
    step = attempt(running, std::get<Send>(running.step), now);
    now = context_.clock->now();
  }
}

// The deadline ends the call even while its function runs.
void CallLoop::authorize(RunningCall& running, const Authorize& authorize) {
  const Timer timer{authorize.deadline, running.id, &running};
  timers_.insert(timer);
  try {
    const auto asking = std::make_shared<Asking>(*this, running.id);
    ++authorizing_;  // until its end is taken
    std::function<void()> task = [asking, job = running.job, authorize, stop = running.stop.get_token()] {
      asking->run(authorize, stop);
    };
    bool posted = false;
    if (running.start.run_credentials) try {
        running.start.run_credentials(task);
        posted = true;
      } catch (...) {
      }
    if (!posted) workers_.post_for_call(std::move(task));
  } catch (const std::system_error&) {
    timers_.erase(timer);
    return finish(running, {.failure = Failure{.code = Errc::resource,
                                               .what = "no thread can be started to ask for credentials",
                                               .advice = "raise the limit of the process's threads"}});
  } catch (...) {
    timers_.erase(timer);
    throw;
  }
  running.state = State::authorizes;
  if (running.must_stop()) inbox_.look_at(running.id);
}

Result<Headers> CallLoop::ask(const Authorize& authorize, const std::stop_token& stop) {
  // Its call has ended, or is about to.
  if (context_.clock->now().steady >= authorize.deadline || stop.stop_requested())
    return Error(Errc::deadline_exceeded, "the credentials were not asked for in time");
  return context_.credentials(authorize, stop);
}

void CallLoop::Asking::deliver() noexcept {
  if (!one_.empty()) loop_.inbox_.deliver(one_);
}

void CallLoop::Asking::run(const Authorize& authorize, const std::stop_token& stop) noexcept {
  if (taken_.exchange(true)) return;
  try {
    one_.front().credentials = loop_.ask(authorize, stop);
  } catch (...) {
    one_.front().out_of_memory = true;
  }
  deliver();
}

void CallLoop::start(RunningCall& running, const Send& send, Now now) {
  multiplexer_->start(running.id, context_.attempt_of(send, now));
  running.state = State::sends;
  running.cancel_requested = false;
  if (running.stop.stop_requested()) inbox_.look_at(running.id);
}

/// Makes the attempt, without a multiplexer.
Step CallLoop::attempt(RunningCall& running, const Send& send, Now now) {
  if (inbox_.sends(running.stop)) running.stop.request_stop();
  auto response = context_.attempt(send, now, running.stop.get_token());
  inbox_.sends(std::stop_source(std::nostopstate));
  return running.job->call().on_response(context_.clock->now(), std::move(response));
}

void CallLoop::hold(RunningCall& running, const Wait& wait) {
  const Timer timer{wait.until, running.id, &running};
  timers_.insert(timer);
  try {
    if (wait.ticket.counter != nullptr) {
      listeners_.emplace(wait.ticket.counter, &running);
      inbox_.listen(*wait.ticket.counter);
    }
  } catch (...) {
    listeners_.erase(wait.ticket.counter);
    timers_.erase(timer);
    throw;
  }
  running.state = State::waits;
  if (running.must_stop()) inbox_.look_at(running.id);
  // The counter may have risen before listen().
  if (wait.ticket.overtaken()) inbox_.notice(*wait.ticket.counter);
}

void CallLoop::stop_waiting(RunningCall& running) noexcept {
  running.state = State::begins;
  if (const auto* asks = std::get_if<Authorize>(&running.step)) {
    timers_.erase({asks->deadline, running.id, &running});
    return;
  }
  const auto& wait = std::get<Wait>(running.step);
  timers_.erase({wait.until, running.id, &running});
  if (listeners_.erase(wait.ticket.counter) > 0) inbox_.leave(*wait.ticket.counter);
}

// Erase the call first: the completion callback may destroy the driver.
void CallLoop::finish(RunningCall& running, Done done) noexcept {
  if (running.state == State::waits || running.state == State::authorizes) stop_waiting(running);
  auto node = calls_.extract(running.id);
  auto& ended = node.mapped();
  const auto gate = ended.job->call().gate();
  ended.stopper.reset();
  ended.unsent_stopper.reset();
  // A call that was cut short still has its permit or its place.
  ended.job->call().abandon();
  const auto start = std::move(ended.start);
  if (!start.waiter_runs_loop) turn_.remove_call();
  auto job = ended.job;
  if (failing_)
    failed_.insert(std::move(node));
  else
    ended.job.reset();
  context_.wake(*gate);
  try {
    if (start.finished) start.finished(std::move(done), std::move(job));
  } catch (...) {
  }
}

}}  // namespace noun
