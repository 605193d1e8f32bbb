// A leaky bucket that reports nothing but its rejections.
#include "quota/estimators/leaky_bucket.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "quota/quota_bench.hpp"

namespace quota_tests { namespace leaky_bucket_test {

struct Case {
  const char* what;
  double burst;
  double per_second;
  std::int64_t most_rejected;  // of 300 requests
};

TEST(LeakyBucket, is_known_after_two_rejections) {
  const std::vector<Case> cases = {{"nginx with a burst", 10, 5, 4}, {"a small burst", 3, 2, 4}, {"fast", 50, 20, 5}};
  for (const auto& one : cases) {
    SCOPED_TRACE(one.what);
    QuotaBench bench;
    double level = 0;
    std::int64_t rejections = 0;
    Duration last = 0s;
    for (int served = 0; served < 300;) {
      const auto asked = bench.ask();
      if (!asked.admitted) {
        bench.now = asked.until - bench_begin;
        continue;
      }
      bench.now += 1ms;
      level = std::max(level - one.per_second * std::chrono::duration<double>(bench.now - last).count(), 0.0);
      last = bench.now;
      const bool fits = level + 1 <= one.burst;
      if (fits) ++level, ++served;
      if (!fits) ++rejections;
      bench.answer({asked.sending}, fits ? bare() : rejected());
    }
    EXPECT_LE(rejections, one.most_rejected);
  }
}

}  // namespace leaky_bucket_test
}  // namespace quota_tests
