// Counts and their windows, used/limit, and values that name themselves.
#include "wire/told_quota.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace noun::wire {
namespace told_quota_test {

using namespace std::literals;

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

TEST(Count, is_a_number_rounded_down) {
  EXPECT_EQ(parse_count("0"), 0);
  EXPECT_EQ(parse_count("504.9"), 504);
  EXPECT_EQ(parse_count("9223372036854775807"), 1'000'000'000'000) << "more is as good as without end";
  EXPECT_EQ(parse_count("9223372036854775808"), std::nullopt);
  for (const auto* text : {"", "-1", "+1", "1.", ".1", "1e3", "1,000", "1 2", "x"})
    EXPECT_EQ(parse_count(text), std::nullopt) << text;
}

TEST(CountWindow, is_the_counts_own_or_of_the_member_of_the_same_number) {
  EXPECT_EQ(parse_count_window("100;w=21600"), 6h);
  EXPECT_EQ(parse_count_window("100;window=60"), 1min);
  EXPECT_EQ(parse_count_window("10, 10;w=1;name=\"per-ip\", 1000;w=3600"), 1s);
  EXPECT_EQ(parse_count_window("100;w=60, 10;w=1"), 1min);
  EXPECT_EQ(parse_count_window("1;w=999999999999999"), std::chrono::floor<std::chrono::seconds>(Duration::max()));
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

ToldQuota used(std::string_view text) {
  const auto quotas = parse_used_of_limit(text, 9);
  return quotas.empty() ? ToldQuota{} : quotas.front();
}

TEST(UsedOfLimitText, says_what_remains) {
  EXPECT_EQ(used("32/40").limit, 40);
  EXPECT_EQ(used("32/40").remaining, 8);
  EXPECT_EQ(used("41/40").remaining, 0);
  EXPECT_EQ(used("99999999999999999999/40").remaining, 0);
  EXPECT_EQ(used(" api-usage = 18/5000 ").remaining, 4982);
  EXPECT_EQ(used("api-usage=18/5000").name, "api-usage");
  EXPECT_EQ(used("17/250(appName=x)").limit, 250);
}

TEST(UsedOfLimitText, is_ignored_where_it_is_malformed) {
  for (const auto* text : {"32", "32/", "/40", "32/0", "-1/40", "32/-40", "32/40/50", "32/40 50", "3.5/40", "32 / 40",
                           "a/b", "=", "=/", "32/99999999999999999999"}) {
    EXPECT_FALSE(used(text).limit) << text;
    EXPECT_FALSE(used(text).remaining) << text;
  }
}

TEST(UsedOfLimitText, may_tell_of_several) {
  EXPECT_THAT(parse_used_of_limit("", 9), IsEmpty());
  EXPECT_THAT(parse_used_of_limit("a=1/2; x; c=3/4(k=v)", 9), SizeIs(3));
  EXPECT_EQ(parse_used_of_limit("a=1/2; x; c=3/4(k=v)", 9).at(2).name, "c");
  EXPECT_THAT(parse_used_of_limit("a=1/2; b=1/2; c=3/4", 2), SizeIs(2));
}

TEST(QuotaText, is_a_count_named_members_or_a_list_that_names_itself) {
  const auto count = split_quotas("11999", 9);
  ASSERT_THAT(count, SizeIs(1));
  EXPECT_EQ(count[0].remaining, "11999");
  EXPECT_EQ(count[0].name, "");

  const auto members = split_quotas("Total = 100;remaining=99 ; resets=41; other=7", 9);
  ASSERT_THAT(members, SizeIs(1));
  EXPECT_EQ(members[0].limit, "100");
  EXPECT_EQ(members[0].remaining, "99");
  EXPECT_EQ(members[0].reset, "41");

  const auto list = split_quotas("A/B;C;107, D;587", 9);
  ASSERT_THAT(list, SizeIs(2));
  EXPECT_EQ(list[0].name, "A/B;C");
  EXPECT_EQ(list[0].remaining, "107");
  EXPECT_EQ(list[1].name, "D");
  EXPECT_THAT(split_quotas("a;1,b;2,c;3", 2), SizeIs(2));
  EXPECT_THAT(split_quotas("", 9), IsEmpty());
}

}  // namespace told_quota_test
}  // namespace noun::wire
