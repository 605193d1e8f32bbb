#pragma once
/// @file
/// A reset that moves away with each request is when a bucket will be full again. How long one permit takes to flow
/// back, by how far apart the resets of two answers are: where the service's clock stands, and to which side it rounds,
/// is the same in both. Admits nothing.

#include <cstdint>
#include <optional>
#include <vector>

#include <noun/time.hpp>

#include "quota/server_clock.hpp"

namespace noun { inline namespace v0 {

/// What an answer says about its reset.
struct ResetMark {
  Instant sent = {};
  Instant received = {};
  std::int64_t used = 0;           ///< limit - remaining
  InstantSpan told = {};           ///< by any clock that is always as far ahead of ours, as wide as it was rounded
  std::int64_t perhaps_after = 0;  ///< of what was admitted by then, the cost of what may have been counted later
};

/// What the answers of one burst of requests say of the flow.
class ResetSlope {
 public:
  /// Takes in an answer in the order in which answers come.
  void learn(const ResetMark& mark, std::int64_t limit);
  /// Seconds per permit, at the most; only where no windows can have told these resets.
  std::optional<double> seconds_each() const noexcept;

 private:
  struct Told {
    ResetMark least_used;
    ResetMark most_used;
  };

  void restart(const ResetMark& mark);
  void keep(const ResetMark& mark);
  void compare(const ResetMark& one, const ResetMark& other) noexcept;
  bool excludes_windows() const noexcept;

  std::vector<Told> kept_ = {};  // one for each reset that was told
  std::int64_t limit_ = 0;
  std::int64_t least_used_ = 0;
  std::int64_t most_used_ = 0;
  InstantSpan first_told_ = {};
  InstantSpan last_told_ = {};  // the farthest
  Instant begun_ = {};
  Instant latest_ = {};
  unsigned moves_ = 0;
  double low_ = 0;   // seconds per permit are at least
  double high_ = 0;  // and at most
};

}}  // namespace noun
