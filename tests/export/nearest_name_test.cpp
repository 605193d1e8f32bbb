// What somebody may have meant who misspelt a name.
#include "nearest_name.hpp"

#include <array>

#include <gtest/gtest.h>

#include "name_list.hpp"

namespace export_test {
namespace nearest_name_test {

using noun_export::name_list;
using noun_export::nearest_name;

constexpr std::array<std::string_view, 4> names{"github", "gitlab", "x", "hal"};

TEST(NearestName, is_at_most_two_letters_away) {
  EXPECT_EQ(nearest_name("githib", names), "github");
  EXPECT_EQ(nearest_name("gthub", names), "github");
  EXPECT_EQ(nearest_name("gitthubb", names), "github");
  EXPECT_EQ(nearest_name("gitlab", names), "gitlab");
  EXPECT_EQ(nearest_name("gatlob", names), "gitlab");
  EXPECT_EQ(nearest_name("githubber", names), "");
  EXPECT_EQ(nearest_name("acme", names), "");
}

TEST(NearestName, is_no_other_short_one) {
  EXPECT_EQ(nearest_name("y", names), "");
  EXPECT_EQ(nearest_name("", names), "");
  EXPECT_EQ(nearest_name("hat", names), "hal");
  EXPECT_EQ(nearest_name("hot", names), "");
}

TEST(NearestName, of_a_word_without_end_is_none) { EXPECT_EQ(nearest_name(std::string(100'000, 'x'), names), ""); }

TEST(NameList, is_broken_before_the_last_column) {
  EXPECT_EQ(name_list(names, "  ", 100), "  github, gitlab, x, hal");
  EXPECT_EQ(name_list(names, "  ", 17), "  github, gitlab,\n  x, hal");
  EXPECT_EQ(name_list(names, "  ", 16), "  github,\n  gitlab, x, hal");
  EXPECT_EQ(name_list(names, "", 3), "github,\ngitlab,\nx,\nhal");
  EXPECT_EQ(name_list({}, "  ", 10), "  ");
}

}  // namespace nearest_name_test
}  // namespace export_test
