#pragma once
/// @file
/// What Listing::plan() answers.

#include <cstddef>
#include <optional>

#include <noun/time.hpp>
#include <noun/version.hpp>

namespace noun { inline namespace v0 {

/// What is left of a listing, and how long that takes under the quota as it stands. An estimate: others may spend the
/// quota too, and collections change while they are read.
struct ListingPlan {
  /// Pages that are still to be asked for. Nothing while no answer has told how many there are.
  std::optional<std::size_t> pages = {};
  /// How often the quota has to be renewed for them; 0 where they fit into what is left. Nothing while the pages or the
  /// quota are not known.
  std::optional<std::size_t> windows = {};
  /// From now until the last page is there, at the pace of the fastest page so far.
  std::optional<Duration> estimate = {};
  /// The same as a time of day.
  std::optional<WallTime> finish = {};
};

}}  // namespace noun
