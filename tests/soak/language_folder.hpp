#pragma once
// A data folder for the sample server whose collection `languages` has a given number of members.

#include <cstddef>
#include <string>

namespace soak {

/// A temporary folder, removed by the destructor.
class LanguageFolder {
 public:
  explicit LanguageFolder(std::size_t languages);
  ~LanguageFolder();
  LanguageFolder(const LanguageFolder&) = delete;
  LanguageFolder& operator=(const LanguageFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace soak
