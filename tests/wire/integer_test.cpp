#include "wire/integer.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace noun::wire { namespace integer_test {

TEST(Integer, is_read_completely_or_not_at_all) {
  EXPECT_EQ(read_integer<std::int64_t>("0"), 0);
  EXPECT_EQ(read_integer<std::int64_t>("-7"), -7);
  EXPECT_EQ(read_integer<std::uint64_t>("18446744073709551615"), 18446744073709551615U);
  for (const auto* text : {"", " 7", "7 ", "+7", "7x", "0x7", "7.0", "-", "9223372036854775808"})
    EXPECT_EQ(read_integer<std::int64_t>(text), std::nullopt) << text;
  EXPECT_EQ(read_integer<std::uint64_t>("-7"), std::nullopt);
}

}}  // namespace noun::wire::integer_test
