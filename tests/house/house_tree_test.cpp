#include "house/house_tree.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace house {
namespace house_tree_test {

using testing::ElementsAre;

TEST(HouseTree, finds_this_file_and_reads_it) {
  const auto& files = repository();
  const auto self = std::find_if(files.begin(), files.end(),
                                 [](const auto& file) { return file.path == "tests/house/house_tree_test.cpp"; });
  ASSERT_NE(self, files.end());
  EXPECT_NE(self->text.find("finds_this_file_and_reads_it"), std::string::npos);
}

TEST(HouseTree, holds_nothing_that_was_built) {
  for (const auto& file : repository()) {
    EXPECT_FALSE(file.path.starts_with("build/")) << file.path;
    EXPECT_FALSE(file.path.starts_with(".git/")) << file.path;
  }
}

TEST(HouseTree, code_has_no_comments_directives_or_literals_and_keeps_its_lines) {
  EXPECT_EQ(code_only("int a; // b {\nint c;"), "int a; \nint c;");
  EXPECT_EQ(code_only("int /* { \n { */ a;"), "int \n a;");
  EXPECT_EQ(code_only("#define A {\\\n  {\nint a;"), "\n\nint a;");
  EXPECT_EQ(code_only(R"(f("a\"{", '{', '\'', L'}');)"), R"(f("", '', '', L'');)");
  EXPECT_EQ(code_only("f(R\"x({\n\")\"{)x\");"), "f(R\"\"\n);");
  EXPECT_EQ(code_only("int a = 1'000'000; // {"), "int a = 1'000'000; ");
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
