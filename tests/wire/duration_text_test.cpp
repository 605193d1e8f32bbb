// Decimal numbers of a unit, and duration text.
#include "wire/duration_text.hpp"

#include <gtest/gtest.h>

namespace noun::wire {
namespace duration_text_test {

using namespace std::chrono_literals;

TEST(DecimalDuration, whole_numbers_count_units) {
  EXPECT_EQ(parse_decimal_duration("0", 1s), 0s);
  EXPECT_EQ(parse_decimal_duration("0120", 1s), 120s);
  EXPECT_EQ(parse_decimal_duration("1500", 1ms), 1500ms);
}

TEST(DecimalDuration, fractions_are_exact_to_the_nanosecond) {
  EXPECT_EQ(parse_decimal_duration("64.57", 1s), 64570ms);
  EXPECT_EQ(parse_decimal_duration("0.65", 1s), 650ms);
  EXPECT_EQ(parse_decimal_duration("2.0", 1s), 2s);
  EXPECT_EQ(parse_decimal_duration("1.5", 1h), 90min);
  EXPECT_EQ(parse_decimal_duration("0.000000001", 1s), 1ns);
}

TEST(DecimalDuration, what_is_below_a_nanosecond_rounds_up_once) {
  EXPECT_EQ(parse_decimal_duration("0.0000000001", 1s), 1ns);
  EXPECT_EQ(parse_decimal_duration("0.0000000011", 1s), 2ns);
  EXPECT_EQ(parse_decimal_duration("0.0000000010", 1s), 1ns);
  EXPECT_EQ(parse_decimal_duration("1.1", 1ns), 2ns);
  EXPECT_EQ(parse_decimal_duration("0.9999999999", 1s), 1s);
}

TEST(DecimalDuration, more_than_fits_saturates) {
  EXPECT_EQ(parse_decimal_duration("9223372036", 1s), 9223372036s);
  EXPECT_EQ(parse_decimal_duration("9223372036.854775807", 1s), Duration::max());
  EXPECT_EQ(parse_decimal_duration("9223372036.9", 1s), Duration::max());
  EXPECT_EQ(parse_decimal_duration("9223372037", 1s), Duration::max());
  EXPECT_EQ(parse_decimal_duration("99999999999999999999", 1ns), Duration::max());
  EXPECT_EQ(parse_decimal_duration(std::string(1'000'000, '9') + "." + std::string(1'000'000, '9'), 1h),
            Duration::max());
}

TEST(DecimalDuration, all_else_is_no_number) {
  for (const auto* text :
       {"", ".", ".5", "5.", "-1", "-0", "+1", "1e3", "0x10", "1,5", "1 ", " 1", "1s", "NaN", "inf", "1.2.3"})
    EXPECT_EQ(parse_decimal_duration(text, 1s), std::nullopt) << text;
}

TEST(DurationText, what_go_prints_is_read) {
  EXPECT_EQ(parse_duration_text("6m0s"), 6min);
  EXPECT_EQ(parse_duration_text("1s"), 1s);
  EXPECT_EQ(parse_duration_text("12ms"), 12ms);
  EXPECT_EQ(parse_duration_text("2m59.56s"), 179560ms);
  EXPECT_EQ(parse_duration_text("1h2m3s"), 3723s);
  EXPECT_EQ(parse_duration_text("7ns"), 7ns);
  EXPECT_EQ(parse_duration_text("7us"), 7us);
  EXPECT_EQ(parse_duration_text("7\u00B5s"), 7us);
  EXPECT_EQ(parse_duration_text("7\u03BCs"), 7us);
}

TEST(DurationText, more_than_fits_saturates) {
  EXPECT_EQ(parse_duration_text("9999999999h"), Duration::max());
  EXPECT_EQ(parse_duration_text("9223372036s9223372036s"), Duration::max());
}

TEST(DurationText, all_else_is_none) {
  for (const auto* text : {"", "5", "s", "-5s", "5 s", "5x", "5mss", "1.s", ".5s", "1..5s", "5S", "5d", "1h2", "abc"})
    EXPECT_EQ(parse_duration_text(text), std::nullopt) << text;
}

}  // namespace duration_text_test
}  // namespace noun::wire
