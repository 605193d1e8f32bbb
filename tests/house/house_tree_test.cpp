#include "house/house_tree.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace house { namespace house_tree_test {

using ::testing::ElementsAre;

TEST(HouseTree, has_this_file_and_nothing_that_was_built) {
  const auto& files = repository();
  const auto self = std::find_if(files.begin(), files.end(),
                                 [](const auto& file) { return file.path == "tests/house/house_tree_test.cpp"; });
  ASSERT_NE(self, files.end());
  EXPECT_NE(self->text.find("has_this_file_and_nothing_that_was_built"), std::string::npos);
  for (const auto& file : files) EXPECT_FALSE(file.path.starts_with("build/") || file.path.starts_with(".git/"));
}

TEST(HouseTree, code_has_no_comments) {
  EXPECT_EQ(without_comments("int a; // b\n// c\nint d;"), "int a; \n\nint d;\n");
}

TEST(HouseTree, sees_includes) {
  EXPECT_THAT(includes_of("#include <a/b.hpp>\n  # include \"c.hpp\"  // why\n// #include <d>\n#define include <e>\n"),
              ElementsAre("<a/b.hpp>", "\"c.hpp\""));
}

TEST(HouseTree, takes_paths_apart) {
  EXPECT_THAT(path_parts("src/wire/url.cpp"), ElementsAre("src", "wire", "url.cpp"));
  EXPECT_EQ(path_stem("src/wire/url.cpp"), "url");
  EXPECT_EQ(path_stem("cmake/noun-config.cmake.in"), "noun-config");
  EXPECT_EQ(path_stem(".gitignore"), ".gitignore");
}

}  // namespace house_tree_test
}  // namespace house
