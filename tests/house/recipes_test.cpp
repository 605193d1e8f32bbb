// The rules of the cookbook: a program is short, has its source, is run, and is found in a table.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <string>

#include "house/house_tree.hpp"

namespace house { namespace recipes_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::ptrdiff_t most_lines = 40;

/// The names of the programs that rows of the README's tables link.
std::multiset<std::string> names_in_tables(const Files& files) {
  std::multiset<std::string> names;
  for (const auto& file : files) {
    if (file.path != "README.md") continue;
    std::istringstream page(file.text);
    for (std::string line; std::getline(page, line);) {
      const auto end = line.find(".cpp)");
      if (!line.starts_with("| ") || end == std::string::npos) continue;
      const auto start = line.find_last_of("(/", end - 1) + 1;
      names.insert(line.substr(start, end - start));
    }
  }
  return names;
}

bool has_text(const Files& files, const std::string& path, const std::string& text) {
  return std::any_of(files.begin(), files.end(), [&](const SourceFile& file) {
    return file.path == path && file.text.find(text) != std::string::npos;
  });
}

Findings bad_recipes(const Files& files) {
  Findings findings;
  const auto in_tables = names_in_tables(files);
  for (const auto& [path, text] : files) {
    if (!path.starts_with("examples/cookbook/") || !is_cpp(path)) continue;
    const auto name = path_stem(path);
    const auto first = text.substr(0, text.find('\n'));
    if (std::count(text.begin(), text.end(), '\n') > most_lines) findings.push_back(name + " is too long");
    if (!first.starts_with("// ") || first.find(". @source https://") == std::string::npos)
      findings.push_back(name + " does not begin with what it does and its source");
    if (in_tables.count(name) != 1) findings.push_back(name + " is not in one table of the README");
    for (const std::string component : {"redis", "sqlite"})
      if (text.find("#include <noun/" + component + "_") != std::string::npos &&
          (text.find("// of noun::" + component) == std::string::npos ||
           !has_text(files, "examples/cookbook/README.md", "(" + name + " PRIVATE noun::noun noun::" + component)))
        findings.push_back(name + " does not say that it needs noun::" + component);
    if (!has_text(files, "tests/data/cookbook/" + name + ".har", "\"entries\""))
      findings.push_back(name + " has no recording");
    if (!has_text(files, "tests/cookbook/cookbook_test.cpp", "(\"" + name + "\""))
      findings.push_back(name + " is not run");
  }
  return findings;
}

TEST(Recipes, are_short_and_are_run_and_found) { EXPECT_THAT(bad_recipes(repository()), IsEmpty()); }

TEST(Recipes, break_each_rule_visibly) {
  const Files good = {{"examples/cookbook/a.cpp", "// Does it. @source https://example.com/\n"},
                      {"README.md", "| do it | [a](examples/cookbook/a.cpp) | A |\n"},
                      {"tests/data/cookbook/a.har", R"({"log": {"entries": []}})"},
                      {"tests/cookbook/cookbook_test.cpp", R"(Recipe("a"))"}};
  EXPECT_THAT(bad_recipes(good), IsEmpty());
  EXPECT_THAT(bad_recipes({{good[0].path, std::string(41, '\n')}}),
              ElementsAre("a is too long", "a does not begin with what it does and its source",
                          "a is not in one table of the README", "a has no recording", "a is not run"));
  auto twice = good;
  twice[1].text += good[1].text;
  EXPECT_THAT(bad_recipes(twice), ElementsAre("a is not in one table of the README"));
  auto elsewhere = good;
  elsewhere[1].path = "examples/cookbook/README.md";
  EXPECT_THAT(bad_recipes(elsewhere), ElementsAre("a is not in one table of the README"));
  auto cached = good;
  cached[0].text += "#include <noun/sqlite_cache.hpp>  // of noun::sqlite\n";
  EXPECT_THAT(bad_recipes(cached), ElementsAre("a does not say that it needs noun::sqlite"));
  cached.push_back({"examples/cookbook/README.md", "target_link_libraries(a PRIVATE noun::noun noun::sqlite)"});
  EXPECT_THAT(bad_recipes(cached), IsEmpty());
}

}  // namespace recipes_test
}  // namespace house
