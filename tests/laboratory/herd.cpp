#include "laboratory/herd.hpp"

#include <algorithm>
#include <deque>
#include <numeric>
#include <queue>
#include <random>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "laboratory/window_watch.hpp"
#include "quota/stored_state_rules.hpp"
#include "quota/synchronizer.hpp"
#include "wire/rate_limit.hpp"

namespace laboratory {
namespace {

using namespace std::chrono_literals;
namespace quota = noun::quota;

constexpr Instant herd_start{1000s};
constexpr noun::WallTime herd_wall_start{std::chrono::seconds(1'768'910'400)};
constexpr Duration store_epoch = 77s;
constexpr Duration store_offset = store_epoch - herd_start.time_since_epoch();

struct Call {
  std::size_t process = 0;
  bool busy = false;  // sent
  bool waits = false;
  bool has_job = false;
  int attempt = 1;
  std::uint64_t epoch = 0;
  quota::Permit permit = {};
  quota::Place place = {};
  noun::Headers headers = {};
  bool rejected = false;
};

/// The driver of a process: take_woken() names it.
struct Driver final : quota::Sleeper {
  void on_woken(std::uint64_t) noexcept override {}
};

struct Process {
  std::shared_ptr<quota::Gate> gate = {};
  std::shared_ptr<Driver> driver = std::make_shared<Driver>();
  std::optional<quota::Synchronizer> synchronizer = {};
  std::uint64_t epoch = 0;  // of its planned wake-up
  bool busy = false;        // an operation is under way
  std::uint64_t operation = 0;
  bool watches = false;
  std::uint64_t version = 0;
  bool started = false;
  bool dead = false;
  bool left = false;
  std::int64_t jobs = 0;
  std::int64_t unfinished = 0;
};

class Herd {
 public:
  explicit Herd(const HerdSetup& setup)
      : setup_(setup),
        limit_(setup.limit),
        watch_(setup.limit, static_cast<double>(setup.processes * setup.in_flight) /
                                std::chrono::duration<double>(setup.latency).count()),
        random_(setup.seed),
        processes_(setup.processes) {
    report_.served.resize(setup.processes);
    for (std::size_t i = 0; i < setup.processes; ++i) {
      const auto count = static_cast<std::int64_t>(setup.processes);
      processes_[i].jobs = setup.requests / count + (static_cast<std::int64_t>(i) < setup.requests % count ? 1 : 0);
      if (setup.uneven && i > 0) {
        const auto less = static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(processes_[i].jobs + 1));
        processes_[i].jobs -= less;
        processes_[0].jobs += less;
      }
      for (std::size_t k = 0; k < setup.in_flight; ++k) calls_.emplace_back().process = i;
      if (!setup.one_after_another || i == 0)
        at(herd_start + static_cast<std::int64_t>(i) * setup.apart, [this, i] { start(i); });
    }
    for (Process& process : processes_) process.unfinished = process.jobs;
    if (setup.killed) at(herd_start + setup.killed_at, [this] { kill(*setup_.killed); });
    if (setup.store_forgets)
      at(herd_start + setup.store_is_back_at, [this] {
        bytes_.clear();
        version_ = 0;
        changed();
      });
  }

  HerdReport run() {
    while (!events_.empty() && !is_over() && now_ < herd_start + setup_.ends_at &&
           report_.requests < 100 * setup_.requests) {
      auto event = events_.top();
      events_.pop();
      now_ = event.when;
      event.run();
    }
    report_.finished = is_over();
    report_.elapsed = now_ - herd_start;
    const auto& windows = watch_.utilisation();
    if (!windows.empty())
      report_.utilisation = std::accumulate(windows.begin(), windows.end(), 0.0) / static_cast<double>(windows.size());
    return report_;
  }

 private:
  struct Event {
    Instant when;
    std::uint64_t order;
    std::function<void()> run;

    bool operator>(const Event& other) const { return when != other.when ? when > other.when : order > other.order; }
  };

  void at(Instant when, std::function<void()> run) { events_.push({std::max(when, now_), order_++, std::move(run)}); }
  noun::Now now() const {
    return {now_, herd_wall_start + setup_.starts_at + (now_ - herd_start) + setup_.clock_offset};
  }
  bool is_over() const {
    return std::all_of(processes_.begin(), processes_.end(),
                       [](const Process& one) { return one.dead || one.unfinished == 0; });
  }
  Duration one_way(Duration round_trip) {
    if (!setup_.jitter) return round_trip / 2;
    return round_trip / 4 +
           Duration(static_cast<std::int64_t>(random_() % (static_cast<std::uint64_t>(round_trip.count()) / 2 + 1)));
  }
  void trace(const std::string& line) const {
    if (setup_.trace) setup_.trace(now_ - herd_start, line);
  }

  void start(std::size_t index) {
    Process& process = processes_[index];
    trace(fmt::format("process {} starts", index));
    process.started = true;
    process.gate = std::make_shared<quota::Gate>();
    process.gate->share(
        {.id = (random_() & 0xFFFF'FFFF'FFFFU) | 1U, .lease = setup_.lease, .slow_after = setup_.slow_after},
        process.driver);
    process.synchronizer.emplace(process.gate);
    for (std::size_t call = index * setup_.in_flight; call < (index + 1) * setup_.in_flight; ++call) acquire(call);
    drive(index);
  }

  void kill(std::size_t index) {
    Process& process = processes_[index];
    process.dead = true;
    trace(fmt::format("process {} is killed", index));
    // Its work is done by the others.
    std::vector<Process*> heirs;
    for (Process& one : processes_)
      if (!one.dead && !one.left) heirs.push_back(&one);
    for (std::size_t job = 0; job < static_cast<std::size_t>(process.unfinished) && !heirs.empty(); ++job) {
      ++heirs[job % heirs.size()]->jobs;
      ++heirs[job % heirs.size()]->unfinished;
    }
    for (std::size_t call = 0; call < calls_.size(); ++call)
      if (!calls_[call].busy && !calls_[call].waits && processes_[calls_[call].process].started) acquire(call);
  }

  void acquire(std::size_t index) {
    Call& call = calls_[index];
    Process& process = processes_[call.process];
    if (process.dead) return;
    ++call.epoch;
    call.waits = false;
    if (!call.has_job && process.jobs == 0) return finish(call.process);
    if (!std::exchange(call.has_job, true)) --process.jobs;
    const auto demand = setup_.reports_demand ? std::optional(process.jobs + 1) : std::nullopt;
    auto result = process.gate->acquire(now(), {}, {.patient_until = Instant::max(), .demand = demand, .route = 1},
                                        std::move(call.place));
    call.place = {};
    if (auto* const permit = std::get_if<quota::Permit>(&result)) {
      call.permit = std::move(*permit);
      call.busy = true;
      at(now_ + one_way(setup_.latency), [this, index] { arrive(index); });
    } else {
      auto& hold = std::get<quota::Hold>(result);
      call.place = std::move(hold.place);
      call.waits = true;
      trace(fmt::format("process {} holds: {} for {:.3f} s", call.process, to_string(hold.earliest.reason),
                        std::chrono::duration<double>(hold.acquire_at - now_).count()));
      at(std::max(hold.acquire_at, now_ + 1ns), [this, index, epoch = call.epoch] {
        if (calls_[index].epoch == epoch) acquire(index);
      });
    }
    after_gate(call.process);
  }

  void arrive(std::size_t index) {
    Call& call = calls_[index];
    const auto wall = herd_wall_start + setup_.starts_at + (now_ - herd_start);
    const auto verdict = limit_.count(wall);
    watch_.see(verdict, wall);
    call.headers = limit_fields(verdict, wall, setup_.fields);
    call.rejected = !verdict.admitted;
    if (report_.requests > 0 && left_ > 0) report_.idle = std::max(report_.idle, now_ - counted_at_);
    left_ = verdict.remaining;
    counted_at_ = now_;
    ++report_.requests;
    if (call.rejected) ++report_.rejected;
    trace(fmt::format("process {} {} ({} left, {:.3f} s)", call.process, call.rejected ? "REJECTED" : "admitted",
                      verdict.remaining, std::chrono::duration<double>(verdict.resets_in).count()));
    at(now_ + one_way(setup_.latency), [this, index] { receive(index); });
  }

  void receive(std::size_t index) {
    Call& call = calls_[index];
    Process& process = processes_[call.process];
    if (process.dead) return;
    call.busy = false;
    quota::Report report{noun::wire::read_rate_limit(call.headers, {}, now().wall)};
    if (call.rejected) report.outcome = quota::Outcome::rejected;
    process.gate->record(std::move(call.permit), now(), report);
    Instant next = now_;
    if (call.rejected) {
      const auto earliest = process.gate->earliest(
          now(), {}, {.route = 1},
          noun::Rejection{
              .retry_after = report.retry_after, .count = call.attempt, .again = call.attempt > 1});
      ++call.attempt;
      next = earliest.at;
    } else {
      call.attempt = 1;
      call.has_job = false;
      ++report_.served[call.process];
      --process.unfinished;
    }
    after_gate(call.process);
    at(next, [this, index, epoch = call.epoch] {
      if (calls_[index].epoch == epoch) acquire(index);
    });
  }

  void finish(std::size_t index) {
    Process& process = processes_[index];
    if (process.left || process.unfinished > 0) return;
    process.left = true;
    process.gate->leave();
    drive(index);
  }

  /// Wakes calls and the driver.
  void after_gate(std::size_t index) {
    Process& process = processes_[index];
    const auto woken = process.gate->take_woken();
    if (woken.empty()) return;
    for (std::size_t call = index * setup_.in_flight; call < (index + 1) * setup_.in_flight; ++call)
      if (calls_[call].waits && calls_[call].place.ticket().overtaken())
        at(now_, [this, call, epoch = calls_[call].epoch] {
          if (calls_[call].epoch == epoch) acquire(call);
        });
    if (std::any_of(woken.begin(), woken.end(), [](const auto& one) { return one.sleeper != nullptr; }))
      at(now_, [this, index] { drive(index); });
  }

  bool store_works() const {
    const Duration since = now_ - herd_start;
    return since < setup_.store_stops_at || since >= setup_.store_is_back_at;
  }

  void drive(std::size_t index) {
    Process& process = processes_[index];
    if (process.dead || process.busy || !process.synchronizer) return;
    ++process.epoch;
    const Instant sent = now_;
    auto step = process.synchronizer->next(now());
    if (auto* const wait = std::get_if<quota::WaitForChange>(&step)) {
      process.watches = wait->watches;
      process.version = wait->version;
      if (wait->watches && wait->version != version_ && store_works()) {
        process.synchronizer->on_changed();
        return at(now_, [this, index] { drive(index); });
      }
      if (wait->until != Instant::max())
        at(std::max(wait->until, now_ + 1ns) + setup_.late, [this, index, epoch = process.epoch] {
          if (processes_[index].epoch == epoch) drive(index);
        });
      return;
    }
    if (std::holds_alternative<quota::LeftStore>(step)) {
      process.watches = false;
      if (setup_.one_after_another && index + 1 < processes_.size() && !processes_[index + 1].started) start(index + 1);
      return;
    }
    process.watches = false;
    process.busy = true;
    ++process.operation;
    const Duration limit = std::holds_alternative<quota::ReadStore>(step) ? std::get<quota::ReadStore>(step).limit
                                                                          : std::get<quota::SwapStore>(step).limit;
    at(noun::after(now_, limit), [this, index, operation = process.operation] {
      if (processes_[index].operation != operation || !processes_[index].busy) return;
      trace(fmt::format("process {} waits no longer for the store", index));
      answered(index, operation, [this](auto& s) { s.on_failed(now()); });
    });
    at(now_ + one_way(store_latency()),
       [this, index, operation = process.operation, sent, step = std::move(step)]() mutable {
         operate(index, operation, sent, std::move(step));
       });
  }

  Duration store_latency() const {
    return now_ - herd_start < setup_.store_slows_at ? Duration(200us) : setup_.store_latency;
  }

  void operate(std::size_t index, std::uint64_t operation, Instant sent, quota::StoreStep step) {
    ++report_.operations;
    const Duration time = store_epoch + (now_ - herd_start);
    const Instant back = now_ + one_way(store_latency());
    const auto answer = [&](auto handle) { at(back, [=, this] { answered(index, operation, handle); }); };
    if (!store_works()) return answer([this](auto& s) { s.on_failed(now()); });
    if (std::holds_alternative<quota::ReadStore>(step)) {
      trace(fmt::format("process {} reads", index));
      noun::QuotaStore::Stored stored{version_, bytes_, time};
      return answer([this, sent, stored](auto& s) { s.on_read(stored, sent, now()); });
    }
    auto& swap = std::get<quota::SwapStore>(step);
    noun::QuotaStore::Swapped swapped{swap.version == version_, {version_, {}, time}};
    if (swapped.swapped) {
      bytes_ = std::move(swap.bytes);
      if (setup_.trace) trace(fmt::format("process {} swaps: {}", index, described()));
      report_.largest_state = std::max(report_.largest_state, bytes_.size());
      if (report_.broken.empty()) report_.broken = quota_tests::broken_rule(bytes_, now(), store_offset);
      swapped.stored.version = ++version_;
      changed();
    } else {
      swapped.stored.bytes = bytes_;
      ++report_.refused;
      trace(fmt::format("process {} is refused", index));
    }
    answer([this, sent, swapped](auto& s) { s.on_swapped(swapped, sent, now()); });
  }

  /// The holders of the stored state: permits that each holds, and wants.
  std::string described() const {
    const auto state = quota::SharedState::read(bytes_, store_offset);
    std::string text = fmt::format("{} leased", state->quota.partitions.front().leased());
    for (const auto& holder : state->holders)
      for (const auto& lease : holder.leases)
        text += fmt::format(" {:x}:{}/{}", holder.id & 0xFFFU, lease.permits, quota::sum_of(lease.wanted));
    return text;
  }

  template <class Handle>
  void answered(std::size_t index, std::uint64_t operation, Handle handle) {
    Process& process = processes_[index];
    if (process.dead || !process.busy || process.operation != operation) return;
    process.busy = false;
    handle(*process.synchronizer);
    after_gate(index);
    drive(index);
  }

  void changed() {
    for (std::size_t index = 0; index < processes_.size(); ++index)
      if (processes_[index].watches)
        at(now_ + one_way(store_latency()), [this, index] {
          Process& process = processes_[index];
          if (!process.watches || process.version == version_) return;
          process.synchronizer->on_changed();
          drive(index);
        });
  }

  const HerdSetup& setup_;
  SimulatedLimit limit_;
  WindowWatch watch_;
  std::mt19937_64 random_;
  std::vector<Process> processes_;
  std::deque<Call> calls_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::uint64_t order_ = 0;
  Instant now_ = herd_start;
  std::string bytes_;
  std::uint64_t version_ = 0;
  HerdReport report_;
  std::int64_t left_ = 0;  // when the last request was counted
  Instant counted_at_ = {};
};

}  // namespace

double HerdReport::fairness() const {
  double sum = 0;
  double squares = 0;
  for (const auto count : served) {
    sum += static_cast<double>(count);
    squares += static_cast<double>(count) * static_cast<double>(count);
  }
  return squares == 0 ? 1 : sum * sum / (static_cast<double>(served.size()) * squares);
}

HerdReport run_herd(const HerdSetup& setup) { return Herd(setup).run(); }

}  // namespace laboratory
