#include "laboratory/gate_contender.hpp"

#include <utility>
#include <variant>

#include "wire/rate_limit.hpp"

namespace laboratory {

namespace quota = noun::quota;

GateContender::Desk& GateContender::desk_of(std::size_t worker) {
  if (worker >= desks_.size()) desks_.resize(worker + 1);
  return desks_[worker];
}

std::optional<Instant> GateContender::ask(std::size_t worker, Now now) {
  Desk& desk = desk_of(worker);
  auto decision = gate_->acquire(now, {}, {.patient_until = Instant::max()}, std::move(desk.place));
  if (auto* permit = std::get_if<quota::Permit>(&decision)) {
    desk.permit = std::move(*permit);
    return {};
  }
  auto& hold = std::get<quota::Hold>(decision);
  desk.place = std::move(hold.place);
  return hold.ask_again;
}

Again GateContender::hear(const Answer& answer) {
  Desk& desk = desk_of(answer.worker);
  const auto reading = noun::wire::read_rate_limit(answer.headers, {}, answer.received.wall);
  gate_->record(std::move(desk.permit), answer.received,
                {.reading = reading, .outcome = answer.rejected ? quota::Outcome::rejected : quota::Outcome::served});
  if (!answer.rejected) return {};
  const auto [at, reason] =
      gate_->earliest(answer.received, {},
                      {.rejection = quota::Rejection{
                           .at = answer.received.steady, .retry_after = reading.retry_after, .count = answer.attempt}});
  return {.at = at, .worker_waits = true};
}

bool GateContender::overtaken(std::size_t worker) const {
  return worker < desks_.size() && desks_[worker].place.ticket().overtaken();
}

}  // namespace laboratory
