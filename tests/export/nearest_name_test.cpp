// Tests of suggestions for misspelled names.
#include "nearest_name.hpp"

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "name_list.hpp"

namespace export_test { namespace nearest_name_test {

using noun_export::name_list;
using noun_export::nearest_name;

constexpr std::array<std::string_view, 4> names{"github", "gitlab", "x", "hal"};

TEST(NearestName, is_at_most_two_edits_away_or_one_from_a_short_name) {
  const std::pair<std::string, const char*> cases[] = {
      {"githib", "github"},
      {"gthub", "github"},
      {"gitthubb", "github"},
      {"gitlab", "gitlab"},
      {"gatlob", "gitlab"},
      {"githubber", ""},
      {"acme", ""},
      {"y", ""},
      {"", ""},
      {"hat", "hal"},
      {"hot", ""},
      {std::string(100'000, 'x'), ""},
  };
  for (const auto& [word, near] : cases) EXPECT_EQ(nearest_name(word, names), near) << word.substr(0, 20);
}

TEST(NameList, is_broken_before_the_last_column) {
  EXPECT_EQ(name_list(names, "  ", 100), "  github, gitlab, x, hal");
  EXPECT_EQ(name_list(names, "  ", 17), "  github, gitlab,\n  x, hal");
  EXPECT_EQ(name_list(names, "  ", 16), "  github,\n  gitlab, x, hal");
  EXPECT_EQ(name_list(names, "", 3), "github,\ngitlab,\nx,\nhal");
  EXPECT_EQ(name_list({}, "  ", 10), "  ");
}

}  // namespace nearest_name_test
}  // namespace export_test
