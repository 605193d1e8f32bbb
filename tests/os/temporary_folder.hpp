#pragma once
/// @file
/// A temporary folder for a test.

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

namespace noun_test {

/// Created by the constructor, removed by the destructor.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    path_ = std::filesystem::temp_directory_path() / ("noun-test-" + std::to_string(std::random_device()()));
    if (!std::filesystem::create_directory(path_)) throw std::runtime_error("no folder for a test");
    std::filesystem::permissions(path_, std::filesystem::perms::owner_all);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  std::string path(const std::string& file) const { return (path_ / file).string(); }
  void write(const std::string& file, std::string_view text) const { std::ofstream(path(file), std::ios::binary) << text; }
  std::string read(const std::string& file) const {
    std::ostringstream text;
    text << std::ifstream(path(file), std::ios::binary).rdbuf();
    return text.str();
  }

 private:
  std::filesystem::path path_;
};

}  // namespace noun_test
