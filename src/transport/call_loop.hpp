#pragma once
/// @file
/// The loop of the concurrent driver: many calls on the one thread that runs it, with their timers. Whose thread it is,
/// and how long it lives, is in concurrent.

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

#include <noun/multiplexer.hpp>

#include "call/call.hpp"
#include "transport/driver.hpp"
#include "transport/wake_board.hpp"

namespace noun { inline namespace v0 {

/// A request and its call, which holds references to it and to the environment.
class CallJob {
 public:
  /// As Call; `environment` outlives the job.
  CallJob(const CallEnvironment& environment, CallRequest request, std::uint64_t id, std::uint64_t seed)
      : request_(std::move(request)), call_(environment, request_, id, seed) {}
  CallJob(const CallJob&) = delete;
  CallJob& operator=(const CallJob&) = delete;

  const CallRequest& request() const noexcept { return request_; }
  Call& call() noexcept { return call_; }

 private:
  const CallRequest request_;
  Call call_;
};

/// Runs calls side by side: a multiplexer carries their attempts, or the thread makes one after the other itself.
class CallLoop final : private WakeBoard::Sleeper {
 public:
  /// Told on the loop's thread, under no lock, when the call has ended; what it throws is dropped. It may add others.
  using Finished = std::function<void(Done done, const Call& call)>;

  /// `surroundings` outlives all calls. Throws std::bad_alloc.
  explicit CallLoop(Surroundings& surroundings);
  CallLoop(const CallLoop&) = delete;
  CallLoop& operator=(const CallLoop&) = delete;
  ~CallLoop();

  /// Takes a call in, from any thread. Throws std::bad_alloc, and then has not taken it.
  void add(std::unique_ptr<CallJob> job, const std::stop_token& stop, Finished finished);
  /// Cancels all calls, and all that come after; run() returns when the last has finished. From any thread.
  void close() noexcept;
  /// The same from within a `finished`, and at once: once it returns the loop touches nothing of its surroundings.
  void close_here() noexcept;
  /// What its thread does.
  void run() noexcept;
  /// Whether this is the thread in run().
  bool on_own_thread() const noexcept { return thread_.load() == std::this_thread::get_id(); }

 private:
  using Id = Multiplexer::Id;
  enum class State { begins, sends, waits };
  struct Stopper {
    CallLoop* loop;
    std::stop_source* source;
    void operator()() const noexcept { loop->stop(*source); }
  };
  struct Running {
    std::unique_ptr<CallJob> job;
    Finished finished;
    Id id = 0;
    State state = State::begins;
    Step step = {};
    bool is_due = false;
    Running* next_due = nullptr;
    bool told_to_stop = false;
    /// The caller's stop, or the loop's end.
    std::stop_source stop = {};
    std::optional<std::stop_callback<Stopper>> stopper = {};
  };
  struct Timer {
    Instant when;
    Id id;
    Running* of;

    friend bool operator<(const Timer& left, const Timer& right) noexcept {
      return left.when != right.when ? left.when < right.when : left.id < right.id;
    }
  };

  void on_risen(const WakeCounter& counter) noexcept override;
  void stop(std::stop_source& source) noexcept;
  void wake() noexcept;

  void work() noexcept;
  bool take_in() noexcept;
  void begin_the_new() noexcept;
  void take_answers() noexcept;
  void cancel_the_stopped() noexcept;
  void wake_the_due() noexcept;
  void sleep(std::uint64_t seen) noexcept;

  template <class Event>
  void happen(Running& running, Event event) noexcept;
  void take_step(Running& running, Step step);
  std::optional<Step> send(Running& running, const Send& send);
  void hold(Running& running, const Wait& wait);
  void listen(const WakeCounter& counter, Running& running);
  void let_go(Running& running) noexcept;
  void finish(Running& running, Done done) noexcept;
  void fail_all_attempts() noexcept;

  Surroundings& surroundings_;
  /// Failed while the multiplexer still borrows what they own: until it has come back from its next wait.
  std::map<Id, Running> fallen_;
  bool failing_ = false;
  std::unique_ptr<Multiplexer> multiplexer_;
  /// What is said where no memory is left to say it.
  const Error exhausted_;
  std::atomic<std::thread::id> thread_ = {};
  WakeCounter wakes_{0};
  std::atomic<bool> any_stopped_ = false;

  std::mutex mutex_;
  std::condition_variable arrived_;
  std::map<Id, Running> inbox_;
  Id last_id_ = 0;
  bool closing_ = false;
  /// The one that the thread makes itself.
  std::stop_source sending_{std::nostopstate};

  std::mutex risen_mutex_;
  std::vector<const WakeCounter*> risen_;

  // The thread's own.
  std::map<Id, Running> calls_;
  Id begun_ = 0;
  std::set<Timer> timers_;
  /// The calls that wait to be woken, by their counters.
  std::unordered_map<const WakeCounter*, Running*> listeners_;
  std::vector<Multiplexer::Ended> answers_;
  std::size_t next_answer_ = 0;
  /// A counter rose after the last look at the timers.
  bool look_again_ = false;
  std::vector<const WakeCounter*> taken_;
  bool over_ = false;
};

}}  // namespace noun
