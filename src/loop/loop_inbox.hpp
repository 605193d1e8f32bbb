#pragma once
/// @file
/// What other threads pass to a loop: new calls, calls to look at, credentials.

#include <atomic>
#include <condition_variable>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include <noun/clock.hpp>
#include <noun/stop.hpp>
#include <noun/transport.hpp>

#include "loop/call_start.hpp"
#include "loop/loop_machine.hpp"
#include "loop/loop_turn.hpp"
#include "os/own_process.hpp"
#include "quota/waiting_calls.hpp"

namespace noun { inline namespace v0 {

/// The credentials of a call; nothing if nobody asked, or if memory ran out.
struct Authorized {
  RunningCall::Id call = 0;
  std::optional<Result<Headers>> credentials = {};
  bool out_of_memory = false;
};

/// Messages to a loop, under one mutex. The functions before has_looks() may be called from any thread, the others from
/// the loop's.
class LoopInbox {
 public:
  using Id = RunningCall::Id;
  struct Messages {
    RunningCalls calls;
    /// Calls that may have to stop, or to go on.
    std::vector<Id> looks;
    /// Memory ran out: look at all.
    bool look_at_all;
    std::list<Authorized> credentials;
    /// close() was called.
    bool closing;
  };

  /// @param multiplexer  wakes the loop where it sleeps; if it is null, or the clock not the system's, the loop sleeps in
  ///                     sleep() too.
  LoopInbox(Multiplexer* multiplexer, Clock& clock, const LoopTurn& turn);
  LoopInbox(const LoopInbox&) = delete;
  LoopInbox& operator=(const LoopInbox&) = delete;
  ~LoopInbox() { forget_sleeper(); }

  /// Throws std::bad_alloc, or std::system_error after halt(); then the call is not added.
  void add(CallStart start);
  /// Makes the loop look whether the call has to stop, or may go on.
  void look_at(Id call) noexcept;
  /// Takes the one element, without a chance to fail.
  void deliver(std::list<Authorized>& one) noexcept;
  /// All calls end, also those added later.
  void close() noexcept { interrupt(closing_); }
  /// The process ends.
  void halt() noexcept { interrupt(halted_); }
  bool is_halted() const noexcept { return halted_.load(); }
  void wake() noexcept;
  /// As look_at() for what the gate wakes, until forget_sleeper(); on the loop's thread it only makes has_looks() true. In
  /// a child of fork() it does nothing.
  const std::shared_ptr<quota::Sleeper>& sleeper() const noexcept { return sleeper_; }
  void forget_sleeper() noexcept;

  /// Whether the gate has woken a call on the loop's thread since take(): it must not sleep.
  bool has_looks() const noexcept { return has_looks_; }
  Messages take() noexcept;
  /// Until then, by the clock, or until a message comes after take(). Instant::max() does not pass on a virtual clock.
  void sleep(Instant until);
  /// What the thread sends itself, until the next call of this function: interrupted by close() and halt().
  /// @returns  whether close() was called.
  bool sends(const StopSource& stop) noexcept;

 private:
  class Forwarder;
  void note(Id call) noexcept;
  void interrupt(std::atomic<bool>& by) noexcept;

  Multiplexer* const multiplexer_;
  Clock& clock_;
  const bool uses_sleep_;
  const LoopTurn& turn_;
  const std::shared_ptr<quota::Sleeper> sleeper_;
  /// Rises with each wake(). Its own wait() may miss one where there is no futex (libstdc++ 12 on Windows).
  WakeCounter wakes_{0};
  std::mutex asleep_;
  std::condition_variable woken_;
  std::atomic<bool> closing_ = false;
  std::atomic<bool> halted_ = false;

  std::mutex mutex_;
  Messages messages_ = {};
  Id last_id_ = 0;
  StopSource sending_{no_stop_state};

  // Used by the loop's thread alone.
  bool has_looks_ = false;
  /// Of wakes_, at the last take().
  std::uint64_t seen_ = 0;
};

}}  // namespace noun
