#include "loop/call_loop.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <system_error>

#include "os/abandon.hpp"
#include "os/process_exit.hpp"

namespace noun { inline namespace v0 {
namespace {

thread_local bool is_loop_thread = false;

/// How often a clock that is not the system's is read while attempts are under way, by the system's clock.
constexpr Duration other_clock_reread = std::chrono::milliseconds(10);

}  // namespace

bool on_a_loop_thread() noexcept { return is_loop_thread; }

void mark_loop_thread() noexcept { is_loop_thread = true; }

CallLoop::CallLoop(DriverContext& context)
    : context_(context),
      multiplexer_(context.transport->multiplexer()),
      inbox_(multiplexer_.get(), *context.clock, turn_) {}

CallLoop::~CallLoop() {
  if (process_ends()) abandon(std::move(multiplexer_));
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
  inbox_.forget_sleeper();
  multiplexer_.reset();
}

void CallLoop::run() noexcept {
  is_loop_thread = true;
  turn_.take();
  while (work([this] { return turn_.is_borrowed(); })) turn_.lend();
  if (inbox_.is_halted()) end_awaited();
}

void CallLoop::run_until(const std::function<bool()>& ended) noexcept {
  if (!multiplexer_ || !turn_.borrow([this] { wake(); })) return;
  is_loop_thread = true;
  work(ended);
  is_loop_thread = false;
  turn_.give_back();
}

/// Returns true if `until` did, after a round; false if the loop was closed and has no more calls, or was halted.
/// A `finished` may close the loop within a round: then nothing of it is left.
bool CallLoop::work(const std::function<bool()>& until) noexcept {
  while (!over_ && !inbox_.is_halted()) {
    take_messages(inbox_.take());
    if (ends_ && machine_.calls().empty()) return false;
    wake_due();
    if (!over_ && until()) return true;
    if (!over_) sleep();
  }
  return false;
}

void CallLoop::take_messages(LoopInbox::Messages messages) noexcept {
  machine_.add(messages.calls);
  ends_ = messages.closing;
  if (ends_) machine_.stop_all();
  start_new();
  for (auto& authorized : messages.credentials) take_credentials(std::move(authorized));
  take_results();
  if (ends_ || messages.look_at_all) return look_at_all();
  for (const auto call : messages.looks) look_at(call);
}

void CallLoop::start_new() noexcept {
  while (const auto id = over_ ? std::nullopt : machine_.next_new()) {
    auto& running = machine_.calls().at(*id);
    running.on_stop.emplace(running.start.stop, RunningCall::OnStop{&inbox_, &running, true});
    running.on_stop_unless_sent.emplace(running.start.stop_unless_sent, RunningCall::OnStop{&inbox_, &running, false});
    handle(LoopMachine::Started{*id});
  }
}

void CallLoop::take_credentials(Authorized authorized) noexcept try {
  --authorizing_;
  if (authorized.out_of_memory) return fail(authorized.call, {.code = Errc::resource});
  if (!authorized.credentials)
    authorized.credentials = Error(Errc::credentials, "the executor did not run the credentials function",
                                   "keep the executor until its calls have ended");
  handle(LoopMachine::Credentials{authorized.call, *std::move(authorized.credentials)});
} catch (...) {
  fail(authorized.call, {.code = Errc::resource});
}

void CallLoop::take_results() noexcept {
  while (!over_ && next_result_ < results_.size()) {
    auto& result = results_[next_result_++];
    handle(LoopMachine::Ended{result.id, std::move(result.result)});
  }
}

void CallLoop::look_at(Id call) noexcept {
  handle(LoopMachine::Stopped{call});
  handle(LoopMachine::Woken{call});
}

void CallLoop::look_at_all() noexcept {
  const auto& calls = machine_.calls();
  for (auto at = calls.begin(); !over_ && at != calls.end();) {
    const auto id = (at++)->first;
    look_at(id);
  }
}

// So that a call whose new wait ends at once does not keep the others.
void CallLoop::wake_due() noexcept {
  if (over_) return;
  const auto now = context_.clock->now().steady;
  for (auto most = machine_.calls().size(); !over_ && most > 0; --most) {
    const auto due = machine_.next_due(now);
    if (!due) return;
    handle(LoopMachine::Due{*due});
  }
}

void CallLoop::sleep() noexcept try {
  // A multiplexer without attempts still looks after its connections.
  if (machine_.calls().empty() && ends_) return;
  const auto now = context_.clock->now().steady;
  auto until = inbox_.has_looks() ? now : machine_.sleep_until();
  // Another clock may be virtual: it would pass the time that a worker or the network needs, which wait by the system's.
  const bool is_other = context_.clock != system_clock() && until > now && until != Instant::max();
  const bool is_busy = is_other && (authorizing_ > 0 || workers_.busy() || (multiplexer_ && is_any_sent()));
  if (!multiplexer_) return inbox_.sleep(is_busy ? Instant::max() : until);
  if (is_busy) {
    until = std::min(until, after(now, other_clock_reread));
  } else if (is_other) {
    inbox_.sleep(until);
    until = now;
  }
  results_.clear();
  next_result_ = 0;
  results_ = multiplexer_->wait(until == Instant::max() ? Duration::max() : until - now);
  failed_.clear();
} catch (...) {
  fail_all_attempts();
}

bool CallLoop::is_any_sent() noexcept {
  const auto& calls = machine_.calls();
  return std::any_of(calls.begin(), calls.end(), [](const auto& call) { return call.second.is_sending(); });
}

// Results that the multiplexer still returns for these attempts are ignored.
void CallLoop::fail_all_attempts() noexcept {
  auto& calls = machine_.calls();
  for (auto at = calls.begin(); !over_ && at != calls.end();) {
    auto& [id, running] = *at++;
    if (!running.is_sending()) continue;
    try {
      multiplexer_->cancel(id);
    } catch (...) {
    }
    const auto job = running.job;
    auto action = machine_.fail(id, {.code = Errc::resource}, context_.clock->now());
    auto& finish = std::get<Finish>(action);
    perform(finish, {});
    finish.call.mapped().job = job;
    failed_.insert(std::move(finish.call));
  }
}

/// Attempts and quotas are left as they are: nothing is sent any more.
void CallLoop::end_awaited() noexcept {
  auto messages = inbox_.take();
  machine_.add(messages.calls);
  for (auto& [id, running] : machine_.calls()) {
    if (!running.start.is_awaited) continue;
    const auto sent = running.is_sending() ? Sent::maybe : running.job->call().history().sent;
    try {
      const auto finished = std::exchange(running.start.finished, nullptr);
      if (finished) finished({.error = Error(Errc::cancelled, "the process ends", sent)}, running.job);
    } catch (...) {
    }
  }
  turn_.leave();
}

template <class Event>
void CallLoop::handle(Event event) noexcept {
  if (over_) return;
  const auto id = event.id;
  try {
    const auto now = context_.clock->now();
    perform(machine_.on(std::move(event), now), now);
  } catch (...) {
    fail(id, {.code = Errc::resource});
  }
}

void CallLoop::fail(Id call, Failure failure) noexcept {
  if (over_) return;
  auto action = machine_.fail(call, std::move(failure), context_.clock->now());
  if (auto* const finish = std::get_if<Finish>(&action)) perform(*finish, {});
}

void CallLoop::perform(LoopAction action, Now now) {
  std::visit([&](auto& one) { perform(one, now); }, action);
}

void CallLoop::perform(StartAttempt& action, Now now) {
  auto& running = action.call;
  context_.publish(running.job->call(), &action.send);
  // Read the clock again: the functions of the program may have been slow.
  if (context_.observer || context_.trace_context) now = context_.clock->now();
  if (!multiplexer_) return attempt(running, action.send, now);
  multiplexer_->start(running.id, context_.attempt_of(action.send, now));
  if (running.stop.stop_requested()) inbox_.look_at(running.id);
}

/// Makes the attempt, without a multiplexer.
void CallLoop::attempt(RunningCall& running, const Send& send, Now now) {
  if (inbox_.sends(running.stop)) running.stop.request_stop();
  auto response = context_.attempt(send, now, running.stop.get_token());
  inbox_.sends(StopSource(no_stop_state));
  handle(LoopMachine::Ended{running.id, std::move(response)});
}

void CallLoop::perform(CancelAttempt& action, Now) noexcept try {
  multiplexer_->cancel(action.call.id);
} catch (...) {
  action.call.cancel_requested = false;
  inbox_.look_at(action.call.id);
}

// The deadline ends the call even while its function runs.
void CallLoop::perform(AskCredentials& action, Now) try {
  auto& running = action.call;
  context_.publish(running.job->call(), nullptr);
  const auto asking = std::make_shared<Asking>(*this, running.id);
  ++authorizing_;  // until its end is taken
  std::function<void()> task = [asking, job = running.job, authorize = action.authorize,
                                stop = running.stop.get_token()] { asking->run(authorize, stop); };
  bool posted = false;
  if (running.start.run_credentials) try {
      running.start.run_credentials(task);
      posted = true;
    } catch (...) {
    }
  if (!posted) workers_.post_for_call(std::move(task));
  if (running.must_stop()) inbox_.look_at(running.id);
} catch (const std::system_error&) {
  fail(action.call.id, {.code = Errc::resource,
                        .what = "no thread can be started to ask for credentials",
                        .advice = "raise the limit of the process's threads"});
}

Result<Headers> CallLoop::ask(const Authorize& authorize, const StopToken& stop) {
  // Its call has ended, or is about to.
  if (context_.clock->now().steady >= authorize.deadline || stop.stop_requested())
    return Error(Errc::deadline_exceeded, "the credentials were not asked for in time");
  return context_.credentials(authorize, stop);
}

void CallLoop::Asking::deliver() noexcept {
  if (!one_.empty()) loop_.inbox_.deliver(one_);
}

void CallLoop::Asking::run(const Authorize& authorize, const StopToken& stop) noexcept {
  if (taken_.exchange(true)) return;
  try {
    one_.front().credentials = loop_.ask(authorize, stop);
  } catch (...) {
    one_.front().out_of_memory = true;
  }
  deliver();
}

void CallLoop::perform(Sleep& action, Now) noexcept {
  auto& running = action.call;
  auto& call = running.job->call();
  context_.publish(call, nullptr);
  call.wake_through(inbox_.sleeper(), running.id);
  // The ticket may have been overtaken before.
  if (running.must_stop() || action.ticket.overtaken()) inbox_.look_at(running.id);
}

// The call has left the machine: its `finished` may destroy the driver.
void CallLoop::perform(Finish& action, Now) noexcept {
  auto& ended = action.call.mapped();
  context_.publish(ended.job->call(), nullptr);
  ended.on_stop.reset();
  ended.on_stop_unless_sent.reset();
  const auto start = std::move(ended.start);
  if (!start.waiter_runs_loop) turn_.remove_call();
  try {
    if (start.finished) start.finished(std::move(action.done), std::exchange(ended.job, nullptr));
  } catch (...) {
  }
}

}}  // namespace noun
