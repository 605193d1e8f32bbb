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

GateContender::Desk& GateContender::desk_of(std::size_t worker) {
  if (worker >= desks_.size()) desks_.resize(worker + 1);
  return desks_[worker];
}

std::optional<Instant> GateContender::ask(std::size_t worker, Now now, std::size_t route) {
  Desk& desk = desk_of(worker);
  desk.route = route + 1;
  auto decision =
      gate_->acquire(now, {}, {.patient_until = Instant::max(), .route = desk.route}, std::move(desk.place));
  if (auto* permit = std::get_if<quota::Permit>(&decision)) {
    desk.permit = std::move(*permit);
    return {};
  }
  auto& hold = std::get<quota::Hold>(decision);
  desk.place = std::move(hold.place);
  return hold.acquire_at;
}

Again GateContender::hear(const Answer& answer) {
  Desk& desk = desk_of(answer.worker);
  const auto reading = noun::wire::read_rate_limit(answer.headers, dialect(), answer.received.wall);
  const auto outcome = !answer.rejected     ? quota::Outcome::served
                       : answer.unavailable ? quota::Outcome::unavailable
                                            : quota::Outcome::rejected;
  const auto recorded =
      gate_->record(std::move(desk.permit), answer.received,
                    {.reading = reading, .outcome = outcome, .healthy = outcome != quota::Outcome::unavailable});
  if (!answer.rejected) return {};
  if (!recorded.rejected) return {.at = answer.received.steady + std::chrono::seconds(1), .worker_waits = true};
  const auto [at, reason] = gate_->earliest(answer.received, {},
                                            {.route = desk.route,
                                             .rejection = quota::Rejection{.at = answer.received.steady,
                                                                           .retry_after = reading.retry_after,
                                                                           .count = answer.attempt,
                                                                           .zero_believed = answer.attempt > 1}});
  return {.at = at, .worker_waits = true};
}

bool GateContender::overtaken(std::size_t worker) const {
  return worker < desks_.size() && desks_[worker].place.ticket().overtaken();
}

}  // namespace laboratory
