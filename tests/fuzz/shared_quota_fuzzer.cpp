// Conversations of up to three processes with the store of their shared quota, and with a server that counts requests in
// windows. The input is the order of events: calls, responses, steps of the exchange with the store, which may take long
// or fail, deaths and new processes, and bytes in the store that nobody wrote. What is stored keeps its rules, permits
// come back, and when store and server are well, every call goes. Nothing is rejected as long as they always were.
#include <algorithm>
#include <array>
#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <fuzzer/FuzzedDataProvider.h>

#include "fuzz/invariant.hpp"
#include "quota/stored_state_rules.hpp"
#include "quota/synchronizer.hpp"

namespace {

using namespace std::chrono_literals;
using namespace noun;
using noun_fuzz::require;

constexpr Instant began{1000s};
constexpr WallTime wall_began{std::chrono::seconds(1'768'910'400)};
constexpr Duration store_offset = 77s - began.time_since_epoch();
constexpr Duration lease = 10s;
constexpr Duration latency = 20ms;
/// A server that is well responds soon after it, and a process that is well sends a step after it may: a gate sends
/// another request a second after a probe was granted without a response.
constexpr Duration slow = 400ms;
constexpr int longest_step_ms = 250;

/// Counts requests in windows that start at whole multiples of their length.
struct Server {
  std::int64_t limit = 1;
  Duration window = 1s;
  std::int64_t number = -1;
  std::int64_t used = 0;

  quota::Report count(Instant now) {
    const auto since = now - began;
    if (const auto current = since / window; current != number) {
      number = current;
      used = 0;
    }
    quota::Report report;
    report.limit = limit;
    report.reset = wire::ResetReading{.in = window - since % window, .at = {}};
    if (used == limit) report.outcome = quota::Outcome::rejected;
    report.remaining = limit - (used = std::min(used + 1, limit));
    return report;
  }
};

struct Store {
  QuotaStore::Stored stored = {0, {}, store_offset + began.time_since_epoch()};
  std::uint64_t last_version = 0;

  void put(std::string bytes) { stored = {++last_version, std::move(bytes), stored.time}; }
  void clear() { stored = {0, {}, stored.time}; }
  QuotaStore::Swapped swap(const quota::SwapStore& step) {
    if (step.version != stored.version) return {false, stored};
    put(step.bytes);
    return {true, {stored.version, {}, stored.time}};
  }
};

struct Driver final : quota::Sleeper {
  void on_woken(std::uint64_t) noexcept override {}
};

struct World {
  Server server;
  Store store;
  Instant now = began;
  std::int64_t rejected = 0;

  Now both() const { return {now, wall_began + (now - began)}; }
  void pass(Duration span) {
    now += span;
    store.stored.time += span;
  }
};

struct SharedCall {
  quota::Permit permit = {};
  quota::Place place = {};
  std::optional<quota::Report> response = {};  // what the server said; until the process receives it
  Instant sent = {};
  Instant due = Instant::max();  // when it acquires again, unless it is woken before
  int rejections = 0;
};

/// What becomes of an operation of the store.
enum class Fate { well, fails, lost };

class Process {
 public:
  Process(World& world, quota::HolderId id) : world_(world) {
    gate_->share({.id = id, .lease = lease}, driver_);
    synchronizer_.emplace(gate_);
  }

  bool is_idle() const { return calls_.empty(); }
  bool leaves() const { return leaves_; }
  std::size_t calls() const { return calls_.size(); }
  void leave() {
    leaves_ = true;
    gate_->leave();
  }

  void call() {
    calls_.emplace_back();
    acquire(calls_.back());
  }

  /// The response to a request arrives, of one that was sent before an instant.
  bool receive(std::size_t chosen, Instant before = Instant::max()) {
    std::vector<SharedCall*> sent;
    for (SharedCall& call : calls_)
      if (call.response && call.sent < before) sent.push_back(&call);
    if (sent.empty()) return false;
    SharedCall& call = *sent[chosen % sent.size()];
    const auto report = *std::exchange(call.response, {});
    gate_->record(std::move(call.permit), world_.both(), report);
    call.permit = {};
    if (report.outcome == quota::Outcome::rejected) {
      ++call.rejections;
      call.due = gate_->earliest(world_.both(), {}, {.route = 1}, Rejection{.count = call.rejections}).at;
    } else {
      std::erase_if(calls_, [&call](const SharedCall& one) { return &one == &call; });
    }
    gate_->take_woken();
    return true;
  }

  /// The calls that were woken, or whose time has come, acquire again.
  /// @returns  whether one was sent.
  bool retry() {
    bool sent = false;
    for (SharedCall& call : calls_)
      if (!call.response && (call.due <= world_.now || call.place.ticket().overtaken())) {
        acquire(call);
        sent = sent || call.response;
      }
    return sent;
  }

  /// Starts the next operation of the store; ends the one that was started.
  /// @returns  whether there was one.
  bool exchange(Fate fate) {
    if (operation_) {
      const auto step = std::exchange(operation_, {});
      finish(step->first, step->second, fate);
      gate_->take_woken();
      return true;
    }
    auto step = synchronizer_->next(world_.both());
    until_ = Instant::max();
    if (const auto* wait = std::get_if<quota::WaitForChange>(&step)) {
      until_ = wait->until;
      if (!wait->watches || wait->version == world_.store.stored.version) return false;
      synchronizer_->on_changed();
      return true;
    }
    if (std::holds_alternative<quota::LeftStore>(step)) return false;
    operation_.emplace(std::move(step), world_.now);
    return true;
  }

  /// When something happens next, if nothing is received before.
  Instant next() const {
    Instant next = until_;
    for (const SharedCall& call : calls_)
      if (!call.response) next = std::min(next, call.due);
    return next;
  }

  void check() const {
    const auto sent =
        std::count_if(calls_.begin(), calls_.end(), [](const auto& one) { return one.response.has_value(); });
    require(gate_->snapshot(world_.both()).in_flight >= static_cast<std::size_t>(sent), "who sent has a permit");
  }

 private:
  void acquire(SharedCall& call) {
    auto result =
        gate_->acquire(world_.both(), {}, {.patient_until = Instant::max(), .route = 1}, std::move(call.place));
    call.place = {};
    if (auto* permit = std::get_if<quota::Permit>(&result)) {
      call.permit = std::move(*permit);
      call.response = world_.server.count(world_.now);
      call.sent = world_.now;
      world_.rejected += call.response->outcome == quota::Outcome::rejected;
    } else {
      auto& hold = std::get<quota::Hold>(result);
      require(hold.acquire_at >= world_.now, "a wait is not over before it begins");
      call.place = std::move(hold.place);
      call.due = std::max(hold.acquire_at, world_.now + 1ns);
    }
    gate_->take_woken();
  }

  void finish(const quota::StoreStep& step, Instant sent, Fate fate) {
    const auto* swap = std::get_if<quota::SwapStore>(&step);
    if (fate == Fate::fails) return synchronizer_->on_failed(world_.both());
    if (swap == nullptr) {
      if (fate == Fate::lost) return synchronizer_->on_failed(world_.both());
      return synchronizer_->on_read(world_.store.stored, sent, world_.both());
    }
    const auto swapped = world_.store.swap(*swap);
    if (swapped.swapped) {
      const auto broken = quota_tests::broken_rule(world_.store.stored.bytes, world_.both(), store_offset);
      require(broken.empty(), broken.c_str());
    }
    if (fate == Fate::lost) return synchronizer_->on_failed(world_.both());
    synchronizer_->on_swapped(swapped, sent, world_.both());
  }

  World& world_;
  std::shared_ptr<quota::Gate> gate_ = std::make_shared<quota::Gate>();
  std::shared_ptr<Driver> driver_ = std::make_shared<Driver>();
  std::optional<quota::Synchronizer> synchronizer_ = {};
  std::deque<SharedCall> calls_ = {};
  std::optional<std::pair<quota::StoreStep, Instant>> operation_ = {};
  Instant until_ = Instant::max();
  bool leaves_ = false;
};

using Processes = std::array<std::optional<Process>, 3>;

/// All operations of the store that are due, without a fault.
void synchronize(Processes& processes) {
  for (bool any = true; any;) {
    any = false;
    for (auto& process : processes)
      for (int steps = 0; process && process->exchange(Fate::well); ++steps) {
        require(steps < 1000, "an exchange with a store that is well ends");
        any = true;
      }
  }
}

/// Everything that happens while the store and the server are well, until all calls have ended.
void finish(World& world, Processes& processes) {
  const auto is_idle = [](const auto& one) { return !one || one->is_idle(); };
  for (int rounds = 0; !std::all_of(processes.begin(), processes.end(), is_idle); ++rounds) {
    require(rounds < 2000, "calls go when store and server are well");
    synchronize(processes);
    Instant next = Instant::max();
    bool received = false;
    world.pass(latency);
    for (auto& process : processes)
      while (process && process->receive(0)) received = true;
    for (auto& process : processes)
      if (process) {
        received = process->retry() || received;
        next = std::min(next, process->next());
      }
    if (!received && next > world.now && next != Instant::max()) world.pass(next - world.now);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzedDataProvider input(data, size);
  World world;
  const bool is_honest = input.ConsumeBool();
  world.server.limit = input.ConsumeIntegralInRange(1, 12);
  world.server.window = std::chrono::seconds(input.ConsumeIntegralInRange(1, 30));
  quota::HolderId last_id = 0;
  Processes processes;
  processes[0].emplace(world, ++last_id);
  for (int events = 0; events < 200 && input.remaining_bytes() > 0; ++events) {
    const auto byte = input.ConsumeIntegral<std::uint8_t>();
    auto& process = processes[byte % processes.size()];
    const auto event = byte / processes.size() % 10;
    if (!process) {
      if (event == 0) process.emplace(world, ++last_id);
      continue;
    }
    switch (event) {
      case 0:
      case 1:
        if (process->calls() < 8 && !process->leaves()) process->call();
        break;
      case 2:
      case 3: process->receive(input.ConsumeIntegral<std::uint8_t>()); break;
      case 4: world.pass(latency); break;
      case 5: world.pass(std::chrono::milliseconds(input.ConsumeIntegralInRange(1, is_honest ? longest_step_ms : 20'000))); break;
      case 6:
        if (is_honest) break;
        switch (input.ConsumeIntegralInRange(0, 5)) {
          case 0: process.reset(); break;
          case 1: world.store.clear(); break;
          case 2: world.store.put(input.ConsumeRandomLengthString(64)); break;
          case 3:
            if (auto bytes = world.store.stored.bytes; !bytes.empty()) {
              bytes[input.ConsumeIntegralInRange<std::size_t>(0, bytes.size() - 1)] ^=
                  static_cast<char>(1 << input.ConsumeIntegralInRange(0, 7));
              world.store.put(std::move(bytes));
            }
            break;
          default: process->exchange(input.ConsumeBool() ? Fate::fails : Fate::lost); break;
        }
        break;
      case 7:
        if (process->is_idle()) process->leave();
        break;
      default: process->exchange(Fate::well); break;
    }
    if (is_honest) {
      synchronize(processes);
      for (auto& one : processes)
        while (one && one->receive(0, world.now - slow)) continue;
    }
    for (auto& one : processes)
      if (one) {
        one->retry();
        one->check();
      }
  }
  finish(world, processes);
  if (is_honest) require(world.rejected == 0, "nothing is rejected while all is well");
  return 0;
}
