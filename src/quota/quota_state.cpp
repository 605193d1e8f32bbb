#include "quota/quota_state.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

namespace noun { inline namespace v0 { namespace quota {
namespace {

/// Bounds the memory if a server keeps reporting new partitions.
constexpr std::size_t most_partitions = 256;

/// The snapshot that binds first: the least remaining. If none is known, the first.
const QuotaSnapshot& strictest(const std::vector<QuotaSnapshot>& all) {
  const auto left = [](const QuotaSnapshot& one) {
    return one.remaining.value_or(std::numeric_limits<std::int64_t>::max());
  };
  return *std::min_element(all.begin(), all.end(), [&](const auto& a, const auto& b) { return left(a) < left(b); });
}

}  // namespace

QuotaState::Recorded QuotaState::record(std::size_t& partition, const PartitionSending& sending, Now received,
                                        const Report& report) {
  if (partitions[partition].takes_as_rejection(sending, received, report)) {
    Report rejection = report;
    rejection.outcome = Outcome::rejected;
    return record_as_reported(partition, sending, received, rejection);
  }
  return record_as_reported(partition, sending, received, report);
}

QuotaState::Recorded QuotaState::record_as_reported(std::size_t& partition, const PartitionSending& sending,
                                                    Now received, const Report& report) {
  Recorded recorded{.rejected = report.outcome == Outcome::rejected};
  ++sent;
  if (recorded.rejected) ++rejected;
  recorded.expected_less = finish_on_route(sending.first.route);
  std::optional<PartitionSending> moved;
  if (!report.reading.partition.empty())
    moved = move_to_reported_partition(partition, sending, report.reading.partition);
  recorded.note = partitions[partition].record(moved ? *moved : sending, received, report);
  if (recorded.rejected && report.reading.everywhere) {
    const auto wait =
        report.reading.retry_after.value_or(std::max<Duration>(report.default_wait, std::chrono::seconds(1)));
    for (Partition& one : partitions) one.hold_until(received.steady, after(received.steady, wait));
  }
  return recorded;
}

std::optional<std::size_t> QuotaState::release(std::size_t partition, const PartitionSending& sending) noexcept {
  const auto expected_less = finish_on_route(sending.first.route);
  partitions[partition].release(sending);
  return expected_less;
}

/// Records that a request of the route is no longer in flight.
std::optional<std::size_t> QuotaState::finish_on_route(RouteKey route) noexcept {
  const auto expects = routes.on_done(route);
  if (expects) partitions[*expects].expect(-1);
  return expects;
}

/// Assigns the route to the partition that a response names, together with this request and the others of the route in
/// flight.
/// @returns  what it takes from that partition; nothing if it was admitted there.
std::optional<PartitionSending> QuotaState::move_to_reported_partition(std::size_t& partition,
                                                                       const PartitionSending& sending,
                                                                       const std::string& name) {
  const RouteKey route = sending.first.route;
  const auto named = partition_named(name);
  if (!named) return std::nullopt;
  const bool elsewhere = *named != partition;
  if (const auto moved = routes.learn(route, *named, elsewhere); moved > 0) partitions[*named].expect(moved);
  if (!elsewhere) return std::nullopt;
  partitions[partition].release(sending);
  partition = *named;
  return partitions[*named].adopt(sending.first.at, route);
}

std::optional<std::size_t> QuotaState::partition_named(const std::string& name) {
  // The initial partition, which has no name, takes the first reported name.
  if (partitions.size() == 1 && partitions.front().name().empty()) partitions.front().rename(name);
  const auto found =
      std::find_if(partitions.begin(), partitions.end(), [&](const auto& one) { return one.name() == name; });
  if (found != partitions.end()) return static_cast<std::size_t>(found - partitions.begin());
  if (partitions.size() == most_partitions) return std::nullopt;
  partitions.emplace_back(name);
  return partitions.size() - 1;
}

QuotaSnapshot QuotaState::snapshot(Instant now) const {
  std::vector<QuotaSnapshot> all;
  std::size_t in_flight = 0;
  for (const Partition& partition : partitions) {
    auto policies = partition.snapshots(now);
    in_flight += policies.front().in_flight;
    std::move(policies.begin(), policies.end(), std::back_inserter(all));
  }
  std::sort(all.begin(), all.end(), [](const auto& left, const auto& right) {
    return std::tie(left.partition, left.policy) < std::tie(right.partition, right.policy);
  });
  QuotaSnapshot snapshot = strictest(all);
  snapshot.in_flight = in_flight;
  snapshot.sent = sent;
  snapshot.rejected = rejected;
  snapshot.partitions = std::move(all);
  return snapshot;
}

bool QuotaState::is_whole() const noexcept {
  return !partitions.empty() && partitions.size() <= most_partitions && routes.fit(partitions.size()) &&
         std::all_of(partitions.begin(), partitions.end(), [](const Partition& one) { return one.is_whole(); });
}

}}}  // namespace noun::quota
