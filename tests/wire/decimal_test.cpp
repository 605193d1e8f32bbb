#include "wire/decimal.hpp"

#include <gtest/gtest.h>

namespace noun::wire { namespace decimal_test {

TEST(Decimal, is_read_completely_or_not_at_all) {
  EXPECT_EQ(read_decimal("0"), 0.0);
  EXPECT_EQ(read_decimal("12.5"), 12.5);
  EXPECT_EQ(read_decimal("3.6e3"), 3600.0);
  for (const auto* text : {"", " 7", "7 ", "+7", "-7", ".5", "7x", "0x7", "inf", "nan", "1e999"})
    EXPECT_EQ(read_decimal(text), std::nullopt) << text;
}

}}  // namespace noun::wire::decimal_test
