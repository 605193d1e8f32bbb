#include "quota/wallet.hpp"

#include <chrono>

namespace noun { inline namespace v0 { namespace quota {
namespace {

constexpr Duration first_pause = std::chrono::milliseconds(5);
constexpr Duration longest_pause = std::chrono::milliseconds(250);

}  // namespace

void Pool::take(Instant now, std::int64_t cost, const Ask& ask) noexcept {
  taken_at = now;
  taken += std::max<std::int64_t>(cost, 1);
  last = ask;
  used += cost;
}

Wanted Pool::wanted(const Waiting& waiting) const noexcept {
  Wanted all{};
  for (std::size_t rank = 0; rank < all.size(); ++rank)
    all[rank] = std::max(waiting.calls[rank], std::min(waiting.demand[rank], 8 * waiting.calls[rank] + 4 * taken));
  const std::int64_t more = std::min(taken, last.demand.value_or(taken + 1) - 1);
  if (!waiting.any) all[static_cast<std::size_t>(last.priority)] = std::max<std::int64_t>(more, 0);
  std::int64_t held = std::max<std::int64_t>(tokens() - waiting.offered, 0);
  for (std::size_t each = all.size(); each-- > 0;) {
    const std::int64_t covered = std::min(held, all[each]);
    all[each] -= covered;
    held -= covered;
  }
  return all;
}

void Wallet::rename(const std::vector<std::size_t>& moved, std::size_t partitions) {
  std::vector<Pool> pools(partitions);
  for (std::size_t index = 0; index < pools_.size(); ++index) pools[moved[index]] = std::move(pools_[index]);
  pools_ = std::move(pools);
}

void Wallet::on_swap(Instant now) noexcept {
  withdraw();
  for (Pool& own : pools_) {
    own.taken = 0;
    own.pause = std::clamp<Duration>(2 * own.pause, first_pause, longest_pause);
    own.not_before = after(now, own.pause);
  }
}

void Wallet::adopt(SharedState& state, HolderId id, Duration lease, const Journal& journal) {
  if (pools_.size() < state.quota.partitions.size()) pools_.resize(state.quota.partitions.size());
  for (Pool& own : pools_) {
    own.leased = own.registered = 0;
    own.special.reset();
  }
  const Holder* const self = state.find(id);
  until_ = self == nullptr ? Instant::max() : self->until;
  for (const SpecialLease& special : state.specials)
    if (special.holder == id && !journal.has_special(special.partition))
      pools_[special.partition].special = special.sending;
  if (self == nullptr) return;
  refresh_at_ = after(until_, -2 * lease / 3);
  for (const Lease& one : self->leases) {
    pools_[one.partition].leased = one.permits;
    pools_[one.partition].registered = sum_of(one.wanted);
  }
}

}}}  // namespace noun::quota
