#include "wire/keep_alive.hpp"

#include <chrono>
#include <optional>

#include <gtest/gtest.h>

namespace noun::wire { namespace keep_alive_test {

using namespace std::chrono_literals;

TEST(KeepAlive, the_shortest_timeout_counts) {
  EXPECT_EQ(keep_alive_timeout("timeout=5, max=100"), 5s);
  EXPECT_EQ(keep_alive_timeout("max=100 , Timeout=5"), 5s);
  EXPECT_EQ(keep_alive_timeout("timeout=5, timeout=3, timeout=4"), 3s);
  EXPECT_EQ(keep_alive_timeout("timeout=86401"), 24h);
  EXPECT_EQ(keep_alive_timeout("timeout=x, timeout=0"), 0s);
}

TEST(KeepAlive, what_has_no_timeout_says_nothing) {
  for (const auto* text : {"", ",", "timeout", "timeout=", "timeout=x", "timeout=-1", "timeout=1.5", "max=100"})
    EXPECT_EQ(keep_alive_timeout(text), std::nullopt) << text;
}

}}  // namespace noun::wire::keep_alive_test
