#include "laboratory/shapes.hpp"

#include <algorithm>

#include "laboratory/gate_contender.hpp"
#include "wire/rate_limit.hpp"

namespace laboratory {
namespace {

using namespace std::chrono_literals;

Instant doubled_wait(const Response& response) {
  return response.received.steady + std::min<Duration>(1s * (1 << std::min(response.attempt - 1, 6)), 60s);
}

/// The reported reset, as read by a program that trusts its own clock; nothing if it is past.
std::optional<Instant> reported_reset(const Response& response) {
  const auto reading = noun::wire::read_rate_limit(response.headers, {}, response.received.wall);
  std::optional<Duration> in = response.rejected ? reading.retry_after : std::nullopt;
  if (!in && reading.reset) in = reading.reset->in ? *reading.reset->in : *reading.reset->at - response.received.wall;
  if (!in || *in <= 0s) return {};
  return response.received.steady + *in;
}

class DelayedJob final : public Contender {
 public:
  std::optional<Instant> acquire(std::size_t, Now, std::size_t) override { return {}; }
  Retry on_response(const Response& response) override {
    return {.at = reported_reset(response).value_or(doubled_wait(response)), .worker_waits = false};
  }
};

class SleepingPool final : public Contender {
 public:
  std::optional<Instant> acquire(std::size_t, Now, std::size_t) override { return {}; }
  Retry on_response(const Response& response) override {
    const auto reset = reported_reset(response);
    return {.at = reset ? *reset + 1s : doubled_wait(response), .worker_waits = true};
  }
};

class BlindBackoff final : public Contender {
 public:
  std::optional<Instant> acquire(std::size_t, Now, std::size_t) override { return {}; }
  Retry on_response(const Response& response) override { return {.at = doubled_wait(response), .worker_waits = true}; }
};

class EvenPace final : public Contender {
 public:
  explicit EvenPace(Duration step) : step_(step) {}

  std::optional<Instant> acquire(std::size_t, Now now, std::size_t) override {
    if (now.steady < next_) return next_;
    next_ = std::max(next_, now.steady) + step_;
    return {};
  }
  Retry on_response(const Response& response) override {
    return {.at = response.received.steady, .worker_waits = true};
  }

 private:
  Duration step_;
  Instant next_ = Instant::min();
};

class NaiveGate final : public Contender {
 public:
  std::optional<Instant> acquire(std::size_t, Now now, std::size_t) override {
    if (now.steady < closed_until_) return closed_until_;
    if (left_ && reset_ && now.steady >= *reset_) left_.reset();
    const bool may = left_ ? *left_ > in_flight_ : in_flight_ == 0;
    if (!may) return left_ == 0 && reset_ ? *reset_ : now.steady + 1s;
    ++in_flight_;
    return {};
  }

  Retry on_response(const Response& response) override {
    --in_flight_;
    const auto reading = noun::wire::read_rate_limit(response.headers, {}, response.received.wall);
    const auto reset = reported_reset(response);
    const auto before = reset_;
    if (reset) reset_ = reset;
    if (reading.remaining) {
      const bool same_window = left_ && before && reset && *reset < *before + 2s;
      left_ = same_window ? std::min(*left_, *reading.remaining) : *reading.remaining;
    }
    if (response.rejected) {
      left_.reset();
      closed_until_ = reset.value_or(doubled_wait(response));
    } else if (left_ == 0 && !reset_) {
      left_.reset();
      closed_until_ = response.received.steady + 1s;
    }
    return {.at = response.received.steady, .worker_waits = false};
  }

  // It does not store which worker saw what, so all workers try again after each response.
  bool overtaken(std::size_t) const override { return true; }

 private:
  std::optional<std::int64_t> left_;
  std::optional<Instant> reset_;
  Instant closed_until_ = Instant::min();
  std::int64_t in_flight_ = 0;
};

/// The limits of the API as they will be when the requests in flight have arrived.
struct KnownLimits {
  SimulatedLimit limit;
  SimulatedLimit second_limit;
  Second second;
  Duration way;
  Duration clock_offset;
};

class Clairvoyant final : public Contender {
 public:
  explicit Clairvoyant(std::shared_ptr<KnownLimits> known_limits) : known_limits_(std::move(known_limits)) {}

  std::optional<Instant> acquire(std::size_t, Now now, std::size_t route) override {
    auto& [limit, second_limit, second, way, clock_offset] = *known_limits_;
    const auto arrival = now.wall - clock_offset + way;
    const bool by_first = second != Second::partition || route == 0;
    const bool by_second = second == Second::policy || (second == Second::partition && route == 1);
    const Duration wait = std::max<Duration>(by_first ? limit.admits_in(arrival) : Duration(0),
                                             by_second ? second_limit.admits_in(arrival) : Duration(0));
    if (wait > 0s) return now.steady + wait;
    if (by_first) limit.count(arrival);
    if (by_second) second_limit.count(arrival);
    return {};
  }
  Retry on_response(const Response& response) override {
    return {.at = response.received.steady, .worker_waits = false};
  }

 private:
  std::shared_ptr<KnownLimits> known_limits_;
};

/// A contender for each client; all of them use the same shared state.
template <class T, class Shared, class Make>
MakeContender sharing(Make make) {
  auto shared = std::make_shared<std::shared_ptr<Shared>>();
  return [shared, make](std::size_t client, const Experiment& experiment) {
    if (client == 0) *shared = make(experiment);
    return std::make_unique<T>(*shared);
  };
}

Duration step_of(const Experiment& experiment, std::size_t parts) {
  return experiment.service.limit.period / experiment.service.limit.limit * static_cast<std::int64_t>(parts);
}

template <class T>
MakeContender alone() {
  return [](std::size_t, const Experiment&) { return std::make_unique<T>(); };
}

}  // namespace

std::string_view name_of(Shape shape) {
  switch (shape) {
    case Shape::serial_pager: return "serial pager";
    case Shape::delayed_job: return "queue that delays only the rejected job";
    case Shape::sleeping_pool: return "pool, each sleeps to reset + 1 s";
    case Shape::blind_backoff: return "blind doubling backoff";
    case Shape::even_pace: return "uniform pacing";
    case Shape::static_split: return "static split";
    case Shape::naive_gate: return "header gate, one probe";
    case Shape::noun_gate: return "noun's gate";
    case Shape::shared_gate: return "noun's gate, shared";
    case Shape::clairvoyant: return "clairvoyant";
  }
  return {};
}

MakeContender maker_of(Shape shape) {
  switch (shape) {
    case Shape::serial_pager:
    case Shape::sleeping_pool: return alone<SleepingPool>();
    case Shape::delayed_job: return alone<DelayedJob>();
    case Shape::blind_backoff: return alone<BlindBackoff>();
    case Shape::even_pace:
      return [](std::size_t, const Experiment& e) { return std::make_unique<EvenPace>(step_of(e, 1)); };
    case Shape::static_split:
      return
          [](std::size_t, const Experiment& e) { return std::make_unique<EvenPace>(step_of(e, e.workload.clients)); };
    case Shape::naive_gate: return alone<NaiveGate>();
    case Shape::noun_gate:
      return [](std::size_t, const Experiment&) {
        return std::make_unique<GateContender>(std::make_shared<noun::quota::Gate>());
      };
    case Shape::shared_gate:
      return sharing<GateContender, noun::quota::Gate>(
          [](const Experiment&) { return std::make_shared<noun::quota::Gate>(); });
    case Shape::clairvoyant: break;
  }
  return sharing<Clairvoyant, KnownLimits>([](const Experiment& experiment) {
    return std::make_shared<KnownLimits>(
        KnownLimits{SimulatedLimit(experiment.service.limit), SimulatedLimit(experiment.service.second_limit),
                    experiment.service.second, experiment.workload.latency / 2, experiment.workload.clock_offset});
  });
}

Outcome run(Experiment experiment, Shape shape) {
  if (shape == Shape::serial_pager) experiment.workload.in_flight = 1;
  experiment.workload.shared = shape == Shape::shared_gate;
  return run(experiment, maker_of(shape));
}

}  // namespace laboratory
