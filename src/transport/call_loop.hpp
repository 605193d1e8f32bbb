#pragma once
/// @file
/// The event loop of the concurrent driver: many calls and their timers on one thread. The thread belongs to
/// concurrent.

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
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
#include "transport/authorizer.hpp"
#include "transport/call_job.hpp"
#include "transport/driver.hpp"
#include "transport/wake_board.hpp"

namespace noun { inline namespace v0 {

/// Runs calls concurrently. A multiplexer carries their attempts; without one, the thread makes them one by one.
class CallLoop final : private WakeBoard::Sleeper {
 public:
  /// Called on the loop's thread, without a lock, when the call has ended. Exceptions are dropped. It may add calls.
  using Finished = std::function<void(Done done, const Call& call)>;

  /// `context` must outlive all calls. Throws std::bad_alloc.
  explicit CallLoop(DriverContext& context);
  CallLoop(const CallLoop&) = delete;
  CallLoop& operator=(const CallLoop&) = delete;
  ~CallLoop();

  /// Adds a call; from any thread. Throws std::bad_alloc, and then has not added it.
  void add(std::unique_ptr<CallJob> job, const std::stop_token& stop, Finished finished);
  /// Cancels all calls, also those added later; run() returns after the last has finished. From any thread.
  void close() noexcept;
  /// The same, synchronously, from within a `finished`: after it returns, the loop no longer uses its context.
  void close_here() noexcept;
  /// The function of the loop's thread.
  void run() noexcept;
  /// Whether the caller is on the thread that executes run().
  bool on_own_thread() const noexcept { return thread_.load() == std::this_thread::get_id(); }
  /// Whether the caller is a credentials function of one of the calls, on a thread that the loop waits for at its end.
  bool in_credentials() const noexcept { return authorizer_.on_own_thread(); }
  /// Waits for the credentials functions that still run. After run() has returned.
  void join_credentials() noexcept { authorizer_.join(); }

 private:
  using Id = Multiplexer::Id;
  enum class State { begins, authorizes, sends, waits };
  struct Stopper {
    CallLoop* loop;
    std::stop_source* source;
    void operator()() const noexcept { loop->stop(*source); }
  };
  struct Running {
    std::shared_ptr<CallJob> job;
    Finished finished;
    Id id = 0;
    State state = State::begins;
    Step step = {};
    bool is_due = false;
    Running* next_due = nullptr;
    bool cancel_requested = false;
    /// Stopped by the caller's stop token or by close().
    std::stop_source stop = {};
    std::optional<std::stop_callback<Stopper>> stopper = {};
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
  void stop(std::stop_source& source) noexcept;
  void wake() noexcept;

  void work() noexcept;
  bool receive_new() noexcept;
  void start_new() noexcept;
  void take_credentials() noexcept;
  void take_results() noexcept;
  void cancel_stopped() noexcept;
  void wake_due() noexcept;
  void sleep(std::uint64_t seen) noexcept;

  template <class Event>
  void handle(Running& running, Event event) noexcept;
  void take_step(Running& running, Step step);
  void authorize(Running& running, const Authorize& authorize);
  std::optional<Step> send(Running& running, const Send& send);
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
  std::atomic<std::thread::id> thread_ = {};
  WakeCounter wakes_{0};
  std::atomic<bool> any_stopped_ = false;

  std::mutex mutex_;
  std::condition_variable arrived_;
  std::map<Id, Running> inbox_;
  Id last_id_ = 0;
  bool closing_ = false;
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
  bool over_ = false;

  /// Requests that the authorizer has, also of cancelled calls.
  std::size_t authorizing_ = 0;
  Authorizer authorizer_{context_, [this] { wake(); }};
};

}}  // namespace noun
