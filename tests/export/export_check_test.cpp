// Tests of the check of a file of JSON Lines, and of its messages.
#include "export_check.hpp"

#include <cerrno>
#include <fstream>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "export_disk.hpp"
#include "export_process.hpp"
#include "export_refusal.hpp"

namespace export_test { namespace export_check_test {

using noun_export::Contents;
using noun_export::fault_of;
using noun_export::read_contents;
using noun_export::verified_text;

/// Number of lines, number of duplicates (of lines, if `key` is empty), first damaged line, first line without the key.
std::string found_in(const std::string& text, const std::string& key) {
  const Folder folder;
  std::ofstream(folder / "a.jsonl", std::ios::binary) << text;
  const auto found = read_contents(folder / "a.jsonl", key);
  return std::to_string(found.lines) + " " + std::to_string(key.empty() ? found.equal : found.duplicates) + " " +
         std::to_string(found.damaged.value_or(0)) + " " + std::to_string(found.without_key.value_or(0));
}

TEST(ExportCheck, counts_lines_and_finds_the_first_damaged_one) {
  const struct {
    std::string text;
    const char* found;
    std::string key = "/id";
  } cases[] = {
      {"", "0 0 0 0"},
      {"{\"id\":1}\n", "1 0 0 0"},
      {"{\"id\":1}\n{\"id\":2}\n{\"id\":\"1\"}\n", "3 0 0 0"},
      {"{\"id\":1}\n{\"id\":2}\n{\"id\":1,\"a\":0}\n{\"id\":1}\n", "4 2 0 0"},
      {"{\"id\":{\"a\":\"\\u0041\"}}\n{\"id\":{ \"a\":\"A\"}}\n", "2 1 0 0"},
      {"{\"id\":1}\n{\"id\":1,\"a\":0}\n{\"id\": 1}\n", "3 1 0 0", ""},
      {"1\n\n2\n", "3 0 2 0", ""},
      {"1\n2\n{\"id\":\n}\n", "4 0 3 0", ""},
      {std::string("1\n2\0\n", 5), "2 0 2 0", ""},
      {"1\n2\n3", "3 0 3 0", ""},
      {"{\"id\":1}\n{\"name\":1}\n{\"name\":1}\n", "3 0 0 2"},
      {"{\"id\":1}\n{\"id\":null}\n", "2 0 0 2"},
      {"{\"name\":1}\n{\"name\":2}\n", "2 0 0 0", ""},
  };
  for (const auto& [text, found, key] : cases) EXPECT_EQ(found_in(text, key), found) << text;
}

TEST(ExportCheck, reads_lines_across_its_buffer) {
  std::string text;
  const std::string filling(999, 'x');
  for (int i = 0; i < 3000; ++i) text += "{\"id\":" + std::to_string(i % 2999) + ",\"x\":\"" + filling + "\"}\n";
  EXPECT_EQ(found_in(text, "/id"), "3000 1 0 0");
  EXPECT_EQ(found_in("\"" + std::string(1'000'000, 'x') + "\"\n1\n", ""), "2 0 0 0");
}

TEST(ExportCheck, reports_an_unreadable_file) {
  const Folder folder;
  EXPECT_EQ(refusal_of([&] { read_contents(folder / "a", ""); }),
            "cannot read " + (folder / "a").string() +
                ": No such file or directory; another program removed it; export again");
  EXPECT_EQ(refusal_of([&] { read_contents(folder.path, ""); }),
            "usage: " + folder.path.string() +
                " is a folder; move it, or use another name or a folder that only you can write to");
  EXPECT_EQ(refusal_of([] { noun_export::throw_unreadable("a", EACCES); }),
            "cannot read a: Permission denied; fix its permissions and continue with --resume");
  EXPECT_EQ(refusal_of([] { noun_export::throw_unreadable("a", EIO); }),
            "cannot read a: Input/output error; check the disk and continue with --resume");
}

TEST(ExportCheck, reports_the_worst_problem_first) {
  Contents contents = {.lines = 9, .duplicates = 2, .damaged = 4, .without_key = 7};
  EXPECT_EQ(fault_of(contents, 10, 12), "line 4 is damaged; the disk or another program changed the file");
  contents.damaged = std::nullopt;
  EXPECT_EQ(fault_of(contents, 10, 12), "the file has 9 lines, but 10 items were written; another program changed it");
  EXPECT_EQ(fault_of(contents, 1, 12), "the file has 9 lines, but 1 item was written; another program changed it");
  EXPECT_EQ(fault_of(contents, 9, 12), "line 7 has no value at the key; use a --key that all items have");
  contents.without_key = std::nullopt;
  EXPECT_EQ(fault_of(contents, 9, 12),
            "2 of 9 items have a duplicate key; the collection changed during the export, or the key is not unique: "
            "use another --key");
  contents.duplicates = 0;
  EXPECT_EQ(
      fault_of(contents, 9, 12),
      "the server counts 12 items, but 9 were written, 3 too few; the collection changed during the export, or the API "
      "does not list all of it");
  EXPECT_EQ(fault_of(contents, 9, 8),
            "the server counts 8 items, but 9 were written, 1 too many; the collection changed during the export");
}

TEST(ExportCheck, reports_success_and_the_number_of_identical_lines) {
  EXPECT_EQ(fault_of({.lines = 3}, 3, 3), std::nullopt);
  EXPECT_EQ(fault_of({.lines = 3}, 3, std::nullopt), std::nullopt);
  EXPECT_EQ(fault_of({}, 0, 0), std::nullopt);
  EXPECT_EQ(fault_of({.lines = 3, .equal = 2}, 3, 3), std::nullopt);
  EXPECT_EQ(verified_text({.lines = 3}, true), "verified");
  EXPECT_EQ(verified_text({.lines = 3}, false),
            "the lines are valid, but not verified: the server does not report how many items there are; compare "
            "with an export of another run, or with the API's own count");
  EXPECT_EQ(verified_text({.lines = 3, .equal = 1}, true), "verified; 1 line is identical to another");
  EXPECT_EQ(verified_text({.lines = 3, .equal = 2}, true), "verified; 2 lines are identical to others");
}

}  // namespace export_check_test
}  // namespace export_test
