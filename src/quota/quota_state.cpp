#include "quota/quota_state.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include "decision/backoff.hpp"

namespace noun { inline namespace v0 { namespace quota {
namespace {

/// Bounds the memory if a server keeps reporting new partitions.
constexpr std::size_t most_partitions = 256;

/// The partition of the routes that no quota counts.
constexpr const char* uncounted_name = "uncounted";

bool reports_any(const wire::RateLimitReading& reading) noexcept {
  return reading.limit || reading.remaining || reading.reset || !reading.more.empty() || !reading.partition.empty();
}

/// The snapshot that binds first: the least remaining. If none is known, the first.
const QuotaSnapshot& strictest(const std::vector<QuotaSnapshot>& all) {
  const auto left = [](const QuotaSnapshot& one) {
    return one.remaining.value_or(std::numeric_limits<std::int64_t>::max());
  };
  return *std::min_element(all.begin(), all.end(), [&](const auto& a, const auto& b) { return left(a) < left(b); });
}

}  // namespace

QuotaState::Recorded QuotaState::record(std::size_t& partition, const PartitionSending& sending, Now received,
                                        Report& report) {
  if (partitions[partition].takes_as_rejection(sending, received, report)) report.outcome = Outcome::rejected;
  Recorded recorded{.rejected = report.outcome == Outcome::rejected};
  ++sent;
  if (recorded.rejected)
    ++rejected;
  else
    report.forget_disabled();
  recorded.expected_less = finish_on_route(sending.first.route);
  std::optional<PartitionSending> moved;
  try {
    moved = move_to_counting(partition, sending, report);
  } catch (...) {
    partitions[partition].finish(sending, report);
    throw;
  }
  recorded.note = partitions[partition].record(moved ? *moved : sending, received, report);
  if (recorded.rejected && report.everywhere) {
    const auto until = after(
        received.steady, wait_after_rejection({.retry_after = report.retry_after,
                                               .default_wait = report.default_wait,
                                               .retry = report.retry})
                             .wait);
    for (Partition& one : partitions) one.hold_until(received.steady, until);
  }
  learn_whether_counted(sending.first.route, report);
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

/// Assigns the route to the partition that counted the request, as its response shows, together with this request and
/// the others of the route in flight.
/// @returns  what it takes from that partition; nothing if it was admitted there.
std::optional<PartitionSending> QuotaState::move_to_counting(std::size_t& partition, const PartitionSending& sending,
                                                             const Report& report) {
  const RouteKey route = sending.first.route;
  const bool is_rejected = report.outcome == Outcome::rejected;
  const bool was_uncounted = (is_rejected || reports_any(report)) && routes.on_counted(route);
  const std::size_t assumed = was_uncounted ? routes.partition_of(route) : partition;
  const bool is_first_rejection = is_rejected && routes.is_new(route);
  std::optional<std::size_t> counting;
  std::int64_t expected = 0;
  if (!report.route_name.empty() && report.partition.empty()) {
    counting = routes.is_new(route) ? add_partition(report.route_name) : routes.partition_of(route);
    if (counting) expected = routes.learn_alone(route, *counting, *counting != partition);
  } else if (was_uncounted && is_rejected && report.partition.empty()) {
    counting = assumed;
  } else {
    if (!report.partition.empty())
      counting = partition_named(report.partition);
    else if (report.limit.value_or(0) > 0 && (report.outcome == Outcome::served || is_first_rejection))
      counting = partition_of_limit(assumed, route, *report.limit);
    if (counting) expected = routes.learn(route, *counting, *counting != partition);
  }
  if (expected > 0) partitions[*counting].expect(expected);
  if (!counting || *counting == partition) return std::nullopt;
  auto adopted = partitions[*counting].adopt({.first = {.at = sending.first.at, .route = route}});
  partitions[partition].release(sending);
  partition = *counting;
  return adopted;
}

/// The partition that counts the route, if the server does not name it: routes with different limits have different
/// quotas. If a route that was counted here reports another limit, that limit has changed.
std::optional<std::size_t> QuotaState::partition_of_limit(std::size_t partition, RouteKey route, std::int64_t limit) {
  const auto here = partitions[partition].limit();
  if (!here || *here == limit) return partition;
  const auto same = std::find_if(partitions.begin(), partitions.end(), [&](const Partition& one) {
    return one.limit() == limit && (one.name().empty() || one.name() == name_of_limit(limit));
  });
  if (same != partitions.end()) return static_cast<std::size_t>(same - partitions.begin());
  return routes.is_new(route) ? add_partition(name_of_limit(limit)) : partition;
}

/// A route that was served several times is not counted by the quota that only the responses of others report.
void QuotaState::learn_whether_counted(RouteKey route, const Report& report) {
  if (report.outcome == Outcome::served && report.healthy && report.is_counted() && !reports_any(report))
    routes.on_unreported(route);
  const auto reports = [](const Partition& one) { return one.is_reported(); };
  if (!routes.any_uncounted() || std::none_of(partitions.begin(), partitions.end(), reports)) return;
  if (const auto uncounted = find_or_add(uncounted_name)) routes.separate_uncounted(*uncounted);
}

std::optional<std::size_t> QuotaState::partition_named(const std::string& name) {
  // The initial partition, which has no name, takes the first reported name.
  if (partitions.size() == 1 && partitions.front().name().empty()) partitions.front().rename(name);
  return find_or_add(name);
}

std::optional<std::size_t> QuotaState::find_or_add(const std::string& name) {
  const auto found =
      std::find_if(partitions.begin(), partitions.end(), [&](const auto& one) { return one.name() == name; });
  if (found != partitions.end()) return static_cast<std::size_t>(found - partitions.begin());
  return add_partition(name);
}

std::optional<std::size_t> QuotaState::add_partition(const std::string& name) {
  if (partitions.size() == most_partitions) return std::nullopt;
  partitions.emplace_back(name);
  return partitions.size() - 1;
}

bool QuotaState::is_in_order_of(const QuotaState& other) const noexcept {
  const auto both = static_cast<std::ptrdiff_t>(std::min(partitions.size(), other.partitions.size()));
  return std::equal(partitions.begin(), partitions.begin() + both, other.partitions.begin(),
                    [](const Partition& left, const Partition& right) {
                      return left.name() == right.name() || right.name().empty();
                    });
}

std::optional<std::vector<std::size_t>> QuotaState::places_of(const QuotaState& other) {
  std::vector<std::size_t> places;
  bool same = true;
  for (const Partition& one : other.partitions) {
    const std::size_t place = one.name().empty() ? 0 : partition_named(one.name()).value_or(0);
    same = same && place == places.size();
    places.push_back(place);
  }
  return same ? std::nullopt : std::optional(std::move(places));
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
