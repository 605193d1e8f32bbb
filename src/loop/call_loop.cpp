#include "loop/call_loop.hpp"

#include <algorithm>
#include <iterator>
#include <system_error>

#include "os/process_exit.hpp"

namespace noun { inline namespace v0 {
namespace {

thread_local bool is_loop_thread = false;

/// How long a loop rests after it was borrowed, until its own thread goes on, if all its calls have a thread that may
/// borrow it again. Most programs come back for the next result sooner; timers and arrived bytes wait for so long.
constexpr auto between_borrowers = std::chrono::milliseconds(2);

}  // namespace

bool on_a_loop_thread() noexcept { return is_loop_thread; }

void mark_loop_thread() noexcept { is_loop_thread = true; }

CallLoop::CallLoop(DriverContext& context)
    : context_(context),
      multiplexer_(context.transport->multiplexer()),
      exhausted_(Errc::resource, "out of memory during the call, or a function of the client threw an exception",
                 Sent::maybe),
      past_deadline_(Error(Errc::deadline_exceeded, "the credentials were not there in time")),
      no_memory_(Error(Errc::resource, "out of memory in the credentials function")),
      dropped_(Error(Errc::credentials, "the executor did not run the credentials function",
                     "keep the executor until its calls have ended")) {}

CallLoop::~CallLoop() {
  for (const auto& [counter, running] : listeners_) wake_board().leave(*counter);
  if (process_ends()) static_cast<void>(multiplexer_.release());
}

void CallLoop::add(CallStart start) {
  // Allocate here, neither under the lock nor on the loop's thread.
  std::map<Id, Running> one;
  auto& running = one[0];
  running.job = std::move(start.job);
  running.start = std::move(start);
  auto node = one.extract(one.begin());
  if (!running.start.waiter_runs_loop) {
    ++others_;
    end_rest();
  }
  const std::lock_guard lock(mutex_);
  if (halted_) throw std::system_error(std::make_error_code(std::errc::operation_canceled), "the process ends");
  node.key() = running.id = ++last_id_;
  running.stopper.emplace(running.start.stop, Stopper{this, &running});
  running.unsent_stopper.emplace(running.start.stop_unless_sent, UnsentStopper{this, &running});
  inbox_.insert(std::move(node));
  // Notify under the lock: the call, once taken, may destroy the loop.
  arrived_.notify_one();
  wake();
}

void CallLoop::close() noexcept { interrupt(closing_); }
void CallLoop::halt() noexcept { interrupt(halted_); }

void CallLoop::interrupt(std::atomic<bool>& by) noexcept {
  std::stop_source sending(std::nostopstate);
  {
    const std::lock_guard lock(mutex_);
    by = true;
    sending = sending_;
  }
  sending.request_stop();
  arrived_.notify_one();
  end_rest();
  wake();
}

void CallLoop::close_here() noexcept {
  close();
  work([] { return false; });
  over_ = true;
  join_workers();
  multiplexer_.reset();
}

void CallLoop::run() noexcept {
  is_loop_thread = true;
  {
    std::unique_lock lock(turn_mutex_);
    take_turn(lock);
  }
  while (work([this] { return borrowed_.load(); })) lend();
  if (halted_) end_awaited();
}

/// Attempts and quotas are left as they are: nothing is sent any more.
void CallLoop::end_awaited() noexcept {
  {
    const std::lock_guard lock(mutex_);
    calls_.merge(inbox_);
  }
  for (auto& [id, running] : calls_) {
    if (!running.start.is_awaited) continue;
    try {
      const auto finished = std::exchange(running.start.finished, nullptr);
      if (finished) finished({.error = Error(Errc::cancelled, "the process ends", Sent::maybe)}, running.job);
    } catch (...) {
    }
  }
  const std::lock_guard lock(turn_mutex_);
  own_turn_ = false;
  turn_.notify_all();
}

void CallLoop::lend() noexcept {
  std::unique_lock lock(turn_mutex_);
  own_turn_ = false;
  turn_.notify_all();
  for (bool rested = false; !rested;) {
    awaits_return_ = true;
    turn_.wait(lock, [this] { return !borrowed_; });
    awaits_return_ = false;
    const auto seen = returns_;
    const auto goes_on = [this] { return !borrowed_ && (is_needed_ || others_ > 0); };
    rested = turn_.wait_for(lock, between_borrowers, goes_on) || (!borrowed_ && returns_ == seen);
  }
  take_turn(lock);
}

/// Waits until nobody borrows the loop.
void CallLoop::take_turn(std::unique_lock<std::mutex>& lock) noexcept {
  awaits_return_ = true;
  turn_.wait(lock, [this] { return !borrowed_; });
  awaits_return_ = is_needed_ = false;
  own_turn_ = true;
  thread_ = std::this_thread::get_id();
}

void CallLoop::end_rest() noexcept {
  const std::lock_guard lock(turn_mutex_);
  is_needed_ = true;
  turn_.notify_all();
}

void CallLoop::run_until(const std::function<bool()>& ended) noexcept {
  if (!multiplexer_) return;
  {
    std::unique_lock lock(turn_mutex_);
    if (borrowed_) {
      is_needed_ = true;
      return;
    }
    borrowed_ = true;
    if (own_turn_) wake();
    turn_.wait(lock, [this] { return !own_turn_; });
  }
  thread_ = std::this_thread::get_id();
  is_loop_thread = true;
  work(ended);
  is_loop_thread = false;
  thread_ = std::thread::id();
  const std::lock_guard lock(turn_mutex_);
  borrowed_ = false;
  ++returns_;
  if (awaits_return_) turn_.notify_all();
}

void CallLoop::on_woken(const WakeCounter& counter) noexcept {
  {
    const std::lock_guard lock(woken_mutex_);
    // listen() has reserved the capacity; push_back() must not allocate here.
    if (woken_.size() < woken_.capacity()) woken_.push_back(&counter);
  }
  if (on_own_thread())
    recheck_ = true;
  else
    wake();
}

void CallLoop::Stopper::operator()() const noexcept {
  running->stop.request_stop();
  loop->look_at(running->id);
}

void CallLoop::UnsentStopper::operator()() const noexcept {
  running->stop_unless_sent = true;
  loop->look_at(running->id);
}

void CallLoop::look_at(Id stopped) noexcept {
  {
    const std::lock_guard lock(stopped_mutex_);
    try {
      stopped_.push_back(stopped);
    } catch (const std::bad_alloc&) {
      look_at_all_ = true;
    }
  }
  wake();
}

bool CallLoop::Running::must_stop() const noexcept {
  return stop.stop_requested() || start.caller.stop_requested() ||
         (stop_unless_sent && job->call().history().sent == Sent::no);
}

void CallLoop::wake() noexcept {
  wakes_.fetch_add(1);
  if (multiplexer_) return multiplexer_->wake();
  wakes_.notify_all();
  context_.clock->wake(wakes_);
}

/// Returns true if `until` did, after a round; false if the loop was closed and has no more calls, or was halted.
bool CallLoop::work(const std::function<bool()>& until) noexcept {
  while (!over_ && !halted_) {
    // Events after this load end the sleep at once.
    const auto seen = wakes_.load();
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
  {
    std::unique_lock lock(mutex_);
    if (!multiplexer_ && calls_.empty()) arrived_.wait(lock, [&] { return closing_ || halted_ || !inbox_.empty(); });
    calls_.merge(inbox_);
    ends_ = closing_;
  }
  if (!ends_) return true;
  for (auto& [id, running] : calls_) running.stop.request_stop();
  const std::lock_guard lock(stopped_mutex_);
  look_at_all_ = true;
  return !calls_.empty();
}

void CallLoop::start_new() noexcept {
  for (auto at = calls_.upper_bound(last_started_); !over_ && at != calls_.end();
       at = calls_.upper_bound(last_started_)) {
    last_started_ = at->first;
    handle(at->second,
           [&](Call& call, Now now) { return at->second.must_stop() ? call.on_cancel(now) : call.begin(now); });
  }
}

void CallLoop::take_credentials() noexcept {
  std::list<Authorized> all;
  {
    const std::lock_guard lock(authorized_mutex_);
    all.swap(authorized_);
  }
  for (auto& ended : all) {
    --authorizing_;
    const auto found = over_ ? calls_.end() : calls_.find(ended.call);
    // A call that was cancelled meanwhile does not need them.
    if (found == calls_.end() || found->second.state != State::authorizes) continue;
    stop_waiting(found->second);
    handle(found->second, [&](Call& call, Now now) {
      if (found->second.must_stop()) return call.on_cancel(now);
      return call.on_credentials(now, ended.credentials ? *std::move(ended.credentials) : dropped_);
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
  std::vector<Id> stopped;
  bool all = false;
  {
    const std::lock_guard lock(stopped_mutex_);
    stopped.swap(stopped_);
    all = std::exchange(look_at_all_, false);
  }
  if (all)
    for (auto at = calls_.begin(); !over_ && at != calls_.end();) cancel((at++)->second);
  for (auto id = stopped.begin(); !over_ && id != stopped.end(); ++id)
    if (const auto found = calls_.find(*id); found != calls_.end()) cancel(found->second);
}

/// Ends the call if it must stop.
void CallLoop::cancel(Running& running) noexcept {
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
      look_at(running.id);
    }
  }
}

// Collect all due calls first: a call may wake others, but runs at most once in a round.
void CallLoop::wake_due() noexcept {
  recheck_ = false;
  Running* first = nullptr;
  Running** last = &first;
  const auto add = [&](Running& running) {
    if (std::exchange(running.is_due, true)) return;
    running.next_due = nullptr;
    *last = &running;
    last = &running.next_due;
  };
  const auto now = context_.clock->now().steady;
  for (auto at = timers_.begin(); at != timers_.end() && at->when <= now; ++at) add(*at->of);
  {
    const std::lock_guard lock(woken_mutex_);
    std::swap(woken_, taken_);
  }
  for (const auto* counter : taken_)
    if (const auto found = listeners_.find(counter); found != listeners_.end()) add(*found->second);
  taken_.clear();
  while (!over_ && first != nullptr) {
    auto& running = *std::exchange(first, first->next_due);
    running.is_due = false;
    const bool authorizes = running.state == State::authorizes;
    stop_waiting(running);
    handle(running, [&](Call& call, Now then) {
      if (running.must_stop()) return call.on_cancel(then);
      return authorizes ? call.on_credentials(then, past_deadline_) : call.on_wake(then);
    });
  }
}

void CallLoop::sleep(std::uint64_t seen) noexcept try {
  // A multiplexer without attempts still looks after its connections.
  if (calls_.empty() && (ends_ || !multiplexer_)) return;
  const auto now = context_.clock->now().steady;
  const auto until = recheck_ ? now : timers_.empty() ? Instant::max() : timers_.begin()->when;
  if (!multiplexer_) {
    if (until <= now) return;
    // Another clock may be virtual: it would pass the time that a worker needs.
    if ((authorizing_ > 0 || tasks_ > 0) && context_.clock != system_clock())
      wakes_.wait(seen);
    else
      context_.clock->wait(until, {&wakes_, seen}, {});
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
void CallLoop::handle(Running& running, Event event) noexcept {
  const auto id = running.id;
  try {
    const auto now = context_.clock->now();
    take_step(running, event(running.job->call(), now), now);
  } catch (...) {
    const auto found = over_ ? calls_.end() : calls_.find(id);
    if (found != calls_.end()) finish(found->second, {.error = exhausted_});
  }
}

void CallLoop::take_step(Running& running, Step step, Now now) {
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
void CallLoop::authorize(Running& running, const Authorize& authorize) {
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
    if (!posted) credentials_workers_.post(std::move(task));
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
  if (running.must_stop()) look_at(running.id);
}

Result<Headers> CallLoop::ask(const Authorize& authorize, const std::stop_token& stop) noexcept try {
  // Its call has ended, or is about to.
  if (context_.clock->now().steady >= authorize.deadline || stop.stop_requested())
    return Error(Errc::deadline_exceeded, "the credentials were not asked for in time");
  return context_.credentials(authorize, stop);
} catch (...) {
  return no_memory_;
}

void CallLoop::Asking::deliver() noexcept {
  if (one_.empty()) return;
  {
    const std::lock_guard lock(loop_.authorized_mutex_);
    loop_.authorized_.splice(loop_.authorized_.end(), one_);
  }
  loop_.wake();
}

void CallLoop::Asking::run(const Authorize& authorize, const std::stop_token& stop) noexcept {
  if (taken_.exchange(true)) return;
  one_.front().credentials = loop_.ask(authorize, stop);
  deliver();
}

void CallLoop::post(Workers& workers, std::function<void()> task) {
  // Decrements also if the task is dropped.
  struct Pending {
    explicit Pending(CallLoop& in) noexcept : loop(in) { ++loop.tasks_; }
    Pending(const Pending&) = delete;
    Pending& operator=(const Pending&) = delete;
    ~Pending() {
      --loop.tasks_;
      loop.wake();
    }
    CallLoop& loop;
  };
  workers.post([pending = std::make_shared<Pending>(*this), task = std::move(task)] { task(); });
}

void CallLoop::start(Running& running, const Send& send, Now now) {
  multiplexer_->start(running.id, context_.attempt_of(send, now));
  running.state = State::sends;
  running.cancel_requested = false;
  if (running.stop.stop_requested()) look_at(running.id);
}

/// Makes the attempt, without a multiplexer.
Step CallLoop::attempt(Running& running, const Send& send, Now now) {
  {
    const std::lock_guard lock(mutex_);
    if (closing_) running.stop.request_stop();
    sending_ = running.stop;
  }
  auto response = context_.attempt(send, now, running.stop.get_token());
  {
    const std::lock_guard lock(mutex_);
    sending_ = std::stop_source(std::nostopstate);
  }
  return running.job->call().on_response(context_.clock->now(), std::move(response));
}

void CallLoop::hold(Running& running, const Wait& wait) {
  const Timer timer{wait.until, running.id, &running};
  timers_.insert(timer);
  try {
    if (wait.ticket.counter != nullptr) listen(*wait.ticket.counter, running);
  } catch (...) {
    timers_.erase(timer);
    throw;
  }
  running.state = State::waits;
  if (running.must_stop()) look_at(running.id);
  // The counter may have risen before listen().
  if (wait.ticket.overtaken()) on_woken(*wait.ticket.counter);
}

void CallLoop::listen(const WakeCounter& counter, Running& running) {
  {
    const std::lock_guard lock(woken_mutex_);
    if (const auto room = 2 * listeners_.size() + 16; woken_.capacity() < room || taken_.capacity() < room) {
      woken_.reserve(2 * room);
      taken_.reserve(2 * room);
    }
  }
  listeners_.emplace(&counter, &running);
  try {
    wake_board().listen(counter, *this);
  } catch (...) {
    listeners_.erase(&counter);
    throw;
  }
}

void CallLoop::stop_waiting(Running& running) noexcept {
  running.state = State::begins;
  if (const auto* asks = std::get_if<Authorize>(&running.step)) {
    timers_.erase({asks->deadline, running.id, &running});
    return;
  }
  const auto& wait = std::get<Wait>(running.step);
  timers_.erase({wait.until, running.id, &running});
  if (listeners_.erase(wait.ticket.counter) > 0) wake_board().leave(*wait.ticket.counter);
}

// Erase the call first: the completion callback may destroy the driver.
void CallLoop::finish(Running& running, Done done) noexcept {
  if (running.state == State::waits || running.state == State::authorizes) stop_waiting(running);
  auto node = calls_.extract(running.id);
  auto& ended = node.mapped();
  const auto gate = ended.job->call().gate();
  ended.stopper.reset();
  ended.unsent_stopper.reset();
  // A call that was cut short still has its permit or its place.
  ended.job->call().abandon();
  const auto start = std::move(ended.start);
  if (!start.waiter_runs_loop) --others_;
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
