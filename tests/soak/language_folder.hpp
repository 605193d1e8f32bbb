#pragma once
// A data folder of the sample service whose collection `languages` has as many members as are wanted.

#include <cstddef>
#include <string>

namespace soak {

/// In the folder for temporary files; removed at its end.
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
