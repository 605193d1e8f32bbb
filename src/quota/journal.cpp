#include "quota/journal.hpp"

namespace noun { inline namespace v0 { namespace quota {

void Journal::reserve() {
  if (flights_.size() == flights_.capacity()) flights_.reserve(2 * flights_.size() + 16);
  const auto steps = steps_.size() + flights_.size() + 2;  // a response to each flight, and both steps of the new one
  if (steps > steps_.capacity()) steps_.reserve(2 * steps + 16);
}

std::uint64_t Journal::send(Flight flight) noexcept {
  flights_.push_back(std::move(flight));
  steps_.push_back({.flight = first_ + flights_.size() - 1});
  return steps_.back().flight;
}

Flight Journal::take(std::uint64_t number) noexcept {
  const auto step = std::find_if(steps_.begin(), steps_.end(), [&](const Step& each) { return each.flight == number; });
  if (step - steps_.begin() < static_cast<std::ptrdiff_t>(proposed_)) --proposed_;
  steps_.erase(step);
  Flight& one = flight(number);
  one.active = false;
  Flight taken = std::move(one);
  drop_flights();
  return taken;
}

void Journal::drop_steps(std::size_t count) {
  const auto end = steps_.begin() + static_cast<std::ptrdiff_t>(count);
  const auto is_over = [&](const Step& step) { return step.recorded || !flight(step.flight).active; };
  steps_.erase(std::remove_if(steps_.begin(), end, is_over), end);
  drop_flights();
}

/// Drops the first flights if most are over: each is moved at most once for each that is dropped.
void Journal::drop_flights() noexcept {
  const auto active = std::find_if(flights_.begin(), flights_.end(), [](const Flight& one) { return one.active; });
  const auto over = active - flights_.begin();
  if (over <= flights_.end() - active) return;
  flights_.erase(flights_.begin(), active);
  first_ += static_cast<std::uint64_t>(over);
}

/// @returns  for each flight that has no response, what the state recorded.
Journal::Sendings Journal::repeat_on(SharedState& state) const {
  QuotaState& quota = state.quota;
  Sendings in_flight(flights_.size());
  if (const Holder* const self = state.find(id_))
    for (const Lease& lease : self->leases) quota.partitions[lease.partition].end_lease(lease.permits);
  for (const Step& step : steps_) {
    const auto index = static_cast<std::size_t>(step.flight - first_);
    const Flight& one = flights_[index];
    std::size_t partition = one.partition;
    auto& sent = in_flight[index];
    const auto none = state.specials.end();
    const auto special = one.special ? state.special_of(id_, partition) : none;
    if (step.recorded) {
      auto [received, report] = *one.result;
      quota.record(partition, *sent, received, report);
      if (special != none) state.specials.erase(special);
      sent.reset();
    } else if (special != none) {
      special->sending.first.at = one.sending.first.at;
      sent = special->sending;
    } else {
      quota.routes.on_sent(one.sending.first.route);
      sent = quota.partitions[partition].adopt(one.sending);
    }
  }
  return in_flight;
}

void Journal::repeat(SharedState& state) {
  Sendings in_flight = repeat_on(state);
  for (std::size_t index = 0; index < flights_.size(); ++index)
    if (in_flight[index]) flights_[index].sending = *std::move(in_flight[index]);
}

std::vector<std::int64_t> Journal::repeat_as_leases(SharedState& state) const {
  const Sendings in_flight = repeat_on(state);
  std::vector<std::int64_t> permits(state.quota.partitions.size(), 0);
  for (std::size_t index = 0; index < flights_.size(); ++index) {
    const Flight& one = flights_[index];
    const bool has_lease = one.special && state.special_of(id_, one.partition) != state.specials.end();
    if (!in_flight[index] || has_lease) continue;
    state.quota.release(one.partition, *in_flight[index]);
    permits[one.partition] += one.cost;
  }
  return permits;
}

}}}  // namespace noun::quota
