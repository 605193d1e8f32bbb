#include "house/house_tree.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>

#include "test_paths.hpp"

namespace house {
namespace {

namespace fs = std::filesystem;

Files read_all() {
  const fs::path root = noun_test::source_dir;
  Files files;
  for (auto at = fs::recursive_directory_iterator(root); at != fs::recursive_directory_iterator(); ++at) {
    const auto name = at->path().filename();
    if (at->is_directory() && (name == ".git" || name == ".cache" || (at.depth() == 0 && name == "build"))) {
      at.disable_recursion_pending();
    } else if (at->is_regular_file()) {
      std::ifstream in(at->path(), std::ios::binary);
      files.push_back({at->path().lexically_relative(root).generic_string(), {std::istreambuf_iterator<char>(in), {}}});
    }
  }
  return files;
}

}  // namespace

const Files& repository() {
  static const Files files = read_all();
  return files;
}

std::vector<std::string> path_parts(std::string_view path) {
  std::vector<std::string> parts;
  for (const auto& part : fs::path(path)) parts.push_back(part.string());
  return parts;
}

std::string path_stem(std::string_view path) {
  const std::string name = fs::path(path).filename().string();
  return name.substr(0, name.find('.', 1));
}

bool is_cpp(std::string_view path) { return path.ends_with(".hpp") || path.ends_with(".cpp"); }

std::string without_comments(std::string_view text) {
  std::string code;
  while (!text.empty()) {
    const auto line = text.substr(0, text.find('\n'));
    code.append(line.substr(0, line.find("//"))) += '\n';
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return code;
}

std::vector<std::string> includes_of(const std::string& text) {
  static const std::regex include(R"re((?:^|\n)[ \t]*#[ \t]*include[ \t]*(<[^>\n]*>|"[^"\n]*"))re");
  std::vector<std::string> includes;
  for (std::sregex_iterator at(text.begin(), text.end(), include), end; at != end; ++at) includes.push_back((*at)[1]);
  return includes;
}

}  // namespace house
