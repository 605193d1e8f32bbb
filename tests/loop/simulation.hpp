#pragma once
/// @file
/// The simulated driver: many calls at once in virtual time, on one thread. It runs the machine of the concurrent driver
/// against a queue of arrivals.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <queue>
#include <vector>

#include <noun/testing/manual_clock.hpp>

#include "loop/driver.hpp"
#include "loop/loop_machine.hpp"

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
  void start(std::unique_ptr<CallJob> job, Finished finished);
  /// Runs until every call has ended.
  void run();

 private:
  using Id = RunningCall::Id;
  struct Woken final : quota::Sleeper {
    void on_woken(std::uint64_t call) noexcept override { calls.push_back(call); }
    std::vector<Id> calls;
  };
  /// A request arrives at the server, or its response at the client.
  struct Arrival {
    Instant when;
    std::uint64_t order;
    Id of;
    const Send* send;
    std::shared_ptr<Result<Response>> response;

    friend bool operator>(const Arrival& left, const Arrival& right) noexcept {
      return left.when != right.when ? left.when > right.when : left.order > right.order;
    }
  };

  void arrive(const Arrival& arrival);
  template <class Event>
  void handle(Event event);
  void perform(std::monostate) {}
  void perform(StartAttempt& action);
  void perform(CancelAttempt&) {}
  void perform(AskCredentials& action);
  void perform(Sleep& action);
  void perform(Finish& action);

  DriverContext& context_;
  testing::ManualClock& clock_;
  Latency latency_;
  LoopMachine machine_;
  std::priority_queue<Arrival, std::vector<Arrival>, std::greater<>> arrivals_;
  std::shared_ptr<Woken> woken_ = std::make_shared<Woken>();
  Id last_id_ = 0;
  std::uint64_t order_ = 0;
  std::uint64_t exchanges_ = 0;
};

}}  // namespace noun
