#include "laboratory/gate_contender.hpp"

#include <utility>
#include <variant>

#include "decision/backoff.hpp"
#include "wire/rate_limit.hpp"

namespace laboratory {

GateContender::Desk& GateContender::desk_of(std::size_t worker) {
  if (worker >= desks_.size()) desks_.resize(worker + 1);
  return desks_[worker];
}

std::optional<Instant> GateContender::ask(std::size_t worker, Now now) {
  Desk& desk = desk_of(worker);
  desk.hold = {};
  auto decision = gate_->admit(now, {}, {.patient_until = Instant::max()});
  if (auto* permit = std::get_if<noun::Permit>(&decision)) {
    desk.permit = std::move(*permit);
    return {};
  }
  desk.hold = std::move(std::get<noun::Hold>(decision));
  return desk.hold.until;
}

Again GateContender::hear(const Answer& answer) {
  Desk& desk = desk_of(answer.worker);
  const auto reading = noun::wire::read_rate_limit(answer.headers, {}, answer.received.wall);
  gate_->settle(std::move(desk.permit), answer.sent, answer.received,
                {.reading = reading, .rejected = answer.rejected});
  // As a call does: what the service told, or its own doubling; and the gate's hold, should that be longer.
  const auto own = reading.retry_after.value_or(noun::backoff({}, answer.attempt, 0));
  return {.at = noun::after(answer.received.steady, own), .worker_waits = true};
}

bool GateContender::overtaken(std::size_t worker) const {
  return worker < desks_.size() && desks_[worker].hold.ticket.overtaken();
}

}  // namespace laboratory
