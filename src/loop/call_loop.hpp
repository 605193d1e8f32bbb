#pragma once
/// @file
/// The event loop of the concurrent driver: many calls and their timers, in one thread at a time. That is a thread of
/// concurrent, or one that waits for a call.

#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <variant>
#include <vector>

#include <noun/stop.hpp>
#include <noun/transport.hpp>

#include "call/call.hpp"
#include "loop/call_start.hpp"
#include "loop/driver.hpp"
#include "loop/loop_inbox.hpp"
#include "loop/loop_machine.hpp"
#include "loop/loop_turn.hpp"
#include "loop/loop_workers.hpp"

namespace noun { inline namespace v0 {

/// Whether the caller is on a thread that calls depend on, where nothing may wait for a call.
bool on_a_loop_thread() noexcept;
/// The caller is on such a thread from now on.
void mark_loop_thread() noexcept;

/// Runs calls concurrently. A multiplexer carries their attempts; without one, the thread makes them one by one.
class CallLoop final {
 public:
  /// `context` must outlive all calls. Throws what Transport::multiplexer() throws, and std::bad_alloc.
  explicit CallLoop(DriverContext& context);
  CallLoop(const CallLoop&) = delete;
  CallLoop& operator=(const CallLoop&) = delete;
  ~CallLoop();

  /// Adds a call; from any thread. Throws std::bad_alloc, or std::system_error after halt(); then it is not added.
  void add(CallStart start);
  /// Cancels all calls, also those added later; run() returns after the last has finished. From any thread.
  void close() noexcept;
  /// The same, synchronously, from within a `finished`: after it returns, the loop no longer uses its context.
  void close_here() noexcept;
  /// Makes run() and run_until() return: the process ends. Only calls that are awaited finish. From any thread.
  void halt() noexcept;
  /// The function of the loop's thread.
  void run() noexcept;
  /// Runs the loop on the caller's thread, in place of its own, until `ended` returns true: the caller waits for a call,
  /// and need not be woken for it. `ended` is called after each round of events; wake() makes a round. Returns at once
  /// if another caller is here already, or there is no multiplexer. Not for a thread that runs a loop.
  void run_until(const std::function<bool()>& ended) noexcept;
  /// Makes the thread that runs the loop look at its calls. From any thread.
  void wake() noexcept { inbox_.wake(); }
  /// Whether the caller is on the thread that runs the loop.
  bool on_own_thread() const noexcept { return turn_.is_here(); }
  LoopWorkers& workers() noexcept { return workers_; }
 private:
  using Id = RunningCall::Id;
  /// Asks for the credentials of a call once, also if an executor runs it twice. Its end brings them, or that nobody
  /// asked, to the loop; it does not fail.
  class Asking {
   public:
    Asking(CallLoop& loop, Id call) : loop_(loop) { one_.push_back({.call = call}); }
    Asking(const Asking&) = delete;
    Asking& operator=(const Asking&) = delete;
    ~Asking() { deliver(); }
    void run(const Authorize& authorize, const StopToken& stop) noexcept;

   private:
    void deliver() noexcept;

    CallLoop& loop_;
    std::atomic<bool> taken_ = false;
    std::list<Authorized> one_;
  };

  bool work(const std::function<bool()>& until) noexcept;
  void take_messages(LoopInbox::Messages messages) noexcept;
  void start_new() noexcept;
  void take_credentials(Authorized authorized) noexcept;
  void take_results() noexcept;
  void look_at(Id call) noexcept;
  void look_at_all() noexcept;
  void wake_due() noexcept;
  void sleep() noexcept;
  bool is_any_sent() noexcept;
  void end_awaited() noexcept;
  void fail_all_attempts() noexcept;

  template <class Event>
  void handle(Event event) noexcept;
  void fail(Id call, Failure failure) noexcept;
  void perform(LoopAction action, Now now);
  void perform(std::monostate, Now) noexcept {}
  void perform(StartAttempt& action, Now now);
  void perform(CancelAttempt& action, Now) noexcept;
  void perform(AskCredentials& action, Now);
  void perform(Sleep& action, Now) noexcept;
  void perform(Finish& action, Now) noexcept;
  void attempt(RunningCall& running, const Send& send, Now now);
  Result<Headers> ask(const Authorize& authorize, const StopToken& stop);

  DriverContext& context_;
  /// Failed calls whose memory the multiplexer still borrows; kept until its next wait returns.
  RunningCalls failed_;
  std::unique_ptr<Multiplexer> multiplexer_;
  LoopTurn turn_;
  LoopInbox inbox_;
  LoopWorkers workers_{inbox_};

  // Used by the loop's thread only.
  LoopMachine machine_;
  std::vector<Multiplexer::Ended> results_;
  std::size_t next_result_ = 0;
  bool ends_ = false;  // close() was called
  bool over_ = false;
  /// Credentials functions that have not returned, also those of cancelled calls.
  std::size_t authorizing_ = 0;
};

}}  // namespace noun
