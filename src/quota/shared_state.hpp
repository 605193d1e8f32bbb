#pragma once
/// @file
/// A quota that processes share, as a value: what is known of it, and which process holds how many permits. Decides how
/// permits are divided. Every process that changes it reads it from a store, changes it here, and swaps it there.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <noun/quota.hpp>

#include "quota/quota_state.hpp"

namespace noun { inline namespace v0 { namespace quota {

/// How many permits the processes hold back to measure a reset: each measurement costs some operations of the store.
constexpr std::int64_t most_kept = 5;
/// Permits are held back as all processes know it.
constexpr Allowance as_planned{.most_kept = most_kept, .plans = false};

/// The number of a process, drawn at random: 1 to 2^48 - 1.
using HolderId = std::uint64_t;
/// Permits that calls wait for, by priority.
using Wanted = std::array<std::int64_t, 3>;

constexpr std::int64_t sum_of(const Wanted& wanted) noexcept { return wanted[0] + wanted[1] + wanted[2]; }

/// Permits of one partition that a process holds and wants.
struct Lease {
  std::uint32_t partition = 0;
  std::int64_t permits = 0;  ///< unspent, in flight, or not reported yet
  Wanted wanted = {};        ///< in addition to those
  std::int64_t least = 0;    ///< of the wanted ones: fewer let no call go

  static void fields(auto& self, auto& archive) {
    archive(self.partition, self.permits, self.wanted[0], self.wanted[1], self.wanted[2], self.least);
  }
};

/// A process that shares the quota.
struct Holder {
  HolderId id = 0;
  Instant until = {};              ///< when its leases expire
  std::uint64_t swaps = 0;         ///< by which it finds out whether a swap that failed was carried out
  std::int64_t received = 0;       ///< permits, compared with other holders: who received least comes first
  std::vector<Lease> leases = {};  ///< of the partitions of which it holds or wants permits

  static void fields(auto& self, auto& archive) {
    archive(self.id, self.until, self.swaps, self.received, self.leases);
  }
  /// The lease of a partition, which is added.
  Lease& lease_of(std::size_t partition);
  /// All of a snapshot except whether it is this process.
  QuotaHolder snapshot(Instant now) const;
};

/// Permits that other holders want.
std::int64_t wanted_by_others(const std::vector<Holder>& holders, HolderId self, std::size_t partition) noexcept;
/// How many holders that want permits come before it: who received least is the first.
std::int64_t turn_of(const std::vector<Holder>& holders, HolderId id) noexcept;

/// The right of one process to send one request that decides for all: a probe, a guess, or a measurement of the reset.
struct SpecialLease {
  HolderId holder = 0;
  std::uint32_t partition = 0;
  PartitionSending sending = {};

  static void fields(auto& self, auto& archive) { archive(self.holder, self.partition, self.sending); }
};

/// A shared quota. Instants are those of this process.
class SharedState {
 public:
  QuotaState quota;
  std::vector<Holder> holders;  ///< in the order of their ids
  std::vector<SpecialLease> specials;

  /// Reads what write() returned. No bytes are a new quota.
  /// @param store_offset  the store's clock less this process's steady clock.
  /// @returns             nothing if the bytes are damaged or of another format.
  static std::optional<SharedState> read(std::string_view bytes, Duration store_offset);
  /// At most what Gate::save() says, and 32 bytes for each holder with one partition.
  std::string write(Now now, Duration store_offset) const;

  Holder* find(HolderId id) noexcept;
  /// The holder, which is added if it is new.
  Holder& join(HolderId id);
  /// Removes a holder whose leases have been taken back.
  void leave(HolderId id) noexcept { std::erase_if(holders, [id](const Holder& holder) { return holder.id == id; }); }
  /// The holder's special lease of the partition, or the end of `specials`.
  std::vector<SpecialLease>::iterator special_of(HolderId holder, std::size_t partition) noexcept;
  /// Takes back the holder's special lease of the partition, whose request was not sent.
  /// @returns  whether there was one.
  bool return_special(HolderId holder, std::size_t partition);
  /// Removes the holder's special leases. Their requests may have been sent, and no response came.
  /// @returns  how many.
  std::int64_t lose_specials(HolderId holder, Now now);
  /// The holder has changed the state. Its leases last so long; if it only waits, it is not forgotten for longer.
  void renew(HolderId id, Instant now, Duration lease);
  /// Counts the permits of holders whose leases have expired as spent, and removes these holders.
  /// @returns  how many permits.
  std::int64_t expire(Now now);
  /// Divides what a partition has among the holders that want permits: by priority, then to who received least. Each
  /// receives at most what it wants, and its share: what is available divided by twice the number of holders, but nothing
  /// that lets none of its calls go.
  /// @param patient_until  as in Ask: until then permits may be held back to measure a reset.
  /// @param lease          until when, at most, a holder that receives permits has to be heard of again.
  void divide(std::size_t partition, Instant now, const QuotaPolicy& policy, Instant patient_until, Duration lease);
  QuotaSnapshot snapshot(Instant now) const;
  /// Holders that hold or want permits of the partition; at least 1.
  std::int64_t active(std::size_t partition) const noexcept;

 private:
  bool is_whole() const noexcept;
  std::vector<Holder>::iterator place_of(HolderId id) noexcept;
};

}}}  // namespace noun::quota
