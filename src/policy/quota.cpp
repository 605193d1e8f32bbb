#include "policy/quota.hpp"

namespace noun::inline v0 {
namespace {

std::string sentence_of(QuotaNote note) {
  switch (note) {
    case QuotaNote::none: break;
    case QuotaNote::implausible_reset:
      return "the service's rate-limit reset cannot be right and was ignored: check the dialect's reset_form";
    case QuotaNote::no_date:
      return "the answer has no usable Date, so the service's rate-limit reset is read by this machine's clock";
  }
  return {};
}

}  // namespace

Permit& Permit::operator=(Permit&& other) noexcept {
  Permit before{std::move(gate_), ticket_};
  gate_ = std::move(other.gate_);
  ticket_ = other.ticket_;
  return *this;
}

Permit::~Permit() {
  if (gate_) gate_->give_back(ticket_);
}

HeldMark::HeldMark(std::shared_ptr<QuotaGate> gate) noexcept : gate_(std::move(gate)) {
  gate_->held_.fetch_add(1, std::memory_order_relaxed);
}

HeldMark& HeldMark::operator=(HeldMark&& other) noexcept {
  HeldMark before;
  before.gate_ = std::move(gate_);
  gate_ = std::move(other.gate_);
  return *this;
}

HeldMark::~HeldMark() {
  if (gate_) gate_->held_.fetch_sub(1, std::memory_order_relaxed);
}

std::variant<Permit, Hold> QuotaGate::admit(Now now, const QuotaPolicy& policy, Priority priority,
                                            Instant patient_until) {
  const std::lock_guard lock(mutex_);
  const auto decision = state_.admit(now.steady, policy, priority, patient_until);
  if (decision.admitted) return Permit(shared_from_this(), decision.ticket);
  return Hold{decision.until, decision.reason, WakeTicket{&changes_, changes_.load(std::memory_order_relaxed)},
              HeldMark(shared_from_this())};
}

std::string QuotaGate::settle(Permit permit, Now sent, Now received, const QuotaAnswer& answer) {
  if (permit.gate_.get() != this) return {};
  const std::shared_ptr<QuotaGate> self = std::move(permit.gate_);
  QuotaNote note = QuotaNote::none;
  {
    const std::lock_guard lock(mutex_);
    const QuotaOutlook before = state_.outlook();
    note = state_.settle(permit.ticket_, sent, received, answer);
    if (state_.outlook() != before) changes_.fetch_add(1, std::memory_order_release);
  }
  return sentence_of(note);
}

void QuotaGate::give_back(const PermitTicket& ticket) noexcept {
  const std::lock_guard lock(mutex_);
  state_.give_back(ticket);
  changes_.fetch_add(1, std::memory_order_release);
}

QuotaSnapshot QuotaGate::snapshot(Now now) const {
  const std::lock_guard lock(mutex_);
  QuotaSnapshot snapshot = state_.snapshot(now.steady);
  snapshot.held = held_.load(std::memory_order_relaxed);
  return snapshot;
}

QuotaReading QuotaGate::reading(Now now) const {
  const std::lock_guard lock(mutex_);
  return state_.reading(now.steady);
}

}  // namespace noun::inline v0
