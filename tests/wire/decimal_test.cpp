#include "wire/decimal.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <clocale>
#include <cstdint>
#include <limits>
#include <random>
#include <string>

#include <fmt/format.h>

namespace noun::wire { namespace decimal_test {

/// Both readers, so that each platform's is tested on every platform.
class Decimal : public ::testing::TestWithParam<decltype(&read_decimal)> {
 protected:
  static std::optional<double> read(std::string_view text) { return GetParam()(text); }
};
INSTANTIATE_TEST_SUITE_P(Readers, Decimal, ::testing::Values(&read_decimal, &read_decimal_with_strtod));

TEST_P(Decimal, is_read_completely_or_not_at_all) {
  EXPECT_EQ(read("0"), 0.0);
  EXPECT_EQ(read("12.5"), 12.5);
  EXPECT_EQ(read("3.6e3"), 3600.0);
  EXPECT_EQ(read("3.6E+3"), 3600.0);
  EXPECT_EQ(read("36e-1"), 3.6);
  EXPECT_EQ(read("007."), 7.0);
  EXPECT_EQ(read("7.e1"), 70.0);
  for (const auto* text : {"", " 7", "7 ", "+7", "-7", ".5", "7x", "0x7", "inf", "nan", "1e", "1e+", "1e+-1", "1e 1",
                           "1.2.3", "1,5", "1e1.5"})
    EXPECT_EQ(read(text), std::nullopt) << text;
  EXPECT_EQ(read(std::string_view("7\0", 2)), std::nullopt);
}

TEST_P(Decimal, is_nothing_where_a_double_cannot_represent_it) {
  using Limits = std::numeric_limits<double>;
  EXPECT_EQ(read("1.7976931348623157e308"), Limits::max());
  EXPECT_EQ(read("2.2250738585072014e-308"), Limits::min());
  EXPECT_EQ(read("4.9406564584124654e-324"), Limits::denorm_min());
  EXPECT_EQ(read("0e99999999999999999999"), 0.0);
  EXPECT_EQ(read("0.000e-99999999999999999999"), 0.0);
  for (const auto* text : {"1e999", "1e-999", "1.7976931348623159e308", "1e99999999999999999999", "1e-99999999999999999999"})
    EXPECT_EQ(read(text), std::nullopt) << text;
}

TEST_P(Decimal, is_rounded_to_the_nearest) {
  EXPECT_EQ(read("0.1"), 0.1);
  EXPECT_EQ(read("9007199254740993"), 9007199254740992.0);
  EXPECT_EQ(read("9007199254740993." + std::string(800, '0') + "1"), 9007199254740994.0);
  EXPECT_EQ(read("0." + std::string(400, '0') + "1e401"), 1.0);
  EXPECT_EQ(read("1" + std::string(400, '0') + "e-400"), 1.0);
  std::mt19937_64 random(1);
  for (int i = 0; i < 10'000; ++i) {
    const auto value = std::bit_cast<double>(random() >> 1U);
    if (!(value <= std::numeric_limits<double>::max())) continue;
    for (const auto& text : {fmt::format("{}", value), fmt::format("{:.20e}", value), fmt::format("{:.3f}", 1.0 + value)})
      EXPECT_EQ(read(text), read_decimal(text)) << text;
    EXPECT_EQ(read(fmt::format("{}", value)), value);
  }
}

TEST_P(Decimal, does_not_depend_on_the_locale) {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  for (const auto* name : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8"})
    if (std::setlocale(LC_ALL, name) != nullptr) break;
  EXPECT_EQ(read("1.5"), 1.5);
  EXPECT_EQ(read("1,5"), std::nullopt);
  std::setlocale(LC_ALL, before.c_str());
}

}}  // namespace noun::wire::decimal_test
