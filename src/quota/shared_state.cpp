#include "quota/shared_state.hpp"

#include <algorithm>
#include <tuple>

namespace noun { inline namespace v0 { namespace quota {
namespace {

constexpr std::uint8_t shared_format_version = 9;
constexpr std::size_t most_holders = 65'536;
/// A process that only waits is not forgotten for so many leases.
constexpr std::int64_t waits_without_permits = 100;
constexpr std::int64_t most_permits = 1'000'000'000'000;

bool is_whole_lease(const Lease& lease, std::size_t partitions) noexcept {
  return lease.partition < partitions && is_count(lease.permits) && is_count(lease.least) &&
         std::all_of(lease.wanted.begin(), lease.wanted.end(), is_count);
}

}  // namespace

Lease& Holder::lease_of(std::size_t partition) {
  for (Lease& lease : leases)
    if (lease.partition == partition) return lease;
  return leases.emplace_back(Lease{.partition = static_cast<std::uint32_t>(partition)});
}

QuotaHolder Holder::snapshot(Instant now) const {
  QuotaHolder seen{.id = id, .expires_in = until > now ? until - now : Duration::zero()};
  for (const Lease& lease : leases) {
    seen.permits += lease.permits;
    seen.wanted += sum_of(lease.wanted);
  }
  return seen;
}

std::int64_t wanted_by_others(const std::vector<Holder>& holders, HolderId self, std::size_t partition) noexcept {
  std::int64_t wanted = 0;
  for (const Holder& holder : holders)
    for (const Lease& lease : holder.leases)
      if (holder.id != self && lease.partition == partition) wanted += sum_of(lease.wanted);
  return wanted;
}

std::int64_t turn_of(const std::vector<Holder>& holders, HolderId id) noexcept {
  const auto self = std::find_if(holders.begin(), holders.end(), [id](const Holder& one) { return one.id == id; });
  if (self == holders.end()) return 0;
  return std::count_if(holders.begin(), holders.end(), [&](const Holder& holder) {
    return std::tie(holder.received, holder.id) < std::tie(self->received, self->id) &&
           std::any_of(holder.leases.begin(), holder.leases.end(),
                       [](const Lease& lease) { return sum_of(lease.wanted) > 0; });
  });
}

std::optional<SharedState> SharedState::read(std::string_view bytes, Duration store_offset) {
  SharedState state;
  if (bytes.empty()) return state;
  std::uint8_t version = 0;
  Duration written_at{};
  wire::StateReader head(bytes, {});
  head(version, written_at);
  if (!head.ok() || version != shared_format_version) return std::nullopt;
  wire::StateReader reader(head.rest(), after(Instant(written_at), -store_offset));
  reader(state.quota, state.holders, state.specials);
  if (!reader.ok() || !reader.at_end() || !state.is_whole()) return std::nullopt;
  return state;
}

std::string SharedState::write(Now now, Duration store_offset) const {
  wire::StateWriter writer(now.steady);
  writer(shared_format_version, now.steady.time_since_epoch() + store_offset, quota, holders, specials);
  return writer.take();
}

bool SharedState::is_whole() const noexcept {
  const std::size_t partitions = quota.partitions.size();
  const auto in_order = [](const Holder& one, const Holder& next) { return one.id >= next.id; };
  return quota.is_whole() && holders.size() <= most_holders &&
         std::adjacent_find(holders.begin(), holders.end(), in_order) == holders.end() &&
         std::all_of(holders.begin(), holders.end(),
                     [&](const Holder& holder) {
                       return is_count(holder.received) &&
                              std::all_of(holder.leases.begin(), holder.leases.end(),
                                          [&](const Lease& lease) { return is_whole_lease(lease, partitions); });
                     }) &&
         std::all_of(specials.begin(), specials.end(), [&](const SpecialLease& one) {
           return std::any_of(holders.begin(), holders.end(),
                              [&](const Holder& holder) { return holder.id == one.holder; }) &&
                  one.partition < partitions && quota.partitions[one.partition].has_policies_of(one.sending);
         });
}

std::vector<Holder>::iterator SharedState::place_of(HolderId id) noexcept {
  return std::lower_bound(holders.begin(), holders.end(), id,
                          [](const Holder& holder, HolderId key) { return holder.id < key; });
}

Holder* SharedState::find(HolderId id) noexcept {
  const auto at = place_of(id);
  return at != holders.end() && at->id == id ? &*at : nullptr;
}

Holder& SharedState::join(HolderId id) {
  if (Holder* const known = find(id)) return *known;
  // A new holder is served as soon as the one that received least, and no sooner.
  const auto least = std::min_element(holders.begin(), holders.end(), [](const Holder& one, const Holder& other) {
    return one.received < other.received;
  });
  const std::int64_t received = least == holders.end() ? 0 : least->received;
  return *holders.insert(place_of(id), Holder{.id = id, .received = received});
}

std::vector<SpecialLease>::iterator SharedState::special_of(HolderId holder, std::size_t partition) noexcept {
  return std::find_if(specials.begin(), specials.end(), [&](const SpecialLease& special) {
    return special.holder == holder && special.partition == partition;
  });
}

bool SharedState::return_special(HolderId holder, std::size_t partition) {
  const auto own = special_of(holder, partition);
  if (own == specials.end()) return false;
  quota.release(partition, own->sending);
  specials.erase(own);
  return true;
}

void SharedState::renew(HolderId id, Instant now, Duration lease) {
  Holder& self = *find(id);
  ++self.swaps;
  const bool holds =
      std::any_of(self.leases.begin(), self.leases.end(), [](const Lease& one) { return one.permits > 0; }) ||
      std::any_of(specials.begin(), specials.end(), [id](const SpecialLease& one) { return one.holder == id; });
  self.until = after(now, holds ? lease : waits_without_permits * lease);
  std::erase_if(self.leases, [](const Lease& one) { return one.permits == 0 && sum_of(one.wanted) == 0; });
}

std::int64_t SharedState::lose_specials(HolderId holder, Now now) {
  const auto is_its = [&](const SpecialLease& special) { return special.holder == holder; };
  for (SpecialLease& special : specials) {
    std::size_t partition = special.partition;
    Report lost{{}, Outcome::lost};
    if (is_its(special)) quota.record(partition, special.sending, now, lost);
  }
  return static_cast<std::int64_t>(std::erase_if(specials, is_its));
}

std::int64_t SharedState::expire(Now now) {
  std::int64_t permits = 0;
  for (const Holder& holder : holders) {
    if (holder.until > now.steady) continue;
    for (const Lease& lease : holder.leases) {
      if (lease.permits > 0) quota.partitions[lease.partition].lose_lease(now.steady, lease.permits);
      permits += lease.permits;
    }
    permits += lose_specials(holder.id, now);
  }
  std::erase_if(holders, [&](const Holder& holder) { return holder.until <= now.steady; });
  return permits;
}

QuotaSnapshot SharedState::snapshot(Instant now) const {
  QuotaSnapshot snapshot = quota.snapshot(now);
  for (const Holder& holder : holders) snapshot.holders.push_back(holder.snapshot(now));
  return snapshot;
}

std::int64_t SharedState::active(std::size_t partition) const noexcept {
  std::int64_t count = 0;
  for (const Holder& holder : holders)
    count += std::any_of(holder.leases.begin(), holder.leases.end(),
                         [&](const Lease& lease) { return lease.partition == partition; });
  return std::max<std::int64_t>(count, 1);
}

void SharedState::divide(std::size_t index, Instant now, const QuotaPolicy& policy, Instant patient_until,
                         Duration lease_length) {
  Partition& partition = quota.partitions[index];
  if (!partition.is_counted()) return;
  struct Wish {
    Holder* holder;
    Lease* lease;
  };
  std::vector<Wish> wishes;
  Wanted wanted{};
  for (Holder& holder : holders)
    for (Lease& lease : holder.leases) {
      if (lease.partition != index || sum_of(lease.wanted) == 0) continue;
      wishes.push_back({&holder, &lease});
      for (std::size_t rank = 0; rank < wanted.size(); ++rank) wanted[rank] += lease.wanted[rank];
    }
  const std::int64_t demand = sum_of(wanted);
  if (demand == 0) return;
  std::sort(wishes.begin(), wishes.end(),
            [](const Wish& one, const Wish& other) { return one.holder->received < other.holder->received; });
  const std::int64_t parts = 2 * active(index);
  for (std::size_t rank = wanted.size(); rank-- > 0;) {
    if (wanted[rank] == 0) continue;
    const Ask ask{.priority = static_cast<Priority>(rank), .patient_until = patient_until, .demand = demand};
    const auto most = std::min(wanted[rank] * parts, most_permits);
    const std::int64_t room = partition.available(now, policy, ask, most, as_planned);
    const std::int64_t share = std::max<std::int64_t>(room / parts, 1);
    std::int64_t left = room;
    for (const auto& [holder, lease] : wishes) {
      if (left < lease->least) continue;
      const std::int64_t granted = std::min({lease->wanted[rank], std::max(share, lease->least), left});
      lease->wanted[rank] -= granted;
      lease->least = std::max<std::int64_t>(lease->least - granted, 0);
      lease->permits += granted;
      holder->received += granted;
      if (granted > 0) holder->until = std::min(holder->until, after(now, lease_length));
      left -= granted;
    }
    partition.lease(now, room - left);
  }
}

}}}  // namespace noun::quota
