#pragma once
/// @file
/// What one request of each route takes from a quota, learned from how the remaining count falls; and what others took.

#include <cstdint>
#include <map>
#include <optional>

namespace noun { inline namespace v0 {

/// What is left, and what of our own requests the service had counted when it said so.
struct CountMark {
  std::uint32_t route = 0;  ///< of the request that was answered; 0 for none in particular
  std::int64_t remaining = 0;
  std::uint64_t admitted = 0;       ///< requests until then
  std::uint64_t served = 0;         ///< of those, served
  std::uint64_t served_before = 0;  ///< answered before the one that this answers was sent
  std::int64_t others = 0;          ///< in flight when it was answered
  std::int64_t perhaps_after = 0;   ///< of what was admitted by then, what may have been counted later
};

/// The costs of one quota's routes. A route that was never seen to take more takes one.
class RouteCosts {
 public:
  /// What one request of the route takes; at least 1.
  std::int64_t of(std::uint32_t route) const noexcept;
  /// A new window: what was left before says nothing any more.
  void restart() noexcept;
  /// A request of the route goes out: a fall that others share in is nobody's.
  void admitted(std::uint32_t route) noexcept;
  /// Takes in an answer of the window, in the order of answers.
  /// @returns  by how much more the count fell than our own requests explain.
  std::int64_t learn(const CountMark& now);

 private:
  struct Seen {
    std::int64_t cost = 1;
    std::int64_t fell = 0;  // by so much, the last time that one went alone
  };

  void learn_alone(std::uint32_t route, std::int64_t fell);
  void learn_many(const CountMark& now);

  std::map<std::uint32_t, Seen> seen_;
  std::optional<CountMark> last_ = {};   // the answer before
  std::optional<CountMark> first_ = {};  // the first since only this route went
  std::uint32_t route_ = 0;
};

}}  // namespace noun
