// Tests of what noun-quota prints, for fixed values.
#include "quota_view.hpp"

#include <chrono>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace export_test { namespace quota_view_test {

using namespace std::chrono_literals;

/// Two partitions, three processes; a quota of which nothing is known; one that cannot be read.
std::vector<noun::SharedQuota> three_quotas() {
  noun::QuotaSnapshot busy;
  busy.holders = {{.id = 0x3a7f2c9e1b04, .permits = 20, .wanted = 5, .expires_in = 8400ms},
                  {.id = 0x5, .permits = 1'000, .expires_in = 0s},
                  {.id = 0x77, .wanted = 12, .expires_in = 95s}};
  busy.partitions = {{.limit = 5'000, .remaining = 3'321, .resets_in = 32min, .sent = 679, .rejected = 1},
                     {.partition = "search", .policy = "day", .limit = 30, .sent = 2}};
  noun::QuotaSnapshot idle;
  idle.partitions = {{}};
  return {{"noun:ab", busy},
          {"noun:cd", idle},
          {"noun:ef", noun::Error(noun::Errc::resource, "it is damaged", "remove it")}};
}

TEST(QuotaView, is_a_table_for_people) {
  EXPECT_EQ(noun_quota::table_of(three_quotas()), R"(noun:ab
  partition   limit  remaining  resets in  sent  rejected
  -           5,000      3,321  32 m 00 s   679         1
  search/day     30          -          -     2         0
  process       leased  wanted  expires in
  3a7f2c9e1b04      20       5         8 s
  000000000005   1,000       0     expired
  000000000077       0      12    1 m 35 s
  total of 3     1,020      17

noun:cd
  partition  limit  remaining  resets in  sent  rejected
  -              -          -          -     0         0
  no process shares it now

noun:ef
  it is damaged; remove it
)");
}

TEST(QuotaView, is_json_for_programs) {
  const auto all = nlohmann::json::parse(noun_quota::json_of(three_quotas()));
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0], nlohmann::json::parse(R"({
    "key": "noun:ab", "leased": 1020, "wanted": 17,
    "partitions": [
      {"partition": "", "policy": "", "limit": 5000, "remaining": 3321, "resets_in_s": 1920.0, "sent": 679, "rejected": 1},
      {"partition": "search", "policy": "day", "limit": 30, "sent": 2, "rejected": 0}],
    "holders": [
      {"id": "3a7f2c9e1b04", "leased": 20, "wanted": 5, "expires_in_s": 8.4},
      {"id": "000000000005", "leased": 1000, "wanted": 0, "expires_in_s": 0.0},
      {"id": "000000000077", "leased": 0, "wanted": 12, "expires_in_s": 95.0}]})"));
  EXPECT_EQ(all[1].at("holders"), nlohmann::json::array());
  EXPECT_EQ(all[2], nlohmann::json::parse(R"({"key": "noun:ef", "error": "it is damaged; remove it"})"));
}

TEST(QuotaView, says_when_there_is_nothing) {
  EXPECT_EQ(noun_quota::table_of({}), "no shared quotas; a client stores one when it sends its first request\n");
  EXPECT_EQ(noun_quota::json_of({}), "[]\n");
}

}  // namespace quota_view_test
}  // namespace export_test
