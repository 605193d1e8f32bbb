#include "wire/duration_text.hpp"

#include <gtest/gtest.h>

#include "table.hpp"

namespace noun::wire { namespace duration_text_test {

using namespace std::chrono_literals;

using wire_test::Table;

constexpr auto max = Duration::max();

TEST(DecimalDuration, whole_numbers_and_fractions_count_units) {
  const Table<Duration> of_seconds = {{"0", 0s}, {"0120", 120s}, {"64.57", 64570ms}, {"0.65", 650ms}, {"2.0", 2s}};
  for (const auto& [text, duration] : of_seconds) EXPECT_EQ(parse_decimal_duration(text, 1s), duration) << text;
  EXPECT_EQ(parse_decimal_duration("1500", 1ms), 1500ms);
  EXPECT_EQ(parse_decimal_duration("1.5", 1h), 90min);
}

TEST(DecimalDuration, digits_below_a_nanosecond_are_rounded_up_once) {
  const Table<Duration> of_seconds = {
      {"0.000000001", 1ns}, {"0.0000000001", 1ns}, {"0.0000000011", 2ns}, {"0.0000000010", 1ns}, {"0.9999999999", 1s}};
  for (const auto& [text, duration] : of_seconds) EXPECT_EQ(parse_decimal_duration(text, 1s), duration) << text;
  EXPECT_EQ(parse_decimal_duration("1.1", 1ns), 2ns);
}

TEST(DecimalDuration, too_large_values_saturate) {
  EXPECT_EQ(parse_decimal_duration("9223372036", 1s), 9223372036s);
  for (const auto* text : {"9223372036.854775807", "9223372036.9", "9223372037"})
    EXPECT_EQ(parse_decimal_duration(text, 1s), max) << text;
  EXPECT_EQ(parse_decimal_duration("99999999999999999999", 1ns), max);
  const std::string nines(1'000'000, '9');
  EXPECT_EQ(parse_decimal_duration(nines + "." + nines, 1h), max);
}

TEST(DecimalDuration, other_text_is_not_a_number) {
  for (const auto* text :
       {"", ".", ".5", "5.", "-1", "-0", "+1", "1e3", "0x10", "1,5", "1 ", " 1", "1s", "NaN", "inf", "1.2.3"})
    EXPECT_EQ(parse_decimal_duration(text, 1s), std::nullopt) << text;
}

TEST(DurationText, the_format_of_go_is_read_and_saturates) {
  const Table<Duration> table = {{"6m0s", 6min},         {"1s", 1s},        {"12ms", 12ms},
                                 {"2m59.56s", 179560ms}, {"1h2m3s", 3723s}, {"7ns", 7ns},
                                 {"7us", 7us},           {"7\u00B5s", 7us}, {"7\u03BCs", 7us}};
  for (const auto& [text, duration] : table) EXPECT_EQ(parse_duration_text(text), duration) << text;
  for (const auto* text : {"9999999999h", "9223372036s9223372036s"}) EXPECT_EQ(parse_duration_text(text), max) << text;
}

TEST(DurationText, other_text_is_nothing) {
  for (const auto* text : {"", "5", "s", "-5s", "5 s", "5x", "5mss", "1.s", ".5s", "1..5s", "5S", "5d", "1h2", "abc"})
    EXPECT_EQ(parse_duration_text(text), std::nullopt) << text;
}

}}  // namespace noun::wire::duration_text_test
