// Tests of Cache-Control.
#include "wire/cache_control.hpp"

#include <chrono>
#include <optional>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace noun_test { namespace cache_control_test {

using namespace std::chrono_literals;
using noun::wire::read_cache_control;
using noun::wire::read_delta_seconds;

noun::wire::CacheControl read(std::string_view line) { return read_cache_control({line}); }

TEST(CacheControl, reads_what_a_private_cache_obeys) {
  const auto control = read(" No-Cache , must-revalidate,max-age=60,stale-while-revalidate=\"5\", stale-if-error=7,min-fresh=1");
  EXPECT_TRUE(control.no_cache);
  EXPECT_TRUE(control.must_revalidate);
  EXPECT_FALSE(control.no_store);
  EXPECT_EQ(control.max_age, 60s);
  EXPECT_EQ(control.min_fresh, 1s);
  EXPECT_EQ(control.stale_while_revalidate, 5s);
  EXPECT_EQ(control.stale_if_error, 7s);
}

TEST(CacheControl, reads_all_lines_and_takes_the_shortest_time) {
  const auto control = read_cache_control({"max-age=60", "public", "max-age=1, no-store"});
  EXPECT_EQ(control.max_age, 1s);
  EXPECT_TRUE(control.no_store);
}

TEST(CacheControl, ignores_what_it_does_not_know) {
  for (const auto* line : {"", ",,", "private", "ext=1, ext2=\"max-age=9, no-store\"", "private=\"a, b\"", "s-maxage=9"}) {
    const auto control = read(line);
    EXPECT_FALSE(control.no_store) << line;
    EXPECT_EQ(control.max_age, std::nullopt) << line;
  }
  EXPECT_TRUE(read("no-cache=\"Set-Cookie\"").no_cache);
}

TEST(CacheControl, takes_a_malformed_field_for_no_store) {
  for (const auto* line : {"max-age", "max-age=", "max-age=-1", "max-age=1.5", "max-age=1s", "max-age= 1", "max-age=\"1",
                           "max-age=1 public", "=1", "public; max-age=1", "max-age='1'"}) {
    const auto control = read(line);
    EXPECT_TRUE(control.no_store) << line;
    EXPECT_EQ(control.max_age, std::nullopt) << line;
  }
}

TEST(CacheControl, limits_long_times) {
  EXPECT_EQ(read_delta_seconds("2147483648"), 2'147'483'648s);
  EXPECT_EQ(read_delta_seconds("99999999999999999999999999"), 2'147'483'648s);
  EXPECT_EQ(read_delta_seconds("0060"), 60s);
  EXPECT_EQ(read_delta_seconds(""), std::nullopt);
  EXPECT_EQ(read_delta_seconds("\"\""), std::nullopt);
}

}}  // namespace noun_test::cache_control_test
