#include "language_folder.hpp"

#include <stdlib.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <system_error>

#include <fmt/format.h>
#include <atlas_options.hpp>

#include "delivery_count.hpp"

namespace soak {
namespace {

namespace fs = std::filesystem;

std::string make_folder() {
  auto path = (fs::temp_directory_path() / "noun-soak-XXXXXX").string();
  if (::mkdtemp(path.data()) == nullptr) throw std::system_error(errno, std::generic_category(), path);
  return path;
}

void write_languages(const fs::path& path, std::size_t count) {
  std::ofstream file(path);
  file << "{\n  \"639-3\": [";
  for (std::size_t i = 0; i < count; ++i)
    file << fmt::format(R"({}    {{"alpha_3": "{}", "name": "Language {}", "scope": "I", "type": "L"}})",
                        i == 0 ? "\n" : ",\n", id_of(i), i + 1);
  file << "\n  ]\n}\n";
  if (!file.flush()) throw std::runtime_error(fmt::format("cannot write {}", path.string()));
}

}  // namespace

LanguageFolder::LanguageFolder(std::size_t languages) : path_(make_folder()) {
  const fs::path folder = path_;
  const fs::path installed = atlas::Options{}.data;
  write_languages(folder / "iso_639-3.json", languages);
  for (const auto* name : {"iso_3166-1.json", "iso_3166-2.json", "iso_4217.json", "iso_15924.json"})
    fs::create_symlink(installed / name, folder / name);
}

LanguageFolder::~LanguageFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace soak
