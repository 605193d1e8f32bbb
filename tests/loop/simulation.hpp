#pragma once
/// @file
/// The simulated driver: many calls at once in virtual time, on one thread. It runs the same call state machine as the
/// blocking driver, from a priority queue of events.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <queue>
#include <vector>

#include <noun/testing/manual_clock.hpp>

#include "call/call.hpp"
#include "loop/driver.hpp"

namespace noun { inline namespace v0 {

/// Runs calls as if each had its own thread. The transport responds at once and does not move the clock; the simulation
/// adds the latency.
class Simulation {
 public:
  using Finished = std::function<void(Done)>;
  /// The round-trip time of exchange number n (from 1).
  using Latency = std::function<Duration(std::uint64_t exchange)>;

  /// @param context  must use `clock` as its clock.
  Simulation(DriverContext& context, testing::ManualClock& clock, Latency latency);

  /// Starts a call now; `finished` may start another one.
  void start(std::unique_ptr<Call> call, Finished finished);
  /// Runs until every call has ended.
  void run();

 private:
  struct Running {
    std::unique_ptr<Call> call;
    Finished finished;
    Step step;
    std::optional<Result<Response>> response;
    Instant wake_at = {};
    bool waiting = false;
  };
  enum class What { arrives, responds, wakes };
  struct Event {
    Instant when;
    std::uint64_t order;
    What what;
    std::shared_ptr<Running> of;

    friend bool operator>(const Event& left, const Event& right) noexcept {
      return left.when != right.when ? left.when > right.when : left.order > right.order;
    }
  };

  void schedule(Instant when, What what, std::shared_ptr<Running> of);
  void take_step(const std::shared_ptr<Running>& running, Step step);
  void handle(const Event& event);
  void wake_the_overtaken();

  DriverContext& context_;
  testing::ManualClock& clock_;
  Latency latency_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::vector<std::shared_ptr<Running>> waiting_;
  std::uint64_t order_ = 0;
  std::uint64_t exchanges_ = 0;
};

}}  // namespace noun
