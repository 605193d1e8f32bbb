// Tests of the used part of a limit, with small numbers.
#include "laboratory/window_watch.hpp"

#include <gtest/gtest.h>

namespace laboratory { namespace window_watch_test {

using namespace std::chrono_literals;

constexpr double many = 1000;

WindowWatch watched(const LimitOptions& options, const std::vector<noun::Duration>& arrivals, double sendable = many) {
  SimulatedLimit limit(options);
  WindowWatch watch(options, sendable);
  for (const auto arrival : arrivals) {
    const noun::WallTime at{1'768'910'400s + arrival};
    watch.see(limit.count(at), at);
  }
  return watch;
}

TEST(WindowWatch, leaves_out_the_last_window_and_counts_an_empty_one) {
  const auto watch = watched({.limit = 2, .period = 10s}, {5s, 6s, 7s, 11s, 31s});
  EXPECT_EQ(watch.utilisation(), (std::vector<double>{1, 0.5, 0}));
}

TEST(WindowWatch, windows_that_start_with_a_request_have_no_gaps) {
  const auto watch = watched({.kind = LimitKind::first_window, .limit = 2, .period = 10s}, {5s, 6s, 100s, 200s});
  EXPECT_EQ(watch.utilisation(), (std::vector<double>{1, 0.5}));
}

TEST(WindowWatch, a_bucket_is_compared_with_all_refilled_tokens) {
  const auto watch = watched({.kind = LimitKind::token_bucket, .limit = 2, .period = 10s}, {0s, 0s, 5s, 20s});
  EXPECT_EQ(watch.utilisation(), (std::vector<double>{0.75, 0.5}));
}

TEST(WindowWatch, expects_no_more_than_can_be_sent) {
  const auto watch = watched({.limit = 9, .period = 10s}, {0s, 1s, 2s, 10s}, 0.4);
  EXPECT_EQ(watch.utilisation(), std::vector<double>{1});
}

TEST(WindowWatch, measures_how_late_a_renewal_is_noticed) {
  EXPECT_EQ(watched({.limit = 1, .period = 10s}, {5s, 12s, 20s}).probe_error(), 2s);
  EXPECT_EQ(watched({.limit = 2, .period = 10s}, {5s, 12s}).probe_error(), 0s) << "the limit was not used up";
  EXPECT_EQ(watched({.limit = 1, .period = 10s}, {5s, 6s, 10s}).probe_error(), 0s) << "an early request is not late";
}

}  // namespace window_watch_test
}  // namespace laboratory
