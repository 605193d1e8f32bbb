#pragma once
/// @file
/// What is known of all quotas of one origin and identity, as a value: the partitions, and the routes that they count.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "quota/partition.hpp"
#include "quota/routes.hpp"

namespace noun { inline namespace v0 { namespace quota {

/// The state of a gate, without its waiting calls. Not safe to use from many threads: the gate locks.
struct QuotaState {
  Routes routes;
  std::deque<Partition> partitions = std::deque<Partition>(1);  ///< in the order in which responses named them
  std::uint64_t sent = 0;
  std::uint64_t rejected = 0;

  /// The result of record().
  struct Recorded {
    QuotaNote note = QuotaNote::none;
    bool rejected = false;  ///< reported as rejected, or `unavailable` and taken for a rejection
    /// The partition that expects one request less.
    std::optional<std::size_t> expected_less = {};
  };
  /// Records the result of a request. If it throws, the request is no longer in flight.
  /// @param partition  where it was admitted; changes if the response shows that another counted it.
  /// @param report     its outcome becomes `rejected` if it is taken for a rejection; otherwise it loses what a disabled
  ///                   limiter reports.
  Recorded record(std::size_t& partition, const PartitionSending& sending, Now received, Report& report);
  /// Records that a request was not sent.
  /// @returns  the partition that expects one request less.
  std::optional<std::size_t> release(std::size_t partition, const PartitionSending& sending) noexcept;
  /// The partition of this name, which is added if it is new; nothing if there are too many.
  std::optional<std::size_t> partition_named(const std::string& name);
  /// Whether its partitions have the names of the other's, as far as both go.
  bool is_in_order_of(const QuotaState& other) const noexcept;
  /// The indices of partitions with the names of the other's, which are added; nothing if they are the same.
  std::optional<std::vector<std::size_t>> places_of(const QuotaState& other);
  /// All of a snapshot except the waiting calls and the processes that share the quota.
  QuotaSnapshot snapshot(Instant now) const;
  bool is_whole() const noexcept;

  static void fields(auto& self, auto& archive) { archive(self.routes, self.partitions, self.sent, self.rejected); }

 private:
  std::optional<std::size_t> finish_on_route(RouteKey route) noexcept;
  std::optional<PartitionSending> move_to_counting(std::size_t& partition, const PartitionSending& sending,
                                                   const Report& report);
  std::optional<std::size_t> partition_of_limit(std::size_t partition, RouteKey route, std::int64_t limit);
  std::optional<std::size_t> add_partition(const std::string& name);
  std::optional<std::size_t> find_or_add(const std::string& name);
  void learn_whether_counted(RouteKey route, const Report& report);
};

}}}  // namespace noun::quota
