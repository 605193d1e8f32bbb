// Runs operations in every asynchronous way at random, with stop requests, destroyed coroutines, executors that throw
// and clients that go away, and counts how each ends: once, and where its executor says.
#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <coroutine>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <exception>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <noun/coroutine.hpp>
#include <noun/future.hpp>
#include <noun/noun.hpp>
#include <noun/stop.hpp>

#include "coroutine_task.hpp"
#include "erratic_transport.hpp"

namespace {

using noun_test::Task;
using namespace std::chrono_literals;
using noun::Errc;
using soak::Fate;
using Clock = std::chrono::steady_clock;

constexpr const char* usage = R"(usage: async_soak [--quick] [--operations N] [--seed N]

Starts operations over a transport without a network: with an executor, without one, in coroutines and as
futures, pages of listings, events of streams, long-running operations, downloads and run_all(). The status
is 1 if one did not complete or completed twice, completed elsewhere than on its executor, or had a wrong
result; and also if there was nothing to count: then the run is not conclusive.

  --operations N  1,000 to 100,000,000 (1000000)
  --seed N        of everything random (1)
  --quick         20,000 operations
)";

enum Form : std::size_t {
  on_pool,
  on_strand,
  without_executor,
  on_throwing,
  on_dropping,
  coroutine_on_pool,
  coroutine_on_strand,
  pages_on_pool,
  pages_on_strand,
  events_on_pool,
  events_on_strand,
  finish_on_pool,
  finish_on_strand,
  as_future,
  download,
  all_at_once,
  form_count
};
constexpr std::array<std::string_view, form_count> names{
    "start, pool of 2", "start, strand",   "start, no executor", "start, throws", "start, drops", "coroutine, pool",
    "coroutine, strand", "pages, pool", "pages, strand", "events, pool", "events, strand",
    "finish, pool", "finish, strand", "future", "download", "run_all"};

/// How the operations of one form ended.
struct Tally {
  std::atomic<std::uint64_t> started = 0;
  std::atomic<std::uint64_t> ok = 0;
  std::atomic<std::uint64_t> cancelled = 0;
  std::atomic<std::uint64_t> failed = 0;
  /// Their coroutine or range was destroyed, or the executor dropped the completion.
  std::atomic<std::uint64_t> dropped = 0;
  std::atomic<std::uint64_t> twice = 0;
  std::atomic<std::uint64_t> elsewhere = 0;
  std::atomic<std::uint64_t> wrong = 0;

  std::uint64_t ended() const { return ok + cancelled + failed + dropped; }
};

/// Threads that run functions in the order of their posts.
class Threads {
 public:
  explicit Threads(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) threads_.emplace_back([this] { run(); });
  }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;
  ~Threads() {
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
      changed_.notify_all();
    }
    for (auto& thread : threads_) thread.join();
  }
  void post(std::function<void()> function) {
    const std::lock_guard lock(mutex_);
    functions_.push_back(std::move(function));
    changed_.notify_one();
  }
  noun::Executor executor() {
    return [this](std::function<void()> function) { post(std::move(function)); };
  }
  bool here() const { return current == this; }

 private:
  void run() {
    current = this;
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return closed_ || !functions_.empty(); });
      if (functions_.empty()) return;
      auto function = std::move(functions_.front());
      functions_.pop_front();
      lock.unlock();
      function();
      function = nullptr;
      lock.lock();
    }
  }

  static inline thread_local const Threads* current = nullptr;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> functions_;
  bool closed_ = false;
  std::vector<std::thread> threads_;
};

/// Runs functions later.
class Timer {
 public:
  Timer() : thread_([this] { run(); }) {}
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  ~Timer() {
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
      changed_.notify_all();
    }
    thread_.join();
  }
  void run_after(Clock::duration time, std::function<void()> function) {
    const std::lock_guard lock(mutex_);
    functions_.emplace(Clock::now() + time, std::move(function));
    changed_.notify_all();
  }

 private:
  /// Runs the rest, when it is closed, at once.
  void run() {
    std::unique_lock lock(mutex_);
    while (!closed_ || !functions_.empty()) {
      if (functions_.empty()) {
        changed_.wait(lock);
      } else if (const auto when = functions_.begin()->first; !closed_ && when > Clock::now()) {
        changed_.wait_until(lock, when);
      } else {
        const auto function = functions_.extract(functions_.begin());
        lock.unlock();
        function.mapped()();
        lock.lock();
      }
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::multimap<Clock::time_point, std::function<void()>> functions_;
  bool closed_ = false;
  std::thread thread_;
};

/// What all threads of the program share.
class Run {
 public:
  explicit Run(std::size_t operations) : ends_(operations) {
    std::promise<std::thread::id> known;
    const noun::Client api = client(0);
    noun::start(noun::op::get(api.collection<int>("numbers")["a1"]),
                [&](const noun::Result<int>&) { known.set_value(std::this_thread::get_id()); });
    nouns_thread_ = known.get_future().get();
  }

  static noun::Client client(std::uint64_t seed) {
    noun::ClientOptions options{
        .retry = {.max_attempts = 2, .initial_backoff = 1ms, .max_backoff = 2ms},
        .budget = {.capacity = 1e9},
        .quota = {.in_flight_unknown = 256, .inference = noun::Inference::reported_only},
        .transport = std::make_shared<soak::ErraticTransport>(seed),
        .quota_ledger = noun::make_quota_ledger()};
    if (seed % 4 == 1)
      options.credentials = noun::Credentials([](const noun::CredentialsRequest&) {
        return noun::Result<noun::Headers>(noun::Headers{{"Authorization", "none"}});
      });
    if (seed % 2 == 0) options.observer = [](const noun::Event&) {};
    return noun::Client("https://api.example.com", std::move(options));
  }

  /// The number of a new operation; nothing if there have been enough.
  std::optional<std::size_t> begin(Form form) {
    const auto number = next_++;
    if (number >= ends_.size()) return std::nullopt;
    ++tallies[form].started;
    ++pending_;
    return number;
  }
  bool has_more() const { return next_ < ends_.size(); }
  std::size_t pending() const { return pending_; }

  /// @param here  whether this is the thread of the operation's executor.
  template <class T, class Expected>
  void end(Form form, std::size_t number, Fate fate, const noun::Result<T>& result, bool here, Expected is_expected) {
    auto& tally = tallies[form];
    if (!here) ++tally.elsewhere;
    if (!is_first_end(form, number)) return;
    const auto code = result ? std::optional<Errc>() : result.error().code();
    if (result && !is_expected(*result)) ++tally.wrong;
    if (result && fate == Fate::never) ++tally.wrong;
    const bool may_fail = fate == Fate::fault || code == Errc::cancelled ||
                          (fate == Fate::never && (code == Errc::deadline_exceeded || code == Errc::rate_limited)) ||
                          (form == on_dropping && code == Errc::credentials) ||
                          // The thread of noun that a destroyed coroutine's event reached has not let go of it yet.
                          (form == events_on_strand && code == Errc::invalid_argument);
    if (!result && !may_fail) {
      ++tally.wrong;
      if (const std::lock_guard lock(mutex_); messages_.size() < 10)
        messages_.push_back(fmt::format("{}: {}", names[form], result.error().message()));
    }
    ++(result ? tally.ok : code == Errc::cancelled ? tally.cancelled : tally.failed);
    --pending_;
  }
  void drop(Form form, std::size_t number) {
    if (!is_first_end(form, number)) return;
    ++tallies[form].dropped;
    --pending_;
  }

  bool on_nouns_thread() const { return std::this_thread::get_id() == nouns_thread_; }
  const std::vector<std::string>& messages() const { return messages_; }

  std::array<Tally, form_count> tallies;
  Threads pool{2};
  Threads strand{1};
  Timer timer;

 private:
  bool is_first_end(Form form, std::size_t number) {
    if (ends_[number]++ == 0) return true;
    ++tallies[form].twice;
    return false;
  }

  std::vector<std::atomic<std::uint8_t>> ends_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<std::size_t> pending_ = 0;
  std::thread::id nouns_thread_;
  std::mutex mutex_;
  std::vector<std::string> messages_;
};

/// A coroutine that starts at once, and destroys itself at its end.
struct Detached {
  struct promise_type {
    Detached get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() noexcept {}
    void unhandled_exception() { std::terminate(); }
  };
};

/// A random request, and how it is stopped.
struct Plan {
  Fate fate = Fate::at_once;
  int number = 0;
  noun::CallOptions options = {};
  std::optional<Clock::duration> stops_after = {};
  std::optional<noun::StopSource> stop = {};

  std::string name() const { return fmt::format("{}{}", static_cast<char>(fate), number); }
};

/// The operation that a coroutine awaits.
using Awaited = std::optional<std::size_t>;

/// Starts operations, on one thread.
class Launcher {
 public:
  Launcher(Run& run, std::uint64_t seed) : run_(run), seed_(seed << 32U), random_(seed) {
    for (auto& client : clients_) client = Run::client(++seed_);
  }

  void launch_all() {
    while (run_.has_more()) {
      if (below(300) == 0) clients_[below(clients_.size())] = Run::client(++seed_);
      launch(static_cast<Form>(below(form_count)));
      if (futures_.size() >= 64) take_futures();
      while (run_.pending() > 2000) std::this_thread::sleep_for(100us);
    }
    take_futures();
  }

 private:
  struct Later {
    Plan plan;
    std::size_t number;
    std::future<noun::Result<int>> result;
  };

  std::size_t below(std::size_t end) { return static_cast<std::size_t>(random_() % end); }
  /// A rejection holds all calls of its client, and the next one for a second: such requests have a new one.
  noun::Client client(const Plan& plan) {
    return plan.fate == Fate::rejected ? Run::client(++seed_) : *clients_[below(clients_.size())];
  }

  /// @param cancels  whether the options cancel the call; otherwise the caller does, after `stops_after`.
  Plan plan(bool cancels) {
    constexpr std::array fates{Fate::at_once, Fate::at_once, Fate::at_once, Fate::at_once,  Fate::at_once,
                               Fate::at_once, Fate::at_once, Fate::late,    Fate::late,     Fate::never,
                               Fate::fault,   Fate::fault,   Fate::late};
    Plan plan{.fate = fates[below(fates.size())], .number = static_cast<int>(below(1'000'000))};
    if (below(500) == 0) plan.fate = Fate::rejected;
    if (plan.fate == Fate::never && below(4) == 0)
      plan.options.deadline = 3ms;
    else if (plan.fate == Fate::never || below(8) == 0)
      plan.stops_after = std::chrono::microseconds(below(3) == 0 ? 0 : below(3000));
    if (!cancels || !plan.stops_after) return plan;
    plan.stop.emplace();
    plan.options.stop = plan.stop->get_token();
    return plan;
  }
  void stop_later(const Plan& plan) {
    if (plan.stop) run_.timer.run_after(*plan.stops_after, [stop = *plan.stop]() mutable { stop.request_stop(); });
  }

  void launch(Form form) {
    switch (form) {
      case on_pool: return start(form, run_.pool.executor(), [&run = run_] { return run.pool.here(); });
      case on_strand: return start(form, run_.strand.executor(), [&run = run_] { return run.strand.here(); });
      case without_executor: return start(form, {}, [&run = run_] { return run.on_nouns_thread(); });
      case on_throwing:
        return start(form, throwing(), [&run = run_] { return run.pool.here() || run.on_nouns_thread(); });
      case on_dropping: return start_dropped();
      case coroutine_on_pool: {
        auto all = plans();
        const auto api = client(all.front());
        get_some(run_, api.collection<int>("numbers"), std::move(all));
        return;
      }
      case coroutine_on_strand: return start_on_strand(form, &Launcher::get_on_strand);
      case pages_on_pool: {
        const auto plan = this->plan(true);
        stop_later(plan);
        read_pages(run_, list(plan), plan);
        return;
      }
      case pages_on_strand: return start_on_strand(form, &Launcher::read_on_strand);
      case events_on_pool: return start_events();
      case events_on_strand: return start_events_on_strand();
      case finish_on_pool: return start_finish();
      case finish_on_strand: return start_on_strand(form, &Launcher::finish_one);
      case as_future: return start_future();
      case download: return start_download();
      default: return start_all();
    }
  }

  template <class Here>
  void start(Form form, noun::Executor executor, Here here) {
    const auto number = run_.begin(form);
    if (!number) return;
    auto plan = this->plan(false);
    const auto operation = noun::op::get(client(plan).collection<int>("numbers")[plan.name()], plan.options);
    auto started = noun::start(operation, std::move(executor),
                               [&run = run_, form, number, fate = plan.fate, of = plan.number,
                                here](const noun::Result<int>& result) {
                                 run.end(form, *number, fate, result, here(), [&](int value) { return value == of; });
                               });
    stop(std::move(started), plan);
  }
  /// Here, or by the timer; the last copy may be that of the timer.
  void stop(noun::Started started, const Plan& plan) {
    if (!plan.stops_after) return;
    if (*plan.stops_after == 0us) return started.stop();
    run_.timer.run_after(*plan.stops_after, [started = std::move(started)] { started.stop(); });
  }

  noun::Executor throwing() {
    return [&run = run_, how = below(8)](std::function<void()> function) {
      if (how == 0) throw std::runtime_error("not today");
      run.pool.post(std::move(function));
      if (how == 1) throw std::runtime_error("too late");
    };
  }

  /// The executor drops the completion, or runs it twice. A dropped completion is destroyed, which ends it here.
  void start_dropped() {
    const auto number = run_.begin(on_dropping);
    if (!number) return;
    struct End {
      End(Run& in, std::size_t which) : run(in), number(which) {}
      End(const End&) = delete;
      End& operator=(const End&) = delete;
      ~End() {
        if (!completed) run.drop(on_dropping, number);
      }
      Run& run;
      const std::size_t number;
      bool completed = false;
    };
    auto plan = this->plan(false);
    const auto operation = noun::op::get(client(plan).collection<int>("numbers")[plan.name()], plan.options);
    auto started = noun::start(
        operation,
        [&run = run_, how = below(4)](const std::function<void()>& function) {
          if (how == 0) return;
          run.pool.post(function);
          if (how == 1) run.pool.post(function);
        },
        [&run = run_, end = std::make_unique<End>(run_, *number), fate = plan.fate,
         of = plan.number](const noun::Result<int>& result) {
          end->completed = true;
          run.end(on_dropping, end->number, fate, result, run.pool.here(), [&](int value) { return value == of; });
        });
    stop(std::move(started), plan);
  }

  std::vector<Plan> plans() { return plans(1 + below(3)); }
  /// For one client.
  std::vector<Plan> plans(std::size_t count) {
    std::vector<Plan> all(count);
    for (auto& one : all) one = plan(true);
    for (auto one = all.begin() + 1; one != all.end(); ++one)
      if (one->fate == Fate::rejected) one->fate = Fate::at_once;
    return all;
  }

  static Detached get_some(Run& run, noun::Collection<int> numbers, std::vector<Plan> plans) {
    for (auto& plan : plans) {
      const auto number = run.begin(coroutine_on_pool);
      if (!number) co_return;
      if (plan.stop) run.timer.run_after(*plan.stops_after, [stop = *plan.stop]() mutable { stop.request_stop(); });
      const auto operation = noun::op::get(numbers[plan.name()], plan.options);
      const auto value = co_await noun::async(operation, run.pool.executor());
      run.end(coroutine_on_pool, *number, plan.fate, value, run.pool.here(),
              [&](int got) { return got == plan.number; });
    }
  }

  /// The frame is destroyed on the strand, at its end or while it is suspended.
  using OnStrand = Task (*)(Run&, std::shared_ptr<Awaited>, noun::Client, Plan, std::size_t);
  void start_on_strand(Form form, OnStrand coroutine) {
    auto plan = this->plan(true);
    stop_later(plan);
    // An operation is polled after 250 ms.
    const std::size_t latest = form == finish_on_strand ? 800'000 : 4000;
    const auto destroyed_after = std::chrono::microseconds(below(2) == 0 ? 0 : below(latest));
    const auto prefetch = 2 * below(2);
    run_.strand.post([&run = run_, form, coroutine, plan, destroyed_after, api = client(plan), prefetch] {
      auto awaited = std::make_shared<Awaited>();
      auto task = std::make_shared<Task>(coroutine(run, awaited, api, plan, prefetch));
      // Moved, so that the last owner of the task is on the strand.
      auto destroy = [&run, form, awaited = std::move(awaited), task = std::move(task)]() mutable {
        // Nothing of it comes after this.
        const auto number = *awaited;
        task.reset();
        if (number) run.drop(form, *number);
      };
      run.timer.run_after(destroyed_after, [&run, destroy = std::move(destroy)]() mutable {
        run.strand.post(std::move(destroy));
      });
    });
  }
  static Task get_on_strand(Run& run, std::shared_ptr<Awaited> awaited, noun::Client api, Plan plan, std::size_t) {
    const auto numbers = api.collection<int>("numbers");
    for (int i = 0; i < 3; ++i) {
      *awaited = run.begin(coroutine_on_strand);
      if (!*awaited) co_return;
      const auto operation = noun::op::get(numbers[plan.name()], plan.options);
      const auto value = co_await noun::async(operation, run.strand.executor());
      run.end(coroutine_on_strand, *std::exchange(*awaited, std::nullopt), plan.fate, value, run.strand.here(),
              [&](int got) { return got == plan.number; });
    }
  }

  noun::Listing<int> list(const Plan& plan) { return list(client(plan), plan, 2 * below(2)); }
  static noun::Listing<int> list(const noun::Client& api, const Plan& plan, std::size_t prefetch) {
    return api.collection<int>("lists").list({.query = {{"of", plan.name()}},
                                              .prefetch = prefetch,
                                              .deadline = plan.options.deadline,
                                              .stop = plan.options.stop});
  }
  using OptionalPage = std::optional<noun::Page<int>>;
  /// Whether this is the page that comes after `delivered` items.
  static bool is_page(const OptionalPage& page, const Plan& plan, std::size_t& delivered) {
    if (!page) return delivered == 6;
    for (const int item : page->items)
      if (item != plan.number + static_cast<int>(delivered++)) return false;
    return page->items.size() == 2;
  }
  static Detached read_pages(Run& run, noun::Listing<int> listing, Plan plan) {
    std::size_t delivered = 0;
    for (int i = 0; i < 10; ++i) {
      const auto number = run.begin(pages_on_pool);
      if (!number) co_return;
      const auto page = co_await noun::async(noun::op::next_page(listing), run.pool.executor());
      run.end(pages_on_pool, *number, plan.fate, page, run.pool.here(),
              [&](const OptionalPage& got) { return is_page(got, plan, delivered); });
      if (page && !*page) co_return;
    }
  }
  static Task read_on_strand(Run& run, std::shared_ptr<Awaited> awaited, noun::Client api, Plan plan,
                             std::size_t prefetch) {
    auto listing = list(api, plan, prefetch);
    std::size_t delivered = 0;
    for (int i = 0; i < 10; ++i) {
      *awaited = run.begin(pages_on_strand);
      if (!*awaited) co_return;
      const auto page = co_await noun::async(noun::op::next_page(listing), run.strand.executor());
      run.end(pages_on_strand, *std::exchange(*awaited, std::nullopt), plan.fate, page, run.strand.here(),
              [&](const OptionalPage& got) { return is_page(got, plan, delivered); });
      if (page && !*page) co_return;
    }
  }

  using OptionalEvent = std::optional<noun::StreamItem<int>>;
  /// A stream, and what was read of it.
  struct Events {
    Events(Run& in, const noun::Client& api, const Plan& of)
        : run(in),
          plan(of),
          stream(api.stream<int>({.path = "events", .query = {{"of", of.name()}}},
                                 {.deadline = of.options.deadline, .stop = of.options.stop})) {}

    /// Notes how an operation ended. Returns whether another one follows.
    bool note(Form form, std::size_t number, const noun::Result<OptionalEvent>& event, bool here) {
      // A stream that stalls may deliver events before.
      const auto fate = event && *event ? Fate::at_once : plan.fate;
      run.end(form, number, fate, event, here, [&](const OptionalEvent& got) {
        return got ? got->value == plan.number + delivered : delivered == 6;
      });
      if (event && *event) ++delivered;
      const bool goes_on = event ? event->has_value()
                                 : event.error().code() == Errc::invalid_argument ||
                                       (event.error().code() == Errc::cancelled && !plan.stop);
      ended = !goes_on;
      return goes_on;
    }

    Run& run;
    const Plan plan;
    noun::Stream<int> stream;
    int delivered = 0;
    bool ended = false;
  };
  /// One operation after the other, of which some are stopped: the stream goes on.
  struct StoppedEvents : Events, std::enable_shared_from_this<StoppedEvents> {
    using Events::Events;

    void next(std::uint64_t random) {
      const auto number = run.begin(events_on_pool);
      if (!number) return;
      const auto& of = run;
      const auto stops_after = std::chrono::microseconds(random % 1000);
      auto& timer = run.timer;
      const auto started =
          noun::start(noun::op::next_event(stream), run.pool.executor(),
                      [self = shared_from_this(), number, &of, random](const noun::Result<OptionalEvent>& event) {
                        if (self->note(events_on_pool, *number, event, of.pool.here())) self->next(random / 3 + 7);
                      });
      if (random % 5 == 0) started.stop();
      if (random % 5 == 1) timer.run_after(stops_after, [started] { started.stop(); });
    }
  };
  void start_events() {
    const auto plan = this->plan(true);
    stop_later(plan);
    std::make_shared<StoppedEvents>(run_, client(plan), plan)->next(random_());
  }
  /// The first coroutine is destroyed on the strand, and a second one goes on.
  void start_events_on_strand() {
    const auto plan = this->plan(true);
    stop_later(plan);
    const auto destroyed_after = std::chrono::microseconds(below(2) == 0 ? 0 : below(4000));
    run_.strand.post([&run = run_, destroyed_after,
                      events = std::make_shared<Events>(run_, client(plan), plan)]() mutable {
      auto awaited = std::make_shared<Awaited>();
      auto task = std::make_shared<Task>(read_events<Task>(events, awaited));
      auto destroy = [&run, events = std::move(events), awaited, task = std::move(task)]() mutable {
        const auto number = *awaited;
        task.reset();
        if (number) run.drop(events_on_strand, *number);
        if (!events->ended) read_events<Detached>(std::move(events), std::make_shared<Awaited>());
      };
      run.timer.run_after(destroyed_after, [&run, destroy = std::move(destroy)]() mutable {
        run.strand.post(std::move(destroy));
      });
    });
  }
  template <class Coroutine>
  static Coroutine read_events(std::shared_ptr<Events> events, std::shared_ptr<Awaited> awaited) {
    for (bool goes_on = true; goes_on;) {
      *awaited = events->run.begin(events_on_strand);
      if (!*awaited) co_return;
      const auto event = co_await noun::async(noun::op::next_event(events->stream), events->run.strand.executor());
      goes_on = events->note(events_on_strand, *std::exchange(*awaited, std::nullopt), event,
                             events->run.strand.here());
    }
  }

  static noun::Operation<int> finish(const noun::Client& api, const Plan& plan) {
    return noun::op::finish<int>(api,
                                 noun::op::create<int>(api.collection<int>("reports"), plan.number,
                                                       {.query = {{"of", plan.name()}}, .stop = plan.options.stop}),
                                 {.deadline = plan.options.deadline});
  }
  void start_finish() {
    const auto number = run_.begin(finish_on_pool);
    if (!number) return;
    auto plan = this->plan(false);
    // While it is polled.
    if (plan.stops_after && below(2) == 0) *plan.stops_after *= 100;
    auto started = noun::start(finish(client(plan), plan), run_.pool.executor(),
                               [&run = run_, number, plan](const noun::Result<int>& result) {
                                 run.end(finish_on_pool, *number, plan.fate, result, run.pool.here(),
                                         [&](int value) { return value == plan.number; });
                               });
    stop(std::move(started), plan);
  }
  static Task finish_one(Run& run, std::shared_ptr<Awaited> awaited, noun::Client api, Plan plan, std::size_t) {
    *awaited = run.begin(finish_on_strand);
    if (!*awaited) co_return;
    const auto operation = finish(api, plan);
    const auto value = co_await noun::async(operation, run.strand.executor());
    run.end(finish_on_strand, *std::exchange(*awaited, std::nullopt), plan.fate, value, run.strand.here(),
            [&](int got) { return got == plan.number; });
  }

  void start_future() {
    const auto number = run_.begin(as_future);
    if (!number) return;
    auto plan = this->plan(true);
    stop_later(plan);
    auto later = noun::future(noun::op::get(client(plan).collection<int>("numbers")[plan.name()], plan.options));
    futures_.push_back({std::move(plan), *number, std::move(later)});
  }
  void take_futures() {
    for (auto& [plan, number, later] : std::exchange(futures_, {}))
      run_.end(as_future, number, plan.fate, later.get(), true, [&](int value) { return value == plan.number; });
  }

  void start_download() {
    const auto number = run_.begin(download);
    if (!number) return;
    auto plan = this->plan(false);
    plan.fate = Fate::at_once;
    auto bytes = std::make_shared<std::string>();
    auto started = noun::start(
        noun::op::download(client(plan), {.path = "numbers/" + plan.name()},
                           [bytes](std::string_view some) { *bytes += some; }),
        run_.pool.executor(), [&run = run_, number, plan, bytes](const noun::Result<noun::Download>& result) {
          run.end(download, *number, plan.fate, result, run.pool.here(),
                   [&](const noun::Download&) { return *bytes == std::to_string(plan.number); });
        });
    stop(std::move(started), plan);
  }

  void start_all() {
    auto all = plans(1 + below(16));
    const auto api = client(all.front());
    std::vector<std::size_t> of;
    std::vector<noun::Operation<int>> operations;
    for (const auto& plan : all) {
      const auto number = run_.begin(all_at_once);
      if (!number) break;
      of.push_back(*number);
      stop_later(plan);
      operations.push_back(noun::op::get(api.collection<int>("numbers")[plan.name()], plan.options));
    }
    const auto most = below(8) == 0 ? below(operations.size() + 1) : operations.size();
    std::size_t at = 0;
    if (most > 0)
      for (const auto& result : api.run_all(operations, {.in_flight = 1 + below(16)})) {
        run_.end(all_at_once, of[at], all[at].fate, result, true, [&](int got) { return got == all[at].number; });
        if (++at == most) break;
      }
    for (; at < of.size(); ++at) run_.drop(all_at_once, of[at]);
  }

  Run& run_;
  std::uint64_t seed_;
  std::mt19937_64 random_;
  std::array<std::optional<noun::Client>, 3> clients_;
  std::vector<Later> futures_;
};

/// Waits until nothing is pending; returns whether that is so.
bool wait_for_all(const std::function<std::size_t()>& pending) {
  auto least = pending();
  for (auto last_progress = Clock::now(); pending() > 0 && Clock::now() - last_progress < 30s;) {
    std::this_thread::sleep_for(1ms);
    if (pending() < least) least = pending(), last_progress = Clock::now();
  }
  return pending() == 0;
}

void print_row(std::string_view name, const Tally& tally) {
  fmt::print("{:<20}{:>9}{:>9}{:>11}{:>8}{:>9}{:>8}{:>7}{:>11}{:>7}\n", name, tally.started.load(), tally.ok.load(),
             tally.cancelled.load(), tally.failed.load(), tally.dropped.load(), tally.started - tally.ended(),
             tally.twice.load(), tally.elsewhere.load(), tally.wrong.load());
}

/// Returns whether every operation ended as it must.
bool print_table(const Run& run) {
  fmt::print("{:<20}{:>9}{:>9}{:>11}{:>8}{:>9}{:>8}{:>7}{:>11}{:>7}\n", "", "started", "ok", "cancelled", "failed",
             "dropped", "lost", "twice", "elsewhere", "wrong");
  Tally all;
  bool conclusive = true;
  for (std::size_t form = 0; form < form_count; ++form) {
    const auto& tally = run.tallies[form];
    print_row(names[form], tally);
    all.started += tally.started;
    all.ok += tally.ok;
    all.cancelled += tally.cancelled;
    all.failed += tally.failed;
    all.dropped += tally.dropped;
    all.twice += tally.twice;
    all.elsewhere += tally.elsewhere;
    all.wrong += tally.wrong;
    conclusive = conclusive && tally.ok > 0;
  }
  print_row("all", all);
  for (const auto& message : run.messages()) fmt::print("{}\n", message);
  conclusive = conclusive && all.cancelled > 0 && all.failed > 0 && all.dropped > 0;
  if (!conclusive) fmt::print("an outcome is missing: the run is not conclusive\n");
  return conclusive && all.ended() == all.started && all.twice == 0 && all.elsewhere == 0 && all.wrong == 0;
}

struct Settings {
  std::size_t operations = 1'000'000;
  std::uint64_t seed = 1;
};

template <class Number>
void set_number(Number& number, std::string_view text) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size())
    throw std::runtime_error(fmt::format("'{}' is not a number", text));
}

Settings read_settings(const std::vector<std::string_view>& words) {
  Settings settings;
  for (auto word = words.begin(); word != words.end(); ++word) {
    if (*word == "--quick") {
      settings.operations = 20'000;
      continue;
    }
    const auto value = std::next(word) == words.end() ? std::string_view() : *std::next(word);
    if (*word == "--operations")
      set_number(settings.operations, value);
    else if (*word == "--seed")
      set_number(settings.seed, value);
    else
      throw std::runtime_error(usage);
    ++word;
  }
  if (settings.operations < 1000 || settings.operations > 100'000'000)
    throw std::runtime_error("--operations is not in 1,000 to 100,000,000");
  return settings;
}

}  // namespace

int main(int argc, char** argv) try {
  const std::vector<std::string_view> words(argv + 1, argv + argc);
  if (words == std::vector<std::string_view>{"--help"}) return fmt::print("{}", usage), 0;
  const auto settings = read_settings(words);
  const auto begin = Clock::now();
  std::optional<Run> run;
  run.emplace(settings.operations);
  {
    Launcher first(*run, 2 * settings.seed);
    Launcher second(*run, 2 * settings.seed + 1);
    std::thread other([&] { second.launch_all(); });
    first.launch_all();
    other.join();
    if (!wait_for_all([&] { return run->pending(); })) {
      print_table(*run);
      fmt::print("operations did not complete within 30 s\n");
      std::fflush(stdout);
      std::_Exit(1);
    }
  }
  const bool is_released = wait_for_all([] { return static_cast<std::size_t>(soak::ErraticTransport::alive); });
  const std::chrono::duration<double> took = Clock::now() - begin;
  const bool passed = print_table(*run);
  fmt::print("{:.1f} s; {} clients were not released\n", took.count(), soak::ErraticTransport::alive.load());
  return passed && is_released ? 0 : 1;
} catch (const std::exception& failure) {
  return fmt::print(stderr, "{}\n", failure.what()), 1;
}
