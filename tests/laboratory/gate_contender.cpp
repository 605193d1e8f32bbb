#include "laboratory/gate_contender.hpp"

#include <utility>
#include <variant>

#include "wire/rate_limit.hpp"

namespace laboratory {

namespace quota = noun::quota;

namespace {

/// The plain convention, another quota policy, and partitions.
const noun::Dialect& dialect() {
  static const noun::Dialect all = [] {
    noun::Dialect dialect;
    dialect.partition_header = "X-RateLimit-Resource";
    dialect.quotas.push_back({.name = "short",
                              .limit = "X-RateLimit-Limit-Short",
                              .remaining = "X-RateLimit-Remaining-Short",
                              .reset = "X-RateLimit-Reset-Short"});
    return dialect;
  }();
  return all;
}

}  // namespace

GateContender::WorkerState& GateContender::state_of(std::size_t worker) {
  if (worker >= states_.size()) states_.resize(worker + 1);
  return states_[worker];
}

std::optional<Instant> GateContender::acquire(std::size_t worker, Now now, std::size_t route) {
  WorkerState& state = state_of(worker);
  state.route = route + 1;
  auto decision =
      gate_->acquire(now, {}, {.patient_until = Instant::max(), .route = state.route}, std::move(state.place));
  if (auto* permit = std::get_if<quota::Permit>(&decision)) {
    state.permit = std::move(*permit);
    return {};
  }
  auto& hold = std::get<quota::Hold>(decision);
  state.place = std::move(hold.place);
  return hold.acquire_at;
}

Retry GateContender::on_response(const Response& response) {
  WorkerState& state = state_of(response.worker);
  quota::Report report{noun::wire::read_rate_limit(response.headers, dialect(), response.received.wall)};
  if (response.rejected) report.outcome = response.unavailable ? quota::Outcome::unavailable : quota::Outcome::rejected;
  report.healthy = report.outcome != quota::Outcome::unavailable;
  const auto recorded = gate_->record(std::move(state.permit), response.received, report);
  if (!response.rejected) return {};
  if (!recorded.rejected) return {.at = response.received.steady + std::chrono::seconds(1), .worker_waits = true};
  const auto [at, reason] = gate_->earliest(response.received, {}, {.route = state.route},
                                            noun::Rejection{.retry_after = report.retry_after,
                                                            .count = response.attempt,
                                                            .again = response.attempt > 1});
  return {.at = at, .worker_waits = true};
}

bool GateContender::overtaken(std::size_t worker) const {
  return worker < states_.size() && states_[worker].place.ticket().overtaken();
}

}  // namespace laboratory
