// No file and no function is too long to be read at one go.

#include <algorithm>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "house/function_lengths.hpp"
#include "house/house_tree.hpp"

namespace house {
namespace sizes_test {

using testing::IsEmpty;
using testing::SizeIs;

constexpr std::size_t longest_function = 60;

constexpr std::size_t longest_file = 400;

constexpr std::size_t widest_line = 120;

bool is_measured(const std::string& path) {
  const auto parts = path_parts(path);
  if (path.ends_with(".md") || path.starts_with("tests/data/")) return false;
  return parts[0] == "include" || parts[0] == "src" || parts[0] == "examples" || parts[0] == "tests";
}

Findings long_files(const Files& files) {
  Findings findings;
  for (const auto& file : files) {
    const std::size_t lines = lines_of(file.text).size();
    if (is_measured(file.path) && lines > longest_file) {
      findings.push_back(file.path + " has " + std::to_string(lines) + " lines, over " + std::to_string(longest_file));
    }
  }
  return findings;
}

/// Characters of UTF-8.
std::size_t columns_of(std::string_view line) {
  return static_cast<std::size_t>(std::count_if(
      line.begin(), line.end(), [](char octet) { return (static_cast<unsigned char>(octet) & 0xc0) != 0x80; }));
}

Findings wide_lines(const Files& files) {
  Findings findings;
  for (const auto& file : files) {
    if (!is_cpp(file.path)) continue;
    const auto lines = lines_of(file.text);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      // An address cannot be broken.
      const bool is_source = lines[i].find("@source http") != std::string::npos;
      if (columns_of(lines[i]) > widest_line && !is_source)
        findings.push_back(file.path + ":" + std::to_string(i + 1) + " is wider than " + std::to_string(widest_line));
    }
  }
  return findings;
}

Findings long_functions(const Files& files) {
  Findings findings;
  for (const auto& file : files) {
    if (!is_cpp(file.path)) continue;
    for (const auto& function : function_lengths(file.text)) {
      if (function.lines <= longest_function) continue;
      findings.push_back(file.path + ":" + std::to_string(function.line) + " has " + std::to_string(function.lines) +
                         " lines: " + function.head);
    }
  }
  return findings;
}

std::string repeated(std::string_view line, std::size_t times) {
  std::string text;
  for (std::size_t i = 0; i < times; ++i) text += line;
  return text;
}

TEST(Sizes, no_file_is_too_long) { EXPECT_THAT(long_files(repository()), IsEmpty()); }

TEST(Sizes, a_long_file_is_found) {
  EXPECT_THAT(long_files({{"src/wire/a.cpp", repeated("\n", 400)}, {"tests/wire/a_test.cpp", repeated("\n", 400)}}),
              IsEmpty());
  EXPECT_THAT(long_files({{"src/wire/a.cpp", repeated("\n", 401)},
                          {"include/noun/a.hpp", repeated("\n", 401)},
                          {"examples/a.cpp", repeated("\n", 401)},
                          {"tests/wire/a_test.cpp", repeated("\n", 401)}}),
              SizeIs(4));
  EXPECT_THAT(long_files({{"README.md", repeated("\n", 1000)}, {"tests/data/a.json", repeated("\n", 1000)}}),
              IsEmpty());
}

TEST(Sizes, no_function_is_too_long) { EXPECT_THAT(long_functions(repository()), IsEmpty()); }

TEST(Sizes, a_long_function_is_found) {
  EXPECT_THAT(long_functions({{"src/wire/a.cpp", "void f() {\n" + repeated("  g();\n", 58) + "}\n"}}), IsEmpty());
  EXPECT_THAT(long_functions({{"src/wire/a.cpp", "void f() {\n" + repeated("  g();\n", 59) + "}\n"}}), SizeIs(1));
}

TEST(Sizes, no_line_is_too_wide) { EXPECT_THAT(wide_lines(repository()), IsEmpty()); }

TEST(Sizes, a_wide_line_is_found) {
  EXPECT_THAT(wide_lines({{"src/wire/a.cpp", repeated("x", 120) + "\n" + repeated("\xc3\xa9", 120) + "\n"}}),
              IsEmpty());
  EXPECT_THAT(wide_lines({{"src/wire/a.cpp", repeated("x", 121) + "\n"}, {"tests/a.hpp", repeated("x", 121)}}),
              SizeIs(2));
  EXPECT_THAT(wide_lines({{"src/wire/a.hpp", "/// @source https://" + repeated("x", 121) + "\n"}}), IsEmpty());
}

}  // namespace sizes_test
}  // namespace house
