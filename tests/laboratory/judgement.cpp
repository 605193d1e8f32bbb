#include "laboratory/judgement.hpp"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "laboratory/optimum.hpp"

namespace laboratory {
namespace {


bool bars_hold(const Experiment& experiment) {
  const auto& service = experiment.service;
  const auto kind = service.limit.kind;
  const bool is_reported = service.fields.reset != WrittenReset::absent && service.fields.lie == ResetLie::none;
  const bool is_simple =
      kind == LimitKind::aligned_window || kind == LimitKind::first_window || kind == LimitKind::token_bucket;
  return experiment.workload.clients == 1 && is_reported && is_simple && service.most_at_once == 0;
}

std::string bars_not_met(const Experiment& experiment, const Judgement& judgement) {
  std::string not_met;
  const auto add = [&](const std::string& text) { not_met += (not_met.empty() ? "" : ", ") + text; };
  const Outcome& outcome = judgement.outcome;
  if (!outcome.finished) add("not finished");
  if (outcome.rejected > 0) add(fmt::format("{} rejected", outcome.rejected));
  const bool counted_once = experiment.service.second == Second::none;
  if (counted_once && outcome.worst_utilisation() < 0.99)
    add(fmt::format("{:.0f} % used", 100 * outcome.worst_utilisation()));
  const Duration bar = judgement.least + judgement.least / 50 + 2 * experiment.workload.latency;
  if (!experiment.workload.jitter && outcome.elapsed > bar)
    add(fmt::format("{:.2f} of the least time", judgement.slowdown()));
  return not_met;
}

Rival best_rival(const Experiment& experiment) {
  Rival best;
  bool first = true;
  for (const Shape shape : rivals) {
    const auto outcome = run(experiment, shape);
    const Rival rival{shape, outcome.waste(), outcome.finished ? outcome.elapsed : Duration::max()};
    if (first || std::tie(rival.waste, rival.elapsed) < std::tie(best.waste, best.elapsed)) best = rival;
    first = false;
  }
  return best;
}

std::string worse_than(const Rival& best, const Judgement& judgement, Duration latency) {
  const Outcome& outcome = judgement.outcome;
  if (!outcome.finished && best.elapsed < Duration::max()) return "not finished";
  if (outcome.waste() > best.waste)
    return fmt::format("{:.1f} % waste, {} has {:.1f} %", 100 * outcome.waste(), name_of(best.shape), 100 * best.waste);
  if (best.elapsed == Duration::max() || outcome.elapsed <= best.elapsed + best.elapsed / 20 + 2 * latency) return {};
  const auto slower = static_cast<double>(outcome.elapsed.count()) / static_cast<double>(best.elapsed.count());
  return fmt::format("{:.2f} of the time of the {}", slower, name_of(best.shape));
}

}  // namespace

Duration least_time(const Experiment& experiment) {
  const auto& limit = experiment.service.limit;
  const auto& workload = experiment.workload;
  const Work work{workload.requests, static_cast<std::int64_t>(workload.clients * workload.in_flight),
                  workload.latency};
  // With two limits, or without a formula, the best possible result is simulated.
  switch (experiment.service.second == Second::none ? limit.kind : LimitKind::two_counters) {
    case LimitKind::aligned_window: {
      const Duration into = (first_minute.time_since_epoch() + workload.start - limit.phase) % limit.period;
      return best_in_windows(work, {limit.limit, limit.limit, limit.period - into, limit.period});
    }
    case LimitKind::first_window:
      return best_in_windows(work, {limit.limit, limit.limit, limit.period + workload.latency / 2, limit.period});
    case LimitKind::sliding_log: return best_in_log(work, limit.limit, limit.period);
    case LimitKind::token_bucket: return best_in_bucket(work, limit.limit, limit.limit, limit.period);
    case LimitKind::sliding_counter:
    case LimitKind::extended_window:
    case LimitKind::two_counters: break;
  }
  Experiment in_order = experiment;
  in_order.workload.jitter = false;
  in_order.trace = {};
  return run(in_order, Shape::clairvoyant).elapsed;
}

Judgement judge(const Cell& cell, const GridSettings& settings) {
  const Experiment experiment = experiment_of(cell, settings);
  Judgement judgement;
  judgement.cell = cell;
  judgement.outcome = run(experiment, Shape::noun_gate);
  judgement.least = least_time(experiment);
  judgement.must_meet = bars_hold(experiment);
  if (judgement.must_meet) {
    judgement.not_met = bars_not_met(experiment, judgement);
  } else {
    judgement.best = best_rival(experiment);
    judgement.not_met = worse_than(judgement.best, judgement, settings.latency);
  }
  return judgement;
}

}  // namespace laboratory
