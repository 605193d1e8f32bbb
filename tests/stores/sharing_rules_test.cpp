#include "stores/sharing_rules.hpp"

#include <gtest/gtest.h>

#include "curl/fails_with.hpp"

namespace noun_test { namespace sharing_rules_test {

using noun::fault_of;
using noun::SharingOptions;
using namespace std::chrono_literals;

TEST(SharingRules, hold_for_the_defaults_and_at_the_ends_of_the_ranges) {
  EXPECT_EQ(fault_of(SharingOptions{}), std::nullopt);
  EXPECT_EQ(fault_of({.slow_after = 1ms, .lease = 1s, .prefix = ""}), std::nullopt);
  EXPECT_EQ(fault_of({.slow_after = 10s, .lease = 10min, .prefix = std::string(64, 'x')}), std::nullopt);
  EXPECT_EQ(fault_of({.prefix = "team-1_ci:AZaz09"}), std::nullopt);
}

TEST(SharingRules, name_the_option_that_is_out_of_its_range) {
  const struct {
    SharingOptions options;
    const char* option;
  } cases[] = {{{.slow_after = 1ms - 1ns}, "slow_after"},
               {{.slow_after = 10s + 1ns}, "slow_after"},
               {{.lease = 1s - 1ns}, "lease"},
               {{.lease = 10min + 1ns}, "lease"},
               {{.prefix = std::string(65, 'x')}, "prefix"},
               {{.prefix = "a/b"}, "prefix"},
               {{.prefix = "ä"}, "prefix"}};
  for (const auto& [options, option] : cases) {
    const auto fault = fault_of(options);
    ASSERT_THAT(fault, FailsWith(noun::Errc::invalid_argument, noun::Sent::no)) << option;
    EXPECT_THAT(fault->what(), ::testing::StartsWith(std::string("SharingOptions::") + option + " must"));
    EXPECT_EQ(fault->advice(), std::string("fix SharingOptions::") + option);
  }
}

}  // namespace sharing_rules_test
}  // namespace noun_test
