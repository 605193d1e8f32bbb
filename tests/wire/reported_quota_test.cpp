// Counts and their windows, used/limit, and values that contain a name.
#include "wire/reported_quota.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "table.hpp"

namespace noun::wire { namespace reported_quota_test {

using namespace std::literals;

using wire_test::Table;

TEST(Count, is_a_number_rounded_down) {
  EXPECT_EQ(parse_count("0"), 0);
  EXPECT_EQ(parse_count("504.9"), 504);
  EXPECT_EQ(parse_count("9223372036854775807"), 9'223'372'036'854'775'807);
  EXPECT_EQ(parse_count("9223372036854775808"), std::nullopt);
  for (const auto* text : {"", "-1", "+1", "1.", ".1", "1e3", "1,000", "1 2", "x"})
    EXPECT_EQ(parse_count(text), std::nullopt) << text;
}

TEST(CountWindow, is_in_the_count_or_in_the_member_with_the_same_number) {
  for (const auto& [text, window] :
       Table<Duration>{{"100;w=21600", 6h},
                       {"100;window=60", 1min},
                       {"10, 10;w=1;name=\"per-ip\", 1000;w=3600", 1s},
                       {"100;w=60, 10;w=1", 1min},
                       {"1;w=999999999999999", std::chrono::floor<std::chrono::seconds>(Duration::max())}})
    EXPECT_EQ(parse_count_window(text), window) << text;
}

TEST(CountWindow, is_not_guessed) {
  for (const auto* text :
       {"", "100", "100;w", "100;w=0", "100;w=-1", "100;w=1.5", "100;w=\"60\"", "100;q=9", "10;w=60;", "10, 20;w=1",
        "10, 10;w=1, 10;w=60", "10 ;w=60", "\"10\";w=60", "(10);w=60", "10.5;w=60"})
    EXPECT_EQ(parse_count_window(text), std::nullopt) << text;
}

TEST(Refill, is_a_decimal_number_within_reason) {
  EXPECT_EQ(parse_refill("10"), 10.0);
  EXPECT_EQ(parse_refill("0.5"), 0.5);
  EXPECT_EQ(parse_refill("0.000001"), 1e-6);
  EXPECT_EQ(parse_refill("1000000000"), 1e9);
  for (const auto* text : {"", "0", "-1", "+1", ".5", "0.0000009", "1000000001", "1e3", "inf", "nan", "0x1p3", "5 "})
    EXPECT_EQ(parse_refill(text), std::nullopt) << text;
  EXPECT_EQ(parse_refill(std::string(1'000'000, '9')), std::nullopt);
}

/// Each as `name: remaining of limit`.
std::string used(std::string_view text, std::size_t most = 9) {
  const auto reported = [](const auto& count) { return count ? std::to_string(*count) : "?"; };
  std::string shown;
  for (const auto& quota : parse_used_of_limit(text, most))
    shown += fmt::format("[{}: {} of {}]", quota.name, reported(quota.remaining), reported(quota.limit));
  return shown;
}

TEST(UsedOfLimitText, has_the_remaining_count_of_each) {
  for (const auto& [text, reported] :
       Table<std::string_view>{{"32/40", "[: 8 of 40]"},
                               {"41/40", "[: 0 of 40]"},
                               {"99999999999999999999/40", "[: 0 of 40]"},
                               {" api-usage = 18/5000 ", "[api-usage: 4982 of 5000]"},
                               {"17/250(appName=x)", "[: 233 of 250]"},
                               {"a=1/2; x; c=3/4(k=v)", "[a: 1 of 2][: ? of ?][c: 1 of 4]"},
                               {"", ""}})
    EXPECT_EQ(used(text), reported) << text;
  EXPECT_EQ(used("a=1/2; b=1/2; c=3/4", 2), "[a: 1 of 2][b: 1 of 2]");
}

TEST(UsedOfLimitText, is_ignored_if_malformed) {
  for (const auto* text : {"32", "32/", "/40", "32/0", "-1/40", "32/-40", "32/40/50", "32/40 50", "3.5/40", "32 / 40",
                           "a/b", "=", "=/", "32/99999999999999999999"})
    EXPECT_TRUE(used(text).ends_with(": ? of ?]")) << text;
}

/// The parts of each, as written: `name, limit, remaining, reset`.
std::string parts(std::string_view text, std::size_t most = 9) {
  std::string shown;
  for (const auto& [name, limit, remaining, reset] : split_quotas(text, most))
    shown += fmt::format("[{}, {}, {}, {}]", name, limit, remaining, reset);
  return shown;
}

TEST(QuotaText, is_a_count_named_members_or_a_list_that_names_itself) {
  EXPECT_EQ(parts("11999"), "[, , 11999, ]");
  EXPECT_EQ(parts("Total = 100;remaining=99 ; resets=41; other=7"), "[, 100, 99, 41]");
  EXPECT_EQ(parts("A/B;C;107, D;587"), "[A/B;C, , 107, ][D, , 587, ]");
  EXPECT_EQ(parts("a;1,b;2,c;3", 2), "[a, , 1, ][b, , 2, ]");
  EXPECT_EQ(parts(""), "");
}

}}  // namespace noun::wire::reported_quota_test
