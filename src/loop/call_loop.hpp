#pragma once
/// @file
/// The event loop of the concurrent driver: many calls and their timers, in one thread at a time. That is a thread of
/// concurrent, or one that waits for a call.

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include <noun/transport.hpp>

#include "call/call.hpp"
#include "loop/call_job.hpp"
#include "loop/driver.hpp"
#include "loop/wake_board.hpp"
#include "loop/workers.hpp"

namespace noun { inline namespace v0 {

/// How a call of a loop starts and ends.
struct CallStart {
  std::unique_ptr<CallJob> job = {};
  /// Ends the call, as cancelled.
  std::stop_token stop = {};
  /// Where stop requests come from that reach `stop` a little later: until then nothing is sent any more.
  std::stop_token caller = {};
  /// Ends the call as long as none of its attempts may have reached the server.
  std::stop_token stop_unless_sent = {};
  /// Called on the thread that runs the loop, without a lock, when the call has ended. It may add calls; what takes long
  /// belongs on another thread. Exceptions are dropped.
  std::function<void(Done done, std::shared_ptr<CallJob> job)> finished = {};
  /// Runs the credentials function elsewhere; if it is empty or throws, one of the loop's workers does.
  std::function<void(std::function<void()>)> run_credentials = {};
  /// Whether the thread that waits for the call does so in run_until().
  bool waiter_runs_loop = false;
  /// Whether a thread waits for `finished`: then it is called also when the process ends, with `cancelled`.
  bool is_awaited = false;
};

/// Whether the caller is on a thread that calls depend on, where nothing may wait for a call.
bool on_a_loop_thread() noexcept;
/// The caller is on such a thread from now on.
void mark_loop_thread() noexcept;

/// Runs calls concurrently. A multiplexer carries their attempts; without one, the thread makes them one by one.
class CallLoop final : private WakeBoard::Sleeper {
 public:
  /// `context` must outlive all calls. Throws std::bad_alloc.
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
  void wake() noexcept;
  /// Whether the caller is on the thread that runs the loop.
  bool on_own_thread() const noexcept { return thread_.load() == std::this_thread::get_id(); }
  /// Runs the task, which must not throw, on a worker. Until it has run, a virtual clock stands still. Throws
  /// std::bad_alloc, or std::system_error if there is no thread for it.
  void post(std::function<void()> task) { post(workers_, std::move(task)); }
  /// As post(), for a task that asks for credentials.
  void post_asking(std::function<void()> task) { post(credentials_workers_, std::move(task)); }
  /// Runs a task that takes as long as a call; a virtual clock goes on.
  void post_long(std::function<void()> task) { long_workers_.post(std::move(task)); }
  /// Whether the caller is on one of the workers.
  bool on_worker() const noexcept {
    return credentials_workers_.on_own_thread() || workers_.on_own_thread() || long_workers_.on_own_thread();
  }
  /// Joins the workers. After run() has returned.
  void join_workers() noexcept {
    credentials_workers_.join();
    workers_.join();
    long_workers_.join();
  }

 private:
  using Id = Multiplexer::Id;
  enum class State { begins, authorizes, sends, waits };
  struct Running;
  struct Stopper {
    CallLoop* loop;
    Running* running;
    void operator()() const noexcept;
  };
  struct UnsentStopper {
    CallLoop* loop;
    Running* running;
    void operator()() const noexcept;
  };
  /// The credentials of a call.
  struct Authorized {
    Id call = 0;
    std::optional<Result<Headers>> credentials = {};
  };
  /// Asks for the credentials of a call once, also if an executor runs it twice. Its end brings them, or that nobody
  /// asked, to the loop; it does not fail.
  class Asking {
   public:
    Asking(CallLoop& loop, Id call) : loop_(loop) { one_.push_back({.call = call}); }
    Asking(const Asking&) = delete;
    Asking& operator=(const Asking&) = delete;
    ~Asking() { deliver(); }
    void run(const Authorize& authorize, const std::stop_token& stop) noexcept;

   private:
    void deliver() noexcept;

    CallLoop& loop_;
    std::atomic<bool> taken_ = false;
    std::list<Authorized> one_;
  };
  struct Running {
    std::shared_ptr<CallJob> job;
    CallStart start;
    Id id = 0;
    State state = State::begins;
    Step step = {};
    bool is_due = false;
    Running* next_due = nullptr;
    bool cancel_requested = false;
    /// Stopped by the caller's stop token or by close().
    std::stop_source stop = {};
    std::optional<std::stop_callback<Stopper>> stopper = {};
    std::atomic<bool> stop_unless_sent = false;
    std::optional<std::stop_callback<UnsentStopper>> unsent_stopper = {};

    bool must_stop() const noexcept;
  };
  struct Timer {
    Instant when;
    Id id;
    Running* of;  // waits or authorizes

    friend bool operator<(const Timer& left, const Timer& right) noexcept {
      return left.when != right.when ? left.when < right.when : left.id < right.id;
    }
  };

  void on_woken(const WakeCounter& counter) noexcept override;
  void look_at(Id stopped) noexcept;

  void interrupt(std::atomic<bool>& by) noexcept;
  void post(Workers& workers, std::function<void()> task);
  void lend() noexcept;
  void take_turn(std::unique_lock<std::mutex>& lock) noexcept;
  void end_awaited() noexcept;
  void end_rest() noexcept;
  bool work(const std::function<bool()>& until) noexcept;
  bool receive_new() noexcept;
  void start_new() noexcept;
  void take_credentials() noexcept;
  void take_results() noexcept;
  void cancel_stopped() noexcept;
  void cancel(Running& running) noexcept;
  void wake_due() noexcept;
  void sleep(std::uint64_t seen) noexcept;

  template <class Event>
  void handle(Running& running, Event event) noexcept;
  void take_step(Running& running, Step step, Now now);
  void authorize(Running& running, const Authorize& authorize);
  Result<Headers> ask(const Authorize& authorize, const std::stop_token& stop) noexcept;
  void start(Running& running, const Send& send, Now now);
  Step attempt(Running& running, const Send& send, Now now);
  void hold(Running& running, const Wait& wait);
  void listen(const WakeCounter& counter, Running& running);
  void stop_waiting(Running& running) noexcept;
  void finish(Running& running, Done done) noexcept;
  void fail_all_attempts() noexcept;

  DriverContext& context_;
  /// Failed calls whose memory the multiplexer still borrows; kept until its next wait returns.
  std::map<Id, Running> failed_;
  bool failing_ = false;
  std::unique_ptr<Multiplexer> multiplexer_;
  /// Made in advance, for when memory runs out.
  const Error exhausted_;
  const Result<Headers> past_deadline_;
  const Result<Headers> no_memory_;
  const Result<Headers> dropped_;
  std::atomic<std::thread::id> thread_ = {};
  WakeCounter wakes_{0};

  // Which thread runs the loop: its own, or one that has borrowed it.
  std::mutex turn_mutex_;
  std::condition_variable turn_;
  bool own_turn_ = false;
  std::atomic<bool> borrowed_ = false;
  std::uint64_t returns_ = 0;
  /// Whether the loop's own thread waits for the next return.
  bool awaits_return_ = false;
  /// Whether it must go on as soon as nobody borrows the loop.
  bool is_needed_ = false;
  /// Calls for which nobody waits in run_until(): the loop does not rest.
  std::atomic<std::size_t> others_ = 0;

  /// The calls that may have to stop. If memory runs out, look at all.
  std::mutex stopped_mutex_;
  std::vector<Id> stopped_;
  bool look_at_all_ = false;

  std::mutex mutex_;
  std::condition_variable arrived_;
  std::map<Id, Running> inbox_;
  Id last_id_ = 0;
  std::atomic<bool> closing_ = false;
  std::atomic<bool> halted_ = false;
  /// The stop source of the attempt that the thread makes itself.
  std::stop_source sending_{std::nostopstate};

  std::mutex woken_mutex_;
  std::vector<const WakeCounter*> woken_;

  // Used by the loop's thread only.
  std::map<Id, Running> calls_;
  Id last_started_ = 0;
  std::set<Timer> timers_;
  /// Waiting calls by their wake counters.
  std::unordered_map<const WakeCounter*, Running*> listeners_;
  std::vector<Multiplexer::Ended> results_;
  std::size_t next_result_ = 0;
  /// Whether a counter rose after the timers were last checked.
  bool recheck_ = false;
  std::vector<const WakeCounter*> taken_;
  bool ends_ = false;  // close() was called
  bool over_ = false;

  /// Credentials functions that have not returned, also those of cancelled calls.
  std::size_t authorizing_ = 0;
  /// Posted tasks that have not run.
  std::atomic<std::size_t> tasks_ = 0;
  std::mutex authorized_mutex_;
  std::list<Authorized> authorized_;
  Workers credentials_workers_{16};
  Workers workers_{4};
  Workers long_workers_{64};
};

}}  // namespace noun
