#include "laboratory/shapes_table.hpp"

#include <algorithm>

#include "laboratory/optimum.hpp"

namespace laboratory {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t few = 500;
constexpr std::int64_t many = 3100;

Experiment experiment_of(std::int64_t requests, std::size_t clients, std::int64_t first_share) {
  Experiment experiment;
  experiment.service.limit.limit = 600;
  experiment.workload.requests = requests;
  experiment.workload.clients = clients;
  experiment.workload.in_flight = 10;
  experiment.workload.first_share = first_share;
  return experiment;
}

/// The client with the most work may take the longest.
Duration least(const WorkloadSetup& workload) {
  const Work all{workload.requests, static_cast<std::int64_t>(workload.clients * workload.in_flight), workload.latency};
  const Work most{workload.requests * workload.first_share / 100, static_cast<std::int64_t>(workload.in_flight),
                  workload.latency};
  return std::max(best_in_windows(all, {600, 600, 60s, 60s}), best_without_limit(most));
}

struct Line {
  const char* name;
  Shape shape;
  std::size_t clients;
  std::int64_t first_share;
  double few;
  double many;
  std::int64_t rejected;
};

// The last three columns are the figures of the design.
constexpr Line lines[] = {
    {"serial pager", Shape::serial_pager, 1, 0, 10.0, 2.05, 0},
    {"queue that delays only the rejected job", Shape::delayed_job, 1, 0, 1.00, 1.00, 6400},
    {"pool, each sleeps to reset + 1 s", Shape::sleeping_pool, 1, 0, 1.00, 1.00, 50},
    {"blind doubling backoff", Shape::blind_backoff, 1, 0, 1.00, 1.06, 280},
    {"uniform pacing", Shape::even_pace, 1, 0, 5.01, 1.03, 1},
    {"header gate, one probe", Shape::naive_gate, 1, 0, 1.02, 1.00, 0},
    {"4 processes, gate, not shared", Shape::naive_gate, 4, 0, 1.08, 1.00, 150},
    {"4 processes, static split, uneven work", Shape::static_split, 4, 70, 20, 2.89, 0},
    {"4 processes, shared ledger, uneven work", Shape::shared_gate, 4, 70, 1.03, 1.00, 0},
    {"noun's gate", Shape::noun_gate, 1, 0, 1.02, 1.00, 0},
    {"4 processes, noun's gate, not shared", Shape::noun_gate, 4, 0, 1.08, 1.00, 150},
};

double slowdown(const Experiment& experiment, const Outcome& outcome) {
  return static_cast<double>(outcome.elapsed.count()) / static_cast<double>(least(experiment.workload).count());
}

}  // namespace

std::vector<ShapeRow> shapes_table() {
  std::vector<ShapeRow> rows;
  for (const Line& line : lines) {
    auto experiment = experiment_of(few, line.clients, line.first_share);
    ShapeRow row{line.name, 0, 0, 0, line.few, line.many, line.rejected};
    row.few = slowdown(experiment, run(experiment, line.shape));
    experiment.workload.requests = many;
    const auto outcome = run(experiment, line.shape);
    row.many = slowdown(experiment, outcome);
    row.rejected = outcome.rejected;
    rows.push_back(row);
  }
  return rows;
}

}  // namespace laboratory
