#include "resource/listing_estimate.hpp"

#include <algorithm>
#include <chrono>
#include <string>

#include <fmt/format.h>

#include "call/trail.hpp"

namespace noun { inline namespace v0 {

ListingPlan plan_of(std::optional<std::size_t> pages, const quota::Forecast& needed, std::optional<Duration> pace,
                    Now now) {
  ListingPlan plan{.pages = pages, .windows = needed.renewals};
  if (!pages || !needed.wait || !pace) return plan;
  const auto all = std::chrono::duration<double>(*pace) * static_cast<double>(*pages);
  constexpr std::chrono::duration<double> longest = std::chrono::hours(24 * 365 * 100);
  const auto travel = std::chrono::duration_cast<Duration>(std::min<std::chrono::duration<double>>(all, longest));
  // Whichever is longer of waiting and of fetching; behind the last renewal a page is still to be fetched.
  const bool waits = *needed.wait > Duration::zero() && *pages > 0;
  const Instant ready = after(after(Instant{}, *needed.wait), *pace);
  plan.estimate = std::max(travel, waits ? ready - Instant{} : Duration::zero());
  plan.finish = wall_time_of(after(now.steady, *plan.estimate), now);
  return plan;
}

std::optional<Finding> missed_deadline(std::size_t pages, const quota::Forecast& needed, Instant deadline, Now now) {
  if (pages == 0 || !needed.wait || *needed.wait == Duration::zero() || after(now.steady, *needed.wait) < deadline)
    return std::nullopt;
  const auto renewals = *needed.renewals == 1 ? "once" : fmt::format("{} times", *needed.renewals);
  return Finding{.code = Errc::deadline_exceeded,
                 .stopped_because = StopReason::time,
                 .what = fmt::format("the listing cannot end before the caller's deadline: {} more {} to be asked for, "
                                     "and the quota has to be renewed {} for that, which takes {}",
                                     pages, pages == 1 ? "page is" : "pages are", renewals, readable(*needed.wait)),
                 .advice = "give it a later deadline, or save its bookmark and go on from there later"};
}

}}  // namespace noun
