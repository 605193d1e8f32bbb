// The text speaks of noun: of no unfinished work, nobody's machine, and nobody's package registry.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>

#include "house/house_tree.hpp"

namespace house {
namespace words_test {

using testing::IsEmpty;
using testing::SizeIs;

bool is_word_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Whether `word` stands in the line, and not as a part of a longer one.
bool has_word(std::string_view line, std::string_view word) {
  for (auto at = line.find(word); at != std::string_view::npos; at = line.find(word, at + 1)) {
    const bool begins = at == 0 || !is_word_character(line[at - 1]);
    const auto end = at + word.size();
    if (begins && (end == line.size() || !is_word_character(line[end]))) return true;
  }
  return false;
}

/// Whether an absolute path begins with `start` in the line: not a part of a URL or of a longer path.
bool has_path(std::string_view line, std::string_view start) {
  for (auto at = line.find(start); at != std::string_view::npos; at = line.find(start, at + 1)) {
    const char before = at == 0 ? ' ' : line[at - 1];
    if (!is_word_character(before) && std::string_view("/.-~}]>").find(before) == std::string_view::npos) return true;
  }
  return false;
}

// In pieces, so that this file is not among its own findings.
const std::vector<std::string> unfinished = {
    "TO"
    "DO",
    "FIX"
    "ME",
    "XX"
    "X",
    "HA"
    "CK"};
const std::vector<std::string> machines = {
    "/ho"
    "me/",
    "/ro"
    "ot/",
    "/wo"
    "rk/",
    "/Us"
    "ers/"};
const std::vector<std::string> machines_in_pages = {
    "/t"
    "mp/"};
const std::vector<std::string> registries = {
    "registry.np"
    "mjs",
    "py"
    "pi.org",
    "python"
    "hosted.org",
    "crates"
    ".io",
    "proxy.go"
    "lang",
    "deb.deb"
    "ian.org",
    "docker"
    ".io",
    "gh"
    "cr.io"};

Findings findings_in(const Files& files) {
  Findings findings;
  for (const auto& file : files) {
    std::size_t number = 0;
    for (const auto& line : lines_of(file.text)) {
      const std::string where = file.path + ":" + std::to_string(++number) + " says ";
      for (const auto& word : unfinished) {
        if (has_word(line, word)) findings.push_back(where + word);
      }
      for (const auto& path : machines) {
        if (has_path(line, path)) findings.push_back(where + path);
      }
      for (const auto& path : machines_in_pages) {
        if (file.path.ends_with(".md") && has_path(line, path)) findings.push_back(where + path);
      }
      for (const auto& host : registries) {
        if (line.find(host) != std::string::npos) findings.push_back(where + host);
      }
    }
  }
  return findings;
}

TEST(Words, none_is_out_of_place) { EXPECT_THAT(findings_in(repository()), IsEmpty()); }

TEST(Words, unfinished_work_is_found) {
  for (const auto& word : unfinished)
    EXPECT_THAT(findings_in({{"src/wire/a.cpp", "// " + word + ": more"}}), SizeIs(1));
  EXPECT_THAT(findings_in({{"src/wire/a.cpp", "int " + unfinished[0] + "S, shack, " + unfinished[3] + "ED;"}}),
              IsEmpty());
}

TEST(Words, paths_of_a_machine_are_found) {
  for (const auto& path : machines) EXPECT_THAT(findings_in({{"README.md", "see " + path + "me"}}), SizeIs(1));
  EXPECT_THAT(findings_in({{"README.md", "`" + machines_in_pages[0] + "a`"}}), SizeIs(1));
  EXPECT_THAT(findings_in({{"tests/run", "x=" + machines_in_pages[0] + "a"}}), IsEmpty());
  EXPECT_THAT(findings_in({{"README.md", "https://a.example" + machines[0] + "me"}}), IsEmpty());
}

TEST(Words, registries_are_found) {
  for (const auto& host : registries) EXPECT_THAT(findings_in({{"a.txt", "https://" + host + "/x"}}), SizeIs(1));
}

}  // namespace words_test
}  // namespace house
