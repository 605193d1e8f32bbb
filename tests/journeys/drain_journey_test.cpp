// Tests of the main job: a typed listing of a rate-limited collection with default options.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <tuple>

#include "journeys/window_monitor.hpp"

namespace journeys { namespace drain_journey_test {

using kit::ServiceReset;

struct Drained {
  std::vector<int> ids;
  std::vector<Duration> late;
  std::vector<std::size_t> used;
  std::size_t rejected = 0;
};

Drained drain(kit::ServiceOptions options, Duration start, int items, std::size_t page_size) {
  const auto clock = std::make_shared<kit::ManualClock>();
  clock->advance(start);
  const auto watch = std::make_shared<WindowMonitor>(clock, options);
  fill(*watch->service, items);
  const noun::Client api{"https://api.example.com",
                         {.transport = watch, .clock = clock, .quota_ledger = noun::make_quota_ledger()}};
  Drained drained;
  for (const auto& language : api.collection<Language>("languages").list({.page_size = page_size})) {
    if (!language) {
      ADD_FAILURE() << language.error().message();
      break;
    }
    drained.ids.push_back(language->id);
  }
  drained.late = watch->late;
  drained.used = watch->used;
  drained.rejected = watch->service->rejected();
  return drained;
}

using Cell = std::tuple<ServiceReset, Duration, Duration, Duration>;
class Drain : public ::testing::TestWithParam<Cell> {
 protected:
  kit::ServiceOptions service() const {
    const auto [reset, offset, phase, start] = GetParam();
    return {.limit = 60, .period = 60s, .phase = phase, .clock_offset = offset, .reset = reset};
  }
  Duration start() const { return std::get<3>(GetParam()); }
  /// Whether the window resets within a second, and the reset is reported in whole seconds of the clock, rounded up. The
  /// client then waits for the reported reset.
  bool reported_late() const {
    return std::get<0>(GetParam()) == ServiceReset::epoch && std::get<2>(GetParam()) != Duration(0s);
  }
  Duration max_first_delay() const { return reported_late() ? Duration(1100ms) : Duration(1s); }
  Duration max_later_delay() const { return reported_late() ? Duration(750ms) : Duration(100ms); }
};

void expect_all(const Drained& drained, int items) {
  std::vector<int> all(static_cast<std::size_t>(items));
  std::iota(all.begin(), all.end(), 1);
  EXPECT_EQ(drained.ids, all);
  EXPECT_EQ(drained.rejected, 0U);
}

TEST_P(Drain, delivers_every_item_once_and_waits_no_longer_than_needed) {
  const auto drained = drain(service(), start(), all_languages, 100);
  expect_all(drained, all_languages);
  EXPECT_EQ(std::accumulate(drained.used.begin(), drained.used.end(), std::size_t{0}), 79U);
  ASSERT_GE(drained.late.size(), 1U);
  EXPECT_LE(drained.late.front(), max_first_delay());
  for (std::size_t reset_number = 1; reset_number < drained.late.size(); ++reset_number)
    EXPECT_LE(drained.late[reset_number], max_later_delay()) << "reset " << reset_number;
}

TEST_P(Drain, uses_every_permit_of_each_window_and_is_late_only_at_the_first_reset) {
  constexpr int items = 400;
  const auto drained = drain(service(), start(), items, 1);
  expect_all(drained, items);
  ASSERT_GE(drained.late.size(), 6U);
  EXPECT_LE(drained.late.front(), max_first_delay());
  for (std::size_t reset_number = 1; reset_number < drained.late.size(); ++reset_number)
    EXPECT_LE(drained.late[reset_number], max_later_delay()) << "reset " << reset_number;
  for (std::size_t window = 0; window + 1 < drained.used.size(); ++window)
    EXPECT_EQ(drained.used[window], 60U) << window;
  RecordProperty("first_reset_late_ms", static_cast<int>(drained.late.front() / 1ms));
  RecordProperty("later_resets_late_us",
                 static_cast<int>(*std::max_element(drained.late.begin() + 1, drained.late.end()) / 1us));
}

INSTANTIATE_TEST_SUITE_P(services, Drain,
                         ::testing::Combine(::testing::Values(ServiceReset::epoch, ServiceReset::delta),
                                            ::testing::Values(Duration(0s), Duration(-1h), Duration(1h)),
                                            ::testing::Values(Duration(0s), Duration(300ms)),
                                            ::testing::Values(Duration(0s), Duration(12'345ms), Duration(50'999ms))));

TEST(Drain, page_by_page_delivers_the_same_items) {
  const auto clock = std::make_shared<kit::ManualClock>();
  const auto watch = std::make_shared<WindowMonitor>(clock, kit::ServiceOptions{.limit = 60});
  fill(*watch->service);
  const noun::Client api{"https://api.example.com",
                         {.transport = watch, .clock = clock, .quota_ledger = noun::make_quota_ledger()}};
  std::size_t items = 0;
  for (const auto& page : api.collection<Language>("languages").list({.page_size = 100}).pages()) {
    ASSERT_TRUE(page);
    items += page->items.size();
  }
  EXPECT_EQ(items, static_cast<std::size_t>(all_languages));
  EXPECT_EQ(watch->service->rejected(), 0U);
  EXPECT_EQ(watch->service->requests(), 79U);
}

}  // namespace drain_journey_test
}  // namespace journeys
