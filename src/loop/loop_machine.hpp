#pragma once
/// @file
/// The calls of a loop as a state machine: an event in, one action out. It reads no clock, starts nothing and locks
/// nothing.

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <variant>

#include <noun/stop.hpp>
#include <noun/transport.hpp>

#include "call/call.hpp"
#include "loop/call_start.hpp"

namespace noun { inline namespace v0 {

class LoopInbox;

/// A call in a loop.
struct RunningCall {
  using Id = Multiplexer::Id;
  /// A stop request makes the loop look at the call.
  struct OnStop {
    LoopInbox* inbox;
    RunningCall* call;
    bool requests_stop;
    void operator()() const noexcept;
  };

  std::shared_ptr<CallJob> job;
  CallStart start;
  Id id = 0;
  /// What it waits for; nothing before its first event.
  std::optional<Step> step = {};
  bool cancel_requested = false;
  /// Stopped by the caller's stop token, or because the loop closes.
  StopSource stop = {};
  std::optional<StopCallback<OnStop>> on_stop = {};
  std::optional<StopCallback<OnStop>> on_stop_unless_sent = {};

  bool is_sending() const noexcept { return step && std::holds_alternative<Send>(*step); }
  bool must_stop() const noexcept {
    return stop.stop_requested() || start.caller.stop_requested() ||
           (start.stop_unless_sent.stop_requested() && job->call().history().sent == Sent::no);
  }
};

using RunningCalls = std::map<RunningCall::Id, RunningCall>;

/// Actions. Their calls are valid until the next event of the call.
struct StartAttempt {
  RunningCall& call;
  Send& send;
};
struct CancelAttempt {
  RunningCall& call;
};
struct AskCredentials {
  RunningCall& call;
  const Authorize& authorize;
};
/// Sleep until sleep_until(), or until the ticket is overtaken.
struct Sleep {
  RunningCall& call;
  const WakeTicket& ticket;
};
/// The call has left the loop.
struct Finish {
  RunningCalls::node_type call;
  Done done;
};
/// Without an action: the event came too late.
using LoopAction = std::variant<std::monostate, StartAttempt, CancelAttempt, AskCredentials, Sleep, Finish>;

/// The calls of one loop. If a function throws (std::bad_alloc), the call must be ended with fail().
class LoopMachine {
 public:
  using Id = RunningCall::Id;
  // Events of a call; that of another one is ignored.
  struct Started {
    Id id;
  };
  /// It may have to stop.
  struct Stopped {
    Id id;
  };
  /// Its ticket may have been overtaken.
  struct Woken {
    Id id;
  };
  struct Credentials {
    Id id;
    Result<Headers> credentials;
  };
  struct Ended {
    Id id;
    Result<Response> response;
  };
  /// The end of its wait, of next_due().
  struct Due {
    Id id;
  };

  LoopAction on(Started event, Now now);
  LoopAction on(Stopped event, Now now);
  LoopAction on(Woken event, Now now);
  LoopAction on(Credentials event, Now now);
  LoopAction on(Ended event, Now now);
  LoopAction on(Due event, Now now);
  /// A driver could not carry out an action, or an event threw an exception.
  LoopAction fail(Id id, Failure failure, Now now) noexcept;

  /// Takes calls, which then start in the order of their ids.
  void add(RunningCalls& calls) noexcept { calls_.merge(calls); }
  /// The next call that has not started.
  std::optional<Id> next_new() noexcept;
  /// A call whose wait has ended.
  std::optional<Id> next_due(Instant now) const noexcept;
  /// When a wait ends, or Instant::max().
  Instant sleep_until() const noexcept { return timers_.empty() ? Instant::max() : timers_.begin()->first; }
  /// Requests a stop of each call, also of those that have not started. Not yet an event.
  void stop_all() noexcept;
  /// By id.
  RunningCalls& calls() noexcept { return calls_; }

 private:
  /// The call, if it waits for this step; otherwise null.
  template <class Awaited>
  RunningCall* waiting_for(Id id) noexcept;
  template <class Event>
  LoopAction go_on(RunningCall& running, Now now, Event event);
  LoopAction take_step(RunningCall& running, Step step);
  void leave(RunningCall& running) noexcept;
  LoopAction finish(RunningCall& running, Done done) noexcept;

  RunningCalls calls_;
  Id last_started_ = 0;
  std::set<std::pair<Instant, Id>> timers_;
};

}}  // namespace noun
