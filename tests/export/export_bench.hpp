#pragma once
/// @file
/// Runs the program in a folder, and waits for its end.

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "export/export_process.hpp"

namespace export_test {

/// Splits a command line at white space; quotes have no meaning.
inline std::vector<std::string> words_of(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

struct Bench : ::testing::Test {
  /// Runs the program, keeps its output in `out` and `err`, and returns its exit status.
  int run(const std::vector<std::string>& words, const std::map<std::string, std::string>& environment = {},
          const std::string& output = {}) {
    Process process(folder.path, words, environment, output);
    const auto status = process.wait();
    out = process.out();
    err = process.err();
    return status;
  }
  int run(const std::string& line) { return run(words_of(line)); }
  /// Runs a program as a shell starts it, with its redirections.
  int run_in_shell(const std::string& line, const char* path = program) {
    Process process(folder.path, {"-c", "exec \"$0\" " + line, path}, {}, {}, "/bin/sh");
    const auto status = process.wait();
    out = process.out();
    err = process.err();
    return status;
  }
  bool has(const std::string& name) const { return exists(folder / name); }
  void put(const std::string& name, const std::string& text) const { std::ofstream(folder / name) << text; }

  Folder folder;
  std::string out;
  std::string err;
};

}  // namespace export_test
