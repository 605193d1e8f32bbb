#pragma once
/// @file
/// What other threads pass to a loop: new calls, calls that may have to stop, credentials, counters that rose.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <vector>

#include <noun/clock.hpp>
#include <noun/transport.hpp>

#include "loop/call_start.hpp"
#include "loop/loop_turn.hpp"
#include "loop/wake_board.hpp"

namespace noun { inline namespace v0 {

class LoopInbox;

/// A call in a loop.
struct RunningCall {
  using Id = Multiplexer::Id;
  enum class State { begins, authorizes, sends, waits };
  struct Stopper {
    LoopInbox* inbox;
    RunningCall* call;
    void operator()() const noexcept;
  };
  struct UnsentStopper {
    LoopInbox* inbox;
    RunningCall* call;
    void operator()() const noexcept;
  };

  std::shared_ptr<CallJob> job;
  CallStart start;
  Id id = 0;
  State state = State::begins;
  Step step = {};
  bool is_due = false;
  RunningCall* next_due = nullptr;
  bool cancel_requested = false;
  /// Stopped by the caller's stop token, or because the loop closes.
  std::stop_source stop = {};
  std::optional<std::stop_callback<Stopper>> stopper = {};
  std::atomic<bool> stop_unless_sent = false;
  std::optional<std::stop_callback<UnsentStopper>> unsent_stopper = {};

  /// From now on a stop request makes the loop look at the call; also one that came before.
  void listen_for_stops(LoopInbox& inbox) noexcept;
  bool must_stop() const noexcept;
};

/// The credentials of a call; nothing if nobody asked, or if memory ran out.
struct Authorized {
  RunningCall::Id call = 0;
  std::optional<Result<Headers>> credentials = {};
  bool out_of_memory = false;
};

/// Messages to a loop, under one mutex. The functions before wakes() may be called from any thread, the others from the loop's.
class LoopInbox final : private WakeBoard::Sleeper {
 public:
  using Id = RunningCall::Id;
  using Calls = std::map<Id, RunningCall>;

  /// @param multiplexer  wakes the loop where it sleeps; if null, the clock and seen() do.
  LoopInbox(Multiplexer* multiplexer, Clock& clock, const LoopTurn& turn) noexcept
      : multiplexer_(multiplexer), clock_(clock), turn_(turn) {}
  LoopInbox(const LoopInbox&) = delete;
  LoopInbox& operator=(const LoopInbox&) = delete;

  /// Throws std::bad_alloc, or std::system_error after halt(); then the call is not added.
  void add(CallStart start);
  /// Makes the loop look whether the call has to stop.
  void look_at(Id call) noexcept;
  /// Takes the one element, without a chance to fail.
  void deliver(std::list<Authorized>& one) noexcept;
  /// All calls end, also those added later.
  void close() noexcept { interrupt(closing_); }
  /// The process ends.
  void halt() noexcept { interrupt(halted_); }
  bool is_halted() const noexcept { return halted_.load(); }
  void wake() noexcept;

  /// Rises with each call of wake(), and so with each function above that makes the loop look.
  const WakeCounter& wakes() const noexcept { return wakes_; }
  /// Moves the calls that were added into `calls`.
  /// @returns  whether close() was called.
  bool take_calls(Calls& calls) noexcept;
  /// What look_at() was called for; nothing if memory ran out: look at all.
  std::optional<std::vector<Id>> take_stopped() noexcept;
  void look_at_all() noexcept;
  std::list<Authorized> take_credentials() noexcept;
  /// Tells take_woken() about the counter until leave(). Throws std::bad_alloc.
  void listen(const WakeCounter& counter);
  void leave(const WakeCounter& counter) noexcept { wake_board().leave(counter), --listens_; }
  /// The counters that rose, until the next call of this function.
  const std::vector<const WakeCounter*>& take_woken() noexcept;
  /// Whether a counter rose on the loop's thread since take_woken().
  bool has_woken() const noexcept { return has_woken_; }
  /// Acts as if the counter rose now: for one that rose before listen().
  void notice(const WakeCounter& counter) noexcept { on_woken(counter); }
  /// What the thread sends itself, until the next call of this function: interrupted by close() and halt().
  /// @returns  whether close() was called.
  bool sends(const std::stop_source& stop) noexcept;

 private:
  void on_woken(const WakeCounter& counter) noexcept override;
  void interrupt(std::atomic<bool>& by) noexcept;

  Multiplexer* const multiplexer_;
  Clock& clock_;
  const LoopTurn& turn_;
  WakeCounter wakes_{0};
  std::atomic<bool> closing_ = false;
  std::atomic<bool> halted_ = false;

  std::mutex mutex_;
  Calls added_;
  Id last_id_ = 0;
  std::vector<Id> stopped_;
  bool look_at_all_ = false;
  std::list<Authorized> authorized_;
  std::stop_source sending_{std::nostopstate};
  std::vector<const WakeCounter*> woken_;

  // Used by the loop's thread alone.
  std::vector<const WakeCounter*> taken_;
  std::size_t listens_ = 0;
  bool has_woken_ = false;
};

}}  // namespace noun
