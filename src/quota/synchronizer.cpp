#include "quota/synchronizer.hpp"

#include <algorithm>

namespace noun { inline namespace v0 { namespace quota {

void StoreClock::observe(Instant sent, Instant received, Duration time) noexcept {
  const Duration took = received - sent;
  const Duration offset = time - (sent + took / 2).time_since_epoch();
  // A difference that neither exchange explains: one of the clocks was set.
  const Duration apart = offset > offset_ ? offset - offset_ : offset_ - offset;
  const bool moved = took_ && apart > (took + *took_) / 2 + Duration(1);
  if (took_ && !moved && took >= *took_) return;
  took_ = took;
  offset_ = offset;
}

StoreStep Synchronizer::next(Now now) {
  const Due due = gate_->due(now);
  if (gate_->left()) return LeftStore{};
  const bool swaps = due.swap_at <= now.steady;
  if (is_stale_ && (swaps || due.watches)) {
    const Instant read_at = after(read_at_, due.between_reads);
    if (swaps || read_at <= now.steady) return ReadStore{due.limit};
    is_fresh_ = false;
    return WaitForChange{std::min(due.swap_at, read_at), false, stored_.version};
  }
  if (!swaps) {
    is_fresh_ = false;
    return WaitForChange{due.swap_at, due.watches, stored_.version};
  }
  auto proposed = gate_->propose(stored_.bytes, now, clock_.offset(), expired_);
  if (!proposed) {
    on_damaged(now);
    return next(now);
  }
  proposed_ = *std::move(proposed);
  return SwapStore{due.limit, stored_.version, proposed_};
}

void Synchronizer::on_read(QuotaStore::Stored stored, Instant sent, Now received) {
  gate_->responded(received.steady - sent);
  const Duration offset_before = clock_.offset();
  clock_.observe(sent, received.steady, stored.time);
  keep(std::move(stored), offset_before, received);
  read_at_ = received.steady;
  if (!gate_->observe(stored_.bytes, received, clock_.offset())) return on_damaged(received);
  is_stale_ = false;
  is_fresh_ = true;
  report_availability();
}

void Synchronizer::on_swapped(QuotaStore::Swapped swapped, Instant sent, Now received) {
  gate_->responded(received.steady - sent);
  const Duration offset_before = clock_.offset();
  clock_.observe(sent, received.steady, swapped.stored.time);
  is_stale_ = false;
  const bool collided = std::exchange(is_fresh_, true);
  if (!swapped.swapped) {
    // Nobody else has swapped: such a store refuses again, as quickly as it is asked.
    if (swapped.stored.version == stored_.version) return on_failed(received, "it refused to replace the version that it has");
    keep(std::move(swapped.stored), offset_before, received);
    gate_->refused(received.steady, collided, received.steady - sent);
    if (!gate_->observe(stored_.bytes, received, clock_.offset())) return on_damaged(received);
    return report_availability();
  }
  stored_ = {swapped.stored.version, std::move(proposed_), swapped.stored.time};
  gate_->committed(received);
  if (!std::exchange(joined_, true)) news_.push_back({SharingNews::Kind::joined});
  if (expired_ > 0) news_.push_back({SharingNews::Kind::expired, expired_});
  if (gate_->left()) news_.push_back({SharingNews::Kind::left});
  report_availability();
}

/// @param offset_before  the offset of the store's clock by which the bytes so far were written.
void Synchronizer::keep(QuotaStore::Stored stored, Duration offset_before, Now now) {
  if (joined_ && stored.version < stored_.version) news_.push_back({SharingNews::Kind::lost});
  // If the store lost everything, the last known state is stored again: it has what the others hold. The store's clock
  // may be another.
  if (stored.bytes.empty() && !stored_.bytes.empty())
    if (const auto known = SharedState::read(stored_.bytes, offset_before))
      stored.bytes = known->write(now, clock_.offset());
  stored_ = std::move(stored);
}

void Synchronizer::report_availability(const std::string& why) {
  const bool unavailable = gate_->is_alone();
  if (std::exchange(unavailable_, unavailable) != unavailable)
    news_.push_back({unavailable ? SharingNews::Kind::unavailable : SharingNews::Kind::available, 0, why});
  const bool slow = gate_->is_slow() && !unavailable;
  if (!std::exchange(slow_, slow) && slow) news_.push_back({SharingNews::Kind::slow});
}

void Synchronizer::on_failed(Now now, const std::string& why) {
  // What is stored may be another by the time that the store is available.
  is_stale_ = true;
  gate_->unavailable(now, why);
  report_availability(why);
}

}}}  // namespace noun::quota
