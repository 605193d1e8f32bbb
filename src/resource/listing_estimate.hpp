#pragma once
// How long the rest of a listing takes.

#include <cstddef>
#include <optional>

#include <noun/listing_plan.hpp>
#include <noun/time.hpp>

#include "call/report.hpp"
#include "quota/forecast.hpp"

namespace noun { inline namespace v0 {

/// @param pages   that are still to be asked for.
/// @param needed  what the quota says of them.
/// @param pace    the time that a page takes.
ListingPlan plan_of(std::optional<std::size_t> pages, const quota::Forecast& needed, std::optional<Duration> pace,
                    Now now);

/// That the listing cannot end before `deadline`, once that is certain.
std::optional<Finding> missed_deadline(std::size_t pages, const quota::Forecast& needed, Instant deadline, Now now);

}}  // namespace noun
