// The tests that SECURITY.md names exist.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "house/house_tree.hpp"

namespace house { namespace named_tests_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Each test as `program Suite.name`.
std::set<std::string> tests_in(const Files& files) {
  static const std::regex test(R"((?:^|\n)TEST(?:_F|_P)?\((\w+), (\w+)\))");
  static const std::map<std::string, std::string> programs = {
      {"vocabulary", "decisions"}, {"wire", "decisions"}, {"decision", "decisions"}, {"quota", "decisions"},
      {"cache", "decisions"}, {"paging", "decisions"},     {"call", "decisions"}, {"os", "drivers"},         {"curl", "drivers"},
      {"loop", "drivers"},         {"stores", "drivers"}, {"testing", "drivers"},
  };
  std::set<std::string> tests;
  for (const auto& file : files) {
    const auto parts = path_parts(file.path);
    if (parts.size() < 3 || parts[0] != "tests" || !is_cpp(file.path)) continue;
    const auto found = programs.find(parts[1]);
    const auto& program = found == programs.end() ? parts[1] : found->second;
    for (std::sregex_iterator at(file.text.begin(), file.text.end(), test), end; at != end; ++at)
      tests.insert(program + " " + (*at)[1].str() + "." + (*at)[2].str());
  }
  return tests;
}

/// What `PROGRAM_tests --gtest_filter=PATTERN:PATTERN` on a page does not find. A `*` ends a pattern, or a `/` follows.
Findings missing_on(const std::string& page, const Files& files) {
  static const std::regex command(R"((\w+)_tests --gtest_filter=([^`\s]+))");
  const auto tests = tests_in(files);
  Findings missing;
  for (std::sregex_iterator at(page.begin(), page.end(), command), end; at != end; ++at) {
    std::istringstream patterns((*at)[2].str());
    for (std::string pattern; std::getline(patterns, pattern, ':');) {
      auto name = (*at)[1].str() + " " + pattern.substr(pattern.find('/') + 1);
      const bool is_start = name.ends_with("*");
      if (is_start) name.pop_back();
      const auto found = tests.lower_bound(name);
      const bool is_there = found != tests.end() && (is_start ? found->starts_with(name) : *found == name);
      if (!is_there) missing.push_back((*at)[1].str() + " " + pattern);
    }
  }
  return missing;
}

TEST(NamedTests, of_the_security_page_exist) {
  const auto& files = repository();
  const auto page =
      std::find_if(files.begin(), files.end(), [](const auto& file) { return file.path == "SECURITY.md"; });
  ASSERT_NE(page, files.end());
  EXPECT_THAT(missing_on(page->text, files), IsEmpty());
  EXPECT_NE(page->text.find("_tests --gtest_filter="), std::string::npos);
}

TEST(NamedTests, that_are_missing_are_found) {
  const Files files = {{"tests/wire/a_test.cpp", "\nTEST(A, b) {}\nTEST_P(C, d) {}\n"}};
  EXPECT_THAT(missing_on("`decisions_tests --gtest_filter=A.b:A.*:*/C.d`", files), IsEmpty());
  EXPECT_THAT(missing_on("`decisions_tests --gtest_filter=A.c:B.*`, `wire_tests --gtest_filter=A.b`", files),
              ElementsAre("decisions A.c", "decisions B.*", "wire A.b"));
}

}  // namespace named_tests_test
}  // namespace house
