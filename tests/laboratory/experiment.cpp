#include "laboratory/experiment.hpp"

#include <algorithm>
#include <numeric>
#include <queue>
#include <random>

#include <fmt/format.h>

#include "laboratory/window_watch.hpp"

namespace laboratory {
namespace {

using namespace std::chrono_literals;
using noun::WallTime;

constexpr Instant steady_start{1000s};
constexpr Duration longest = 48h;
constexpr std::int64_t max_attempts = 100;  // per job, on average

/// A job to be sent again.
struct Postponed {
  Instant at;
  int attempt;
  std::size_t route;

  bool operator>(const Postponed& other) const { return at > other.at; }
};

struct Client {
  std::unique_ptr<Contender> contender;
  std::int64_t fresh = 0;
  std::priority_queue<Postponed, std::vector<Postponed>, std::greater<>> postponed;
};

struct Worker {
  std::size_t client = 0;
  std::size_t number = 0;  // among the workers of its client
  int attempt = 0;         // of its job; 0 without a job
  bool waits = false;      // for its contender
  std::uint64_t epoch = 0;
  Now sent = {};
  bool rejected = false;
  std::size_t route = 0;
  noun::Headers headers = {};
};

enum class EventKind { acquire, arrive, receive };

struct Event {
  Instant at;
  std::uint64_t order;
  EventKind kind;
  std::size_t worker;
  std::uint64_t epoch;

  bool operator>(const Event& other) const { return at != other.at ? at > other.at : order > other.order; }
};

class Simulation {
 public:
  Simulation(const Experiment& experiment, const MakeContender& make_contender)
      : service_(experiment.service),
        workload_(experiment.workload),
        trace_(experiment.trace),
        limit_(experiment.service.limit),
        second_limit_(experiment.service.second_limit),
        watch_(experiment.service.limit, sendable_per_second(experiment.workload)),
        random_(experiment.seed) {
    for (std::size_t client = 0; client < workload_.clients; ++client) {
      clients_.push_back({make_contender(client, experiment), share_of(client), {}});
      for (std::size_t number = 0; number < workload_.in_flight; ++number)
        workers_.push_back({.client = client, .number = number});
    }
  }

  Outcome run() {
    for (std::size_t worker = 0; worker < workers_.size(); ++worker) schedule(now_, EventKind::acquire, worker);
    while (!events_.empty() && !is_over()) {
      const Event event = events_.top();
      events_.pop();
      now_ = event.at;
      handle(event);
    }
    outcome_.finished = done_ == workload_.requests;
    outcome_.elapsed = now_ - steady_start;
    outcome_.utilisation = watch_.utilisation();
    outcome_.probe_error = watch_.probe_error();
    return outcome_;
  }

 private:
  static double sendable_per_second(const WorkloadSetup& workload) {
    return static_cast<double>(workload.clients * workload.in_flight) /
           std::chrono::duration<double>(workload.latency).count();
  }

  bool is_over() const {
    return done_ == workload_.requests || now_ >= steady_start + longest ||
           outcome_.requests > max_attempts * workload_.requests;
  }

  std::int64_t share_of(std::size_t client) const {
    const auto clients = static_cast<std::int64_t>(workload_.clients);
    const auto number = static_cast<std::int64_t>(client);
    const std::int64_t first = workload_.first_share * workload_.requests / 100;
    if (first == 0) return workload_.requests / clients + (number < workload_.requests % clients ? 1 : 0);
    const std::int64_t rest = workload_.requests - first;
    if (client == 0) return first;
    return rest / (clients - 1) + (number <= rest % (clients - 1) ? 1 : 0);
  }

  WallTime service_clock() const { return first_minute + workload_.start + (now_ - steady_start); }
  Now client_now() const { return {now_, service_clock() + workload_.clock_offset}; }

  void schedule(Instant at, EventKind kind, std::size_t worker) {
    events_.push({at, order_++, kind, worker, workers_[worker].epoch});
  }

  void trace(const std::string& line) const {
    if (trace_) trace_(now_ - steady_start, line);
  }

  void handle(const Event& event) {
    switch (event.kind) {
      case EventKind::acquire:
        if (event.epoch != workers_[event.worker].epoch) return;
        acquire(event.worker);
        return wake(workers_[event.worker].client);
      case EventKind::arrive: return arrive(event.worker);
      case EventKind::receive: return receive(event.worker);
    }
  }

  /// Gives the worker a job if one is ready.
  bool take_job(Worker& worker) {
    Client& client = clients_[worker.client];
    if (worker.attempt > 0) return true;
    if (!client.postponed.empty() && client.postponed.top().at <= now_) {
      worker.attempt = client.postponed.top().attempt;
      worker.route = client.postponed.top().route;
      client.postponed.pop();
      return true;
    }
    if (client.fresh == 0) return false;
    worker.route = service_.second == Second::partition ? static_cast<std::size_t>(client.fresh % 2) : 0;
    --client.fresh;
    worker.attempt = 1;
    return true;
  }

  void acquire(std::size_t index) {
    Worker& worker = workers_[index];
    Client& client = clients_[worker.client];
    worker.waits = false;
    ++worker.epoch;
    if (!take_job(worker)) {
      if (!client.postponed.empty()) schedule(client.postponed.top().at, EventKind::acquire, index);
      return;
    }
    const auto until = client.contender->acquire(worker.number, client_now(), worker.route);
    if (until) {
      if (trace_)
        trace(fmt::format("client {} worker {} holds for {:.3f} s", worker.client, worker.number, span(*until)));
      worker.waits = true;
      return schedule(std::max(*until, now_ + 1ns), EventKind::acquire, index);
    }
    worker.sent = client_now();
    schedule(now_ + one_way(), EventKind::arrive, index);
  }

  double span(Instant until) const { return std::chrono::duration<double>(until - now_).count(); }

  Duration one_way() {
    if (!workload_.jitter) return workload_.latency / 2;
    const auto most = static_cast<std::uint64_t>(workload_.latency.count() / 2);
    return workload_.latency / 4 + Duration(static_cast<std::int64_t>(random_() % most));
  }

  void arrive(std::size_t index) {
    Worker& worker = workers_[index];
    const auto at = service_clock();
    auto fields = service_.fields;
    const bool error = outcome_.requests % 10 == 6;
    if (service_.bare_errors && error) fields.counts = false;
    const auto verdict = count(worker, at, fields);
    ++outcome_.requests;
    worker.rejected = !verdict.admitted;
    if (worker.rejected) ++outcome_.rejected;
    if (trace_) trace(trace_line(worker, verdict));
    schedule(now_ + one_way(), EventKind::receive, index);
  }

  /// Counts the request on the limits that apply to it, and writes what they report.
  LimitVerdict count(Worker& worker, WallTime at, LimitFieldOptions fields) {
    if (service_.most_at_once > 0) {
      const bool admitted = serving_ < service_.most_at_once;
      if (admitted) ++serving_;
      worker.headers = limit_fields({.admitted = admitted}, at, fields);
      return {.admitted = admitted};
    }
    const auto write = [&](const LimitVerdict& verdict) {
      auto own = fields;
      if (service_.bare_errors && !verdict.admitted) own.counts = false;
      return limit_fields(verdict, at, own);
    };
    if (service_.second == Second::partition) {
      const auto verdict = (worker.route == 0 ? limit_ : second_limit_).count(at);
      worker.headers = write(verdict);
      worker.headers.set("X-RateLimit-Resource", worker.route == 0 ? "core" : "search");
      return verdict;
    }
    // A request that one limit rejects is counted by none.
    auto first = limit_;
    auto verdict = first.count(at);
    const bool second_admits = service_.second == Second::none || second_limit_.admits_in(at) <= Duration::zero();
    if (second_admits || !verdict.admitted) limit_ = first;
    watch_.see(verdict, at);
    worker.headers = write(verdict);
    if (service_.second == Second::none) return verdict;
    auto second = second_limit_;
    const auto further = second.count(at);
    if (verdict.admitted || !further.admitted) second_limit_ = second;
    for (const auto& field : write(further)) {
      if (field.name.starts_with("X-RateLimit-")) worker.headers.set(field.name + "-Short", field.value);
      if (field.name == "Retry-After" && !further.admitted) worker.headers.set(field.name, field.value);
    }
    verdict.admitted = verdict.admitted && further.admitted;
    return verdict;
  }

  static std::string trace_line(const Worker& worker, const LimitVerdict& verdict) {
    std::string line = fmt::format("client {} worker {} {} ({} left, {:.3f} s)", worker.client, worker.number,
                                   worker.rejected ? "REJECTED" : "admitted", verdict.remaining,
                                   std::chrono::duration<double>(verdict.resets_in).count());
    for (const auto& field : worker.headers)
      if (field.name != "Date") line += fmt::format(" {}: {}", field.name, field.value);
    return line;
  }

  void receive(std::size_t index) {
    Worker& worker = workers_[index];
    Client& client = clients_[worker.client];
    const auto retry = client.contender->on_response({.worker = worker.number,
                                                      .attempt = worker.attempt,
                                                      .rejected = worker.rejected,
                                                      .unavailable = service_.unavailable,
                                                      .sent = worker.sent,
                                                      .received = client_now(),
                                                      .headers = worker.headers});
    Instant next = now_;
    if (!worker.rejected) {
      if (service_.most_at_once > 0) --serving_;
      ++done_;
      worker.attempt = 0;
    } else if (retry.worker_waits) {
      ++worker.attempt;
      next = std::max(retry.at, now_);
    } else {
      client.postponed.push({retry.at, worker.attempt + 1, worker.route});
      worker.attempt = 0;
    }
    wake(worker.client);
    if (next > now_) return schedule(next, EventKind::acquire, index);
    acquire(index);
  }

  void wake(std::size_t of) {
    const std::size_t first = workload_.shared ? 0 : of * workload_.in_flight;
    const std::size_t end = workload_.shared ? workers_.size() : first + workload_.in_flight;
    // An admitted request may allow others to be admitted.
    for (bool any = true; any;) {
      any = false;
      for (std::size_t index = first; index < end; ++index) {
        const Worker& worker = workers_[index];
        if (!worker.waits || !clients_[worker.client].contender->overtaken(worker.number)) continue;
        acquire(index);
        any = any || !worker.waits;
      }
    }
  }

  ServiceSetup service_;
  WorkloadSetup workload_;
  Tracer trace_;
  SimulatedLimit limit_;
  SimulatedLimit second_limit_;
  WindowWatch watch_;
  std::mt19937_64 random_;
  std::vector<Client> clients_;
  std::vector<Worker> workers_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::uint64_t order_ = 0;
  std::size_t serving_ = 0;
  std::int64_t done_ = 0;
  Instant now_ = steady_start;
  Outcome outcome_;
};

}  // namespace

double Outcome::worst_utilisation() const {
  return utilisation.empty() ? 1 : *std::min_element(utilisation.begin(), utilisation.end());
}

double Outcome::mean_utilisation() const {
  if (utilisation.empty()) return 1;
  return std::accumulate(utilisation.begin(), utilisation.end(), 0.0) / static_cast<double>(utilisation.size());
}

Outcome run(const Experiment& experiment, const MakeContender& make_contender) {
  return Simulation(experiment, make_contender).run();
}

}  // namespace laboratory
